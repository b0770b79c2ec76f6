"""What participants do in a room besides choosing: who may, what it changes, and how a room ends."""

import pickle

import pytest

from questions.rooms import refusals
from questions.rooms.acts import ACTS, ChangingRole, ChangingSettings, Closing, Issuing, Proposing, Revoking
from questions.rooms.discussion import DAY, Discussing
from questions.rooms.founding import found, make_slug
from questions.rooms.invites import INVITE_TRANSITIONS, InviteEvent, InviteState, Inviting
from questions.rooms.opening import Asking
from questions.rooms.refusals import (
    AuthorityDenied,
    DecisionAlreadyOpen,
    DecisionNotOpen,
    InvalidInput,
    InvalidInvite,
    InvalidSeatToken,
    RoomConcluded,
    RoomError,
    TooManyMessages,
)
from tests.questions.rooms.group_rooms import AT_ONCE, NOW, Life, founding, life, voted

NOBODY, OPERATOR = {"kind": "none"}, {"kind": "operator"}
BO = {"kind": "designated", "participant_ids": ["bo"]}
ASKING = Asking(decision_id="d", question="Ship it?", options=["ship", "wait"])
DOING = {
    "invite_authority": Issuing(id="i", token_digest="it", inviting=Inviting(label="dan")),
    "option_proposal_authority": Proposing(option="later"),
    "decision_opening_authority": ASKING,
    "conclusion_authority": Closing(),
}


def may(room, who, doing):
    try:
        room.do(who, doing)
    except AuthorityDenied:
        return False
    return True


@pytest.mark.parametrize("key", DOING)
@pytest.mark.parametrize(
    ("authority", "who_may"),
    [(NOBODY, ""), (OPERATOR, "ana"), (BO, "bo"), ({"kind": "any_participant"}, "ana bo cleo")],
)
def test_an_authority_says_who_may(key, authority, who_may):
    allowed = []
    for who in ("ana", "bo", "cleo"):
        room = life("bo", "cleo", **{key: authority})
        if key == "option_proposal_authority":
            room.ask("ship", "wait")
        allowed += [who] if may(room, who, DOING[key]) else []
    assert allowed == who_may.split()


def test_who_may_ask_may_start_choosing():
    room = life("bo", decision_opening_authority=BO)
    room.ask("ship", by="bo", proposal_window=60)
    with pytest.raises(AuthorityDenied):
        room.start("ana")
    room.start("bo")
    assert room.decision.status == "voting"


@pytest.mark.parametrize(
    "doing", [ChangingSettings(settings={"quorum": 2}), ChangingRole(participant_id="bo", role="observer")]
)
def test_settings_and_roles_are_for_the_operator(doing):
    room = life("bo", "cleo")
    assert not may(room, "cleo", doing)
    assert may(room, "ana", doing)


def test_nobody_changes_their_own_role():
    with pytest.raises(AuthorityDenied):
        life().do("ana", ChangingRole(participant_id="ana", role="observer"))


def test_a_setting_that_is_changed_is_logged_and_bears_on_what_is_open():
    room = voted("ship", "ship")
    room.do("ana", ChangingSettings(settings=AT_ONCE))
    assert room.log[-2].data == {"settings": AT_ONCE}
    assert room.logged[-2:] == ["room.settings_updated", "decision.completed"]


def test_a_stranger_does_nothing():
    with pytest.raises(InvalidSeatToken):
        life().do("eve", ASKING)


# --- asking ---------------------------------------------------------------------------------------------------------


def test_as_many_decisions_are_open_at_once_as_the_room_takes():
    room = life(max_open_decisions=2)
    room.ask("ship", "wait")
    room.ask("tea", "coffee")
    with pytest.raises(DecisionAlreadyOpen) as caught:
        room.ask("one", "more")
    assert (caught.value.code, caught.value.status) == ("decision.already_open", 409)
    assert caught.value.details == {"decisions": [1, 2]}


@pytest.mark.parametrize(("count", "may_ask"), [(0, False), (1, False), (2, True), (3, True), (4, False)])
def test_where_nobody_may_propose_options_come_with_the_question(count, may_ask):
    room = life(option_proposal_authority=NOBODY, max_options=3)
    try:
        room.ask(*(f"option {number}" for number in range(count)))
    except InvalidInput:
        assert not may_ask
    assert bool(room.room.decisions) == may_ask


