"""A wait is data about who waits for whom."""

import attrs
import pytest

from facets import Principal, Waiting, Waits, Who

EVE = Who(Principal.guest("eve"), "Eve")


class Coin:
    def waiting(self):
        return Waiting("w1", "a coin", "shop", EVE, (), (), 5.0)


def test_a_wait_is_immutable():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Coin().waiting().id = "w2"


def test_anything_that_says_what_it_waits_for_is_a_wait():
    waits: Waits = Coin()
    assert waits.waiting() == Waiting("w1", "a coin", "shop", EVE, (), (), 5.0)
