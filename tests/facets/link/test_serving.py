"""Doing what a peer asks, with a real host and a list for a socket: objects, calls, and their ends."""

import logging
import traceback

import pytest

from facets.errors import Unauthenticated
from facets.link.offered import LocalObject
from tests.facets.link.desks import ANA, SECRET, Desk, open_peer
from tests.rules import rule


async def test_an_object_is_held_and_its_methods_are_called():
    async with open_peer() as peer:
        desk = peer.got()
        id, replies = peer.called(desk, "add", paper={"title": "t", "pages": 3}, times=2)
        paper = {"title": "t", "pages": 3}
        assert replies == [{"type": "returned", "id": id, "value": [paper, paper]}]
        [reference] = peer.host.references(Desk).value.values()
        assert (reference.principal, reference.holders) == (ANA, 1)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"kind": "desk", "input": "forbidden"}, "forbidden"),
        ({"kind": "desk", "input": 5}, "invalid_call"),
        ({"kind": "desk", "input": []}, "invalid_call"),
        ({"kind": "nothing"}, "invalid_call"),
    ],
)
async def test_an_object_that_is_refused_is_not_held(fields, code):
    async with open_peer() as peer:
        id, [refused] = peer.new("get", **fields)
        assert (refused["id"], refused["code"], peer.session.objects) == (id, code, set())
        assert not peer.host.references(Desk).value
        assert peer.called(id, "odd")[1][0]["code"] == "unknown_object"


@pytest.mark.parametrize(
    ("method", "args", "code"),
    [
        ("forbidden", {}, "forbidden"),
        ("broken", {"word": SECRET}, "internal_error"),
        ("broken_later", {"word": SECRET}, "internal_error"),
        ("odd", {}, "internal_error"),
        ("odd_later", {}, "internal_error"),
        ("add", {}, "invalid_call"),
        ("add", [], "invalid_call"),
        ("nothing", {}, "invalid_call"),
        ("__init__", {}, "invalid_call"),
        ("large", {"size": 2000}, "link_limit_exceeded"),
    ],
)
async def test_a_call_that_fails_is_refused_and_the_link_goes_on(method, args, code):
    async with open_peer(frame=1000) as peer:
        desk = peer.got()
        id, replies = peer.new("call", object=desk, method=method, args=args)
        [refused] = replies or await peer.later()
        assert (refused["type"], refused["id"], refused["code"]) == ("refused", id, code)
        assert peer.called(desk, "large", size=1)[1][0]["value"] == "x"
        assert peer.session.calls == {}


@rule("Q-SEC-1")
@pytest.mark.parametrize("method", ["broken", "broken_later"])
async def test_what_is_logged_of_a_failed_call_holds_no_argument(method, caplog):
    async with open_peer() as peer:
        peer.called(peer.got(), method, word=SECRET)
        await peer.later()
    [record] = [one for one in caplog.records if one.levelno >= logging.ERROR]
    shown = "".join(traceback.TracebackException(*record.exc_info, capture_locals=True).format())
    ours = [line for line in shown.splitlines() if "word = " not in line]  # the method's own frame is its author's
    assert SECRET not in record.getMessage() + "\n".join(ours)
    assert "broken" in shown


async def test_a_call_that_waits_lets_others_pass():
    async with open_peer() as peer:
        desk = peer.got()
        waiting, replies = peer.called(desk, "wait", word="w")
        assert replies == []
        assert peer.called(desk, "large", size=1)[1][0]["value"] == "x"
        peer.desk().gate.set()
        assert await peer.later() == [{"type": "returned", "id": waiting, "value": "w"}]


async def test_a_cancelled_call_is_given_up():
    async with open_peer() as peer:
        desk = peer.got()
        waiting, _ = peer.called(desk, "wait", word="w")
        await peer.later()
        assert peer.say("cancel", id=waiting) == []
        assert await peer.later() == [{"type": "cancelled", "id": waiting}]
        assert (peer.desk().ended, peer.session.calls) == (["w"], {})


