"""The machine: every status with every event, the order of refusals, and what each step writes."""

import itertools

import pytest
from msgspec.structs import replace

from questions.durable.backend import TooLate
from questions.durable.decision import Answer, Status, flat
from questions.durable.errors import BadAnswer, BadArgument, HeldByUser, NoNextHolder, NotHolder, NotOpen, SelfAnswer
from questions.durable.steps import TRANSITIONS, Answering, Cancelling, Due, Escalating, Event, step
from tests.questions.durable.cases import (
    ALICE,
    BOB,
    CHILD,
    HOP,
    LEAD,
    MAIN,
    OPTS,
    WORKER,
    T,
    climbing,
    in_call,
    offsets,
    raised,
    stored,
)
from tests.questions.samples import paths
from tests.rules import rule

EVENTS: list[Event] = [Answering(text="because"), Escalating(), Cancelling(), Due()]
FINAL = [Status.ANSWERED, Status.EXPIRED, Status.CANCELLED]
WORKER_HELD = climbing("supervisor:run-worker")


def ended(status):
    answer = Answer(text="x", answered_by="alice", via="cli", at=T)
    decision = raised(MAIN, **WORKER_HELD)
    return replace(decision, status=status, answer=answer, resolved_at=T)


def test_the_table_has_every_status_and_every_event():
    assert set(TRANSITIONS) == set(Status)
    assert set(TRANSITIONS[Status.OPEN]) == {type(event) for event in EVENTS}
    assert not any(TRANSITIONS[status] for status in FINAL)


@pytest.mark.parametrize(("status", "event"), list(itertools.product(FINAL, EVENTS)))
def test_nothing_leaves_a_final_state(status, event):
    decision = ended(status)
    for caller, now in itertools.product((MAIN, WORKER, ALICE, CHILD), (T, T + HOP, T + 10 * HOP)):
        with pytest.raises(NotOpen) as refused:
            step(decision, event, caller, now)
        assert refused.value.status == status
    assert decision == ended(status)


@pytest.mark.parametrize(
    ("event", "status", "changed"),
    [
        (EVENTS[0], "answered", {"status", "answer", "resolvedAt"}),
        (EVENTS[1], "open", {"holder", "deadline", "escalation", "history"}),
        (EVENTS[2], "cancelled", {"status", "answer", "resolvedAt"}),
    ],
)
def test_an_event_leads_to_one_status_and_changes_no_more_than_it_has_to(event, status, changed):
    decision = raised(MAIN, **WORKER_HELD)
    before, after = flat(decision), flat(step(decision, event, WORKER, T + 5))
    assert after["status"] == status
    assert {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} == changed
    assert stored(step(decision, event, WORKER, T + 5), 1) == step(decision, event, WORKER, T + 5)


def test_a_deadline_that_nobody_applied_lets_nothing_else_happen():
    decision = raised(MAIN, **WORKER_HELD)
    for event, now in itertools.product(EVENTS[:3], (T + HOP, T + HOP + 1)):
        with pytest.raises(TooLate):
            step(decision, event, WORKER, now)
    assert step(decision, EVENTS[0], WORKER, T + HOP - 1).status == "answered"


def test_nothing_due_is_no_change():
    decision = raised(MAIN, **WORKER_HELD)
    assert step(decision, Due(), None, T + HOP - 1) is decision


# --- refusals, in their order ---------------------------------------------------------------------------------------


def test_one_that_has_ended_says_so_to_its_own_raiser_too():
    decision = replace(raised(in_call(MAIN, "call-1")), status=Status.EXPIRED)
    with pytest.raises(NotOpen):
        step(decision, Answering(), in_call(MAIN, "call-1"), T)


def test_who_raised_it_in_this_call_is_told_that_before_who_holds_it():
    decision = raised(in_call(MAIN, "call-1"), options=OPTS)
    for event in (Answering("keep"), Escalating()):
        with pytest.raises(SelfAnswer):
            step(decision, event, in_call(CHILD, "call-1"), T)


def test_who_does_not_hold_it_learns_nothing_of_its_options():
    with pytest.raises(NotHolder) as refused:
        step(raised(options=OPTS, holder="root"), Answering("zzz"), WORKER, T)
    assert "keep" not in str(refused.value)


# --- answering ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", [Answering("zzz"), Answering(text="free"), Answering(), Answering("zzz", "free")])
def test_an_answer_that_names_no_option_is_refused_and_told_the_options(event):  # case 22
    decision = raised(options=[{"id": "a", "label": "A"}])
    with pytest.raises(BadAnswer) as refused:
        step(decision, event, ALICE, T)
    assert refused.value.faults == ["$.option: one of a"]


@pytest.mark.parametrize(
    ("event", "found"),
    [
        (Answering(), ["$.text"]),
        (Answering("a"), ["$.option", "$.text"]),
        (Answering("a", "because"), ["$.option"]),
    ],
)
def test_a_text_is_answered_with_a_text(event, found):  # case 23
    with pytest.raises(BadAnswer) as refused:
        step(raised(), event, ALICE, T)
    assert paths(refused.value) == found


@pytest.mark.parametrize("text", ["because", "", "\N{PARTY POPPER}" * 4_000])
def test_a_text_is_kept_an_empty_one_too(text):  # case 23
    shown = flat(step(raised(), Answering(text=text), ALICE, T + 7))
    assert shown["answer"] == {"text": text, "answeredBy": "alice", "via": "cli", "at": T + 7}
    assert (shown["status"], shown["resolvedAt"]) == ("answered", T + 7)


