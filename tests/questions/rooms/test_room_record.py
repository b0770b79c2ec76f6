"""A room that is stored and read again is the same room, and goes on as it would have."""

import json

import pytest

from questions.rooms import MECHANISMS
from questions.rooms.errors import InvalidRoom
from questions.rooms.room_record import ROOM_SCHEMA, read_room, write_room
from questions.rooms.room_value import catch_up
from tests.questions.rooms.elections import BALLOTS, OPTIONS
from tests.questions.rooms.group_rooms import AT_ONCE, NOW, life, voted


def eventful():
    """A room in which there is something of everything."""
    room = life("bo", "cleo", early_close=True, settle_window=30, max_open_decisions=3, about="Größe ☕")
    room.invite("dan", expected=True, expires_at=NOW + 100_000, binding={"kind": "email", "value": "dan@b.example"})
    room.say("ana")
    room.ask("ship", "wait", eligible=["bo", "cleo"], authorized_by="the board", voting_window=5)
    room.ask("tea", "coffee", agreement=True)
    room.ask(proposal_window=60)
    room.choose("bo", "ship", rationale="ready").abstain("cleo", "away").say("bo")
    room.pass_(10)
    return room


def test_a_room_that_is_read_again_is_the_same():
    room = eventful().room
    assert read_room(write_room(room)) == room
    assert write_room(read_room(write_room(room))) == write_room(room)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_kind_of_choice_comes_back_as_it_was(mechanism):
    best, other = BALLOTS[mechanism]
    room = voted(best, other, None, options=OPTIONS, config={"mechanism": mechanism})
    assert read_room(write_room(room.room)) == room.room
    room.pass_(3600)
    assert read_room(write_room(room.room)) == room.room


def test_a_room_that_is_concluded_comes_back_concluded():
    room = voted("ship", config=AT_ONCE)
    room.close(statement="done")
    assert read_room(write_room(room.room)).conclusion == room.room.conclusion


def test_a_room_that_is_read_again_goes_on_as_it_would_have():
    room = eventful().room
    later = NOW + 10_000_000
    assert catch_up(read_room(write_room(room)), later) == catch_up(room, later)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "null", '{"schema":"questions.group-room.v9"}', f'{{"schema":"{ROOM_SCHEMA}"}}', '"\ud800"'],
)
def test_what_is_no_room_is_refused(text):
    with pytest.raises(InvalidRoom):
        read_room(text)


@pytest.mark.parametrize(
    ("name", "value"),
    [("seats", {}), ("created_at", "now"), ("config", {}), ("decisions", [{}]), ("invites", [{"state": "lost"}])],
)
def test_a_field_that_is_broken_is_named(name, value):
    stored = {**json.loads(write_room(eventful().room)), name: value}
    with pytest.raises(InvalidRoom) as caught:
        read_room(json.dumps(stored))
    assert name in str(caught.value)
