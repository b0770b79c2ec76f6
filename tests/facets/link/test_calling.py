"""The end of a link that asks, while it is connected: what is said, and what each reply means for whom."""

import json
from typing import Any

import pytest

from facets import LinkLost, Principal
from facets.link.items import CallingState
from tests.facets.link.asking import GOT, WELCOME, Asking, connected, meant

REFUSED: dict[str, Any] = {"code": "forbidden", "message": "no", "data": {"why": "no"}}


def again(_):
    return b'{"again":true}'


# --- asking -------------------------------------------------------------------------------------------------------


def test_a_link_is_open_once_it_is_welcomed():
    asking = Asking()
    states = [asking.session.state]
    asking.connect()
    assert [*states, asking.session.state] == [CallingState.AWAY, CallingState.OPEN]


def test_welcome_is_told_once():
    asking = connected()
    assert asking.told("welcome", **WELCOME) == []


def test_requests_are_numbered_upwards_and_name_their_objects():
    asking = connected()
    session = asking.session
    held = session.get("desk", b'{"x":1}')
    made = session.call(held, "sit", b'{"long":true}')
    followed = session.follow(held, "lamp")
    session.acknowledge(followed, 7)
    session.unfollow(followed)
    session.cancel(made)
    session.release(held)
    assert asking.said() == [
        {"type": "get", "id": 1, "kind": "desk", "input": {"x": 1}},
        {"type": "call", "id": 2, "object": 1, "method": "sit", "args": {"long": True}},
        {"type": "watch", "id": 3, "object": 1, "readable": "lamp"},
        {"type": "ack", "id": 3, "revision": 7},
        {"type": "unwatch", "id": 3},
        {"type": "cancel", "id": 2},
        {"type": "release", "object": 1},
    ]


def test_a_server_names_whom_it_asks_for():
    asking = connected()
    asking.session.get("desk", b"null", Principal.user("ana"), "Ana")
    [get] = asking.said()
    assert (get["as"], get["name"]) == ({"kind": "user", "id": "ana"}, "Ana")


def test_nothing_is_asked_while_there_is_no_connection():
    asking = Asking()
    with pytest.raises(LinkLost, match="ws://there"):
        asking.session.get("desk", b"null")
    asking.connect()
    held = asking.held()
    asking.session.lost()
    with pytest.raises(LinkLost):
        asking.session.call(held, "sit", b"{}")


def test_sending_counts_and_empties():
    asking = connected()
    asking.session.get("desk", b"null")
    assert (len(asking.session.take_out()), asking.session.take_out(), asking.session.sent) == (1, [], 2)


# --- replies ------------------------------------------------------------------------------------------------------


def test_an_object_is_got_or_refused():
    asking = connected()
    one, two = (asking.session.get("desk", b"null") for _ in range(2))
    assert meant(asking.told("got", id=1, **GOT)) == [(one, "Got")]
    assert meant(asking.told("refused", id=2, **REFUSED)) == [(two, "Refused forbidden")]
    assert (one.is_known, one.gone, two.is_known, two.gone) == (True, False, False, True)


def test_a_call_returns_or_is_refused_once():
    asking = connected()
    held = asking.held()
    one, two = asking.made(held), asking.made(held)
    [(item, message)] = asking.told("returned", id=one.wire, value=[1])
    assert (item, json.loads(bytes(message.value))) == (one, [1])
    assert asking.told("returned", id=one.wire, value=[1]) == []
    assert meant(asking.told("refused", id=two.wire, **REFUSED)) == [(two, "Refused forbidden")]
    assert asking.told("cancelled", id=two.wire) == []


@pytest.mark.parametrize(
    ("type", "fields"),
    [
        ("got", GOT),
        ("returned", {"value": 1}),
        ("cancelled", {}),
        ("snapshot", {"epoch": "e", "revision": 1, "value": {}, "now": 1.0}),
        ("difference", {"base": 1, "revision": 2, "now": 1.0}),
        ("unavailable", {"why": "w"}),
        ("ended", {"why": "w"}),
    ],
)
def test_a_reply_means_nothing_to_anything_but_what_it_is_for(type, fields):
    meant_for = {"got": "held", "returned": "made", "cancelled": "made"}.get(type, "followed")
    asking = connected()
    held = asking.held()
    items = {"held": held, "made": asking.made(held), "followed": asking.followed(held)}
    for name, item in items.items():
        if name != meant_for:
            assert asking.told(type, id=item.wire, **fields) == []
    assert asking.told(type, id=99, **fields) == []
    assert asking.said() == []


def test_a_refusal_of_nothing_that_is_known_is_for_the_link():
    asking = connected()
    assert meant(asking.told("refused", id=0, **REFUSED)) == [(None, "Refused forbidden")]


def test_requests_from_the_other_end_are_not_for_this_one():
    assert connected().told("ping", id=1) == []


