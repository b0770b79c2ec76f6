"""Objects are made once for each type, input and principal, counted, and released once."""
# ruff: noqa: SIM117  # blocks that raise at their end are what is tested here

from typing import Any

import attrs
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from facets import Forbidden, ObjectKey, Readable, Unserved, facet, open_host, present, serve
from tests.facets.stubs import ALICE, BOB, EVE, Desk, desk_facet, make_desk
from tests.rules import rule

pytestmark = rule("Q-FAC-2")


@pytest.fixture
def released():
    return []


@pytest.fixture
async def host(released):
    async with open_host([desk_facet(release=released.append)], reference_linger=30) as host:
        yield host


def holders(host, kind=Desk):
    return {str(key.principal): ref.holders for key, ref in host.references(kind).value.items()}


async def test_two_scopes_of_one_principal_get_the_same_object(host):
    async with host.root(ALICE) as first, host.root(ALICE) as second:
        assert await first.get(Desk, "s1") is await second.get(Desk, "s1")
        assert await first.get(Desk, "s1") is await first.get(Desk, "s1")
        assert holders(host) == {"user:alice": 2}


async def test_another_input_or_principal_gets_another_object(host):
    async with host.root(ALICE) as alice, host.root(BOB) as bob:
        desks = [await alice.get(Desk, "s1"), await alice.get(Desk, "s2"), await bob.get(Desk, "s1")]
    assert desks == [Desk("s1", ALICE), Desk("s2", ALICE), Desk("s1", BOB)]


async def test_object_is_released_once_with_its_last_holder(host, released):
    async with host.root(ALICE) as first:
        desk = await first.get(Desk, "s1")
        async with host.root(ALICE) as second:
            await second.get(Desk, "s1")
        assert (released, holders(host)) == ([], {"user:alice": 1})
        first.end()
        assert (released, holders(host)) == ([desk], {})
    assert released == [desk]


async def test_object_is_made_anew_after_its_release(host, released):
    for _ in range(2):
        async with host.root(ALICE) as ctx:
            await ctx.get(Desk)
    assert len({id(desk) for desk in released}) == 2


async def test_refused_object_is_held_by_nobody(host):
    async with host.root(ALICE) as ctx:
        with pytest.raises(Forbidden):
            await ctx.get(Desk, "forbidden")
        assert holders(host) == {}


async def test_type_that_no_facet_serves_is_named(host):
    async with host.root() as ctx:
        with pytest.raises(Unserved) as caught:
            await ctx.get(str)
    assert caught.value.kind == "str"


async def test_release_of_what_is_not_held_does_nothing(host, released):
    async with host.root(ALICE) as ctx, host.root(BOB) as other:
        await ctx.get(Desk)
        host.release(other, ObjectKey(Desk, None, ALICE), lost=False)
        host.release(ctx, ObjectKey(Desk, "unknown", ALICE), lost=False)
        assert (released, holders(host)) == ([], {"user:alice": 1})


# Lingering


async def test_object_outlives_a_lost_link_for_a_while(host, released, autojump_clock):
    async with host.root(ALICE) as ctx:
        await ctx.get(Desk)
        ctx.lose()
        (reference,) = host.references(Desk).value.values()
        assert (reference.lingering, reference.holders, released) == (True, 0, [])
        await trio.sleep(29)
        assert released == []
        await trio.sleep(2)
        assert (released, holders(host)) == ([Desk(None, ALICE)], {})


async def test_coming_back_in_time_finds_the_same_object_and_ends_the_linger(host, released, autojump_clock):
    async with host.root(ALICE) as gone:
        desk = await gone.get(Desk)
        gone.lose()
    await trio.sleep(20)
    async with host.root(ALICE) as back:
        assert await back.get(Desk) is desk
        await trio.sleep(100)
        assert (released, holders(host)) == ([], {"user:alice": 1})


async def test_losing_again_lingers_for_the_whole_time_again(host, released, autojump_clock):
    for _ in range(3):
        async with host.root(ALICE) as ctx:
            await ctx.get(Desk)
            ctx.lose()
        await trio.sleep(20)
    assert released == []
    await trio.sleep(11)
    assert len(released) == 1


async def test_only_so_many_objects_of_one_principal_linger_and_the_oldest_go_first(monkeypatch, autojump_clock):
    monkeypatch.setattr("facets.objects._MOST_LINGERING", 3)
    released: list[Any] = []
    async with open_host([desk_facet(release=released.append)], reference_linger=30) as host:
        for name in "abcda":  # the first has gone by the time that it is wanted again
            await lose(host, ALICE, name)
        await lose(host, BOB, "a")
        assert released == [Desk("a", ALICE), Desk("b", ALICE)]
        assert len(host.references(Desk).value) == 4
        await trio.sleep(31)
        assert len(released) == 6
        assert holders(host) == {}


