"""The end of a link that is asked: which message may come when, what has come of it, and what is refused."""

import math
from typing import Any

import pytest

from facets import Principal, Who
from facets.errors import Forbidden, InternalError, LinkLimitExceeded, Unauthenticated, Unavailable
from facets.link.limits import LinkLimits
from facets.link.messages import NO_ID, Get, RawReturned
from facets.link.session import ServingSession, SessionState
from tests.facets.link.frames_of import frame, said
from tests.rules import rule

ANA = Who(Principal.user("ana"), "Ana")
REQUESTS: dict[str, Any] = {
    "hello": {"token": "t"},
    "get": {"id": 90, "kind": "desk"},
    "call": {"id": 90, "object": 1, "method": "sit"},
    "cancel": {"id": 2},
    "watch": {"id": 90, "object": 1, "readable": "lamp"},
    "unwatch": {"id": 3},
    "release": {"object": 1},
    "ack": {"id": 3, "revision": 1},
    "ping": {"id": 90},
}
REPLIES: dict[str, Any] = {
    "welcome": {"epoch": "e", "principal": {"kind": "user", "id": "ana", "name": "Ana"}, "now": 1.0},
    "got": {"id": 1, "face": "f", "principal": {"kind": "user", "id": "ana", "name": "Ana"}, "now": 1.0},
    "returned": {"id": 2, "value": 1},
    "refused": {"id": 2, "code": "c", "message": "m"},
    "cancelled": {"id": 2},
    "snapshot": {"id": 3, "epoch": "e", "revision": 1, "value": 1, "now": 1.0},
    "difference": {"id": 3, "base": 1, "revision": 2, "now": 1.0},
    "unavailable": {"id": 3, "why": "w"},
    "ended": {"id": 3, "why": "w"},
    "pong": {"id": 4},
    "goodbye": {"code": "c", "message": "m"},
}


def opened(**limits):
    """A session that is open, with object 1, call 2 and watch 3 under way."""
    session = greeted(**limits)
    session.receive(frame("get", id=1, kind="desk"), 0.0)
    session.got(1, "object", ANA, 0.0)
    session.receive(frame("call", id=2, object=1, method="sit"), 0.0)
    session.receive(frame("watch", id=3, object=1, readable="lamp"), 0.0)
    session.take_out()
    return session


def greeted(*, stamps=False, **limits):
    session = ServingSession(LinkLimits(**limits), 0.0, stamps=stamps)
    session.receive(frame("hello", token="t"), 0.0)
    session.welcome("e1", ANA, 5.0)
    session.take_out()
    return session


def asked(session, type, at=0.0, **fields):
    """Send a message. What is to be acted upon, and what is said."""
    return session.receive(frame(type, **fields), at), said(session)


def kind_of(message):
    return type(message).__name__.lower().removeprefix("raw")


def code(replies):
    [only] = replies
    return only["type"], only.get("id"), only.get("code")


# --- states -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type", [*REQUESTS, *REPLIES])
def test_a_stranger_says_hello_or_is_sent_away(type):
    session = ServingSession(LinkLimits(), 0.0)
    acted, replies = asked(session, type, **{**REQUESTS, **REPLIES}[type])
    if type == "hello":
        assert (acted.token, replies, session.state) == ("t", [], SessionState.GREETING)
    else:
        assert (acted, session.state) == (None, SessionState.CLOSED)
        assert code(replies) == ("goodbye", None, "unauthenticated")


@pytest.mark.parametrize("bad", ["", "no JSON", "[]", "1", '{"type":"hello"}', '{"type":"nothing"}', '{"token":"t"}'])
def test_a_stranger_hears_the_same_whatever_was_wrong(bad):
    session = ServingSession(LinkLimits(), 0.0)
    assert session.receive(bad, 0.0) is None
    [goodbye] = said(session)
    assert goodbye == {"type": "goodbye", "code": "unauthenticated", "message": str(Unauthenticated())}


