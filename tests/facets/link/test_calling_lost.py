"""The end of a link that asks, over a lost connection and the next one."""

from typing import Any

import pytest

from facets.errors import LinkLost
from facets.link.items import CallingState
from facets.link.messages import Hello
from tests.facets.link.asking import GOT, Asking, connected, meant
from tests.rules import rule

AWAY = {"code": "unavailable", "message": "its worker is away", "retryable": True}


def again_at(now):
    return b'{"at":%d}' % now


@rule("Q-KEY-3")
def test_who_waits_is_told_that_the_link_is_lost():
    asking = connected()
    held = asking.held()
    made, kept = asking.made(held), asking.made(held, again_at)
    cancelled = asking.made(held, again_at)
    asking.session.cancel(cancelled)
    followed = asking.followed(held, 3)
    new = asking.session.get("desk", b"null")
    assert meant(asking.session.lost()) == [
        (followed, "Unavailable"),
        (made, "Refused link_lost"),
        (cancelled, "Cancelled"),
        (new, "Refused link_lost"),
    ]
    assert (held.gone, new.gone, kept.is_cancelled, asking.session.state) == (False, True, False, CallingState.AWAY)


@rule("Q-KEY-2")
def test_a_new_connection_gets_follows_and_calls_again_what_is_not_over():
    asking = connected()
    held = asking.held()
    asking.made(held)
    kept = asking.made(held, again_at)
    followed = asking.followed(held, 3)
    asking.session.lost()
    asking.now = 50.0
    assert asking.connect() == [
        {"type": "get", "id": 5, "kind": "desk", "input": None},
        {"type": "watch", "id": 6, "object": 5, "readable": "lamp", "epoch": "e1.1", "revision": 3},
        {"type": "call", "id": 7, "object": 5, "method": "sit", "args": {"at": 50}},
    ]
    assert meant(asking.told("got", id=5, **GOT)) == [(held, "Got")]
    assert meant(asking.told("difference", id=6, base=3, revision=4, now=1.0)) == [(followed, "Difference")]
    assert meant(asking.told("returned", id=7, value=1)) == [(kept, "Returned")]


def test_what_the_old_connection_was_told_means_nothing_on_the_new_one():
    asking = connected()
    held = asking.held()
    kept = asking.made(held, again_at)
    old = kept.wire
    asking.session.lost()
    asking.connect()
    assert asking.told("returned", id=old, value=1) == []


def test_calls_and_watches_that_begin_while_there_is_no_connection_wait_for_one():
    asking = connected()
    held = asking.held()
    asking.session.lost()
    asking.session.call(held, "sit", b'{"first":true}', again_at)
    asking.session.follow(held, "lamp")
    assert (asking.said(), asking.session.due()) == ([], float("inf"))
    asking.now = 9.0
    assert [one["type"] for one in asking.connect()] == ["get", "watch", "call"]


def test_nothing_is_asked_of_a_server_that_has_not_welcomed_yet():
    asking = connected()
    held = asking.held()
    asking.session.lost()
    asking.session.dialled(Hello("token"), asking.now)
    asking.session.follow(held, "lamp")
    assert [one["type"] for one in asking.said()] == ["hello"]
    assert (asking.tick(9.0), asking.session.due()) == ([], 10.0)


def test_a_server_that_does_not_welcome_is_given_up():
    asking = Asking()
    asking.session.dialled(Hello("token"), 0.0)
    assert asking.session.tick(9.9) == []
    told: Any = asking.session.tick(10.0)
    [(whom, goodbye)] = told
    assert (whom, goodbye.code, goodbye.retryable) == (None, "link_lost", True)


def test_what_is_over_while_there_is_no_connection_is_not_asked_for_again():
    asking = connected()
    held, other = asking.held(), asking.held()
    kept, followed = asking.made(held, again_at), asking.followed(held, 3)
    asking.session.lost()
    assert asking.session.cancel(kept) is False
    asking.session.unfollow(followed)
    asking.session.release(other)
    assert asking.connect() == [{"type": "get", "id": 5, "kind": "desk", "input": None}]


def test_a_call_on_an_object_that_was_released_while_away_is_refused_when_it_is_made():
    asking = connected()
    held = asking.held()
    kept = asking.made(held, again_at)
    asking.session.lost()
    asking.session.release(held)
    [call] = asking.connect()
    told = asking.told("refused", id=call["id"], code="unknown_object", message="m", data={"object": 1})
    assert meant(told) == [(kept, "Refused unknown_object")]


def test_counts_begin_anew_with_each_connection():
    asking = connected()
    asking.held()
    asking.session.lost()
    asking.connect()
    assert (asking.session.sent, asking.session.received) == (2, 1)


