"""Choosing, revising and abstaining: what a choice may name, who may choose, and what replaces what."""

import attrs
import pytest

from questions.rooms import MECHANISMS, PRESETS
from questions.rooms.acts import Abstaining, ChangingRole, Choosing, act
from questions.rooms.discussion import DAY
from questions.rooms.owing import owed_choices
from questions.rooms.refusals import (
    AuthorityDenied,
    DecisionNotFound,
    DecisionNotOpen,
    InvalidInput,
    InvalidOption,
    NotEligible,
)
from questions.rooms.slate import find_option, read_choice
from tests.questions.rooms.elections import BALLOTS, OPTIONS
from tests.questions.rooms.group_rooms import AT_ONCE, life, voted


def read(mechanism, given, options=OPTIONS):
    return read_choice(mechanism, PRESETS[mechanism], options, given)


@pytest.mark.parametrize(
    ("options", "name", "option"),
    [
        (["tea", "coffee"], "tea", "tea"),
        (["tea", "coffee"], "2", "coffee"),
        (["tea", "coffee"], "#2", "coffee"),
        (["tea", "coffee"], "3", None),
        (["tea", "coffee"], "0", None),
        (["tea", "coffee"], "02", None),
        (["tea", "coffee"], "##2", None),
        (["tea", "coffee"], "Tea", None),
        (["tea", "coffee"], " tea", None),
        (["tea", "coffee"], "²", None),
        (["2", "1"], "2", "2"),
        (["2", "1"], "#2", "1"),
        (["#1", "x"], "#1", "#1"),
        (["caf\u00e9", "cafe\u0301"], "cafe\u0301", "cafe\u0301"),
        (["tea"], 1, None),
    ],
)
def test_an_option_is_named_by_its_bytes_or_else_by_its_number(options, name, option):
    assert find_option(options, name) == option


def test_two_options_that_differ_in_case_are_two():
    room = life()
    room.ask("Ship", "ship")
    assert room.propose("ana", "SHIP").choose("ana", "ship").decision.options == ("Ship", "ship", "SHIP")
    assert room.decision.responses[0].choice == "ship"


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_kind_of_choice_is_taken_as_it_was_meant(mechanism):
    for ballot in BALLOTS[mechanism]:
        assert read(mechanism, ballot) == ballot


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_an_option_off_the_slate_is_refused_in_every_kind_of_choice(mechanism):
    ballot = BALLOTS[mechanism][0]
    off = "beer" if isinstance(ballot, str) else [*ballot, "beer"]
    with pytest.raises(InvalidOption) as caught:
        read(mechanism, {**ballot, "beer": 1} if isinstance(ballot, dict) else off)
    assert (caught.value.code, caught.value.status) == ("choice.invalid_option", 400)
    assert "beer" not in str(caught.value)


@pytest.mark.parametrize(
    ("mechanism", "given", "choice"),
    [
        ("plurality", ["tea"], "tea"),
        ("approval", ["tea", "1", "coffee", "tea"], ["tea", "coffee"]),
        ("approval", [], []),
        ("ranked_choice", ["#2", "1"], ["coffee", "tea"]),
        ("score_vote", {"1": 5, "#2": 2.5}, {"tea": 5, "coffee": 2.5}),
        ("quadratic_vote", {"3": 9}, {"cocoa": 9}),
    ],
)
def test_names_are_replaced_by_the_texts_of_the_options(mechanism, given, choice):
    assert read(mechanism, given) == choice


@pytest.mark.parametrize(
    ("mechanism", "given"),
    [
        ("plurality", ["tea", "coffee"]),
        ("plurality", {"tea": 1}),
        ("plurality", None),
        ("approval", "tea"),
        ("ranked_choice", ["tea", "1"]),
        ("ranked_choice", []),
        ("score_vote", {"tea": 6}),
        ("score_vote", {"tea": 1, "#1": 2}),
        ("quadratic_vote", {"tea": 1.5}),
        ("quadratic_vote", {"tea": 5, "coffee": 5}),
        ("approval", ["tea"] * 1001),
    ],
)
def test_what_is_otherwise_no_choice_is_refused_with_its_path(mechanism, given):
    with pytest.raises(InvalidInput) as caught:
        read(mechanism, given)
    assert all(fault.startswith("$.choice") for fault in caught.value.faults)