@pytest.mark.parametrize("type", REQUESTS)
def test_an_open_link_acts_on_each_request_but_another_hello(type):
    session = opened()
    acted, replies = asked(session, type, **REQUESTS[type])
    if type == "hello":
        assert (acted, code(replies)) == (None, ("refused", NO_ID, "invalid_message"))
    elif type == "ping":
        assert (acted, replies) == (None, [{"type": "pong", "id": 90, "received": 4, "sent": 2}])
    else:
        assert (kind_of(acted), replies) == (type, [])


@pytest.mark.parametrize("type", REPLIES)
def test_replies_are_for_who_has_asked(type):
    session = opened()
    acted, replies = asked(session, type, **REPLIES[type])
    assert (acted, replies[0]["type"], replies[0]["code"]) == (None, "refused", "invalid_message")
    assert (session.calls, session.watches) == ({2: 1}, {3: 1})
    session.ask_back(0.0)
    acted, replies = asked(session, type, **REPLIES[type])
    assert (kind_of(acted), replies) == (type, [])


@pytest.mark.parametrize("type", [*REQUESTS, *REPLIES])
def test_after_its_goodbye_it_hears_and_says_nothing(type):
    session = opened()
    session.ask_back(0.0)
    session.leave(Unauthenticated())
    session.leave(Forbidden("again"))
    assert code(said(session)) == ("goodbye", None, "unauthenticated")
    assert asked(session, type, **{**REQUESTS, **REPLIES}[type]) == (None, [])


def test_a_link_that_was_dialled_from_here_is_open_for_the_other_end():
    session = ServingSession(LinkLimits(), 0.0, stamps=True)
    session.open_as_dialled()
    acted, _ = asked(session, "get", id=1, kind="desk", **{"as": {"kind": "user", "id": "ana"}})
    assert acted.principal == ANA.principal


def test_welcome_and_got_say_who_the_peer_is():
    session = ServingSession(LinkLimits(), 0.0)
    session.receive(frame("hello", token="t"), 0.0)
    session.welcome("e1", ANA, 5.0, "proof")
    session.got(1, "viewer", ANA, 6.0)
    ana = {"kind": "user", "id": "ana", "name": "Ana"}
    assert said(session) == [
        {"type": "welcome", "epoch": "e1", "principal": ana, "now": 5.0, "proof": "proof"},
        {"type": "got", "id": 1, "face": "viewer", "principal": ana, "now": 6.0},
    ]


# --- ids ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", [1, 2, 3])
@pytest.mark.parametrize("type", ["get", "call", "watch"])
def test_an_id_is_used_once_and_its_first_use_goes_on(type, id):
    session = opened()
    acted, replies = asked(session, type, **{**REQUESTS[type], "id": id})
    assert (acted, code(replies)) == (None, ("refused", NO_ID, "invalid_message"))
    assert (session.objects, session.calls, session.watches) == ({1}, {2: 1}, {3: 1})


@pytest.mark.parametrize("id", [0, -1, 2**53, 1.5, "1", None, True])
def test_a_bad_id_is_refused_without_one(id):
    _, replies = asked(opened(), "get", id=id, kind="desk")
    assert code(replies) == ("refused", NO_ID, "invalid_message")


def test_a_message_with_a_fault_is_refused_by_its_id_and_with_the_path():
    _, [refused] = asked(opened(), "call", id=9, object="x", method="sit")
    assert (refused["id"], refused["code"]) == (9, "invalid_message")
    assert refused["data"] == {"faults": ["$.object: Expected `int`, got `str`"]}


@pytest.mark.parametrize("type", ["call", "watch"])
def test_an_object_that_is_not_held_is_unknown(type):
    _, [refused] = asked(opened(), type, **{**REQUESTS[type], "object": 7})
    assert (refused["id"], refused["code"], refused["data"]) == (90, "unknown_object", {"object": 7})


def test_what_is_over_is_cancelled_unwatched_and_acknowledged_without_a_word():
    session = opened()
    for type in ("cancel", "unwatch", "ack"):
        assert asked(session, type, **{**REQUESTS[type], "id": 80}) == (None, [])


# --- on whose behalf ----------------------------------------------------------------------------------------------