def test_a_watch_is_told_what_it_is_told_and_until_it_ends():
    asking = connected()
    followed = asking.followed(asking.held(), 3)
    assert (followed.epoch, followed.revision) == ("e1.1", 3)
    told = asking.told("difference", id=followed.wire, base=3, revision=5, put={"a": 1}, now=2.0)
    assert (meant(told), followed.revision) == ([(followed, "Difference")], 5)
    assert meant(asking.told("unavailable", id=followed.wire, why="away")) == [(followed, "Unavailable")]
    assert meant(asking.told("ended", id=followed.wire, why="gone")) == [(followed, "Ended")]
    assert asking.told("unavailable", id=followed.wire, why="away") == []


def test_a_refused_watch_is_over():
    asking = connected()
    followed = asking.followed(asking.held())
    assert meant(asking.told("refused", id=followed.wire, **REFUSED)) == [(followed, "Refused forbidden")]
    assert asking.told("unavailable", id=followed.wire, why="away") == []


def test_a_gap_between_revisions_asks_for_everything_anew():
    asking = connected()
    followed = asking.followed(asking.held(), 3)
    old = followed.wire
    assert asking.told("difference", id=old, base=4, revision=5, put={"a": 1}, now=2.0) == []
    unwatch, watch = asking.said()
    assert (unwatch, watch["type"], watch["object"]) == ({"type": "unwatch", "id": old}, "watch", 1)
    assert (watch["id"] > old, "epoch" in watch, "revision" in watch) == (True, False, False)
    assert asking.told("difference", id=old, base=5, revision=6, now=2.0) == []  # what was under way means nothing
    snapshot = {"epoch": "e1.1", "revision": 6, "value": {}, "now": 2.0}
    assert meant(asking.told("snapshot", id=followed.wire, **snapshot)) == [(followed, "Snapshot")]


# --- what is over -------------------------------------------------------------------------------------------------


def test_after_its_release_an_object_is_gone_with_its_watches_and_late_messages_mean_nothing():
    asking = connected()
    held = asking.held()
    followed = asking.followed(held, 1)
    asking.session.release(held)
    assert (asking.said(), held.gone) == ([{"type": "release", "object": held.wire}], True)
    assert asking.told("unavailable", id=followed.wire, why="away") == []
    assert asking.told("got", id=held.wire, **GOT) == []
    asking.session.unfollow(followed)
    asking.session.acknowledge(followed, 3)
    asking.session.release(held)
    assert asking.said() == []


def test_a_call_whose_object_was_released_meanwhile_is_refused():
    asking = connected()
    held = asking.held()
    made = asking.made(held)
    asking.session.release(held)
    assert meant(asking.told("cancelled", id=made.wire)) == [(made, "Refused unknown_object")]


def test_a_get_may_be_given_up_before_it_is_answered():
    asking = connected()
    held = asking.session.get("desk", b"null")
    asking.session.release(held)
    assert [one["type"] for one in asking.said()] == ["get", "release"]
    assert asking.told("got", id=held.wire, **GOT) == []


@pytest.mark.parametrize("first", ["cancelled", "returned", "refused"])
def test_a_cancelled_call_ends_with_what_came_first(first):
    asking = connected()
    made = asking.made(asking.held())
    assert asking.session.cancel(made)
    assert asking.said() == [{"type": "cancel", "id": made.wire}]
    fields = {"returned": {"value": 1}, "refused": REFUSED}.get(first, {})
    expected = {"refused": "Refused forbidden"}.get(first, first.title())
    assert meant(asking.told(first, id=made.wire, **fields)) == [(made, expected)]


@pytest.mark.parametrize("code", ["link_lost", "unavailable"])
def test_a_cancelled_call_that_would_be_made_again_is_cancelled(code):
    asking = connected()
    made = asking.made(asking.held(), again)
    asking.session.cancel(made)
    told = asking.told("refused", id=made.wire, code=code, message="away", retryable=True)
    assert meant(told) == [(made, "Cancelled")]


def test_a_call_that_is_given_up_twice_or_after_its_end_says_nothing():
    asking = connected()
    made = asking.made(asking.held())
    asking.told("returned", id=made.wire, value=1)
    assert (asking.session.cancel(made), asking.said()) == (False, [])


def test_a_call_that_is_abandoned_is_over_whatever_comes():
    asking = connected()
    made = asking.made(asking.held())
    asking.session.cancel(made)
    asking.session.abandon(made)
    assert asking.told("returned", id=made.wire, value=1) == []


