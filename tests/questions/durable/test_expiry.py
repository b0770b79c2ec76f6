"""Deadlines: what is found by whoever looks, however late, in one change."""

import pytest

from questions.durable.decision import flat
from questions.durable.errors import NotHolder, NotOpen
from questions.durable.expiry import catch_up, is_due
from questions.durable.steps import Answering, Due, step
from tests.questions.durable.cases import ALICE, DAY, HOP, LEAD, OPTS, T, climbing, offsets, raised, stored
from tests.rules import rule

WORKER_HELD = climbing("supervisor:run-worker")
BY_DEADLINE = {"answeredBy": "deadline", "via": "expiry"}


def at(offset, **fields):
    return catch_up(raised(**fields), T + offset)


def test_one_that_has_run_out_has_no_answer_and_stays_so():  # case 40
    decision = at(1_500, timeout_ms=1_000)
    assert decision.status == "expired"
    assert "answer" not in flat(decision)
    assert catch_up(decision, T + 9_000) is decision


def test_a_default_is_the_deadline_s_answer():  # case 41
    fields = {"options": OPTS, "timeout_ms": 2_000, "on_expire": "default", "default_option_id": "keep"}
    decision = raised(**fields)
    assert catch_up(decision, T + 1_500) is decision
    expired = catch_up(decision, T + 2_500)
    assert flat(expired)["answer"] == {"optionId": "keep", "at": T + 2_500, **BY_DEADLINE}
    with pytest.raises(NotOpen) as refused:
        step(expired, Answering("drop"), ALICE, T + 2_500)
    assert refused.value.status == "expired"


@rule("Q-SET-5")
def test_the_instant_of_the_deadline_belongs_to_the_deadline():  # case 45
    decision = raised(timeout_ms=1_000)
    assert [is_due(decision, T + offset) for offset in (999, 1_000, 1_001)] == [False, True, True]
    assert catch_up(decision, T + 999) is decision
    assert at(1_000, timeout_ms=1_000).status == "expired"


def test_without_a_deadline_it_is_open_for_ever():  # case 44
    decision = raised()
    assert catch_up(decision, T + 3_650 * DAY) is decision


def test_a_default_that_is_not_asked_for_is_not_given():  # case 46
    fields = {"options": OPTS, "timeout_ms": 1_000, "on_expire": "cancel", "default_option_id": "keep"}
    assert "answer" not in flat(at(1_000, **fields))


def test_a_late_reader_finds_the_next_holder():  # case 53
    decision = at(60_010, **WORKER_HELD)
    assert (decision.status, decision.holder) == ("open", "root")
    assert offsets(decision) == {"createdAt": 0, "deadline": 120_000, "history": [("supervisor:run-worker", 60_000)]}
    assert flat(decision)["history"][0]["reason"] == "expired"
    assert catch_up(stored(decision, 2), T + 60_020) == stored(decision, 2)  # case 64


def test_a_very_late_reader_finds_the_one_after_and_a_still_later_one_the_end():  # case 54
    decision = at(120_005, **WORKER_HELD)
    moves = [("supervisor:run-worker", 60_000), ("root", 120_000)]
    assert (decision.status, decision.holder) == ("open", "user")
    assert offsets(decision) == {"createdAt": 0, "deadline": 180_000, "history": moves}
    ended = catch_up(decision, T + 660_000)
    assert (ended.status, ended.holder, ended.answer) == ("expired", "user", None)
    assert offsets(ended)["history"] == moves
    assert flat(ended)["escalation"]["hop"] == 2
    with pytest.raises(NotOpen):
        step(ended, Answering(text="x"), ALICE, T + 660_000)


def test_the_end_of_a_chain_can_be_a_default():  # case 55
    escalation = {"hop_timeout_ms": HOP, "on_final": "default"}
    decision = at(6 * HOP, options=OPTS, default_option_id="keep", **climbing("root", escalation=escalation))
    assert (decision.status, decision.holder) == ("expired", "user")
    assert flat(decision)["answer"] == {"optionId": "keep", "at": T + 6 * HOP, **BY_DEADLINE}
    assert offsets(decision)["history"] == [("root", HOP)]


def test_only_the_first_holder_has_a_time_of_its_own():  # case 58
    fields = climbing(timeout_ms=3_600_000, escalation={"hop_timeout_ms": 1_000})
    moved = at(3_600_500, **fields)
    assert (moved.holder, offsets(moved)["deadline"]) == ("root", 3_601_000)
    assert at(3_601_999, **fields).status == "open"
    assert at(3_602_000, **fields).status == "expired"


def test_a_chain_goes_on_whoever_is_gone_and_whatever_is_configured():  # case 62
    decision = raised(
        **climbing("supervisor:nobody", escalation={"chain": ["supervisor:nobody", "supervisor:run-lead"]})
    )
    decision = catch_up(decision, T + 600_000)
    assert (decision.holder, offsets(decision)["deadline"]) == ("supervisor:run-lead", 1_200_000)
    assert step(decision, Answering(text="x"), LEAD, T + 600_000).status == "answered"


def test_who_is_late_to_answer_is_refused_and_the_move_stands():  # case 75
    decision = step(raised(**climbing("supervisor:run-lead")), Due(), None, T + HOP + 1)
    with pytest.raises(NotHolder):
        step(decision, Answering(text="x"), LEAD, T + HOP + 1)


def test_the_longest_chain_is_caught_up_with_in_one_change():
    chain = [f"supervisor:run-{number}" for number in range(8)]
    fields = climbing(chain[0], timeout_ms=30 * DAY, escalation={"chain": chain, "hop_timeout_ms": 7 * DAY})
    last = at(30 * DAY + 49 * DAY - 1, **fields)
    assert (last.status, last.holder, len(last.history or ())) == ("open", chain[7], 7)
    ended = at(30 * DAY + 49 * DAY, **fields)
    assert (ended.status, ended.holder, len(ended.history or ())) == ("expired", chain[7], 7)
    assert at(10**15 - T, **fields).history == ended.history