@rule("Q-AUTH-1")
def test_nobody_says_over_a_link_who_it_is():
    session = opened()
    acted, replies = asked(session, "get", id=9, kind="desk", **{"as": {"kind": "server", "id": "host"}})
    assert (acted, code(replies), session.objects) == (None, ("refused", 9, "forbidden"), {1})


@rule("Q-AUTH-1")
def test_a_stamp_that_is_refused_touches_nothing_that_is_under_way():
    session = opened()
    acted, replies = asked(session, "get", id=2, kind="desk", **{"as": {"kind": "server", "id": "host"}})
    assert (acted, code(replies), session.calls) == (None, ("refused", NO_ID, "invalid_message"), {2: 1})


def test_a_server_says_on_whose_behalf_it_asks_of_its_workers():
    acted, replies = asked(greeted(stamps=True), "get", id=1, kind="d", **{"as": {"kind": "user", "id": "ana"}})
    assert (type(acted), acted.principal, replies) == (Get, ANA.principal, [])


# --- limits -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "type", "what"),
    [("objects", "get", "objects of one link"), ("calls", "call", "calls of one link"),
     ("watches", "watch", "watches of one link")],
)  # fmt: skip
def test_one_too_many_is_refused_until_another_has_ended(limit, type, what):
    session = opened(**{limit: 1})
    _, [refused] = asked(session, type, **REQUESTS[type])
    assert (refused["id"], refused["code"], refused["retryable"]) == (90, "link_limit_exceeded", True)
    assert refused["data"] == {"what": what, "limit": 1}
    session.receive(frame("unwatch", id=3), 0.0)
    session.returned(2, None)
    if type == "get":
        session.receive(frame("release", object=1), 0.0)
    session.take_out()
    acted, replies = asked(session, type, **{**REQUESTS[type], "id": 91})
    assert (acted.id, replies) == (91, [])


