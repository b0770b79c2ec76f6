"""Deadlines of stored decisions: applied by whoever looks first, however late, and by a sweeper if nobody looks."""

import logging

import pytest
import trio

from questions.durable import HeldByUser, Hint, MemoryBackend, NotHolder, NotOpen, Status, open_store
from questions.durable.store import TABLES
from tests.questions.durable.acts import fill, heard, outcome, raise_one, rows
from tests.questions.durable.cases import ALICE, BOB, DAY, HOP, MAIN, OPTS, WORKER, T, climbing, offsets
from tests.questions.durable.rewriting import rewrite
from tests.rules import rule

YEAR = 365 * DAY


async def kinds(store, hints):
    return [hint.kind.removeprefix("decision.") for hint in await heard(store, hints)]


async def at(engines, store, moment, id, caller=MAIN):
    """The decision as it is read this long after T."""
    await engines.set_clock(T + moment)
    return await store.decisions(caller).get(id)


# Without a chain


async def test_a_decision_expires_once_without_an_answer(engines, store):  # case 40
    raised = await raise_one(store, timeout_ms=1_000)
    expired = await at(engines, store, 1_500, raised.id)
    assert (expired.status, expired.answer, expired.version) == (Status.EXPIRED, None, 2)
    assert await at(engines, store, 2_000, raised.id) == expired


@rule("Q-ASK-2")
async def test_a_default_is_answered_by_the_deadline_when_it_is_listed(engines, store):  # case 41
    raised = await raise_one(store, options=OPTS, timeout_ms=2_000, on_expire="default", default_option_id="keep")
    assert (await at(engines, store, 1_500, raised.id)).status is Status.OPEN
    await engines.set_clock(T + 2_500)
    [expired] = await store.decisions(MAIN).list("expired")
    answer = expired.answer
    assert (answer.option_id, answer.answered_by, answer.via, answer.at) == ("keep", "deadline", "expiry", T + 2_500)
    with pytest.raises(NotOpen) as refused:
        await store.decisions(ALICE).answer(raised.id, option="drop")
    assert refused.value.status == "expired"


async def test_without_a_deadline_it_is_open_for_ever(engines, store):  # case 44
    raised = await raise_one(store)
    assert await at(engines, store, 10 * YEAR, raised.id) == raised


@rule("Q-SET-5")
async def test_an_answer_that_comes_first_and_too_late_stores_the_end(engines, store):  # case 45
    hints = store.decisions(MAIN).hints()
    raised = await raise_one(store, timeout_ms=1_000)
    await engines.set_clock(T + 1_000)
    with pytest.raises(NotOpen) as refused:
        await store.decisions(ALICE).answer(raised.id, text="done")
    assert refused.value.status == "expired"
    assert '"status":"expired"' in (await rows(store, raised.id))[0].value
    assert await kinds(store, hints) == ["raised", "expired"]


async def test_a_default_that_was_only_named_is_not_answered(engines, store):  # case 46
    raised = await raise_one(store, options=OPTS, timeout_ms=1_000, default_option_id="keep")
    assert (await at(engines, store, 1_000, raised.id)).answer is None


async def test_only_the_clock_of_the_store_counts(engines, store):  # case 47
    """This host's own clock is years beyond the deadline."""
    raised = await raise_one(store, timeout_ms=1_000)
    assert await at(engines, store, 500, raised.id) == raised


# With one


async def test_a_decision_climbs_when_its_holder_s_time_is_over(engines, store):  # case 53, case 128
    hints = store.decisions(MAIN).hints()
    raised = await raise_one(store, **climbing())
    moved = await at(engines, store, 60_010, raised.id)
    assert (moved.status, moved.holder, moved.escalation.hop) == (Status.OPEN, "root", 1)
    assert offsets(moved) == {"createdAt": 0, "deadline": 120_000, "history": [("supervisor:run-worker", 60_000)]}
    assert moved.history[0].reason == "expired"
    assert await store.decisions(MAIN).list(holder="root") == [moved]
    assert await store.decisions(MAIN).list(holder="supervisor:run-worker") == []
    told = await heard(store, hints)
    assert [hint.kind for hint in told] == ["decision.raised", "decision.escalated"]
    assert [hint.data["hop"] for hint in told] == [0, 1]


