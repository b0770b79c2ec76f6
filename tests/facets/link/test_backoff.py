"""Pauses between tries: they double, up to a longest one, and differ from one client to the next."""

import pytest

from facets.link.backoff import Backoff


def pauses(backoff, count):
    return [backoff.pause() for _ in range(count)]


def test_pauses_double_up_to_the_longest():
    assert pauses(Backoff(lambda: 1.0), 8) == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0])


def test_each_is_at_least_half_of_that_and_chance_decides():
    assert pauses(Backoff(lambda: 0.0, 1.0, 4.0), 4) == pytest.approx([0.5, 1.0, 2.0, 2.0])
    assert pauses(Backoff(lambda: 0.5, 1.0, 4.0), 2) == pytest.approx([0.75, 1.5])


def test_after_a_success_it_begins_from_the_start():
    backoff = Backoff(lambda: 1.0, 1.0, 8.0)
    assert pauses(backoff, 3) == [1.0, 2.0, 4.0]
    backoff.reset()
    assert pauses(backoff, 2) == [1.0, 2.0]
