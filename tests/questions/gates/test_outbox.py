"""Effects: the table of their states, walked by hand, exhaustively, and at random."""

import itertools

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.gates.adapter import MessageRef, Report, ReportState
from questions.gates.errors import EffectRefused
from questions.gates.outbox import (
    AUTOMATIC_TRIES,
    TRANSITIONS,
    Begin,
    Confirm,
    Drop,
    Effect,
    EffectEvent,
    EffectState,
    Lost,
    Proven,
    Reported,
    Retry,
    step,
)

DIGEST = "sha256:" + "a" * 64
NEW = Effect(channel="mail:ops", decision_id="decision-a", request_digest=DIGEST, purpose="present", created_at=0)
FIRST = MessageRef("-200", "7", 0, 0, DIGEST)
SECOND = MessageRef("-200", "8", 0, 1, DIGEST)
# A report of the attempt that is under way, whichever that is.
CONFIRMED: ReportState = "confirmed"
FAILED: ReportState = "failed"
UNKNOWN: ReportState = "unknown"
ACTS = [Begin(), CONFIRMED, FAILED, UNKNOWN, Lost(), Confirm(), Retry(), Proven(), Drop()]


def happens(effect: Effect, act: EffectEvent | ReportState, messages: tuple[MessageRef, ...] = ()) -> Effect:
    if isinstance(act, str):
        act = Reported(effect.attempt_id, Report(act, messages, None if act == CONFIRMED else "http_400"))
    return step(effect, act)


def after(*acts):
    effect = NEW
    for act in acts:
        effect = happens(effect, act)
    return effect


def test_ids_follow_from_what_is_to_be_done():
    begun = after(Begin())
    assert begun.id == NEW.id
    assert NEW.id.startswith("effect-")
    assert len(NEW.id) == 47
    assert begun.attempt_id.startswith("channel-")
    assert len(begun.attempt_id) == 72
    assert begun.attempt_id != NEW.attempt_id
    assert attrs.evolve(NEW, purpose="settle").id != NEW.id


@pytest.mark.parametrize(
    ("acts", "state"),
    [
        ((), "pending"),
        ((Begin(),), "applying"),
        ((Begin(), CONFIRMED), "applied"),
        ((Begin(), FAILED), "rejected"),
        ((Begin(), FAILED, Begin(), CONFIRMED), "applied"),  # case 98
        ((Begin(), UNKNOWN), "ambiguous"),  # case 100
        ((Begin(), Lost()), "ambiguous"),  # case 124
        ((Begin(), Lost(), Confirm()), "applied"),
        ((Begin(), Lost(), Proven()), "applied"),
        ((Begin(), Lost(), Retry()), "pending"),
        ((Begin(), FAILED, Proven()), "rejected"),
        ((Drop(),), "cancelled"),
        ((Begin(), Drop()), "applying"),
        ((Begin(), Lost(), Drop()), "ambiguous"),
    ],
)
def test_what_becomes_of_an_effect(acts, state):
    assert after(*acts).state == state


@pytest.mark.parametrize(
    ("acts", "refused"),
    [
        ((Begin(),), Begin()),
        ((Begin(), CONFIRMED), Begin()),  # case 90
        ((Begin(), UNKNOWN), Begin()),
        ((Begin(), CONFIRMED), Retry()),
        ((Begin(), FAILED), Confirm()),
        ((Begin(), Lost()), CONFIRMED),
        ((Drop(),), Begin()),
    ],
)
def test_what_cannot_happen_is_refused(acts, refused):
    effect = after(*acts)
    with pytest.raises(EffectRefused, match=effect.state):
        happens(effect, refused)


def test_a_report_of_an_earlier_attempt_is_refused():
    first = after(Begin())
    second = after(Begin(), Lost(), Retry(), Begin())
    with pytest.raises(EffectRefused, match="another attempt"):
        step(second, Reported(first.attempt_id, Report("confirmed")))


def test_what_fails_is_tried_three_times_by_itself():
    spent = after(*[Begin(), FAILED] * AUTOMATIC_TRIES)
    with pytest.raises(EffectRefused):
        step(spent, Begin())
    assert step(step(spent, Retry()), Begin()).attempts == AUTOMATIC_TRIES + 1


def test_what_was_shown_stays_known():
    effect = happens(after(Begin()), FAILED, (FIRST,))
    effect = happens(step(effect, Begin()), UNKNOWN, (SECOND,))
    assert effect.messages == (FIRST, SECOND)
    assert step(effect, Confirm()).messages == (FIRST, SECOND)


def test_an_error_code_is_of_the_last_attempt():
    assert after(Begin(), FAILED).error_code == "http_400"
    assert after(Begin(), FAILED, Begin()).error_code is None


def walk(effect, acts):
    """The effects one after the other, and which acts were allowed."""
    for act in acts:
        try:
            effect = happens(effect, act)
        except EffectRefused:
            continue
        yield act, effect


def check(acts):
    """Nothing is done twice that may have happened, unless a person wants it."""
    may_be_there, tries, was = False, 0, NEW
    for act, effect in walk(NEW, acts):
        assert effect.attempts - was.attempts == isinstance(act, Begin)
        if isinstance(act, Begin):
            tries += 1
            assert not may_be_there
            assert tries <= AUTOMATIC_TRIES
        if isinstance(act, Retry):
            may_be_there, tries = False, 0
        if was.state in (EffectState.CANCELLED, EffectState.APPLIED):
            assert effect == was
        may_be_there |= effect.state in (EffectState.APPLIED, EffectState.AMBIGUOUS)
        was = effect


def test_no_order_of_four_things_does_anything_twice():
    for acts in itertools.product(ACTS, repeat=4):
        check(acts)


@given(st.lists(st.sampled_from(ACTS), max_size=40))
def test_no_longer_order_does_so_either(acts):
    check(acts)


def test_every_state_can_be_reached_and_is_in_the_table():
    reached = {effect.state for acts in itertools.product(ACTS, repeat=3) for _, effect in walk(NEW, acts)}
    assert reached == set(EffectState) == set(TRANSITIONS)
