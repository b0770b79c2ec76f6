"""The host: what goes in and out of its block, and how it is drained, fenced and described."""
# ruff: noqa: PT012  # blocks that raise at their end are what is tested here

import math

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from facets import Busy, InvalidFacet, InvalidPrincipal, Principal, Resource, facet, open_host
from tests.facets.stubs import ALICE, BOB, Desk, Ledger, Tills, desk_facet, till_facet
from tests.rules import rule


@pytest.fixture
def tills():
    return Tills()


@pytest.fixture
async def host(tills):
    async with open_host([till_facet(tills)], names={ALICE: "Alice"}) as host:
        yield host


@pytest.fixture
def till(tills, host):
    return tills.till


# The block


async def test_host_without_facets_runs():
    async with open_host([]) as host:
        assert host.principal == Principal.server("host")


async def test_host_takes_an_identity_a_clock_and_names():
    own = Principal.server("h2")
    async with open_host([], {ALICE: "Alice"}, clock=lambda: 3.0, principal=own) as host:
        assert (host.principal, host.now(), str(host.who(ALICE)), str(host.who(own))) == (own, 3.0, "Alice", "h2")


async def test_name_that_is_empty_is_the_id():
    async with open_host([], {ALICE: ""}) as host:
        assert str(host.who(ALICE)) == "alice"


async def test_names_given_later_are_not_seen():
    names: dict[Principal, str] = {}
    async with open_host([], names) as host:
        names[ALICE] = "Alice"
        assert str(host.who(ALICE)) == "alice"


async def test_names_of_many_principals_are_shown_and_only_some_remembered(monkeypatch):
    monkeypatch.setattr("facets.host._REMEMBERED_NAMES", 3)
    async with open_host([], {ALICE: "Alice"}) as host:
        everybody = [ALICE, *(Principal.user(f"u{number}") for number in range(7))] * 2
        assert [host.who(one).name for one in everybody] == ["Alice", *(f"u{number}" for number in range(7))] * 2
        assert len(host._known) <= 3
        assert host.who(everybody[-1]) is host.who(everybody[-1])


@rule("Q-FAC-1")
@pytest.mark.parametrize("error", [KeyError("mine"), ExceptionGroup("mine", [KeyError("x")]), KeyboardInterrupt()])
async def test_what_the_block_raises_comes_out_as_it_is(error):
    ledger = Ledger()
    with pytest.raises(type(error)) as caught:
        async with open_host([facet("f", resources=[ledger.resource("a")])]):
            raise error
    assert repr(caught.value) == repr(error)
    assert ledger.open == set()


@rule("Q-FAC-1")
async def test_error_of_the_block_and_errors_of_closing_come_out_together():
    mine, closing = KeyError("mine"), OSError("closing")
    with pytest.raises(BaseExceptionGroup) as caught:
        async with open_host([facet("f", resources=[Ledger().resource("a", error=closing)])]):
            raise mine
    assert caught.value.exceptions == (mine, closing)


@rule("Q-FAC-1")
async def test_single_error_of_closing_comes_out_bare():
    with pytest.raises(OSError, match="closing"):
        async with open_host([facet("f", resources=[Ledger().resource("a", error=OSError("closing"))])]):
            pass


@rule("Q-FAC-1")
async def test_cancellation_passes_through_and_everything_is_closed():
    ledger = Ledger()
    with trio.CancelScope() as scope:
        async with open_host([facet("f", resources=[ledger.resource("a")])]):
            scope.cancel()
            await trio.sleep_forever()
    assert scope.cancelled_caught
    assert ledger.open == set()


@rule("Q-FAC-1")
async def test_cancellation_hides_no_error_of_closing():
    with pytest.raises(ExceptionGroup) as caught, trio.CancelScope() as scope:
        async with open_host([facet("f", resources=[Ledger().resource("a", error=OSError("closing"))])]):
            scope.cancel()
            await trio.sleep_forever()
    assert [str(error) for error in caught.value.exceptions] == ["closing"]


@rule("Q-FAC-1")
async def test_closing_may_wait_though_the_block_was_cancelled():
    closed = []

    async def close(_):
        await trio.lowlevel.checkpoint()
        closed.append(True)

    resource = Resource("a", Ledger().resource("a").open, close=close)
    with trio.move_on_after(0):
        async with open_host([facet("f", resources=[resource])]):
            await trio.sleep_forever()
    assert closed == [True]