def test_a_revision_replaces_all_of_what_was_said_before():
    room = voted("ship", "ship")
    room.pass_(5)
    room.choose("p0", "wait", rationale="not yet")
    room.pass_(5)
    room.choose("p0", "ship")
    assert room.decision.response_of("p0").rationale is None
    assert room.decision.response_of("p0").at == room.now
    assert [one.participant_id for one in room.decision.responses] == ["p1", "p0"]


def test_a_choice_and_an_abstention_replace_each_other():
    room = voted("ship", None).abstain("p0", "changed my mind")
    assert (room.decision.response_of("p0").choice, room.decision.response_of("p0").reason) == (None, "changed my mind")
    assert room.choose("p0", "wait").decision.response_of("p0").reason is None
    assert room.logged[-2:] == ["choice.abstained", "vote.cast"]


def test_an_abstention_counts_for_the_quorum_and_for_no_option():
    room = voted("ship", None, config={**AT_ONCE, "quorum": 2}).abstain("p1")
    assert (room.sealed.status, room.sealed.cast, room.sealed.tallies) == ("completed", 1, {"ship": 1, "wait": 0})


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_nothing_wins_where_everybody_abstains(mechanism):
    room = voted(None, None, config={**AT_ONCE, "mechanism": mechanism}).abstain("p0").abstain("p1")
    assert (room.sealed.status, room.sealed.winner, room.sealed.word) == ("rejected", None, "no_pass")


def test_nobody_abstains_from_an_agreement():
    with pytest.raises(InvalidInput):
        voted(None, agreement=True).abstain("p0")


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501, None])
def test_an_abstention_takes_a_reason_of_1_to_500_characters(reason):
    with pytest.raises(InvalidInput):
        Abstaining(reason=reason)


@pytest.mark.parametrize("how", [{"rationale": "x" * 2001}, {"weight": 0}, {"weight": True}, {"weight": "1"}])
def test_a_choice_that_cannot_be_is_refused_before_the_room_is_looked_at(how):
    with pytest.raises(InvalidInput):
        Choosing(choice="ship", **how)


def test_a_choice_weighs_one_unless_a_mandate_allows_more():
    room = life().join("bo", weight_cap=3.0, has_mandate=True, token_digest=None)
    room.ask("ship", "wait")
    for weight in (2, 0.5):
        with pytest.raises(InvalidInput):
            room.choose("ana", "ship", weight=weight)
    with pytest.raises(InvalidInput):
        room.choose("bo", "ship", weight=4)
    assert room.choose("bo", "ship", weight=3).decision.response_of("bo").weight == 3
    assert room.choose("bo", "ship", weight=0.5).decision.response_of("bo").weight == 0.5


def test_an_agreement_takes_everybody_alike():
    room = life().join("bo", weight_cap=3.0, has_mandate=True, token_digest=None)
    room.ask("text A", agreement=True)
    with pytest.raises(InvalidInput):
        room.choose("bo", "text A", weight=2)


def test_a_heavy_ballot_that_is_outstanding_keeps_a_decision_open():
    room = life("bo", "cleo", "dan", **AT_ONCE).join("heavy", weight_cap=9.0)
    room.ask("ship", "wait")
    for who in ("ana", "bo", "cleo", "dan"):
        room.choose(who, "ship")
    assert room.decision.is_open


# --- who may choose -------------------------------------------------------------------------------------------------


def test_an_observer_reads_and_does_nothing_else():
    room = life("bo").invite("watch", role="observer").join("watch", invite_digest="it-watch")
    room.ask("ship", "wait")
    for doing in (Choosing(choice="ship"), Abstaining(reason="none")):
        with pytest.raises(AuthorityDenied) as caught:
            act(room.room, "watch", doing, room.now)
        assert (caught.value.code, caught.value.status) == ("authority.denied", 403)
    with pytest.raises(AuthorityDenied):
        room.say("watch")
    room.pass_(3600)
    assert room.sealed.eligible == 2


def test_a_creator_that_does_not_vote_is_no_voter():
    room = voted("ship", "ship", config=AT_ONCE)
    assert room.sealed.eligible == 2
    with pytest.raises(NotEligible) as caught:
        voted("ship", None).choose("ana", "ship")
    assert (caught.value.code, caught.value.status) == ("choice.not_eligible", 403)


