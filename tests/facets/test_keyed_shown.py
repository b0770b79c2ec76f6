"""Keyed readables whose followers are shown something else of what was put."""

from typing import Any

import pytest

from facets import KeyedCell


@pytest.fixture
def cell():
    return KeyedCell(lambda key, raw: f"{key}={raw}")


def test_a_follower_may_be_shown_something_else_at_the_same_revisions(cell):
    cell.put("a", 1)
    cell.put("b", 2)
    assert cell.since_as(-1, lambda key, raw: (key, raw)).put == {"a": ("a", 1), "b": ("b", 2)}
    cell.drop("a", "gone")
    cell.put("c", 3)
    difference = cell.since_as(2, lambda _, raw: 10 * raw)
    assert (difference.revision, difference.put, difference.drop, difference.whole) == (
        4,
        {"c": 30},
        {"a": "gone"},
        False,
    )
    assert cell.since(2).put == {"c": "c=3"}


def test_showing_it_in_another_way_shows_nothing_in_the_usual_one():
    shown: list[Any] = []
    cell: KeyedCell[Any, Any, Any] = KeyedCell(lambda key, _: shown.append(key), order=lambda raw: -raw)
    for raw in (1, 2, 3):
        cell.put(f"k{raw}", raw)
    assert list(cell.since_as(-1, lambda _, raw: raw).put) == ["k3", "k2", "k1"]
    assert shown == []


def test_what_was_put_can_be_looked_up_without_being_shown(cell):
    cell.put("a", 1)
    cell.put("nothing", None)
    assert (cell.raw_of("a"), cell.raw_of("nothing"), cell.raw_of("b")) == (1, None, None)
    cell.drop("a", "gone")
    assert cell.raw_of("a") is None