async def lose(host, principal, name):
    async with host.root(principal) as ctx:
        await ctx.get(Desk, name)
        ctx.lose()


async def test_object_that_is_held_again_at_the_very_instant_of_its_end_stays(host, autojump_clock):
    """Many at once, as trio runs the tasks of one step in any order: held means never released."""

    async def come_back(ctx, key):
        await trio.sleep(30)
        host.hold(ctx, key)

    keys = [ObjectKey(Desk, number, ALICE) for number in range(20)]
    async with host.root(ALICE) as gone, host.root(ALICE) as back, trio.open_nursery() as nursery:
        for key in keys:
            nursery.start_soon(come_back, back, key)
            await gone.get(Desk, key.input)
        await wait_all_tasks_blocked()
        gone.lose()
        await trio.sleep(31)
        assert sorted(key.input for key in host.references(Desk).value) == list(range(20))
        assert not any(reference.lingering for reference in host.references(Desk).value.values())


async def test_lost_link_of_one_holder_of_two_lets_nothing_linger(host):
    async with host.root(ALICE) as first, host.root(ALICE) as second:
        await first.get(Desk)
        await second.get(Desk)
        first.lose()
        (reference,) = host.references(Desk).value.values()
        assert (reference.holders, reference.lingering) == (1, False)


async def test_without_linger_a_lost_object_goes_at_once(released):
    async with open_host([desk_facet(release=released.append)], reference_linger=0) as host:
        async with host.root(ALICE) as ctx:
            await ctx.get(Desk)
            ctx.lose()
            assert len(released) == 1


async def test_host_does_not_wait_for_what_lingers(autojump_clock):
    async with open_host([desk_facet()]) as host, host.root(ALICE) as ctx:
        await ctx.get(Desk)
        ctx.lose()
    assert trio.current_time() == 0


# Everyone present


async def test_present_are_the_people_who_hold_a_view_and_are_not_away(host):
    everyone: Readable[Any] = present(host, Desk, "s1")
    async with host.root(ALICE) as alice, host.root(EVE) as eve, host.root() as server, host.root(BOB) as bob:
        for ctx in (alice, eve, server):
            await ctx.get(Desk, "s1")
        await bob.get(Desk, "s2")
        assert everyone.value == (ALICE, EVE)
        alice.lose()
        assert everyone.value == (EVE,)
        assert present(host, Desk, "s1", kinds=("server",)).value == (host.principal,)
    assert everyone.value == ()


async def test_second_device_of_somebody_present_is_no_news(host):
    everyone: Readable[Any] = present(host, Desk, "s1")
    async with host.root(ALICE) as first, host.root(ALICE) as second:
        await first.get(Desk, "s1")
        before = everyone.value, everyone.version
        await second.get(Desk, "s1")
        assert (everyone.value, everyone.version) == before


# Types that are read again


def twin_of(kind, module=None):
    """The same type as a declaration that is read again makes it."""
    again = attrs.make_class(kind.__name__, ["input", "principal"])
    again.__module__ = module or kind.__module__
    return again


async def test_type_that_is_read_again_is_served_by_the_new_code_under_both_names(host):
    again = twin_of(Desk)
    new = facet("desks", serves=[serve(again, lambda _, input, principal: again(input, principal))])
    await host.reload(new)
    async with host.root(ALICE) as ctx:
        assert isinstance(await ctx.get(again), again)
        assert isinstance(await ctx.get(Desk, "s1"), again)


async def test_types_of_the_same_name_from_two_modules_do_not_get_in_each_others_way():
    other = twin_of(Desk, module="elsewhere")
    second = facet("other", serves=[serve(other, lambda _, input, principal: other(input, principal))])
    async with open_host([desk_facet(), second]) as host, host.root(ALICE) as ctx:
        assert type(await ctx.get(Desk)) is Desk
        assert type(await ctx.get(other)) is other


async def test_held_objects_are_renewed_and_released_by_the_new_code(host, released):
    renewed, let_go = list[object](), list[object]()
    served = serve(Desk, make_desk, release=let_go.append, renew=renewed.append)
    async with host.root(ALICE) as ctx:
        desk = await ctx.get(Desk)
        await host.reload(facet("desks", serves=[served]))
        assert renewed == [desk]
        assert await ctx.get(Desk) is desk
    assert (released, let_go) == ([], [desk])


async def test_reload_of_one_facet_leaves_the_objects_of_another_alone():
    class Lamp:
        pass

    lamps = facet("lamps", serves=[serve(Lamp, lambda *_: Lamp())])
    async with open_host([desk_facet(), lamps]) as host, host.root(ALICE) as ctx:
        lamp, desk = await ctx.get(Lamp), await ctx.get(Desk)
        await host.reload(desk_facet())
        await host.reload(lamps)
        assert (await ctx.get(Lamp), await ctx.get(Desk)) == (lamp, desk)
