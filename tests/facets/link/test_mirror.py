"""Readables that show what a watched readable of another process shows."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from facets import Cell
from facets.link.mirror import KeyedMirror, ValueMirror, unavailability_of, unavailable_of


def keyed(**values):
    mirror: KeyedMirror = KeyedMirror()
    mirror.replace(values)
    return mirror


def test_a_mapping_shows_exactly_what_it_is_given():
    mirror = keyed(a=1, b=2)
    mirror.replace({"b": 3, "c": 4})
    assert dict(mirror.value) == {"b": 3, "c": 4}


def test_who_follows_by_differences_is_told_what_has_gone():
    mirror = keyed(a=1, b=2)
    revision = mirror.version
    mirror.replace({"b": 2, "c": 4})
    difference = mirror.since(revision)
    assert (difference.drop, difference.put["c"], difference.whole) == ({"a": "unknown"}, 4, False)


def test_a_mapping_is_shown_in_its_order():
    mirror: KeyedMirror = KeyedMirror(order=lambda value: value)
    mirror.replace({"late": 3, "early": 1})
    mirror.put("middle", 2)
    assert list(mirror.value) == ["early", "middle", "late"]


@pytest.mark.parametrize("mirror", [KeyedMirror(), ValueMirror()])
def test_nothing_has_come_at_first(mirror):
    assert (mirror.version, mirror.unavailable, unavailable_of(mirror)) == (-1, "", "")


def test_a_value_is_shown_as_it_comes_and_equal_ones_are_no_change():
    mirror = ValueMirror()
    mirror.replace(None)
    assert [mirror.version, mirror.value] == [0, None]
    mirror.replace(5)
    mirror.replace(5)
    assert [mirror.version, mirror.value] == [1, 5]


@pytest.mark.parametrize(("mirror", "first"), [(KeyedMirror(), {}), (ValueMirror(), None)])
async def test_followers_are_given_nothing_before_something_has_come(mirror, first, nursery):
    got = []

    async def follow():
        got.append(await anext(mirror.changes()))

    nursery.start_soon(follow)
    await wait_all_tasks_blocked()
    assert got == []
    mirror.replace(first)
    with trio.fail_after(5):
        await wait_all_tasks_blocked()
    assert got == [first]


@pytest.mark.parametrize("mirror", [keyed(a=1), ValueMirror()])
def test_a_mirror_that_loses_its_origin_keeps_its_value_and_says_why(mirror):
    mirror.replace({"a": 1})
    mirror.lose(None)
    before = (mirror.value, mirror.version)
    mirror.lose("away")
    assert (mirror.unavailable, unavailable_of(mirror), mirror.unavailability.value) == ("away",) * 3
    assert (mirror.value, mirror.version) == before


class Heard:
    def __init__(self):
        self.times = 0

    def invalidate(self):
        self.times += 1


@pytest.mark.parametrize("mirror", [keyed(a=1), ValueMirror()])
def test_who_listens_hears_of_a_loss_once_and_of_the_return(mirror):
    mirror.lose(None)
    heard = Heard()
    for why in ("away", "away", None):
        mirror.listen(heard)
        mirror.lose(why)
    assert heard.times == 2


def test_a_readable_of_this_process_is_never_out_of_reach():
    assert (unavailable_of(Cell(1)), unavailability_of(Cell(1)).value) == (None, None)


def test_why_nothing_new_is_shown_can_be_followed():
    mirror = ValueMirror()
    followed = unavailability_of(mirror)
    version = followed.version
    mirror.lose("away")
    assert (followed.value, followed.version > version) == ("away", True)
