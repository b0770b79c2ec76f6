"""One followed readable: what goes into frames, and how large mappings are cut into them."""

import json

import msgspec
import pytest

from facets import Cell, KeyedCell, derive
from facets.link.epochs import Epochs
from facets.link.messages import Watch
from facets.link.mirror import KeyedMirror
from facets.link.watched import Watched

MOST = 1000


def watched(source, revision=-1, to_wire=None, most=MOST):
    return Watched(lambda _: None, Watch(5, 1, "r"), source, to_wire, "e1", revision, most)


def raw(*keys, size=1):
    cell: KeyedCell = KeyedCell(lambda _, raw: raw)
    for key in keys:
        cell.put(key, key * size)
    return cell


class Follower:
    """Takes frames as a client does, in order, and can be cut off after any of them."""

    def __init__(self):
        self.revision, self.value = -1, {}

    def take(self, frames):
        for frame in frames:
            assert len(frame) <= MOST
            message = json.loads(frame)
            if message["type"] == "snapshot":
                self.value = message["value"]
            else:
                assert message["base"] == self.revision
                self.value |= message.get("put", {})
                for key in message.get("drop", {}):
                    self.value.pop(key, None)
            self.revision = message["revision"]


KEYS = [f"k{number}" for number in range(40)]


@pytest.mark.parametrize("known", [False, True])
def test_a_large_mapping_goes_in_pieces_that_each_fit(known):
    cell = raw("old", "gone") if known else raw()
    follower = Follower()
    following = watched(cell)
    follower.take(following.frames(1.0))
    for key in KEYS:
        cell.put(key, key * 30)
    cell.drop("gone", "why")
    frames = following.frames(1.0)
    assert len(frames) > 3
    follower.take(frames)
    assert (follower.value, follower.revision) == (dict(cell.value), cell.version)
    assert following.frames(1.0) == []


@pytest.mark.parametrize("cut", range(6))
@pytest.mark.parametrize("known", [False, True])
def test_a_link_that_is_lost_between_two_pieces_misses_nothing(known, cut):
    cell = raw("old", "gone") if known else raw()
    follower = Follower()
    if known:
        follower.take(watched(cell).frames(1.0))
        cell.drop("gone", "why")
    for key in KEYS:
        cell.put(key, key * 30)
    frames = watched(cell, follower.revision).frames(1.0)
    follower.take(frames[:cut])
    follower.take(watched(cell, follower.revision).frames(2.0))
    assert (follower.value, follower.revision) == (dict(cell.value), cell.version)


def test_one_value_that_is_too_large_is_left_out_and_the_rest_is_told(caplog):
    cell = raw("a", "b", "c")
    cell.put("b", "x" * 5000)
    follower = Follower()
    follower.take(watched(cell).frames(1.0))
    assert (follower.value, follower.revision) == ({"a": "a", "c": "c"}, cell.version)
    assert "left out" in caplog.text


def test_a_large_one_that_is_encoded_already_is_passed_on_as_it_is():
    cell: KeyedCell = KeyedCell(lambda _, raw: raw)
    for key in KEYS:
        cell.put(key, msgspec.Raw(b'{"same":  "%s"}' % (b"x" * 60)))
    frames = watched(cell).frames(1.0)
    assert (len(frames) > 3, all(b'{"same":  "' in frame for frame in frames[1:])) == (True, True)


def test_a_single_value_that_is_too_large_is_unavailable_until_it_fits():
    cell = Cell("x" * 5000)
    following = watched(cell)
    assert [json.loads(one)["why"] for one in following.frames(1.0)] == ["it is too large to be sent"]
    assert following.frames(1.0) == []
    cell.set("small")
    assert [json.loads(one)["value"] for one in following.frames(1.0)] == ["small"]


def test_values_are_made_encodable_on_the_way_out():
    following = watched(raw("a"), to_wire=lambda value: {"wrapped": value})
    assert json.loads(following.frames(1.0)[0])["value"] == {"a": {"wrapped": "a"}}


def test_it_hears_of_one_change_and_again_once_it_was_read():
    heard: list = []
    cell = Cell(1)
    following = Watched(heard.append, Watch(5, 1, "r"), cell, None, "e1", -1, MOST)
    following.frames(1.0)
    cell.set(2)
    cell.set(3)
    assert heard == [following]
    following.frames(1.0)
    cell.set(4)
    assert heard == [following, following]


# --- a mirror, whose origin may be away ---------------------------------------------------------------------------


def types(frames):
    return [json.loads(one)["type"] for one in frames]


def test_nothing_is_told_of_a_mirror_before_something_has_come():
    mirror: KeyedMirror = KeyedMirror()
    following = watched(mirror)
    assert following.frames(1.0) == []
    mirror.replace({"a": 1})
    mirror.lose(None)
    assert types(following.frames(1.0)) == ["snapshot"]


def test_a_mirror_that_loses_its_origin_is_unavailable_and_comes_back_with_a_difference():
    mirror: KeyedMirror = KeyedMirror()
    mirror.replace({"a": 1})
    mirror.lose(None)
    following = watched(mirror)
    following.frames(1.0)
    mirror.lose("its worker is away")
    assert [json.loads(one)["why"] for one in following.frames(1.0)] == ["its worker is away"]
    assert following.frames(1.0) == []
    mirror.lose(None)
    [back] = following.frames(1.0)
    assert json.loads(back) == {"type": "difference", "id": 5, "base": 1, "revision": 1, "now": 1.0}


def test_another_readable_is_told_from_the_beginning():
    class Later(Epochs):
        def of(self, readable):
            return "e2"

    following = watched(raw("a"))
    following.frames(1.0)
    following.turn_to(raw("b"), None, Later())
    [told] = map(json.loads, following.frames(1.0))
    assert (told["type"], told["epoch"], told["value"]) == ("snapshot", "e2", {"b": "b"})


def test_what_may_have_changed_and_has_not_is_told_to_nobody():
    sources = Cell(1), Cell(2)
    following = watched(derive(sources, max))
    assert [json.loads(one)["value"] for one in following.frames(1.0)] == [2]
    sources[0].set(0)
    assert following.frames(1.0) == []
    sources[0].set(5)
    assert [json.loads(one)["value"] for one in following.frames(1.0)] == [5]