def test_a_slate_takes_as_many_options_as_the_room_says():
    room = life(max_options=2)
    room.ask("ship")
    room.propose("ana", "wait").propose("ana", "ship")
    with pytest.raises(InvalidInput):
        room.propose("ana", "later")


@pytest.mark.parametrize(
    "how",
    [
        {"question": "hm"},
        {"question": "x" * 501},
        {"options": ["ship", "ship"]},
        {"options": "ship"},
        {"options": [""]},
        {"voting_window": 0},
        {"voting_window": "60"},
        {"proposal_window": 0},
        {"agreement": "yes"},
        {"authorized_by": "x" * 201},
        {"source": ""},
        {"eligible": "bo"},
    ],
)
def test_a_question_that_cannot_be_is_refused_with_its_path(how):
    with pytest.raises(InvalidInput) as caught:
        Asking(**{"decision_id": "d", "question": "Ship it?", **how})
    assert caught.value.faults[0].startswith(f"$.{next(iter(how))}")


@pytest.mark.parametrize("mechanism", ["plurality", "approval", "ranked_choice", "score_vote"])
def test_an_agreement_is_a_matter_of_majorities(mechanism):
    with pytest.raises(InvalidInput):
        life(mechanism=mechanism).ask("text A", "text B", agreement=True)


def test_who_stands_behind_a_question_is_logged_with_it():
    room = life()
    room.ask("ship", "wait", authorized_by="the board", source="minutes of May")
    assert room.log[-1].data["authorized_by"] == "the board"
    assert (room.log[-1].by, room.decision.source) == ("ana", "minutes of May")


# --- invites --------------------------------------------------------------------------------------------------------


def test_revoking_an_invite_ejects_nobody_and_is_done_once():
    room = life().invite("bo").join("bo", invite_digest="it-bo")
    room.do("ana", Revoking(invite_id="i-bo"))
    room.do("ana", Revoking(invite_id="i-bo"))
    assert room.room.seat("bo")
    assert room.logged.count("invite.revoked") == 1
    with pytest.raises(InvalidInvite):
        room.join("again", invite_digest="it-bo")


def test_an_invite_that_is_revoked_first_is_never_accepted():
    room = life().invite("bo")
    room.do("ana", Revoking(invite_id="i-bo"))
    with pytest.raises(InvalidInvite):
        room.join("bo", invite_digest="it-bo")


def test_the_table_of_invites_has_every_state_and_only_a_pending_one_expires():
    assert list(INVITE_TRANSITIONS) == list(InviteState)
    assert [state for state, events in INVITE_TRANSITIONS.items() if InviteEvent.DUE in events] == [InviteState.PENDING]


@pytest.mark.parametrize(
    "how",
    [{"role": "king"}, {"expected": 1}, {"expires_at": "soon"}, {"binding": {"kind": "email"}}, {"binding": "me"}],
)
def test_an_invite_that_cannot_be_is_refused_with_its_path(how):
    with pytest.raises(InvalidInput) as caught:
        Inviting(label="bo", **how)
    assert caught.value.faults[0].startswith(f"$.{next(iter(how))}")


def test_an_invite_does_not_expire_before_it_is_made():
    with pytest.raises(InvalidInput):
        life().invite("bo", expires_at=NOW)


# --- discussion -----------------------------------------------------------------------------------------------------


def test_what_is_said_belongs_to_the_decision_that_is_open_or_to_the_room():
    room = life()
    assert room.say("ana").log[-1].decision_id is None
    room.ask("ship", "wait", proposal_window=60)
    assert room.say("ana", stance="clarify").log[-1].data["stance"] == "clarify"
    assert room.log[-1].decision_id == "decision-1"
    assert (room.decision.message_count, len(room.room.speech)) == (1, 1)


def test_a_room_without_discussion_takes_none():
    with pytest.raises(AuthorityDenied) as caught:
        life(deliberation_mode="disabled").say("ana")
    assert caught.value.code == "authority.denied"


@pytest.mark.parametrize("asks", [False, True], ids=["in the room", "in a decision"])
@pytest.mark.parametrize(
    ("config", "speakers"),
    [
        ({"max_deliberation_messages_per_participant": 2}, ["ana", "bo", "ana"]),
        ({"max_total_deliberation_messages": 3}, ["ana", "bo", "bo"]),
    ],
)
def test_the_message_that_would_be_too_much_is_refused(config, speakers, asks):
    room = life("bo", **config)
    if asks:
        room.ask("ship", "wait")
    for who in speakers:
        room.say(who)
    with pytest.raises(TooManyMessages) as caught:
        room.say("ana")
    assert (caught.value.code, caught.value.status) == ("rate_limit.exceeded", 429)