@rule("Q-FAC-1")
async def test_crash_of_a_task_of_the_host_ends_the_block_and_hides_nothing(autojump_clock):
    def release(_):
        raise LookupError("releasing")

    resources = [Ledger().resource("a", error=OSError("closing"))]
    with pytest.raises(BaseExceptionGroup) as caught:
        async with open_host([facet("f", resources=resources), desk_facet(release=release)]) as host:
            async with host.root(ALICE) as ctx:
                await ctx.get(Desk)
                ctx.lose()
            await trio.sleep_forever()
    assert caught.group_contains(LookupError, match="releasing")
    assert caught.group_contains(OSError, match="closing")


@rule("Q-FAC-1")
async def test_two_facets_of_one_name_are_refused_and_the_first_is_closed():
    ledger = Ledger()
    twins = [facet("f", resources=[ledger.resource(name)]) for name in "ab"]
    with pytest.raises(InvalidFacet):
        async with open_host(twins):
            pytest.fail("not reached")
    assert ledger.events == ["open a#1", "close a#1"]


async def test_facet_can_be_started_later(host):
    await host.start(desk_facet())
    async with host.root(ALICE) as ctx:
        assert await ctx.get(Desk, "s1") == Desk("s1", ALICE)


# Draining


@rule("Q-FAC-3")
async def test_drain_of_an_idle_host_is_done_at_once(host):
    assert await host.drain(timeout=math.inf) == ()


@rule("Q-FAC-3")
async def test_drain_waits_until_nothing_stands_still(host, till, nursery, autojump_clock):
    till.wait_for("w1", "s1")
    till.wait_for("w2", "s2")

    async def end_them():
        await trio.sleep(1)
        till.done("w1")
        await trio.sleep(1)
        till.done("w2")

    nursery.start_soon(end_them)
    assert await host.drain(timeout=10) == ()
    assert trio.current_time() == 2


@rule("Q-FAC-3")
@pytest.mark.parametrize("timeout", [0, 5])
async def test_drain_says_what_it_still_waits_for(host, till, autojump_clock, timeout):
    till.wait_for("w1", "s1")
    (left,) = await host.drain(timeout)
    assert (left.id, left.what, left.scope) == ("w1", "a coin", "s1")
    assert (str(left.waiting_for[0]), trio.current_time()) == ("Alice", timeout)
    assert list(host.waiting.value) == ["w1"]


@rule("Q-FAC-3")
async def test_drain_waits_for_active_calls(host, nursery, autojump_clock):
    async def work():
        async with host.root(ALICE) as ctx:
            with ctx.calling("a long sum"):
                await trio.sleep(3)

    nursery.start_soon(work)
    await wait_all_tasks_blocked()
    assert [waiting.what for waiting in await host.drain(timeout=1)] == ["a long sum"]
    assert await host.drain(timeout=5) == ()
    assert trio.current_time() == 3


# Fencing


@rule("Q-FAC-3")
async def test_fence_of_an_idle_scope_stays(host, till):
    till.wait_for("other", "s2")
    await host.fence("s1", timeout=0)
    assert till.fenced == {"s1"}
    host.unfence("s1")
    assert till.fenced == set()


@rule("Q-FAC-3")
async def test_fence_stops_new_work_first_and_waits_for_what_is_open(host, till, nursery, autojump_clock):
    till.wait_for("w1", "s1")

    async def finish():
        await trio.sleep(2)
        assert till.fenced == {"s1"}
        till.done("w1")

    nursery.start_soon(finish)
    await host.fence("s1", timeout=10)
    assert (trio.current_time(), till.fenced) == (2, {"s1"})


@rule("Q-FAC-3")
async def test_fence_that_runs_out_of_time_names_what_is_open_and_is_lifted(host, till, autojump_clock):
    for id, scope in (("w1", "s1"), ("w2", "s1"), ("w3", "s2")):
        till.wait_for(id, scope)
    with pytest.raises(Busy) as caught:
        await host.fence("s1", timeout=5)
    assert (caught.value.open_ids, till.fenced, len(host.waiting.value)) == (("w1", "w2"), set(), 3)


