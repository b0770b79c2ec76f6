"""Lists of decisions: newest first, as they stand now, of those who may see them, and without what cannot be read."""

import logging

import pytest

from facets import Principal
from questions.durable import BadArgument, Caller, Status
from tests.questions.durable.acts import fill, raise_one, rows
from tests.questions.durable.cases import ALICE, BOB, CHILD, HOP, LEAD, MAIN, WORKER, T, climbing
from tests.questions.durable.rewriting import rewrite


def ids(decisions):
    return [decision.id for decision in decisions]


async def test_the_newest_comes_first_and_of_one_instant_by_id(engines, store):  # case 101
    older = [await raise_one(store) for _ in range(3)]
    await engines.set_clock(T + 1)
    newest = await raise_one(store)
    assert ids(await store.decisions(MAIN).list()) == [newest.id, *sorted(ids(older))]


@pytest.mark.parametrize(("limit", "listed"), [(0, 1), (-5, 1), (1, 1), (3, 3), (500, 4)])
async def test_a_limit_out_of_range_is_taken_as_the_nearest(store, limit, listed):  # case 101
    for _ in range(4):
        await raise_one(store)
    assert len(await store.decisions(MAIN).list(limit=limit)) == listed


async def test_two_hundred_are_the_most(store):  # case 101
    await fill(store, 200)
    first = (await store.decisions(MAIN).list())[0]
    await store.decisions(ALICE).cancel(first.id)
    await raise_one(store)
    decisions = store.decisions(MAIN)
    assert [len(await decisions.list("all", limit=500)), len(await decisions.list())] == [200, 50]


@pytest.mark.parametrize(
    "wrong", [{"status": "bogus"}, {"status": None}, {"holder": "admin"}, {"limit": 1.5}, {"limit": True}]
)
async def test_what_cannot_be_listed_is_refused(store, wrong):
    with pytest.raises(BadArgument):
        await store.decisions(MAIN).list(**wrong)


async def test_each_status_has_its_list(engines, store):
    answered, cancelled, expiring, left = [await raise_one(store, timeout_ms=HOP * n) for n in (9, 9, 1, 9)]
    await store.decisions(ALICE).answer(answered.id, text="done")
    await store.decisions(MAIN).cancel(cancelled.id)
    await engines.set_clock(T + HOP)
    listed = {status: ids(await store.decisions(MAIN).list(status)) for status in [*Status, "all"]}
    expected = {"answered": answered, "cancelled": cancelled, "expired": expiring, "open": left}
    assert {str(status): found for status, found in listed.items() if status != "all"} == {
        status: [one.id] for status, one in expected.items()
    }
    assert set(listed["all"]) == {one.id for one in expected.values()}


async def test_a_holder_s_list_is_of_what_it_holds_now(engines, store):
    raised = await raise_one(store, **climbing())
    await raise_one(store)
    await store.decisions(WORKER).escalate(raised.id)
    decisions = store.decisions(MAIN)
    assert ids(await decisions.list(holder="root")) == [raised.id]
    assert await decisions.list(holder="supervisor:run-worker") == []
    await store.decisions(MAIN).answer(raised.id, text="done")
    assert await decisions.list(holder="root") == []
    assert ids(await decisions.list("all", holder="root")) == [raised.id]


async def test_a_deadline_that_passes_between_sweeping_and_listing_is_applied(engines):
    async with engines.open_intercepted() as (store, between):
        raised = await raise_one(store, timeout_ms=HOP)
        scan = between.scan

        async def later(what):
            found = await scan(what)
            if what.index == "due":
                await engines.set_clock(T + HOP)
            return found

        between.scan = later
        assert await store.decisions(MAIN).list() == []
        assert (await rows(store, raised.id))[0].version == 2


async def test_what_cannot_be_read_is_left_out_logged_once_and_left_as_it_is(engines, store, caplog):
    good = await raise_one(store)
    await engines.set_clock(T + 1)
    bad = await raise_one(store)
    await rewrite(store, bad.id, lambda record: record.update(title=7))
    [before] = await rows(store, bad.id)
    with caplog.at_level(logging.WARNING, "questions"):
        for _ in range(3):
            assert ids(await store.decisions(MAIN).list("all", limit=1)) == [good.id]
    assert len(caplog.records) == 1
    assert bad.id in caplog.text
    assert await rows(store, bad.id) == [before]


# Over a link


HOST = Caller(Principal.server("host"), via="link")


def over_link(caller):
    return Caller(caller.principal, main=caller.main, via="link")


async def test_over_a_link_everyone_sees_what_they_hold_or_have_raised(store):
    held, raised = await raise_one(store, **climbing()), await raise_one(store, caller=CHILD)
    for _ in range(3):
        await raise_one(store, holder="root")
    seen = {
        caller.participant_id: ids(await store.decisions(over_link(caller)).list(limit=2))
        for caller in (WORKER, CHILD, LEAD, ALICE)
    }
    assert seen == {
        "run-worker": [held.id],
        "run-child": [raised.id],
        "run-lead": [],
        "user:alice": [raised.id],
    }
    assert len(await store.decisions(HOST).list()) == len(await store.decisions(LEAD).list()) == 5


@pytest.mark.parametrize("verb", ["get", "cancel", "escalate", "wait", "answer"])
@pytest.mark.parametrize("caller", [LEAD, BOB])
async def test_over_a_link_what_is_not_seen_is_unknown(store, verb, caller):
    raised = await raise_one(store, holder="supervisor:run-worker")
    with pytest.raises(Exception, match="there is no decision"):
        await getattr(store.decisions(over_link(caller)), verb)(raised.id)
