"""The bounds of a link, and how many messages a second it may have."""

import attrs
import pytest

from facets import InvalidFacet
from facets.link.limits import Allowance, LinkLimits


def test_every_limit_is_above_zero_and_all_faults_are_told():
    with pytest.raises(InvalidFacet) as caught:
        LinkLimits(frame=0, greeting=-1.0, stalled=float("nan"))
    assert caught.value.faults == [
        "$.limits.frame: above 0, not 0",
        "$.limits.greeting: above 0, not -1.0",
        "$.limits.stalled: above 0, not nan",
    ]


@pytest.mark.parametrize("name", [field.name for field in attrs.fields(LinkLimits)])
def test_each_limit_is_checked(name):
    with pytest.raises(InvalidFacet, match=name):
        LinkLimits(**{name: 0})


def taken(allowance, now, most=100):
    return next(count for count in range(most) if not allowance.take(now))


def test_twice_as_many_at_once_as_in_a_second():
    assert taken(Allowance(5, 0.0), 0.0) == 10


@pytest.mark.parametrize(("seconds", "more"), [(0.1, 0), (0.2, 1), (1.0, 5), (2.0, 10), (1000.0, 10)])
def test_it_fills_again_with_time_and_no_further(seconds, more):
    allowance = Allowance(5, 7.0)
    taken(allowance, 7.0)
    assert taken(allowance, 7.0 + seconds) == more


def test_a_refused_try_takes_nothing():
    allowance = Allowance(1, 0.0)
    taken(allowance, 0.0)
    assert [allowance.take(time) for time in (0.25, 0.5, 0.75, 1.0)] == [False, False, False, True]


def test_over_the_long_run_it_is_so_many_a_second():
    allowance = Allowance(10, 0.0)
    assert sum(allowance.take(step / 100) for step in range(10_000)) == pytest.approx(20 + 1000, abs=2)