async def test_a_call_that_is_cancelled_at_once_is_given_up_too():
    async with open_peer() as peer:
        waiting, _ = peer.called(peer.got(), "wait", word="w")
        peer.say("cancel", id=waiting)
        assert await peer.later() == [{"type": "cancelled", "id": waiting}]


async def test_a_call_that_does_not_let_itself_be_cancelled_returns():
    async with open_peer() as peer:
        desk = peer.got()
        waiting, _ = peer.called(desk, "stubborn")
        await peer.later()
        peer.say("cancel", id=waiting)
        assert await peer.later() == []
        peer.desk().gate.set()
        assert await peer.later() == [{"type": "returned", "id": waiting, "value": "done all the same"}]


async def test_a_call_that_breaks_while_it_is_cancelled_is_refused_and_takes_nothing_with_it():
    async with open_peer() as peer:
        desk = peer.got()
        breaking, _ = peer.called(desk, "broken_while_cancelled")
        await peer.later()
        peer.say("cancel", id=breaking)
        [refused] = await peer.later()
        assert (refused["id"], refused["code"]) == (breaking, "internal_error")
        assert peer.called(desk, "large", size=1)[1][0]["value"] == "x"


async def test_a_cancel_that_comes_too_late_is_ignored():
    async with open_peer() as peer:
        desk = peer.got()
        waiting, _ = peer.called(desk, "wait", word="w")
        peer.desk().gate.set()
        await peer.later()
        assert (peer.say("cancel", id=waiting), await peer.later()) == ([], [])


async def test_releasing_an_object_cancels_its_calls_and_ends_its_watches():
    released = []
    async with open_peer(release=lambda desk: released.append(desk)) as peer:
        desk, other = peer.got(), peer.got(input="other")
        waiting, _ = peer.called(desk, "wait", word="w")
        still, _ = peer.called(other, "wait", word="still")
        peer.watching(desk, "lamp")
        lamp = peer.desk().lamp_cell
        assert peer.say("release", object=desk) == []
        assert await peer.later() == [{"type": "cancelled", "id": waiting}]
        lamp.set("on")
        assert await peer.later() == []
        assert ([one.input for one in released], peer.session.calls, lamp._listeners) == ([None], {still: other}, {})


async def test_a_release_that_fails_leaves_nothing_behind(caplog):
    def release(_):
        raise OSError("stuck")

    async with open_peer(release=release) as peer:
        desk = peer.got()
        waiting, _ = peer.called(desk, "wait", word="w")
        peer.watching(desk, "lamp")
        assert peer.say("release", object=desk) == []
        assert await peer.later() == [{"type": "cancelled", "id": waiting}]
        assert (peer.serving.held(), peer.session.watches, peer.session.objects) == ([], {}, set())
        peer.got()
        peer.serving.end(lost=False)
    assert "could not be released" in caplog.text


@pytest.mark.parametrize("lost", [True, False])
@rule("Q-FAC-2")
async def test_the_end_of_a_link_releases_what_it_held_and_cancels_its_calls(lost):
    async with open_peer() as peer:
        desk = peer.got()
        peer.called(desk, "wait", word="w")
        peer.watching(desk, "lamp")
        thing = peer.desk()
        await peer.later()
        peer.session.leave(Unauthenticated())
        peer.serving.end(lost)
        await peer.later()
        thing.lamp_cell.set("on")
        assert (thing.ended, await peer.later()) == (["w"], [])
        assert [one.lingering for one in peer.host.references(Desk).value.values()] == ([True] if lost else [])


async def test_an_object_is_told_first_that_its_link_is_lost_and_then_its_calls_end():
    async with open_peer() as peer:
        peer.got()
        [(_, held)] = peer.serving.held()
        assert isinstance(held, LocalObject)
        peer.serving.end(lost=True)
        assert held._ctx.lost
