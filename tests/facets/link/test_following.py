"""Bringing a mirror up to what a watch has told."""

import json

import pytest
from msgspec import Raw

from facets.errors import InvalidCall
from facets.link.following import apply_to
from facets.link.messages import Ended, RawDifference, RawSnapshot, Refused, Unavailable
from facets.link.mirror import KeyedMirror, ValueMirror


def read(value, sent):
    found = json.loads(bytes(value))
    if found == "bad":
        raise InvalidCall(["$: bad"])
    return found, sent


def snapshot(value, now=1.0):
    return RawSnapshot(1, "e", 5, Raw(json.dumps(value).encode()), now)


def difference(put, drop, now=2.0):
    return RawDifference(1, 5, 6, now, {key: Raw(json.dumps(value).encode()) for key, value in put.items()}, drop)


def filled():
    mirror: KeyedMirror = KeyedMirror()
    apply_to(mirror, snapshot({"a": 1, "b": 2}), read)
    return mirror


def test_a_snapshot_is_shown_as_it_is():
    mirror = filled()
    assert (dict(mirror.value), mirror.unavailable) == ({"a": (1, 1.0), "b": (2, 1.0)}, None)
    apply_to(mirror, snapshot({"b": 3}, 9.0), read)
    assert dict(mirror.value) == {"b": (3, 9.0)}


def test_a_difference_changes_what_it_names():
    mirror = filled()
    revision = mirror.version
    apply_to(mirror, difference({"c": 3}, {"a": "answered"}), read)
    assert dict(mirror.value) == {"b": (2, 1.0), "c": (3, 2.0)}
    assert mirror.since(revision).drop == {"a": "answered"}


def test_a_value_is_replaced():
    mirror = ValueMirror()
    apply_to(mirror, snapshot([1, 2]), read)
    assert (mirror.value, mirror.unavailable) == (([1, 2], 1.0), None)


def test_a_difference_of_a_single_value_is_none():
    mirror = ValueMirror()
    apply_to(mirror, snapshot(1), read)
    apply_to(mirror, difference({"a": 1}, {}), read)
    assert mirror.value == (1, 1.0)


@pytest.mark.parametrize(
    ("message", "why"),
    [(Unavailable(1, "away"), "away"), (Ended(1, "gone"), "gone"), (Refused(1, "forbidden", "no"), "no")],
)
@pytest.mark.parametrize("mirror", [filled(), ValueMirror()])
def test_what_is_out_of_reach_says_why_and_keeps_its_value(mirror, message, why):
    before = mirror.value
    apply_to(mirror, message, read)
    assert (mirror.unavailable, mirror.value) == (why, before)
    apply_to(mirror, snapshot({"a": 1}), read)
    assert mirror.unavailable is None


@pytest.mark.parametrize("value", [5, [1], "text", None])
def test_a_snapshot_of_a_mapping_is_one(value):
    mirror = filled()
    with pytest.raises(InvalidCall, match="must be an object"):
        apply_to(mirror, snapshot(value), read)
    assert len(mirror) == 2


@pytest.mark.parametrize("message", [snapshot({"a": 9, "b": "bad"}), difference({"a": 9, "c": "bad"}, {"b": "gone"})])
def test_what_cannot_be_read_is_not_shown_not_even_in_part(message):
    mirror = filled()
    before = (dict(mirror.value), mirror.version)
    with pytest.raises(InvalidCall):
        apply_to(mirror, message, read)
    assert (dict(mirror.value), mirror.version) == before
