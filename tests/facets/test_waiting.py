"""A wait is data about who waits for whom."""

import attrs
import pytest

from facets import Principal, Waiting, Waits, Who
from facets.waiting import WaitingWork

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


class Source:
    """What a facet knows of waiting work, and how often it was asked."""

    def __init__(self):
        self.asked = 0

    def __call__(self):
        self.asked += 1
        return {"w1": Coin()}


def test_waiting_work_costs_nothing_until_somebody_looks():
    work, source = WaitingWork(), Source()
    work.add_source(source)
    assert (work.fed, source.asked) == (False, 0)


@pytest.mark.parametrize(
    "look",
    [lambda work: work.value, lambda work: work.version, lambda work: work.since(0)],
    ids=["value", "version", "since"],
)
def test_the_first_look_of_any_kind_finds_what_waits_already(look):
    work, source = WaitingWork(), Source()
    work.add_source(source)
    for _ in range(2):
        look(work)
    assert (work.fed, source.asked) == (True, 1)
    assert work.value == {"w1": Coin().waiting()}


def test_a_source_that_comes_after_the_first_look_is_read_at_once():
    work, source = WaitingWork(), Source()
    before = work.version
    assert work.value == {}
    work.add_source(source)
    assert source.asked == 1
    assert work.version > before
    assert list(work.since(before).put) == ["w1"]
