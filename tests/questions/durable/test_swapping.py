"""Swaps: exactly one wins, whoever is overtaken looks again, and a lost connection leaves nobody in doubt."""

import pytest
import trio
from msgspec.structs import replace

from questions.durable import (
    BadArgument,
    ChangedConcurrently,
    NotHolder,
    NotOpen,
    Status,
    StoreUnavailable,
    UnknownDecision,
)
from questions.durable.backend import Commit, Notice, Scan, Write
from questions.durable.table import DECISIONS
from questions.durable.tokens import new_token
from tests.questions.durable.acts import heard, outcome, raise_one
from tests.questions.durable.cases import ALICE, BOB, HOP, ID, MAIN, OPTS, WORKER, T, climbing
from tests.questions.durable.intercepting import lost
from tests.rules import rule


async def at_once(*acts):
    """What each of these gives or raises, begun in the same step."""
    ends = [None] * len(acts)

    async def run(place, act):
        ends[place] = await outcome(act)

    async with trio.open_nursery() as nursery:
        for place, act in enumerate(acts):
            nursery.start_soon(run, place, act)
    return ends


async def test_of_two_who_answer_at_once_one_wins(engines):  # case 30, case 128
    async with engines.open() as one, engines.open() as two:
        raised = await raise_one(one, options=OPTS)
        ends = await at_once(
            one.decisions(ALICE).answer(raised.id, option="keep"), two.decisions(BOB).answer(raised.id, option="drop")
        )
        [refused] = [end for end in ends if isinstance(end, NotOpen)]
        [won] = [end for end in ends if end is not refused]
        assert refused.status == "answered"
        assert await two.decisions(MAIN).get(raised.id) == won
        assert won.version == 2


async def test_two_who_read_after_a_hop_see_the_same_and_it_moves_once(engines):  # case 31, case 128
    async with engines.open() as one, engines.open() as two:
        hints = one.decisions(MAIN).hints()
        raised = await raise_one(one, **climbing("root"))
        await engines.set_clock(raised.deadline + 1)
        first, second = await at_once(one.decisions(MAIN).get(raised.id), two.decisions(MAIN).get(raised.id))
        assert first == second
        assert (first.holder, first.escalation.hop, len(first.history), first.version) == ("user", 1, 1, 2)
        assert [hint.kind for hint in await heard(one, hints)] == ["decision.raised", "decision.escalated"]


async def test_a_change_of_what_was_returned_changes_nothing_stored(store):  # case 36
    raised = await raise_one(store, options=OPTS)
    with pytest.raises(AttributeError):
        raised.title = "Sink it?"
    raised.raw["title"] = "Sink it?" if raised.raw else None
    assert (await store.decisions(MAIN).get(raised.id)).title == "Ship it?"


@rule("Q-SET-2")
async def test_who_is_overtaken_by_an_answer_is_told_how_it_ended(engines):
    async with engines.open() as other, engines.open_intercepted() as (store, between):
        raised = await raise_one(store, options=OPTS)
        between.before = [lambda: other.decisions(BOB).answer(raised.id, option="drop")]
        with pytest.raises(NotOpen):
            await store.decisions(ALICE).answer(raised.id, option="keep")
        assert (await store.decisions(ALICE).get(raised.id)).answer.answered_by == "bob"


async def test_who_is_overtaken_by_a_hop_is_judged_by_the_new_holder(engines):
    async with engines.open() as other, engines.open_intercepted() as (store, between):
        raised = await raise_one(store, **climbing())
        between.before = [lambda: other.decisions(WORKER).escalate(raised.id)]
        with pytest.raises(NotHolder) as refused:
            await store.decisions(WORKER).answer(raised.id, text="done")
        assert refused.value.holder == "root"


async def test_who_is_overtaken_by_something_harmless_still_gets_through(engines):
    async with engines.open() as other, engines.open_intercepted() as (store, between):
        raised = await raise_one(store, **climbing())
        between.before = [lambda: other.decisions(WORKER).escalate(raised.id)]
        answered = await store.decisions(ALICE).answer(raised.id, text="done")
        assert (answered.status, answered.holder, answered.version) == (Status.ANSWERED, "root", 3)


@rule("Q-SET-5")
@pytest.mark.parametrize(("moment", "status"), [(HOP - 1, "answered"), (HOP, "expired"), (HOP + 1, "expired")])
async def test_an_answer_that_was_read_in_time_must_be_written_in_time(engines, moment, status):
    async with engines.open_intercepted() as (store, between):
        raised = await raise_one(store, timeout_ms=HOP)
        between.before = [lambda: engines.set_clock(T + moment)]
        await outcome(store.decisions(ALICE).answer(raised.id, text="just in time"))
        assert (await store.decisions(ALICE).get(raised.id)).status.value == status


async def test_who_is_overtaken_while_a_deadline_is_applied_sees_the_other_s(engines):
    async with engines.open() as other, engines.open_intercepted() as (store, between):
        raised = await raise_one(store, **climbing())
        await engines.set_clock(raised.deadline)
        between.before = [lambda: other.decisions(ALICE).get(raised.id)]
        seen = await store.decisions(ALICE).get(raised.id)
        assert (seen.holder, seen.version) == ("root", 2)


@pytest.mark.parametrize("overtaken", [7, 8])
async def test_after_eight_rounds_it_says_that_others_were_quicker(engines, overtaken):
    async with engines.open() as other, engines.open_intercepted() as (store, between):
        raised = await raise_one(store)

        async def overtake():
            await other.records.swap(raised.id, lambda decision, now: replace(decision, body=f"{decision.body}."))

        between.before = [overtake] * overtaken
        end = await outcome(store.decisions(ALICE).answer(raised.id, text="done"))
        if overtaken < 8:
            assert end.version == overtaken + 2
        else:
            assert isinstance(end, ChangedConcurrently)
            assert (await other.decisions(ALICE).get(raised.id)).status is Status.OPEN