def test_each_decision_has_limits_of_its_own():
    room = life(max_open_decisions=2, max_deliberation_messages_per_participant=1)
    room.ask("ship", "wait")
    room.ask("tea", "coffee")
    room.say("ana")
    assert room.say("ana", decision=2).log


def test_what_was_said_in_the_room_a_day_ago_counts_no_more():
    room = life(max_deliberation_messages_per_participant=1)
    room.say("ana")
    room.now += DAY - 1
    with pytest.raises(TooManyMessages):
        room.say("ana")
    room.now += 1
    assert room.say("ana").log
    assert len(room.room.speech) == 1


@pytest.mark.parametrize("how", [{"body": ""}, {"body": "x" * 100_001}, {"stance": "maybe"}])
def test_a_message_that_cannot_be_is_refused(how):
    with pytest.raises(InvalidInput):
        Discussing(**{"message_id": "m", "body": "hello", **how})


# --- a room's beginning and end -------------------------------------------------------------------------------------


def founded(**how):
    change = found(founding(**how), NOW)
    return Life(change.room, [*change.log])


def test_a_room_may_come_before_its_first_question():
    room = founded(about="releases")
    assert (room.room.status, room.room.config.type, room.room.about) == ("open", "persistent", "releases")


def test_a_room_may_begin_with_a_question_whoever_may_ask_later():
    room = founded(asking=ASKING, config={"decision_opening_authority": NOBODY})
    assert (room.room.status, room.logged) == ("voting", ["participant.joined", "decision.opened"])


def test_a_question_that_is_deferred_says_what_the_room_is_about_and_opens_nothing():
    room = founded(asking=ASKING, defer_first_decision=True)
    assert (room.room.status, room.room.about, room.room.decisions) == ("open", "Ship it?", ())


@pytest.mark.parametrize(
    "how",
    [
        {"password": "too short"},
        {"password": "x" * 1025},
        {"slug": "short"},
        {"slug": "no/slash/here"},
        {"display_name": ""},
    ],
)
def test_a_room_that_cannot_be_is_refused_and_its_password_not_quoted(how):
    with pytest.raises(InvalidInput) as caught:
        founding(**how)
    assert caught.value.faults[0].startswith(f"$.{next(iter(how))}")
    assert how.get("password", "?!") not in str(caught.value)


def test_a_slug_has_no_letter_that_is_read_as_another():
    slug = make_slug(bytes(range(256))[:32])
    assert len(slug) == 32
    assert not set(slug) & set("o01liuOIL")


def test_the_status_follows_the_decisions():
    room = life(**AT_ONCE)
    assert room.room.status == "open"
    room.ask("ship", proposal_window=60)
    assert room.room.status == "proposing"
    room.start()
    assert room.room.status == "voting"
    assert room.choose("ana", "ship").room.status == "resolved"
    room.ask("once", "more")
    assert room.room.status == "voting", "a room that was made for one question takes another"


def test_a_room_is_not_closed_while_a_decision_is_open():
    room = voted("ship", None)
    with pytest.raises(DecisionNotOpen) as caught:
        room.close()
    assert caught.value.status == 400
    room.now += 3_600_000
    room.close(statement="done")
    assert (room.room.status, room.room.conclusion.statement) == ("concluded", "done")
    assert room.logged[-2:] == ["decision.completed", "room.concluded"]


@pytest.mark.parametrize("doing", ACTS, ids=lambda kind: kind.__name__)
def test_nothing_is_done_in_a_room_that_is_concluded(doing):
    room = life()
    room.close()
    with pytest.raises(RoomConcluded):
        room.do("ana", object.__new__(doing))


@pytest.mark.parametrize("name", sorted(set(refusals.__all__) - {"RoomError"}))
def test_every_refusal_has_a_code_of_the_protocol_and_can_be_sent_on(name):
    kind = getattr(refusals, name)
    assert kind.code in str(refusals.__doc__)
    assert f"{kind.code}, {kind.status}" in str(refusals.__doc__)
    assert issubclass(kind, RoomError)


@pytest.mark.parametrize(
    "error",
    [InvalidInput(["$.x: y"]), RoomConcluded("slug"), DecisionAlreadyOpen((1,)), TooManyMessages(5, "in a day")],
)
def test_a_refusal_can_be_pickled(error):
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.details, again.code) == (str(error), error.details, error.code)