async def test_a_late_reader_finds_the_holder_that_a_punctual_one_would(engines, store):  # case 54, case 128
    hints = store.decisions(MAIN).hints()
    raised = await raise_one(store, **climbing())
    moved = await at(engines, store, 120_005, raised.id)
    assert (moved.status, moved.holder, moved.escalation.hop, moved.version) == (Status.OPEN, "user", 2, 2)
    assert offsets(moved)["deadline"] == 180_000
    assert await kinds(store, hints) == ["raised", "escalated"]
    expired = await at(engines, store, 660_000, raised.id)
    assert (expired.status, expired.answer, expired.holder) == (Status.EXPIRED, None, "user")
    assert [move.holder for move in expired.history] == ["supervisor:run-worker", "root"]
    with pytest.raises(NotOpen):
        await store.decisions(ALICE).answer(raised.id, text="done")


async def test_a_very_late_reader_finds_the_end_in_one_swap(engines, store):  # case 55, case 128
    hints = store.decisions(MAIN).hints()
    final = {"hop_timeout_ms": HOP, "on_final": "default"}
    raised = await raise_one(store, **climbing("root", options=OPTS, escalation=final, default_option_id="keep"))
    expired = await at(engines, store, 6 * HOP, raised.id)
    assert (expired.status, expired.holder, expired.version) == (Status.EXPIRED, "user", 2)
    assert (expired.answer.option_id, expired.answer.answered_by) == ("keep", "deadline")
    assert [move.holder for move in expired.history] == ["root"]
    assert await kinds(store, hints) == ["raised", "expired"]


async def test_the_first_time_is_its_own_and_later_hops_have_theirs(engines, store):  # case 58, case 128
    chain = {"chain": ["supervisor:run-worker", "root", "user"], "hop_timeout_ms": 1_000}
    raised = await raise_one(store, **climbing(timeout_ms=3_600_000, escalation=chain))
    moved = await at(engines, store, 3_600_500, raised.id)
    assert (moved.holder, offsets(moved)["deadline"]) == ("root", 3_601_000)
    assert (await at(engines, store, 3_602_000, raised.id)).status is Status.EXPIRED


async def test_a_chain_that_cannot_be_used_is_logged_once_and_left(engines, store, caplog):  # case 59
    raised = await raise_one(store, **climbing(options=OPTS, default_option_id="keep"))
    await rewrite(store, raised.id, lambda record: record["escalation"].update(chain="root"))
    with caplog.at_level(logging.WARNING, "questions"):
        expired = await at(engines, store, HOP, raised.id)
        await at(engines, store, 2 * HOP, raised.id)
    assert (expired.status, expired.answer, expired.holder) == (Status.EXPIRED, None, "supervisor:run-worker")
    assert [record.getMessage().split()[1] for record in caplog.records] == [raised.id]
    assert '"chain":"root"' in (await store.get(f"decisions/{raised.id}")).value


async def test_an_older_record_stays_without_what_it_never_had(engines, store):  # case 61
    raised = await raise_one(store, timeout_ms=HOP)
    await rewrite(store, raised.id, lambda record: [record.pop("schema"), record.update(onlyOurs={"a": [1]})])
    assert (await at(engines, store, 1, raised.id)).version == 2
    await at(engines, store, HOP, raised.id)
    value = (await store.get(f"decisions/{raised.id}")).value
    assert '"onlyOurs":{"a":[1]}' in value
    assert "escalation" not in value
    assert "history" not in value


async def test_a_chain_stays_as_it_was_raised_whoever_is_still_there(engines):  # case 62
    """Another store object, which knows of no participant, moves it on."""
    async with engines.open() as store:
        raised = await raise_one(store, caller=WORKER, **climbing())
        async with engines.open() as later:
            moved = await at(engines, later, HOP, raised.id)
            assert moved.escalation.chain == raised.escalation.chain
            assert (moved.escalation.hop_timeout_ms, offsets(moved)["deadline"]) == (HOP, 2 * HOP)
            assert (await at(engines, later, 2 * HOP, raised.id)).holder == "user"


async def test_a_second_read_writes_nothing(engines, store):  # case 64
    raised = await raise_one(store, **climbing())
    moved = await at(engines, store, 60_010, raised.id)
    assert await at(engines, store, 60_020, raised.id) == moved
    assert moved.version == 2


async def test_who_comes_too_late_is_refused_and_the_hop_is_stored(engines, store):  # case 70, case 75
    raised = await raise_one(store, **climbing())
    await engines.set_clock(T + HOP + 1)
    with pytest.raises(NotHolder):
        await store.decisions(WORKER).escalate(raised.id)
    assert (await rows(store, raised.id))[0].version == 2
    answered = await store.decisions(MAIN).answer(raised.id, text="done")
    assert (answered.holder, answered.answer.answered_by) == ("root", "session:main")