def test_what_was_to_be_acknowledged_is_void_on_a_new_connection():
    asking = connected()
    followed = asking.followed(asking.held(), 1)
    asking.told("difference", id=followed.wire, base=1, revision=2, put={"a": 1}, now=1.0)
    asking.session.lost()
    asking.connect()
    assert asking.tick(5.0) == []


@rule("Q-POL-5")
def test_what_is_known_is_acknowledged_anew_once_the_other_side_goes_on_from_it():
    asking = connected()
    followed = asking.followed(asking.held(), 3)
    asking.session.lost()  # and with it perhaps what was said last
    asking.now = 5.0
    asking.connect()
    assert asking.tick(9.0) == []
    asking.told("difference", id=followed.wire, base=3, revision=3, now=1.0)
    assert asking.said() == [{"type": "ack", "id": followed.wire, "revision": 3}]
    asking.now = 20.0
    asking.told("difference", id=followed.wire, base=3, revision=4, drop={"a": "gone"}, now=1.0)
    assert asking.said() == []


# --- an object that cannot be got now -----------------------------------------------------------------------------


def away():
    """A link whose object, which was held before, is refused for now; with a call and a watch."""
    asking = connected()
    held = asking.held()
    kept, followed = asking.made(held, again_at), asking.followed(held, 3)
    asking.session.lost()
    asking.connect()
    assert asking.told("refused", id=held.wire, **AWAY) == []
    for item in (followed, kept):
        unknown = {"code": "unknown_object", "message": "m", "data": {"object": held.wire}}
        assert asking.told("refused", id=item.wire, **unknown) == []
    return asking, held, kept, followed


@rule("Q-KEY-3")
def test_it_is_tried_again_and_then_what_was_asked_of_it():
    asking, held, kept, followed = away()
    said = [one["type"] for now in range(1, 8) for one in asking.tick(now * 0.3)]
    assert said == ["get", "watch", "call"]
    assert meant(asking.told("got", id=held.wire, **GOT)) == [(held, "Got")]
    assert meant(asking.told("snapshot", id=followed.wire, epoch="e", revision=1, value={}, now=1.0)) == [
        (followed, "Snapshot")
    ]
    assert meant(asking.told("returned", id=kept.wire, value=1)) == [(kept, "Returned")]


def test_a_call_that_is_not_made_again_hears_that_it_is_unavailable():
    asking, held, *_ = away()
    made = asking.made(held)
    told = asking.told("refused", id=made.wire, code="unknown_object", message="m", data={"object": held.wire})
    assert meant(told) == [(made, "Refused unavailable")]


def test_a_call_that_is_cancelled_meanwhile_is_cancelled():
    asking, held, *_ = away()
    made = asking.made(held, again_at)
    asking.session.cancel(made)
    told = asking.told("refused", id=made.wire, code="unknown_object", message="m", data={"object": held.wire})
    assert meant(told) == [(made, "Cancelled")]


def test_it_is_released_without_a_word_for_the_other_side_does_not_hold_it():
    asking, held, *_ = away()
    asking.session.release(held)
    assert [one for one in asking.said() if one["type"] == "release"] == []
    assert "get" not in [one["type"] for one in asking.tick(5.0)]


def test_it_is_gone_with_its_watches_once_it_is_refused_for_good():
    asking, held, _, followed = away()
    asking.tick(1.0)
    told = asking.told("refused", id=held.wire, code="forbidden", message="no", data={"why": "no"})
    assert (meant(told), held.gone) == ([(held, "Refused forbidden"), (followed, "Ended")], True)


# --- goodbye ------------------------------------------------------------------------------------------------------


def test_a_goodbye_for_now_is_one_lost_connection_more():
    asking = connected()
    kept = asking.made(asking.held(), again_at)
    goodbye = {"code": "link_limit_exceeded", "message": "too many", "retryable": True}
    assert meant(asking.told("goodbye", **goodbye)) == [(None, "Goodbye")]
    assert asking.session.lost() == []
    assert asking.session.goodbye.code == "link_limit_exceeded"
    assert asking.connect()[-1]["id"] == kept.wire
    assert asking.session.goodbye is None


def test_a_goodbye_for_good_ends_whatever_waits():
    asking = connected()
    held = asking.held()
    kept = asking.made(held, again_at)
    asking.told("goodbye", code="unauthenticated", message="no")
    assert meant(asking.session.lost()) == [(kept, "Refused link_lost")]
    assert asking.session.state is CallingState.REFUSED
    with pytest.raises(LinkLost):
        asking.session.call(held, "sit", b"{}", again_at)


def test_a_connection_that_the_other_side_has_dialled_is_open_at_once():
    asking = Asking(acknowledges=False)
    asking.session.answered(0.0)
    held = asking.held()
    asking.session.lost()
    asking.session.answered(5.0)
    assert [one["type"] for one in asking.said()] == ["get"]
    assert held.wire == 2
