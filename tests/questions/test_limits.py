"""Every limit bounds something and can be set; what each one does is tested with the store."""

import attrs
import pytest

from facets import InvalidFacet
from questions import Limits

UNKEPT = {"open_per_asker", "open_per_scope", "open_per_person"}


def test_every_limit_is_a_positive_number_with_a_name_or_is_not_kept():
    limits = attrs.asdict(Limits())
    assert {name for name, value in limits.items() if value is None} == UNKEPT
    assert {name: value > 0 for name, value in limits.items() if value is not None} == dict.fromkeys(
        ["open", "audience", "waiters", "results", "endings", "closed", "closed_seconds"], True
    )


@pytest.mark.parametrize("name", sorted(attrs.asdict(Limits()).keys() - UNKEPT))
def test_a_limit_that_is_always_kept_cannot_be_none(name):
    with pytest.raises(InvalidFacet, match=f"limits.{name}: 1 or more, not None"):
        Limits(**{name: None})  # type: ignore[arg-type]


def test_one_can_be_set_and_the_others_stay():
    assert attrs.evolve(Limits(), open=3) == Limits(open=3) != Limits()
    with pytest.raises(AttributeError):
        Limits().open = 5  # type: ignore[misc]


@pytest.mark.parametrize("limit", [0, -1, 0.5, float("nan")])
@pytest.mark.parametrize("name", attrs.asdict(Limits()))
def test_a_limit_below_one_is_refused_by_name(name, limit):
    with pytest.raises(InvalidFacet) as caught:
        Limits(**{name: limit})
    assert caught.value.faults == [f"$.limits.{name}: 1 or more, not {limit!r}"]


def test_every_bad_limit_is_named():
    with pytest.raises(InvalidFacet) as caught:
        Limits(open=0, closed=0)
    assert [fault.split(":")[0] for fault in caught.value.faults] == ["$.limits.open", "$.limits.closed"]


@pytest.mark.parametrize("limit", [1, float("inf")])
def test_one_is_enough_and_endless_is_allowed(limit):
    assert Limits(waiters=limit).waiters == limit
