"""The machine walked: everything that can happen, by everybody, at every interesting time, several steps deep."""

import itertools

import pytest
from msgspec.structs import replace

from questions.durable.decision import Status, flat
from questions.durable.errors import BadAnswer, HeldByUser, NoNextHolder, NotHolder, NotOpen, SelfAnswer
from questions.durable.expiry import catch_up
from questions.durable.steps import Answering, Cancelling, Due, Escalating, step
from tests.questions.durable.cases import ALICE, CHILD, HOP, MAIN, OPTS, WORKER, T, climbing, in_call, raised, stored

EVENTS = [Answering("keep"), Answering("zzz"), Escalating("up"), Cancelling()]
CALLERS = [MAIN, in_call(MAIN, "call-1"), WORKER, CHILD, ALICE]
PAUSES = [0, 1, HOP - 1, HOP, 3 * HOP]
REFUSALS = (NotOpen, SelfAnswer, NotHolder, HeldByUser, BadAnswer, NoNextHolder)

STARTS = {
    "a question": {"holder": "user"},
    "the root's, with a deadline": {"holder": "root", "timeout_ms": HOP},
    "a worker's, with a default": {
        "holder": "supervisor:run-worker",
        "timeout_ms": HOP,
        "on_expire": "default",
        "default_option_id": "drop",
    },
    "one that climbs": climbing(),
    "one that climbs to a default": climbing(
        "root",
        default_option_id="drop",
        escalation={"chain": ["root", "supervisor:run-worker"], "hop_timeout_ms": HOP, "on_final": "default"},
    ),
}


def begun(fields):
    return raised(in_call(MAIN, "call-1"), options=OPTS, **fields)


def happens(decision, event, caller, now):
    """What a store does: deadlines, then the event; None if it was refused."""
    try:
        return step(catch_up(decision, now), event, caller, now)
    except REFUSALS:
        return None


def model_of_refusal(decision, event, caller):
    """The refusals of the design, in its order."""
    is_person = caller is ALICE
    holders = {"user": [], "root": CALLERS[:2], "supervisor:run-worker": [WORKER]}
    is_holder = is_person or caller in holders[decision.holder]
    is_raiser = caller.participant_id == MAIN.participant_id
    if decision.status is not Status.OPEN:
        return NotOpen
    if isinstance(event, Cancelling):
        is_holder |= is_raiser
    elif caller.call == "call-1":
        return SelfAnswer
    if not is_holder:
        return HeldByUser if decision.holder == "user" else NotHolder
    if event == Answering("zzz"):
        return BadAnswer
    return NoNextHolder if isinstance(event, Escalating) and decision.next_holder is None else None


def assert_follows(before, after, event, now):
    """What holds of every step, whatever it was."""
    assert stored(after, 1) == after
    assert len(after.history or ()) == (after.escalation.hop if after.escalation else 0)
    assert (after.resolved_at is None) == (after.status is Status.OPEN)
    if after.escalation is not None:
        assert after.holder == after.escalation.chain[after.escalation.hop]
        assert replace(after.escalation, hop=0) == replace(before.escalation, hop=0)
    if after.status is Status.OPEN:
        assert after.answer is None
        assert after.deadline is None or after.deadline > now
    expected = {Answering: "answered", Cancelling: "cancelled", Escalating: "open"}
    assert event is None or after.status == expected[type(event)]


def walk(decision, now, depth):
    """Everything that can happen from here; yields each (before, event, caller, now, after)."""
    for pause in PAUSES if depth else ():
        later = now + pause
        current = catch_up(decision, later)
        for event, caller in itertools.product(EVENTS, CALLERS):
            after = happens(decision, event, caller, later)
            yield current, event, caller, later, after
            if after is not None:
                yield from walk(after, later, depth - 1)
        if current is not decision:
            yield current, None, None, later, current
            yield from walk(current, later, depth - 1)


@pytest.mark.parametrize("start", STARTS)
def test_whatever_happens_is_refused_as_the_design_says_or_follows(start):
    for before, event, caller, now, after in walk(begun(STARTS[start]), T, 4):
        if after is not None:
            assert_follows(before, after, event, now)
        if event is not None:
            refusal = model_of_refusal(before, event, caller)
            assert (after is None) == (refusal is not None)
            if refusal is not None:
                with pytest.raises(refusal) as refused:
                    step(before, event, caller, now)
                assert refused.type is refusal


@pytest.mark.parametrize("start", STARTS)
def test_what_has_ended_stays_as_it_is(start):
    ends = [after for *_, after in walk(begun(STARTS[start]), T, 1) if after and after.status is not Status.OPEN]
    assert {end.status for end in ends} >= {Status.ANSWERED, Status.CANCELLED}
    for end in ends:
        before = flat(end)
        assert not any(after for *_, after in walk(end, T + HOP, 1))
        with pytest.raises(NotOpen):
            step(end, Due(), None, T + 9 * HOP)
        assert flat(end) == before