# --- refused, and made again --------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["link_lost", "unavailable"])
def test_a_call_that_may_be_is_made_again_later_and_later(code):
    asking = connected()
    made = asking.made(asking.held(), again)
    pauses = []
    for _ in range(3):
        assert asking.told("refused", id=made.wire, code=code, message="away", retryable=True) == []
        due = asking.session.due()
        pauses.append(due - asking.now)
        assert asking.tick(due - 0.01) == []
        [call] = asking.tick(due)
        assert (call["type"], call["args"], call["id"]) == ("call", {"again": True}, made.wire)
    assert pauses == pytest.approx([0.05, 0.1, 0.2])


def test_a_call_that_may_not_be_made_again_is_refused():
    asking = connected()
    made = asking.made(asking.held())
    told = asking.told("refused", id=made.wire, code="unavailable", message="away", retryable=True)
    assert meant(told) == [(made, "Refused unavailable")]


def test_a_call_that_waits_for_another_try_is_cancelled_at_once():
    asking = connected()
    made = asking.made(asking.held(), again)
    asking.told("refused", id=made.wire, code="unavailable", message="away", retryable=True)
    assert asking.session.cancel(made) is False
    assert asking.tick(5.0) == []


@pytest.mark.parametrize("retryable", [True, False])
def test_an_object_that_was_never_got_is_not_got_again(retryable):
    asking = connected()
    held = asking.session.get("desk", b"null")
    asking.said()
    assert meant(asking.told("refused", id=held.wire, **{**REFUSED, "retryable": retryable})) == [
        (held, "Refused forbidden")
    ]
    assert asking.tick(5.0) == []


# --- acknowledgements ---------------------------------------------------------------------------------------------


def test_what_is_shown_is_acknowledged_at_once_and_then_twice_a_second_at_most():
    asking = connected()
    followed = asking.followed(asking.held())
    other = asking.followed(followed.object)
    asking.now = 2.0
    asking.told("snapshot", id=followed.wire, epoch="e", revision=1, value={}, now=1.0)
    assert asking.said() == [{"type": "ack", "id": followed.wire, "revision": 1}]
    asking.now = 2.1
    for revision in (2, 3):
        put = {"a": revision}
        asking.told("difference", id=followed.wire, base=revision - 1, revision=revision, put=put, now=1.0)
    asking.told("snapshot", id=other.wire, epoch="e", revision=8, value={}, now=1.0)
    assert (asking.said(), asking.session.due()) == ([], 2.5)
    assert asking.tick(2.4) == []
    assert asking.tick(2.5) == [
        {"type": "ack", "id": followed.wire, "revision": 3},
        {"type": "ack", "id": other.wire, "revision": 8},
    ]
    asking.now = 3.0
    asking.told("difference", id=followed.wire, base=3, revision=4, put={"a": 4}, now=1.0)
    assert asking.said() == [{"type": "ack", "id": followed.wire, "revision": 4}]


def test_what_has_only_gone_needs_no_acknowledgement():
    asking = connected()
    followed = asking.followed(asking.held(), 1)
    asking.now = 10.0
    asking.told("difference", id=followed.wire, base=1, revision=2, drop={"a": "answered"}, now=1.0)
    assert asking.said() == []


def test_a_watch_that_is_over_is_not_acknowledged():
    asking = connected()
    followed = asking.followed(asking.held(), 1)
    asking.told("difference", id=followed.wire, base=1, revision=2, put={"a": 1}, now=1.0)
    asking.session.unfollow(followed)
    asking.said()
    assert asking.tick(1.0) == []


def test_who_passes_on_what_comes_acknowledges_what_was_passed_on():
    asking = connected(acknowledges=False)
    followed = asking.followed(asking.held(), 3)
    assert asking.tick(1.0) == []
    asking.session.acknowledge(followed, 2)
    assert asking.said() == [{"type": "ack", "id": followed.wire, "revision": 2}]


# --- pings --------------------------------------------------------------------------------------------------------


def test_nobody_pings_while_nothing_is_held():
    asking = connected()
    assert asking.session.due() == float("inf")
    asking.session.get("desk", b"null")  # which might be lost on its way
    assert asking.session.due() == 10.0


def test_a_pong_that_counts_the_same_means_nothing():
    asking = connected()
    asking.made(asking.held())  # hello, get, call have gone; welcome, got have come
    assert asking.session.due() == 10.0
    assert asking.tick(10.0) == [{"type": "ping", "id": 3, "sent": 3}]
    assert (asking.told("pong", id=3, received=3, sent=2), asking.session.due()) == ([], 20.0)


@pytest.mark.parametrize(("received", "sent"), [(2, 2), (3, 3), (4, 2), (3, 1)])
def test_a_pong_that_counts_otherwise_tells_that_something_was_lost(received, sent):
    asking = connected()
    asking.made(asking.held())
    asking.tick(10.0)
    assert meant(asking.told("pong", id=3, received=received, sent=sent)) == [(None, "Pong")]


def test_a_pong_that_nobody_has_asked_for_means_nothing():
    assert connected().told("pong", id=3, received=77, sent=77) == []