def test_an_explicit_set_narrows_who_chooses_and_others_may_discuss():
    room = life("bo", "cleo")
    room.ask("ship", "wait", eligible=["bo"], eligible_participant_ids=["cleo", "bo"])
    assert room.decision.eligible == ("bo", "cleo")
    with pytest.raises(NotEligible):
        room.choose("ana", "ship")
    with pytest.raises(NotEligible):
        room.abstain("ana")
    assert room.say("ana").log
    room.join("late").choose("bo", "ship").pass_(3600)
    assert room.sealed.eligible == 2


@pytest.mark.parametrize(
    "how", [{"eligible": ["dan"]}, {"eligible": ["ana"]}, {"eligible": []}, {"eligible_participant_ids": ["nobody"]}]
)
def test_an_explicit_set_adds_nobody(how):
    with pytest.raises(InvalidInput):
        life("bo", creator_votes=False).ask("ship", "wait", **how)


def test_a_name_that_several_have_is_not_enough():
    with pytest.raises(InvalidInput):
        life("bo").join("other", name="bo").ask("ship", "wait", eligible=["bo"])


def test_an_explicit_set_has_as_many_as_the_quorum():
    with pytest.raises(InvalidInput):
        life("bo", quorum=2).ask("ship", "wait", eligible=["bo"])


def test_who_becomes_an_observer_is_counted_no_more():
    room = life("bo", "cleo", **AT_ONCE)
    room.ask("ship", "wait")
    room.choose("ana", "ship").choose("bo", "wait")
    room.do("ana", ChangingRole(participant_id="cleo", role="observer"))
    assert (room.sealed.eligible, room.sealed.status) == (2, "rejected")
    assert room.logged[-2:] == ["participant.role_updated", "decision.completed"]


def owed(room, who):
    return [one.seq for one in owed_choices(room.room, who)]


def test_a_choice_is_owed_by_whoever_may_choose_and_has_said_nothing():
    room = life("bo", "cleo", max_open_decisions=3).invite("watch", role="observer")
    room.join("watch", invite_digest="it-watch")
    room.ask("ship", "wait", eligible=["bo", "cleo"])
    room.ask("tea", "coffee")
    room.ask("later", proposal_window=60)
    room.choose("bo", "ship", decision=1).abstain("cleo", decision=2)
    assert [owed(room, who) for who in ("ana", "bo", "cleo", "watch")] == [[2], [2], [1], []]
    room.pass_(60)
    assert owed(room, "ana") == [2, 3]
    room.pass_(3600)
    assert owed(room, "ana") == []


def test_an_agreement_is_owed_once_everybody_else_accepts_one_option():
    room = life("bo", "cleo")
    room.ask("text A", "text B", agreement=True)
    room.choose("ana", "text A")
    assert owed(room, "cleo") == []
    assert owed(room.choose("bo", "text B"), "cleo") == []
    assert owed(room.choose("bo", "text A"), "cleo") == [1]


# --- which decision -------------------------------------------------------------------------------------------------


def test_an_act_is_about_the_oldest_decision_that_is_open():
    room = life(max_open_decisions=2)
    room.ask("ship", "wait", voting_window=60)
    room.ask("tea", "coffee")
    room.choose("ana", "ship").choose("ana", "tea", decision=2)
    room.pass_(60)
    assert room.choose("ana", "coffee").decision.response_of("ana").choice == "coffee"


def test_a_number_that_no_decision_has_is_not_found():
    with pytest.raises(DecisionNotFound) as caught:
        voted(None).choose("p0", "ship", decision=2)
    assert (caught.value.code, caught.value.status) == ("decision.not_found", 404)


@pytest.mark.parametrize("seq", [None, 1])
def test_a_decision_that_is_resolved_takes_no_choice(seq):
    room = voted("ship", config=AT_ONCE)
    with pytest.raises(DecisionNotOpen) as caught:
        room.choose("p0", "wait", decision=seq)
    assert (caught.value.code, caught.value.status) == ("decision.not_open", 400)


def test_what_is_kept_of_a_seat_says_when_it_has_spoken_and_chosen():
    room = voted(None)
    room.pass_(1)
    room.say("p0")
    room.pass_(1)
    seat = room.choose("p0", "ship").room.seat("p0")
    assert (seat.voted_at - seat.deliberated_at, seat.last_seen_at) == (1000, room.now)
    assert attrs.evolve(seat).joined_at < room.now < seat.joined_at + DAY