async def test_only_being_overtaken_is_tried_again(engines):
    async with engines.open_intercepted() as (store, between):
        raised = await raise_one(store)
        between.away = {"commit"}
        between.forget()
        with pytest.raises(StoreUnavailable):
            await store.decisions(ALICE).answer(raised.id, text="done")
        assert between.calls["commit"] == 1
        assert (await store.decisions(ALICE).get(raised.id)).version == 1


# What was not told


async def test_an_answer_whose_outcome_was_lost_is_found_to_have_happened(engines):
    async with engines.open_intercepted() as (store, between):
        raised = await raise_one(store)
        between.after = [lost, lost]
        answered = await store.decisions(ALICE).answer(raised.id, text="done")
        assert answered == await store.decisions(ALICE).get(raised.id)
        assert (answered.status, answered.version) == (Status.ANSWERED, 2)


async def test_an_answer_that_was_lost_before_it_happened_happens_once(engines):
    async with engines.open_intercepted() as (store, between):
        raised = await raise_one(store)
        between.before = [lost]
        answered = await store.decisions(ALICE).answer(raised.id, text="done")
        assert (answered.answer.text, answered.version) == ("done", 2)


async def test_an_answer_that_was_lost_before_it_happened_may_have_been_overtaken(engines):
    async with engines.open() as other, engines.open_intercepted() as (store, between):
        raised = await raise_one(store)
        between.before = [lost, lambda: other.decisions(BOB).answer(raised.id, text="mine")]
        with pytest.raises(NotOpen):
            await store.decisions(ALICE).answer(raised.id, text="done")


async def test_an_outcome_that_nobody_can_tell_is_said_to_be_unknown(engines):
    async with engines.open_intercepted() as (store, between):
        raised = await raise_one(store)
        between.after = [lost] * 10
        with pytest.raises(StoreUnavailable) as error:
            await store.decisions(ALICE).answer(raised.id, text="done")
        assert error.value.unknown
        assert (await store.decisions(ALICE).get(raised.id)).status is Status.ANSWERED


async def test_a_raise_whose_outcome_was_lost_is_raised_once(engines):
    async with engines.open_intercepted() as (store, between):
        between.after = [lost]
        raised = await raise_one(store)
        assert await store.decisions(MAIN).list() == [raised]


# Tokens of callers


async def test_answering_again_with_the_same_token_gives_what_it_has_led_to(store):
    raised = await raise_one(store)
    first = await store.decisions(ALICE).answer(raised.id, text="done", token="mine")
    assert await store.decisions(ALICE).answer(raised.id, text="done", token="mine") == first


@pytest.mark.parametrize(("caller", "token"), [(ALICE, "another"), (BOB, "mine"), (ALICE, None)])
async def test_a_token_is_good_for_its_own_caller_alone(store, caller, token):
    raised = await raise_one(store)
    await store.decisions(ALICE).answer(raised.id, text="done", token="mine")
    with pytest.raises(NotOpen):
        await store.decisions(caller).answer(raised.id, text="done", token=token)


@pytest.mark.parametrize("token", ["", "x" * 201, 7, b"mine"])
async def test_a_token_is_a_short_text(store, token):
    raised = await raise_one(store)
    with pytest.raises(BadArgument, match=r"\$\.token"):
        await store.decisions(ALICE).answer(raised.id, text="done", token=token)


# What is refused before anything is read


@pytest.mark.parametrize(
    "act",
    [
        lambda decisions: decisions.get("nope"),
        lambda decisions: decisions.answer("nope", text="done"),
        lambda decisions: decisions.answer("nope", text="done", token="mine"),
        lambda decisions: decisions.escalate("nope"),
        lambda decisions: decisions.cancel("nope"),
        lambda decisions: decisions.wait("nope"),
        lambda decisions: decisions.answer(ID, text=7),
        lambda decisions: decisions.escalate(ID, "x" * 501),
        lambda decisions: decisions.raise_decision(""),
        lambda decisions: decisions.list("bogus"),
    ],
)
async def test_arguments_are_judged_before_anything_is_read(engines, act):  # case 29
    async with engines.open_intercepted() as (store, between):
        between.away = {"get", "scan", "commit"}
        with pytest.raises(BadArgument):
            await act(store.decisions(ALICE))


@pytest.mark.parametrize("verb", ["get", "cancel", "escalate", "wait"])
async def test_an_id_that_never_was_is_unknown(store, verb):  # case 29
    with pytest.raises(UnknownDecision):
        await getattr(store.decisions(ALICE), verb)(ID)


async def test_what_was_dropped_between_finding_and_moving_is_not_told(engines):
    async with engines.open_intercepted() as (store, between):
        dropped, moved = [await raise_one(store, timeout_ms=1_000) for _ in range(2)]

        async def drop():
            notice = Notice(DECISIONS.name, dropped.id, 2, "dropped")
            await between.engine.commit(Commit(new_token(), [Write(DECISIONS, dropped.id, 1, None)], [notice]))

        await engines.set_clock(T + 1_000)
        found = await store.backend.scan(Scan(DECISIONS, "all", (), 5))
        between.before.append(drop)
        told = await store.records.advance(found)
        assert {id: one.status for id, one in told.items()} == {moved.id: Status.EXPIRED}


async def test_a_token_is_good_for_one_decision(store):
    first, second = [await raise_one(store) for _ in range(2)]
    for raised in (first, second):
        answered = await store.decisions(ALICE).answer(raised.id, text=raised.id, token="mine")
        assert (answered.id, answered.status, answered.answer.text) == (raised.id, Status.ANSWERED, raised.id)
