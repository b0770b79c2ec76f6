"""A call scope: whom it acts for, what it holds, what it counts as waiting, and its end."""
# ruff: noqa: PT012  # blocks that raise at their end are what is tested here

import pytest
import trio
from trio.testing import assert_checkpoints

from facets import Principal, Unavailable, open_host
from tests.facets.stubs import ALICE, EVE, Desk, desk_facet
from tests.rules import rule


@pytest.fixture
async def host():
    async with open_host([desk_facet()], names={ALICE: "Alice"}, clock=lambda: 7.0) as host:
        yield host


async def test_scope_acts_for_the_host_itself_or_for_who_was_named(host):
    async with host.root() as own, host.root(principal=ALICE) as alice:
        assert own.principal == host.principal == Principal.server("host")
        assert (await alice.get(Desk, "s1")).principal == ALICE


async def test_get_is_a_checkpoint(host):
    async with host.root() as ctx:
        with assert_checkpoints():
            await ctx.get(Desk)


@pytest.mark.parametrize("end", ["end", "lose"])
async def test_scope_that_has_ended_gives_and_counts_nothing_more(host, end):
    async with host.root(ALICE) as ctx:
        getattr(ctx, end)()
        with pytest.raises(Unavailable):
            await ctx.get(Desk)
        with pytest.raises(Unavailable), ctx.calling("something"):
            pass
    assert not host.waiting.value


async def test_scope_that_ends_during_a_get_holds_nothing(host, nursery):
    async with host.root(ALICE) as ctx:
        nursery.start_soon(end_it, ctx)
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(Unavailable):
            await ctx.get(Desk)
    assert not host.references(Desk).value


async def end_it(ctx):
    ctx.end()


@rule("Q-FAC-3")
async def test_active_call_is_shown_until_it_ends_however_it_ends(host):
    async with host.root(ALICE) as ctx:
        with pytest.raises(KeyError), ctx.calling("a long sum", scope="s1"):
            (waiting,) = host.waiting.value.values()
            assert (waiting.what, waiting.scope, waiting.since) == ("a long sum", "s1", 7.0)
            assert (str(waiting.asker), waiting.waiting_for, waiting.shown_to) == ("Alice", (), ())
            raise KeyError
    assert not host.waiting.value


async def test_two_active_calls_have_two_ids(host):
    async with host.root() as ctx:
        with ctx.calling("one"), ctx.calling("one"):
            assert len(host.waiting.value) == 2


async def test_scope_ends_with_its_block_however_it_ends(host):
    with pytest.raises(KeyError):
        async with host.root(EVE) as ctx:
            await ctx.get(Desk)
            raise KeyError
    assert not host.references(Desk).value


async def test_every_object_is_released_even_if_releasing_one_fails():
    released = []

    def release(desk):
        released.append(desk.input)
        raise OSError(desk.input)

    async with open_host([desk_facet(release=release)]) as host:
        with pytest.raises(ExceptionGroup) as caught:
            async with host.root(EVE) as ctx:
                for number in range(3):
                    await ctx.get(Desk, number)
        assert not host.references(Desk).value
    assert sorted(released) == sorted(error.args[0] for error in caught.value.exceptions) == [0, 1, 2]
