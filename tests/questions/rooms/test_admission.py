"""Who reads a room, who gets a seat in it, and what everybody else is told."""

import pytest

from questions.rooms.admission import admit_reader, join
from questions.rooms.refusals import (
    InvalidInput,
    InvalidInvite,
    InvalidPassword,
    InvalidSeatToken,
    InviteRequired,
    JoinRequired,
    MandateNotAccepted,
    MandateRequired,
    RoomConcluded,
    RoomFull,
    SeatTokenSuperseded,
)
from tests.questions.rooms.group_rooms import MINUTE, NOW, joining, life

PASSWORD = "correct horse battery"


def private():
    return life(password=PASSWORD)


def refusal_of_reading(room, password="none"):
    with pytest.raises((JoinRequired, InvalidPassword)) as caught:
        admit_reader(room.room, None, password)
    return caught.value


def test_a_public_room_is_read_and_joined_by_anyone():
    room = life(visibility="public")
    admit_reader(room.room, None)
    assert [seat.id for seat in room.join("bo").room.seats] == ["ana", "bo"]


def test_an_unlisted_room_is_joined_by_its_address_and_read_afterwards():
    room = life()
    assert (refusal_of_reading(room).code, refusal_of_reading(room).status) == ("room.join_required", 403)
    admit_reader(room.join("bo").room, room.room.seat("bo"))


@pytest.mark.parametrize(
    ("room", "visibility", "password"), [(life(), "unlisted", False), (private(), "private", True)]
)
def test_a_refused_reader_is_told_the_address_and_how_to_get_in_and_nothing_else(room, visibility, password):
    known = {"slug": "quietfern7", "visibility": visibility, "join_required": True, "password_supported": password}
    assert refusal_of_reading(room).details == known


def test_a_private_room_takes_an_invite_or_its_password():
    room = private()
    with pytest.raises(InviteRequired) as caught:
        room.join("bo")
    assert (caught.value.code, caught.value.status) == ("room.invite_required", 403)
    with pytest.raises(InvalidPassword) as wrong:
        room.join("bo", password="wrong")
    assert (wrong.value.code, wrong.value.status) == ("auth.invalid_password", 401)
    assert len(room.join("bo", password="right").room.seats) == 2


def test_a_private_room_without_a_password_takes_no_password():
    with pytest.raises(InviteRequired):
        life(visibility="private").join("bo", password="right")


def test_a_valid_invite_goes_before_a_wrong_password():
    room = private().invite("bo")
    assert room.join("bo", invite_digest="it-bo", password="wrong").room.seat("bo")


def test_the_password_alone_gives_reading():
    admit_reader(private().room, None, "right")
    assert refusal_of_reading(private(), "wrong").code == "auth.invalid_password"


def test_a_full_room_takes_nobody_and_its_invites_keep_no_seat():
    room = life("bo", max_participants=2).invite("cleo")
    with pytest.raises(RoomFull) as caught:
        room.join("cleo", invite_digest="it-cleo")
    assert (caught.value.code, caught.value.status, caught.value.details) == (
        "room.at_capacity",
        409,
        {"max_participants": 2},
    )


def test_the_label_of_an_invite_is_the_name_of_whoever_takes_it():
    room = life().invite("Cleo of finance", role="observer")
    room.join("c", name="somebody", invite_digest="it-Cleo of finance")
    assert (room.room.seat("c").name, room.room.seat("c").role) == ("Cleo of finance", "observer")
    assert room.logged[-3:] == ["invite.created", "invite.accepted", "participant.joined"]


def test_an_accepted_invite_gives_its_seat_again_with_another_token():
    room = life().invite("bo").join("bo", invite_digest="it-bo")
    room.join("other", invite_digest="it-bo", token_digest="t-new")
    assert [seat.id for seat in room.room.seats] == ["ana", "bo"]
    assert room.room.seat_by_token("t-new").id == "bo"
    with pytest.raises(SeatTokenSuperseded) as caught:
        room.room.seat_by_token("t-bo")
    assert (caught.value.code, caught.value.status) == ("participant.token_superseded", 401)


def test_a_seat_is_given_again_in_a_room_that_is_full():
    room = life(max_participants=2).invite("bo").join("bo", invite_digest="it-bo")
    assert len(room.join("x", invite_digest="it-bo", token_digest="t-2").room.seats) == 2


def test_a_token_of_no_seat_is_invalid():
    with pytest.raises(InvalidSeatToken) as caught:
        life().room.seat_by_token("t-nobody")
    assert (caught.value.code, caught.value.status) == ("auth.invalid_token", 401)