@rule("Q-FAC-3")
async def test_forced_fence_closes_what_is_open_in_its_scope_and_stays(host, till, autojump_clock):
    for id, scope in (("w1", "s1"), ("w2", "s2")):
        till.wait_for(id, scope)
    await host.fence("s1", timeout=5, force=True)
    assert (list(host.waiting.value), till.fenced) == (["w2"], {"s1"})


@rule("Q-FAC-3")
async def test_cancelled_fence_is_lifted(host, till):
    till.wait_for("w1", "s1")
    with trio.move_on_after(0):
        await host.fence("s1", timeout=math.inf)
    assert (till.fenced, len(host.waiting.value)) == (set(), 1)


@rule("Q-FAC-3")
async def test_host_whose_resources_cannot_be_fenced_waits_all_the_same(autojump_clock):
    async with open_host([facet("f", resources=[Ledger().resource("a")])]) as host, host.root() as ctx:
        await host.fence("s1", timeout=1)
        with ctx.calling("work", scope="s1"), pytest.raises(Busy):
            await host.fence("s1", timeout=1)


# Describing


async def test_host_is_described_as_plain_data(host, till):
    till.wait_for("w1", "s1")
    await host.fence("s2", timeout=0)
    await host.start(desk_facet())
    async with host.root(ALICE) as ctx:
        await ctx.get(Desk, "s1")
        described = host.describe()
    assert (described["principal"], [desk["holders"] for desk in described["objects"]]) == ("server:host", [1])
    assert described["facets"] == [
        {"name": "tills", "resources": [{"name": "till", "version": "1", "state": {"fenced": ["s2"]}}]},
        {"name": "desks", "resources": []},
    ]
    assert described["waiting"] == [
        {
            "id": "w1",
            "what": "a coin",
            "scope": "s1",
            "asker": "guest:eve",
            "waiting_for": ["user:alice"],
            "shown_to": ["user:bob"],
            "since": 5.0,
        }
    ]


async def test_resource_without_a_description_has_none():
    async with open_host([facet("f", resources=[Ledger().resource("a", version=(1, 2))])]) as host:
        (described,) = host.describe()["facets"]
    assert described["resources"] == [{"name": "a", "version": "(1, 2)", "state": None}]


async def test_call_scope_of_something_else_than_a_principal_is_refused():
    async with open_host([]) as host:
        with pytest.raises(InvalidPrincipal, match=r"\$\.principal: a Principal, such as .*, not str"):
            await host.root("alice").__aenter__()  # type: ignore[arg-type]


async def test_names_of_something_else_than_principals_are_refused():
    with pytest.raises(InvalidPrincipal, match=r"\$\.names: its keys are Principals, not str"):
        await open_host([], names={"alice": "Alice"}).__aenter__()  # type: ignore[dict-item]


async def test_a_host_lists_the_types_that_it_serves():
    async with open_host([desk_facet()]) as host:
        assert host.served() == (Desk,)
    async with open_host([]) as host:
        assert host.served() == ()


@pytest.mark.parametrize("name", ["x" * 201, "\ud800", "\u202eecila", "a\nb", 7])
async def test_names_that_could_not_be_ids_are_refused(name):
    with pytest.raises(InvalidPrincipal, match=r"\$\.name: "):
        await open_host([], names={ALICE: name}).__aenter__()
    async with open_host([], names={ALICE: ""}) as host:
        with pytest.raises(InvalidPrincipal, match=r"\$\.name: "):
            host.introduce(BOB, name)
        assert [host.who(one).name for one in (ALICE, BOB)] == [ALICE.id, BOB.id]


async def test_an_introduced_principal_is_shown_by_that_name_from_then_on():
    async with open_host([], names={ALICE: "Alice"}) as host:
        assert host.who(BOB).name == "bob"
        host.introduce(BOB, "Bob of Accounts")
        host.introduce(ALICE, "Mallory")
        assert (host.who(BOB).name, host.who(ALICE).name) == ("Bob of Accounts", "Alice")
        host.introduce(BOB, "Robert")
        assert host.who(BOB).name == "Robert"


async def test_only_the_last_introductions_are_remembered(monkeypatch):
    monkeypatch.setattr("facets.host._REMEMBERED_NAMES", 2)
    async with open_host([]) as host:
        people = [Principal.user(name) for name in "abc"]
        for person in people:
            host.introduce(person, person.id.upper())
        assert [host.who(person).name for person in people] == ["a", "B", "C"]
