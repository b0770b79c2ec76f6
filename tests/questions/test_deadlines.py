"""Deadlines are arithmetic on times that are passed in; bad times are refused, all faults at once."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.deadlines import Deadline, instant, time_faults, time_limit
from tests.questions.samples import NOON
from tests.rules import rule

TOMORROW = datetime(2027, 1, 16, 8, tzinfo=UTC)
INFINITY = float("inf")


@rule("Q-SET-5")
@pytest.mark.parametrize(("now", "due", "remaining"), [(59.5, False, 0.5), (60.0, True, 0.0), (61.0, True, 0.0)])
def test_the_exact_instant_belongs_to_the_deadline(now, due, remaining):
    deadline = Deadline(60.0, NOON)
    assert (deadline.due(now), deadline.remaining(now)) == (due, remaining)


@pytest.mark.parametrize(
    ("timeout", "deadline", "left"),
    [
        (300, None, 300),
        (0.25, None, 0.25),
        (timedelta(minutes=2), None, 120),
        (None, datetime.fromtimestamp(NOON + 7, UTC), 7),
        (None, datetime.fromtimestamp(NOON + 7, timezone(timedelta(hours=-8))), 7),
        (None, datetime.fromtimestamp(NOON - 9, UTC), -9),
    ],
)
def test_a_limit_is_the_same_point_on_both_clocks(timeout, deadline, left):
    assert time_limit(timeout, deadline, 1000.0, NOON) == Deadline(1000.0 + left, NOON + left)


def test_without_times_there_is_no_limit():
    assert time_limit(None, None, 1000.0, NOON) is None


@pytest.mark.parametrize(
    ("timeout", "deadline"),
    [(None, None), (1, None), (1e300, None), (1e-9, None), (timedelta(microseconds=1), None), (None, TOMORROW)],
)
def test_good_times_have_no_faults(timeout, deadline):
    assert time_faults(timeout, deadline) == []


@pytest.mark.parametrize(
    "timeout",
    [-1, 0, 0.0, -0.5, float("nan"), INFINITY, -INFINITY, 10**400, -(10**5000), timedelta(0), timedelta(days=-1)],
    ids=lambda timeout: f"{timeout}"[:9] if isinstance(timeout, float | timedelta) else f"{timeout.bit_length()} bits",
)
def test_a_timeout_is_positive_and_finite(timeout):
    assert time_faults(timeout, None) == ["$.timeout: more than 0 seconds and finite; for no time limit leave it out"]


@pytest.mark.parametrize("timeout", [True, False, "5", b"5", [5], 5j, TOMORROW], ids=repr)
def test_a_timeout_is_a_number_or_a_timedelta(timeout):
    assert time_faults(timeout, None) == ["$.timeout: seconds, or a timedelta"]


@pytest.mark.parametrize("deadline", [datetime(2027, 1, 1), TOMORROW.date(), NOON, "tomorrow", True], ids=repr)  # noqa: DTZ001
def test_a_deadline_is_an_aware_datetime(deadline):
    [fault] = time_faults(None, deadline)
    assert fault.startswith("$.deadline: a datetime with a time zone")


def test_a_timeout_and_a_deadline_are_one_too_many_and_each_is_looked_at():
    assert time_faults(5, TOMORROW) == ["$.timeout: give timeout or deadline, not both"]
    assert [fault.split(":")[0] for fault in time_faults(0, 0)] == ["$.timeout", "$.timeout", "$.deadline"]


def test_an_instant_is_utc():
    assert instant(NOON).isoformat() == "2027-01-15T08:00:00+00:00"


@given(st.floats(allow_nan=False))
def test_every_time_has_an_instant(epoch):
    """Else a question with `timeout=1e300`, or with the last datetime that there is, would break every view of it."""
    year = instant(epoch).year
    assert 1 <= year <= 9999
    assert year == 9999 or epoch < 253402300800


@pytest.mark.parametrize("hours", [-14, 0, 14])
def test_the_first_and_the_last_deadline_can_be_shown(hours):
    for furthest in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)):
        deadline = furthest.replace(tzinfo=timezone(timedelta(hours=hours)))
        limit = time_limit(None, deadline, 0.0, NOON)
        assert time_faults(None, deadline) == []
        assert limit
        assert instant(limit.epoch).year == furthest.year
