"""How the readables of remote objects are fed, whatever the link runs on."""

import traceback
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import UNSET

from facets.errors import InvalidCall
from facets.link.items import Held
from facets.link.messages import Got, Named
from facets.link.mirror import KeyedMirror, ValueMirror
from facets.link.remote_object import AnyObject, follow
from tests.facets.link.asking import connected
from tests.facets.link.desks import DESK, SECRET, Paper
from tests.rules import rule


class Following:
    """A mirror that follows a readable of a desk, and the other end of its link."""

    def __init__(self, name):
        self.asking = connected()
        self.mirror: Any = KeyedMirror() if name == "papers" else ValueMirror()
        link: Any = SimpleNamespace(session=self.asking.session, clock=lambda: 0.0, push=lambda: None)
        held = self.asking.held()
        follow(link, DESK, DESK.face("desk"), held, name, self.mirror)
        [watch] = self.asking.said()
        assert (watch["type"], watch["readable"]) == ("watch", name)
        self.wire = watch["id"]

    def told(self, type, **fields):
        for item, message in self.asking.told(type, id=self.wire, **fields):
            item.owner(message)

    def snapshot(self, value, revision=1):
        self.told("snapshot", epoch="e", revision=revision, value=value, now=1.0)

    def difference(self, base, put):
        self.told("difference", base=base, revision=base + 1, put=put, now=1.0)


@pytest.fixture
def following():
    following = Following("papers")
    following.snapshot({"a": {"title": "a"}})
    following.asking.said()
    return following


def test_a_mirror_shows_what_its_readable_shows(following):
    following.difference(1, {"b": {"title": "b", "pages": 2}})
    assert dict(following.mirror.value) == {"a": Paper("a"), "b": Paper("b", 2)}
    assert following.mirror.unavailable is None


def test_a_single_value_is_shown_too():
    following = Following("lamp")
    following.snapshot("on")
    assert following.mirror.value == "on"


def test_what_cannot_be_read_is_not_shown_and_the_mirror_says_so(following):
    following.difference(1, {"b": {"title": 5}})
    assert following.mirror.unavailable == "what has come cannot be read: invalid_call"
    assert dict(following.mirror.value) == {"a": Paper("a")}


def test_after_something_that_cannot_be_read_everything_is_asked_for_anew(following):
    following.difference(1, {"b": {"title": 5}})
    following.asking.said()
    following.difference(2, {"c": {"title": "c"}})
    unwatch, watch = following.asking.said()
    assert (unwatch["type"], watch["type"], "revision" in watch) == ("unwatch", "watch", False)
    assert (list(following.mirror.value), following.mirror.unavailable is None) == (["a"], False)
    following.wire = watch["id"]
    following.snapshot({"b": {"title": "b"}, "c": {"title": "c"}}, 3)
    assert (list(following.mirror.value), following.mirror.unavailable) == (["b", "c"], None)


def test_what_the_other_side_says_of_it_is_said_here(following):
    following.told("unavailable", why="its worker is away")
    assert following.mirror.unavailable == "its worker is away"


@rule("Q-SEC-1")
@pytest.mark.parametrize(
    ("args", "kind"),
    [((SECRET, object()), InvalidCall), ((SECRET + "\ud800",), InvalidCall), ((SECRET, 1, "n", "more"), TypeError)],
    ids=["no JSON", "no text", "too many"],
)
def test_arguments_that_cannot_be_sent_are_in_no_frame_of_the_error(args, kind):
    got = Got(1, "desk", Named("user", "ana", "Ana"), 0.0)
    link: Any = SimpleNamespace(clock=lambda: 0.0, url="ws://there")
    desk: Any = AnyObject(link, DESK, DESK.face("desk"), Held("desk", b"null", UNSET, ""), got, None)
    caught = None
    try:
        desk.add(*args)
    except kind as error:
        caught = error
    assert caught is not None
    told = traceback.TracebackException.from_exception(caught, capture_locals=True)
    assert SECRET not in "".join(str(frame.locals) for frame in told.stack if frame.filename != __file__)
    assert SECRET not in str(told)
    assert told.__cause__ is told.__context__ is None