@pytest.mark.parametrize("digest", ["it-other", "it-late"])
def test_an_invite_that_is_none_or_has_expired_opens_nothing(digest):
    room = life(visibility="public").invite("late", expires_at=NOW + MINUTE)
    room.pass_(60)
    with pytest.raises(InvalidInvite) as caught:
        room.join("bo", invite_digest=digest)
    assert (caught.value.code, caught.value.status) == ("invite.invalid", 403)


def test_an_invite_can_be_accepted_until_the_instant_at_which_it_expires():
    room = life().invite("bo", expires_at=NOW + MINUTE)
    room.now = NOW + MINUTE - 1
    assert room.join("bo", invite_digest="it-bo").room.seat("bo")


def test_an_expiry_that_somebody_who_joins_is_the_first_to_notice_counts():
    room = life().invite("bo", expires_at=NOW + MINUTE)
    room.now = NOW + MINUTE
    with pytest.raises(InvalidInvite):
        room.join("bo", invite_digest="it-bo")


@pytest.mark.parametrize("proven", [{}, {"email": "eve@b.example"}, {"account": "bo@b.example"}])
def test_a_bound_invite_is_for_whoever_it_is_bound_to(proven):
    room = life().invite("bo", binding={"kind": "email", "value": "bo@b.example"})
    with pytest.raises(InvalidInvite):
        room.join("bo", invite_digest="it-bo", proven=proven)
    assert room.join("bo", invite_digest="it-bo", proven={"email": "bo@b.example"}).room.seat("bo")


def test_the_same_subject_has_one_seat():
    room = life().join("bo", subject="did:key:z6Mk", token_digest=None, has_mandate=True)
    room.join("again", subject="did:key:z6Mk", token_digest=None, has_mandate=True)
    assert [seat.id for seat in room.room.seats] == ["ana", "bo"]
    assert room.room.seat("bo").token_digest is None


def test_who_has_a_seat_and_accepts_an_invite_keeps_that_seat():
    room = life().join("bo", subject="user:bo").invite("bo", expected=True)
    room.join("again", subject="user:bo", invite_digest="it-bo")
    assert [seat.id for seat in room.room.seats] == ["ana", "bo"]
    assert (room.logged[-1], room.room.invites[0].participant_id) == ("invite.accepted", "bo")


def test_a_newer_mandate_says_how_much_a_ballot_may_weigh():
    room = life().join("bo", subject="did:key:z6Mk", token_digest=None, has_mandate=True, weight_cap=2.0)
    room.join("bo", subject="did:key:z6Mk", token_digest=None, has_mandate=True, weight_cap=5.0)
    assert room.room.seat("bo").weight_cap == 5


def test_when_somebody_was_last_seen_never_goes_back():
    seat = life().room.seat("ana")
    assert seat.seen(NOW + 5).seen(NOW).last_seen_at == NOW + 5


@pytest.mark.parametrize("visibility", ["public", "unlisted"])
def test_how_somebody_is_known_is_apart_from_who_may_join(visibility):
    with pytest.raises(MandateRequired):
        life(visibility=visibility, auth="mandate_required").join("bo")
    with pytest.raises(MandateNotAccepted):
        life(visibility=visibility, auth="token_only").join("bo", has_mandate=True)


def test_nobody_joins_a_room_that_is_concluded():
    room = life(visibility="public")
    room.close()
    with pytest.raises(RoomConcluded) as caught:
        room.join("bo")
    assert (caught.value.code, caught.value.status) == ("room.concluded", 400)
    admit_reader(room.room, None)


@pytest.mark.parametrize("name", ["", " ", "x" * 101, 5])
def test_a_name_has_1_to_100_characters(name):
    with pytest.raises(InvalidInput):
        joining("bo", name=name)


def test_who_is_refused_has_changed_nothing():
    room = private()
    before = room.room
    with pytest.raises(InvalidPassword):
        join(before, joining("bo", password="wrong"), NOW + 1)
    assert room.room == before


def test_reading_receipts_show_when_somebody_was_last_seen_and_only_that():
    seat = life().room.seat("ana")
    shown, hidden = seat.as_json(shows_reading=True), seat.as_json(shows_reading=False)
    assert shown.keys() - hidden.keys() == {"last_seen_at"}
    assert hidden.keys() >= {"joined_at", "deliberated_at", "voted_at"}
