"""A call scope: whom it acts for, what it holds, what it counts as waiting, and its end."""
# ruff: noqa: PT012  # blocks that raise at their end are what is tested here

from typing import Any

import pytest
import trio
from trio.testing import assert_checkpoints, assert_no_checkpoints

from facets import Forbidden, Principal, Unavailable, open_host
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


async def test_an_object_can_be_got_at_once(host):
    async with host.root(ALICE) as ctx, host.root(ALICE) as other:
        with assert_no_checkpoints():
            desk = ctx.get_nowait(Desk, "s1")
        assert desk is await other.get(Desk, "s1")
        with pytest.raises(Forbidden):
            ctx.get_nowait(Desk, "forbidden")
        ctx.end()
        with pytest.raises(Unavailable):
            ctx.get_nowait(Desk, "s1")
    assert not host.references(Desk).value


@rule("Q-FAC-2")
@pytest.mark.parametrize(("end", "lost"), [("end", False), ("lose", True)])
async def test_a_scope_says_whether_its_link_was_lost(host, end, lost):
    async with host.root(ALICE) as ctx:
        await ctx.get(Desk, "s1")
        assert not ctx.lost
        getattr(ctx, end)()
        assert ctx.lost is lost
        assert [one.lingering for one in host.references(Desk).value.values()] == [True] * lost


async def test_it_is_known_that_a_link_is_lost_when_its_objects_are_let_go():
    scopes: list[Any] = []
    known = []
    facets = [desk_facet(release=lambda _: known.append(scopes[0].lost))]
    async with open_host(facets, reference_linger=0) as host, host.root(ALICE) as ctx:
        scopes.append(ctx)
        await ctx.get(Desk)
        ctx.lose()
        assert known == [True]


@rule("Q-FAC-2")
async def test_a_scope_tells_who_holds_what_as_its_host_does(host):
    async with host.root(ALICE) as ctx, host.root(EVE) as other:
        await other.get(Desk, "s1")
        assert ctx.references(Desk, "s1") is host.references(Desk, "s1")
        assert [one.principal for one in ctx.references(Desk).value.values()] == [EVE]