def test_a_choice_may_have_a_comment():  # case 25
    shown = flat(step(raised(options=OPTS), Answering("keep", "comment"), ALICE, T))
    assert shown["answer"] == {"optionId": "keep", "text": "comment", "answeredBy": "alice", "via": "cli", "at": T}


def test_the_first_answer_stands():  # case 26
    decision = step(raised(input="confirm"), Answering("yes"), ALICE, T)
    for event in (Answering("no"), Cancelling()):
        with pytest.raises(NotOpen) as refused:
            step(decision, event, BOB, T + 1)
        assert refused.value.status == "answered"
    assert flat(decision)["answer"] == {"optionId": "yes", "answeredBy": "alice", "via": "cli", "at": T}


@pytest.mark.parametrize(
    ("option", "text"), [(1, None), (True, None), (None, 5), (None, "x" * 4_001), (None, "\ud800")]
)
def test_what_can_be_no_answer_at_all_is_a_bad_argument(option, text):
    with pytest.raises(BadArgument):
        Answering(option, text)


# --- escalating -----------------------------------------------------------------------------------------------------


def test_a_holder_passes_it_on_and_has_no_say_any_more():  # case 66
    decision = step(raised(MAIN, **WORKER_HELD), Escalating("outside my lane"), WORKER, T + 100)
    shown = flat(decision)
    assert (shown["status"], shown["holder"], shown["escalation"]["hop"]) == ("open", "root", 1)
    assert shown["deadline"] == T + 100 + HOP
    move = {"until": T + 100, "reason": "escalated", "text": "outside my lane", "by": "run-worker"}
    assert shown["history"] == [{"holder": "supervisor:run-worker", **move}]
    for event in (Answering(text="x"), Escalating(), Cancelling()):
        with pytest.raises(NotHolder):
            step(decision, event, WORKER, T + 101)
    decision = step(decision, Escalating(), MAIN, T + 200)
    assert offsets(decision)["history"] == [("supervisor:run-worker", 100), ("root", 200)]
    with pytest.raises(HeldByUser):
        step(decision, Escalating(), MAIN, T + 300)
    with pytest.raises(NoNextHolder):
        step(decision, Escalating(), ALICE, T + 300)


def test_it_is_passed_on_by_its_holder_in_another_call_and_to_somebody():  # case 67
    with pytest.raises(NotHolder):
        step(raised(**climbing("root")), Escalating(), LEAD, T)
    with pytest.raises(SelfAnswer):
        step(raised(in_call(MAIN, "call-1"), **climbing("root")), Escalating(), in_call(MAIN, "call-1"), T)
    for fields in ({"holder": "root"}, climbing("root", escalation={"chain": ["root"]})):
        with pytest.raises(NoNextHolder):
            step(raised(**fields), Escalating(), MAIN, T)
    with pytest.raises(BadArgument):
        Escalating("x" * 501)


def test_a_reason_is_kept_and_none_leaves_none():  # case 68
    decision = raised(**WORKER_HELD)
    assert flat(step(decision, Escalating("x" * 500), WORKER, T))["history"][0]["text"] == "x" * 500
    assert "text" not in flat(step(decision, Escalating(), WORKER, T))["history"][0]


def test_who_comes_too_late_to_pass_it_on_finds_it_gone():  # case 70
    decision = step(raised(**WORKER_HELD), Due(), None, T + HOP + 1)
    assert decision.holder == "root"
    with pytest.raises(NotHolder):
        step(decision, Escalating(), WORKER, T + HOP + 1)


def test_a_person_passes_on_what_a_program_holds():
    decision = step(raised(**WORKER_HELD), Escalating(), ALICE, T)
    assert flat(decision)["history"][0]["by"] == "user:alice"


# --- cancelling -----------------------------------------------------------------------------------------------------


def test_its_raiser_takes_it_back_in_the_same_call_too():  # case 80
    caller = in_call(CHILD, "e")
    assert flat(step(raised(caller), Cancelling(), caller, T))["answer"]["via"] == "program"


def test_nobody_else_takes_it_back():  # case 81
    with pytest.raises(NotHolder):
        step(raised(MAIN, holder="root"), Cancelling(), CHILD, T)


def test_one_that_was_taken_back_says_by_whom_and_no_more():  # case 83
    decision = step(raised(options=OPTS), Cancelling(), BOB, T + 3)
    assert flat(decision)["answer"] == {"answeredBy": "bob", "via": "cli", "at": T + 3}
    assert decision.status == "cancelled"
    expired = step(raised(timeout_ms=1_000), Due(), None, T + 1_000)
    with pytest.raises(NotOpen):
        step(expired, Cancelling(), MAIN, T + 1_000)


def test_a_program_that_stops_says_so():
    assert flat(step(raised(MAIN), Cancelling("abort"), MAIN, T))["answer"]["via"] == "abort"


@rule("Q-TYPE-3")
def test_an_option_called_zero_is_an_option():
    decision = raised(options=[{"id": "0", "label": "None of them"}])
    assert flat(step(decision, Answering("0"), ALICE, T))["answer"]["optionId"] == "0"
