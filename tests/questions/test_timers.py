"""Timers against a sorted list; memory follows the number that is armed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.timers import Timers
from tests.rules import rule

STEPS = st.one_of(
    st.tuples(st.just("arm"), st.integers(0, 20)),
    st.tuples(st.just("cancel"), st.integers(0, 40)),
    st.tuples(st.just("pop"), st.integers(0, 25)),
)


@pytest.mark.fuzz
@given(st.lists(STEPS, max_size=80))
def test_what_is_due_comes_up_by_time_and_then_in_the_order_of_arming(steps):
    timers: Any = Timers()
    model: list[tuple[float, int]] = []
    numbers: list[int] = []
    for act, value in steps:
        if act == "arm":
            numbers.append(timers.arm(float(value), f"timer {len(numbers)}"))
            model.append((float(value), len(numbers) - 1))
        elif act == "cancel" and numbers:
            place = value % len(numbers)
            timers.cancel(numbers[place])
            model = [armed for armed in model if armed[1] != place]
        elif act == "pop":
            due = min((armed for armed in model if armed[0] <= value), default=None)
            assert timers.pop_due(float(value)) == (None if due is None else f"timer {due[1]}")
            model = [armed for armed in model if armed != due]
        assert len(timers) == len(model)
        assert timers.nearest() == min((at for at, _ in model), default=float("inf"))


@rule("Q-SET-5")
def test_the_exact_instant_is_due():
    timers: Any = Timers()
    timers.arm(5.0, "a")
    assert timers.pop_due(4.999) is None
    assert timers.pop_due(5.0) == "a"
    assert timers.pop_due(5.0) is None


def test_numbers_are_never_used_again():
    timers: Any = Timers()
    first = timers.arm(1.0, "a")
    timers.cancel(first)
    second = timers.arm(1.0, "b")
    timers.cancel(first)
    assert first != second
    assert timers.pop_due(1.0) == "b"


def test_a_cancelled_timer_is_not_the_nearest():
    timers: Any = Timers()
    first = timers.arm(1.0, "a")
    timers.arm(2.0, "b")
    timers.cancel(first)
    assert (timers.nearest(), len(timers), timers.pop_due(1.5)) == (2.0, 1, None)


def test_a_timer_that_has_come_up_can_still_be_cancelled():
    timers: Any = Timers()
    number = timers.arm(1.0, "a")
    assert timers.pop_due(1.0) == "a"
    timers.cancel(number)
    assert len(timers) == 0


def test_things_of_no_order_may_be_due_at_once():
    timers: Any = Timers()
    timers.arm(1.0, {"a": 1})
    timers.arm(1.0, None)
    assert timers.pop_due(1.0) == {"a": 1}


def test_cancelled_timers_do_not_pile_up():
    """As with questions that have a long deadline and are answered at once."""
    timers: Any = Timers()
    timers.arm(0.5, "kept")
    for number in range(10_000):
        timers.cancel(timers.arm(100.0 + number, "gone"))
    assert len(timers._heap) < 100
    assert (len(timers), timers.nearest()) == (1, 0.5)
    assert timers.pop_due(1.0) == "kept"