async def test_escalating_gives_the_next_holder_fresh_time(engines, store):  # case 66
    hints = store.decisions(MAIN).hints()
    raised = await raise_one(store, caller=WORKER, **climbing())
    await engines.set_clock(T + 100)
    moved = await store.decisions(WORKER).escalate(raised.id, "outside my lane")
    assert (moved.holder, moved.escalation.hop, offsets(moved)["deadline"]) == ("root", 1, 60_100)
    [move] = moved.history
    assert (move.reason, move.text, move.by, move.until) == ("escalated", "outside my lane", "run-worker", T + 100)
    refusals = [
        await outcome(store.decisions(WORKER).answer(raised.id, text="done")),
        await outcome(store.decisions(WORKER).escalate(raised.id)),
    ]
    assert [type(refusal) for refusal in refusals] == [NotHolder, NotHolder]
    assert (await store.decisions(MAIN).escalate(raised.id)).holder == "user"
    assert type(await outcome(store.decisions(MAIN).escalate(raised.id))) is HeldByUser
    assert await kinds(store, hints) == ["raised", "escalated", "escalated"]


# The sweeper


def running():
    return MemoryBackend(TABLES, lambda: T + round(trio.current_time() * 1000))


async def test_a_sweeper_moves_what_nobody_looks_at(autojump_clock):  # case 65
    async with open_store(running()) as store:
        hints = store.decisions(MAIN).hints()
        raised = await raise_one(store, **climbing())
        await anext(hints)
        told = await anext(hints)
        assert isinstance(told, Hint)
        assert (told.id, told.kind, told.data["holder"]) == (raised.id, "decision.escalated", "root")
        assert trio.current_time() <= 61.1


async def test_without_a_sweeper_nothing_happens_until_a_read(autojump_clock):  # case 65
    backend = running()
    async with open_store(backend, sweep_ms=None) as store:
        raised = await raise_one(store, **climbing())
        edge = (await backend.changes(-1)).upto
        await trio.sleep(600)
        assert (await backend.changes(-1)).upto == edge
        assert (await store.decisions(MAIN).get(raised.id)).status is Status.EXPIRED


async def test_a_sweep_goes_through_more_than_one_batch_and_past_what_cannot_be_read(engines, store):
    bad = await fill(store, 120, timeout_ms=1_000)
    await fill(store, 30, timeout_ms=2_000)
    async with trio.open_nursery() as nursery:
        for id in bad:
            nursery.start_soon(rewrite, store, id, lambda record: record.update(status="pondering"))
    await engines.set_clock(T + 5_000)
    await store.records.sweep(T + 5_000)
    assert len(await store.decisions(MAIN).list("expired", limit=200)) == 30
    assert len(await store.unreadable()) == 120


async def test_two_sweepers_at_once_move_everything_once(engines):
    async with engines.open() as one, engines.open() as two:
        hints = one.decisions(MAIN).hints()
        for _ in range(20):
            await raise_one(one, timeout_ms=1_000)
        await engines.set_clock(T + 1_000)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(one.records.sweep, T + 1_000)
            nursery.start_soon(two.records.sweep, T + 1_000)
        assert {decision.version for decision in await one.decisions(MAIN).list("expired")} == {2}
        assert sorted(await kinds(one, hints)) == ["expired"] * 20 + ["raised"] * 20


async def test_a_sweep_that_is_overtaken_moves_the_others(engines):
    async with engines.open() as other, engines.open_intercepted() as (store, between):
        ids = [(await raise_one(store, **climbing())).id for _ in range(3)]
        await engines.set_clock(T + HOP)
        between.before = [lambda: other.decisions(BOB).get(ids[1])]
        await store.records.sweep(T + HOP)
        assert [row.version for row in await rows(store, *ids)] == [2, 2, 2]


async def test_a_sweeper_outlasts_a_store_that_cannot_be_reached(engines):
    async with engines.open_intercepted(sweep_ms=50) as (store, between):
        raised = await raise_one(store, timeout_ms=1_000)
        hints = store.decisions(MAIN).hints()
        between.away = {"now", "scan"}
        await engines.set_clock(T + 1_000)
        await between.called("now", between.calls["now"] + 3)
        between.away = set()
        with trio.fail_after(20):
            async for hint in hints:
                if hint.kind == "decision.expired":
                    break
        assert hint.id == raised.id