def test_messages_beyond_the_allowance_are_refused_until_time_has_passed():
    session = greeted(messages=2)
    sent = [session.receive(frame("get", id=id, kind="d"), 0.0) for id in range(1, 5)]
    assert [one is not None for one in sent] == [True, True, True, False]  # twice the rate at once, less the hello
    assert code(said(session)) == ("refused", 4, "link_limit_exceeded")
    assert asked(session, "get", at=0.4, id=5, kind="d")[0] is None
    assert asked(session, "get", at=0.5, id=6, kind="d")[0].id == 6
    assert asked(session, "get", at=0.5, id=7, kind="d")[0] is None
    assert [asked(session, "get", at=100.0, id=id, kind="d")[0] is not None for id in (8, 9, 10, 11, 12)] == [
        True, True, True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(("type", "id"), [("cancel", 2), ("unwatch", 3), ("ack", 3)])
def test_what_is_one_too_many_ends_nothing_that_is_under_way(type, id):
    session = opened(messages=2)
    _, replies = asked(session, type, **REQUESTS[type])
    assert code(replies) == ("refused", NO_ID, "link_limit_exceeded")
    assert (session.calls, session.watches) == ({2: 1}, {3: 1})
    session.returned(2, "done")
    assert code(said(session)) == ("returned", 2, None)


def test_a_stranger_who_talks_too_much_is_sent_away():
    session = ServingSession(LinkLimits(messages=1), 0.0)
    session.receive(frame("hello", token="t"), 0.0)
    session.receive(frame("hello", token="t"), 0.0)
    assert not session.take_out()
    assert code(asked(session, "hello", token="t")[1]) == ("goodbye", None, "unauthenticated")


@pytest.mark.parametrize("bad", ["no JSON", '{"type":"get","id":1}', '{"type":"pong","id":1}'])
def test_patience_ends_after_so_many_bad_messages_in_a_row(bad):
    session = greeted(patience=3)
    for _ in range(2):
        assert session.receive(bad, 0.0) is None
    assert session.receive(frame("get", id=5, kind="d"), 0.0) is not None  # a good one in between
    for _ in range(2):
        assert session.receive(bad, 0.0) is None
    assert session.state is SessionState.OPEN
    session.take_out()
    session.receive(bad, 0.0)
    refused, goodbye = said(session)
    assert (session.state, refused["type"], goodbye["code"]) == (SessionState.CLOSED, "refused", "invalid_message")


def test_one_bad_frame_of_a_peer_that_replies_ends_the_link():
    session = greeted()
    session.ask_back(0.0)
    session.receive("no JSON", 0.0)
    assert (session.state, code(said(session))) == (SessionState.CLOSED, ("goodbye", None, "invalid_message"))


# --- what came of it ----------------------------------------------------------------------------------------------


def test_a_call_ends_once():
    session = opened()
    session.returned(2, {"sum": 3})
    session.returned(2, "again")
    session.cancelled(2)
    assert said(session) == [{"type": "returned", "id": 2, "value": {"sum": 3}}]
    assert (asked(session, "cancel", id=2), session.calls) == ((None, []), {})


def test_a_call_that_was_cancelled_returns_nothing():
    session = opened()
    assert asked(session, "cancel", id=2)[0].id == 2
    session.cancelled(2)
    session.returned(2, "late")
    assert said(session) == [{"type": "cancelled", "id": 2}]


def test_a_result_that_is_too_large_is_refused():
    session = opened(frame=1000)
    session.returned(2, "x" * 1000)
    [refused] = said(session)
    assert (refused["id"], refused["code"]) == (2, "link_limit_exceeded")
    assert refused["data"] == {"what": "bytes of one message", "limit": 1000}


def test_a_result_of_exactly_the_limit_is_sent():
    size = len(b'{"type":"returned","id":2,"value":""}')
    session = opened(frame=size + 10)
    session.returned(2, "x" * 10)
    assert code(said(session)) == ("returned", 2, None)


@pytest.mark.parametrize("value", [object(), "\ud800", {(1, 2): 3}, math])
def test_a_result_that_json_has_no_words_for_raises_and_leaves_the_call_to_be_refused(value):
    session = opened()
    with pytest.raises((TypeError, UnicodeEncodeError)):
        session.returned(2, value)
    session.refused(2, InternalError())
    assert (code(said(session)), session.calls) == (("refused", 2, "internal_error"), {})


def test_release_ends_the_watches_of_an_object_and_leaves_its_calls_to_be_cancelled():
    session = opened()
    session.receive(frame("get", id=4, kind="desk"), 0.0)
    session.receive(frame("watch", id=5, object=4, readable="lamp"), 0.0)
    assert asked(session, "release", object=1)[0].object == 1
    assert (session.objects, session.watches, session.calls) == ({4}, {5: 4}, {2: 1})
    assert code(asked(session, "release", object=1)[1]) == ("refused", NO_ID, "unknown_object")


def test_an_object_that_is_not_given_is_not_held():
    session = greeted()
    session.receive(frame("get", id=1, kind="d"), 0.0)
    session.not_got(1, Unavailable("the worker"))
    [refused] = said(session)
    assert (refused["id"], refused["code"], refused["retryable"], session.objects) == (1, "unavailable", True, set())


def test_a_watch_ends_once():
    session = opened()
    session.ended(3, "its object is gone")
    session.ended(3, "again")
    assert (said(session), session.watches) == ([{"type": "ended", "id": 3, "why": "its object is gone"}], {})


def test_pong_counts_what_came_before_the_ping_and_what_went_before_the_pong():
    session = opened()
    session.receive("no JSON", 0.0)
    acted, [refused, pong] = asked(session, "ping", id=9, sent=5)
    assert (acted, refused["type"]) == (None, "refused")
    assert pong == {"type": "pong", "id": 9, "received": 5, "sent": 3}


def test_a_reply_is_kept_as_it_came():
    session = greeted()
    session.ask_back(0.0)
    returned = session.receive('{"type":"returned","id":1,"value":{"b": 1,  "a":2}}', 0.0)
    assert isinstance(returned, RawReturned)
    assert bytes(returned.value) == b'{"b": 1,  "a":2}'


def test_the_limit_of_messages_is_told_as_an_error_with_its_number():
    assert str(LinkLimitExceeded("messages a second", 2)).startswith("messages a second: the limit of 2")
