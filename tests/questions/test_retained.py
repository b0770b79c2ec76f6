"""A memory bounded in time and number: against a plain list of everything that was ever put."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.retained import Retained
from tests.rules import rule

SECONDS, MOST = 10.0, 3
STEPS = st.tuples(st.sampled_from(["put", "get", "pop"]), st.sampled_from("abcde"), st.sampled_from([0.0, 1.0, 5.0]))


def remembered(puts, now):
    """What the rule says: of the last value for each key, the newest three, unless they are ten seconds old."""
    last: dict = {}
    for key, value, when in puts:
        last.pop(key, None)
        last[key] = (value, when)
    newest = list(last.items())[-MOST:]
    return {key: value for key, (value, when) in newest if now - when < SECONDS}


@rule("Q-SET-3", "Q-KEY-4")
@pytest.mark.fuzz
@given(st.lists(STEPS, max_size=60))
def test_it_keeps_the_newest_for_a_while(steps):
    kept: Any = Retained(SECONDS, MOST)
    puts: list = []
    now = 0.0
    for number, (act, key, pause) in enumerate(steps):
        now += pause
        if act == "put":
            kept.put(key, number, now)
            puts = [*dropped(puts, now), (key, number, now)]
        elif act == "pop":
            kept.pop(key)
            puts = [put for put in dropped(puts, now) if put[0] != key]
        assert {key: kept.get(key, now) for key in "abcde" if kept.get(key, now) is not None} == remembered(puts, now)
        assert len(kept) <= MOST


def dropped(puts, now):
    """What is remembered, as puts: what went over the number stays forgotten when others are popped."""
    known = remembered(puts, now)
    return [put for put in puts if known.get(put[0]) == put[1]]


def test_the_end_of_its_time_is_not_in_it():
    kept: Any = Retained(10.0, 3)
    kept.put("a", False, 0.0)
    assert kept.get("a", 9.9) is False
    assert kept.get("a", 10.0) is None


def test_what_is_too_old_is_let_go_at_the_next_put():
    kept: Any = Retained(10.0, 3)
    kept.put("a", 1, 0.0)
    kept.put("b", 2, 10.0)
    assert len(kept) == 1


def test_putting_again_begins_its_time_again_and_makes_it_the_newest():
    kept: Any = Retained(10.0, 2)
    kept.put("a", 1, 0.0)
    kept.put("b", 2, 1.0)
    kept.put("a", 3, 2.0)
    kept.put("c", 4, 3.0)
    assert [kept.get(key, 11.5) for key in "abc"] == [3, None, 4]


def test_a_memory_of_nothing_keeps_nothing_and_an_endless_one_forgets_by_number_only():
    none: Any = Retained(10.0, 0)
    endless: Any = Retained(float("inf"), 1)
    none.put("a", 1, 0.0)
    endless.put("a", 1, 0.0)
    endless.put("b", 2, 1e9)
    assert (len(none), none.get("a", 0.0)) == (0, None)
    assert (endless.get("a", 2e9), endless.get("b", 2e9)) == (None, 2)


def test_a_smaller_number_lets_go_at_the_next_put():
    """As after a reload with other limits."""
    kept: Any = Retained(10.0, 5)
    for key in "abcd":
        kept.put(key, key, 0.0)
    kept.most = 2
    kept.put("e", "e", 0.0)
    assert [kept.get(key, 0.0) for key in "abcde"] == [None, None, None, "d", "e"]


def test_popping_what_is_not_there_does_nothing():
    kept: Any = Retained(10.0, 3)
    kept.pop("a")
    assert len(kept) == 0
