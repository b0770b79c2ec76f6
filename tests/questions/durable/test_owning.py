"""What a host has raised for work of its own goes with that host, and not before."""

import pytest
import trio

from facets import Principal
from questions.durable import BadArgument
from questions.durable.caller import Caller
from questions.durable.child_decisions import Child
from questions.durable.owning import open_owner
from tests.questions.durable.acts import fill
from tests.questions.durable.cases import ALICE, T

HOST = Principal.server("agent-1")
CHILD = Child("run-1", "worker").caller
LEASE = 10_000


async def open_one(nursery, owner, caller=None):
    """The id of a decision that work of this host waits for, until the nursery is cancelled."""
    ids: list[str] = []
    raised = trio.Event()

    def note(id):
        ids.append(id)
        raised.set()

    nursery.start_soon(owner.outcome, caller or owner.caller, {"title": "Ship it?"}, note)
    await raised.wait()
    return ids[0]


async def stands(store, id):
    decision = await store.decisions(ALICE).get(id)
    return decision.status.value, decision.answer and decision.answer.via


async def nothing(*_):
    """What a killed process does."""
    await trio.lowlevel.checkpoint()


async def left_by_a_killed_host(store, engines, monkeypatch, caller=None):
    """The id of a decision whose host was killed while it waited."""
    async with open_owner(store, HOST, lease_ms=LEASE) as owner:
        monkeypatch.setattr(owner.lease, "end", nothing)
        monkeypatch.setattr(owner, "_give_up", nothing)
        async with trio.open_nursery() as nursery:
            id = await open_one(nursery, owner, caller)
            nursery.cancel_scope.cancel()
    assert await stands(store, id) == ("open", None)
    return id


async def test_a_lease_that_is_over_frees_what_its_host_has_left(store, engines, monkeypatch):
    id = await left_by_a_killed_host(store, engines, monkeypatch)
    await engines.set_clock(T + LEASE)
    async with open_owner(store, HOST, lease_ms=LEASE):
        assert await stands(store, id) == ("cancelled", "restart")


async def test_a_host_that_lives_keeps_what_it_has_raised_when_another_of_its_name_starts(store):
    async with open_owner(store, HOST) as owner, trio.open_nursery() as nursery:
        id = await open_one(nursery, owner)
        async with open_owner(store, HOST) as other:
            assert other.lease.epoch != owner.lease.epoch
            assert await stands(store, id) == ("open", None)
        assert await stands(store, id) == ("open", None)
        nursery.cancel_scope.cancel()


async def test_a_lease_that_runs_out_later_is_noticed_later(store, engines, monkeypatch):
    id = await left_by_a_killed_host(store, engines, monkeypatch)
    async with open_owner(store, HOST, lease_ms=LEASE) as owner:
        assert await stands(store, id) == ("open", None)
        await engines.set_clock(T + LEASE)
        await owner.lease.hold()
        assert await owner.lease.bury()
        await owner.take_back_of_the_dead()
        assert await stands(store, id) == ("cancelled", "restart")


async def test_a_host_whose_lease_was_taken_away_begins_another_epoch(store, engines):
    async with open_owner(store, HOST, lease_ms=LEASE) as owner:
        before = owner.lease.epoch
        await engines.set_clock(T + LEASE)
        async with open_owner(store, HOST, lease_ms=LEASE):
            await owner.lease.hold()
            assert owner.lease.epoch != before
            assert await owner.lease.is_alive(owner.lease.epoch)


async def test_other_hosts_and_those_who_raise_for_themselves_are_left_alone(store, engines, monkeypatch):
    await left_by_a_killed_host(store, engines, monkeypatch)
    [own] = await fill(store, 1)
    await engines.set_clock(T + LEASE)
    async with open_owner(store, Principal.server("agent-2")):
        assert len(await store.decisions(ALICE).list()) == 2
    async with open_owner(store, HOST):
        assert [one.id for one in await store.decisions(ALICE).list()] == [own]


async def test_a_lease_is_given_back_in_order(store):
    async with open_owner(store, HOST) as owner:
        assert await owner.lease.is_alive(owner.lease.epoch)
    assert await store.list("leases/") == []


async def test_leases_of_the_dead_do_not_pile_up(store, engines, monkeypatch):
    for life in range(5):
        await left_by_a_killed_host(store, engines, monkeypatch)
        await engines.set_clock(T + LEASE * (life + 1))
    assert len(await store.list("leases/")) == 1


async def test_a_child_that_begins_anew_takes_back_what_was_open_for_it(store, engines, monkeypatch):
    id = await left_by_a_killed_host(store, engines, monkeypatch, CHILD)
    raised_by_itself = await store.decisions(CHILD).raise_decision("Mine?")
    async with open_owner(store, HOST) as owner:
        assert await stands(store, id) == ("open", None), "its lease is running"
        await owner.take_back_all_of(CHILD)
        assert await stands(store, id) == ("cancelled", "restart")
        assert await stands(store, raised_by_itself.id) == ("open", None)


async def test_a_record_that_names_a_host_and_a_raiser_that_cannot_be_changes_nothing(store, engines, monkeypatch):
    """Whoever may write the store may write anything into it."""
    monkeypatch.setattr(Caller, "participant_id", "user:eve")
    await left_by_a_killed_host(store, engines, monkeypatch)
    monkeypatch.undo()
    await engines.set_clock(T + LEASE)
    async with open_owner(store, HOST):
        assert len(await store.decisions(ALICE).list()) == 1


async def test_many_that_were_left_are_all_taken_back(store, engines, monkeypatch):
    async with open_owner(store, HOST, lease_ms=LEASE) as owner:
        monkeypatch.setattr(owner, "_give_up", nothing)
        async with trio.open_nursery() as nursery:
            for _ in range(150):
                await open_one(nursery, owner)
            nursery.cancel_scope.cancel()
    async with open_owner(store, HOST):
        assert await store.decisions(ALICE).list() == []


@pytest.mark.parametrize("lease_ms", [999, 600_001, True, 1e4])
async def test_leases_out_of_range_are_refused(store, lease_ms):
    with pytest.raises(BadArgument):
        async with open_owner(store, HOST, lease_ms=lease_ms):
            pass
