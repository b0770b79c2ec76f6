"""Every limit bounds something and can be set; what each one does is tested with the store."""

import attrs
import pytest

from questions import Limits


def test_every_limit_is_a_positive_number_with_a_name():
    assert {name: value > 0 for name, value in attrs.asdict(Limits()).items()} == dict.fromkeys(
        ["open", "audience", "waiters", "results", "endings", "closed", "closed_seconds"], True
    )


def test_one_can_be_set_and_the_others_stay():
    assert attrs.evolve(Limits(), open=3) == Limits(open=3) != Limits()
    with pytest.raises(AttributeError):
        Limits().open = 5  # type: ignore[misc]
