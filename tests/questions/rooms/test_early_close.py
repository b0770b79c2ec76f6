"""Ending early: when it is determined, who is waited for, and how long it settles."""

import pytest

from questions.rooms.acts import ChangingSettings, Revoking
from questions.rooms.room_decision import Phase
from questions.rooms.room_steps import MOST_RESTARTS
from tests.questions.rooms.group_rooms import AT_ONCE, NOW, life, voted

SETTLING = {"early_close": True, "settle_window": 30}


def test_a_room_ends_nothing_early_unless_it_says_so():
    assert voted("ship", "ship").decision.phase is Phase.VOTING


@pytest.mark.parametrize("choices", [("ship", "ship", "wait"), ("ship", "wait", "wait")])
def test_it_is_sealed_with_the_act_that_determines_it(choices):
    room = voted(*choices, config=AT_ONCE)
    assert room.logged[-2:] == ["vote.cast", "decision.completed"]
    assert room.sealed.winner == max(choices, key=choices.count)


def test_complete_turnout_ends_it_whatever_it_comes_to():
    assert voted("ship", "wait", config=AT_ONCE).sealed.status == "rejected"


def test_a_quorum_is_a_floor_for_the_electorate():
    room = voted("ship", "ship", config={**AT_ONCE, "quorum": 4})
    assert room.decision.is_open
    room.join("p2", "p3").choose("p2", "ship")
    assert room.decision.is_open, "the quorum is not met, however the last one chooses"
    assert room.choose("p3", "wait").sealed.winner == "ship"


def test_a_ranking_waits_for_everybody():
    config = {**AT_ONCE, "mechanism": "ranked_choice"}
    room = voted(["ship"], ["ship"], None, config=config)
    assert room.decision.is_open
    assert room.choose("p2", ["wait", "ship"]).sealed.winner == "ship"


@pytest.mark.parametrize("how", ["accepted", "revoked", "expired"])
def test_an_invite_that_is_expected_holds_it_open_until_it_is_settled(how):
    room = life("bo", **AT_ONCE).invite("dan", expected=True, expires_at=NOW + 60_000)
    room.ask("ship", "wait")
    room.choose("ana", "ship").choose("bo", "ship")
    assert room.decision.is_open
    if how == "accepted":
        room.join("dan", invite_digest="it-dan")
    elif how == "revoked":
        revoke(room, "i-dan")
    else:
        room.pass_(60)
    assert room.sealed.winner == "ship"


def revoke(room, invite_id):
    room.do("ana", Revoking(invite_id=invite_id))


@pytest.mark.parametrize("how", [{"expected": False}, {"expected": True, "role": "observer"}])
def test_no_other_invite_holds_it_open(how):
    room = life(**AT_ONCE).invite("dan", **how)
    room.ask("ship", "wait")
    assert room.choose("ana", "ship").sealed.winner == "ship"


def test_an_explicit_set_waits_for_nobody_outside_it():
    room = life("bo", **AT_ONCE).invite("dan", expected=True)
    room.ask("ship", "wait", eligible=["bo"])
    assert room.choose("bo", "ship").sealed.winner == "ship"


def test_the_window_ends_it_whoever_is_expected():
    room = life("bo", **AT_ONCE).invite("dan", expected=True)
    room.ask("ship", "wait")
    room.choose("ana", "ship").pass_(3600)
    assert room.sealed.winner == "ship"


def test_a_determined_decision_settles_first_and_choices_stay_live():
    room = voted("ship", "ship", "wait", config=SETTLING)
    assert (room.decision.phase, room.decision.status) == (Phase.SETTLING, "voting")
    room.pass_(29.999)
    room.choose("p2", "ship")
    assert room.decision.is_open, "the winner is the same, so the time is, too"
    room.pass_(0.001)
    assert (room.sealed.at, room.sealed.cast, room.sealed.winner) == (NOW + 30_000, 3, "ship")


def test_another_winner_makes_it_wait_anew():
    room = voted("ship", "ship", "wait", config=SETTLING)
    room.pass_(10)
    room.choose("p1", "wait").choose("p2", "wait")
    assert (room.decision.settling.seals_at, room.decision.settling.presumptive) == (NOW + 40_000, "wait")


def test_restarts_in_a_row_come_to_an_end():
    room = voted("ship", "ship", "wait", config=SETTLING)
    for turn in range(MOST_RESTARTS):
        room.choose("p1", ["wait", "ship"][turn % 2]).choose("p2", "wait")
        assert room.decision.settling.restarts == turn + 1
    room.choose("p1", "wait")
    assert (room.decision.is_open, room.sealed.winner) == (False, "wait")


def test_what_is_no_longer_determined_is_sealed_as_it_then_stands():
    room = voted("ship", "ship", "ship", None, None, config=SETTLING)
    room.pass_(10)
    room.choose("p0", "wait")
    assert (room.decision.phase, room.decision.settling.seals_at) == (Phase.SETTLING, NOW + 30_000)
    room.pass_(20)
    assert (room.sealed.at, room.sealed.cast, room.sealed.tallies["ship"]) == (NOW + 30_000, 3, 2)


def test_who_is_expected_while_it_settles_is_waited_for_as_well():
    room = voted("ship", "ship", "wait", config=SETTLING).invite("dan", expected=True, expires_at=NOW + 60_000)
    assert room.decision.phase is Phase.VOTING
    room.pass_(60)
    assert (room.decision.phase, room.decision.settling.seals_at) == (Phase.SETTLING, NOW + 90_000)


def test_a_room_that_ends_nothing_early_any_more_leaves_what_settles_to_its_window():
    room = voted("ship", "ship", config=SETTLING)
    room.do("ana", ChangingSettings(settings={"early_close": False}))
    room.pass_(60)
    assert room.decision.phase is Phase.VOTING


def test_settling_never_outlasts_the_window():
    room = life("bo", **SETTLING, voting_window=60)
    room.ask("ship", "wait")
    room.pass_(50)
    room.choose("ana", "ship").choose("bo", "ship").pass_(10)
    assert room.sealed.at == NOW + 60_000


def test_what_is_sealed_is_the_same_whether_it_settled_or_not():
    settled, at_once = (voted("ship", "ship", config=config) for config in (SETTLING, AT_ONCE))
    settled.pass_(100)
    assert settled.sealed.tallies == at_once.sealed.tallies
    assert settled.sealed.params == at_once.sealed.params


def agreed(*choices):
    return voted(*choices, config=SETTLING, agreement=True)


def test_only_unanimity_ends_an_agreement_early():
    assert agreed("ship", "ship").decision.phase is Phase.SETTLING
    split = agreed("ship", "wait")
    assert split.decision.phase is Phase.VOTING
    split.pass_(3600)
    assert (split.sealed.status, split.sealed.at) == ("rejected", NOW + 3_600_000)


def test_an_agreement_that_is_none_any_more_is_voted_on_again():
    room = agreed("ship", "ship").choose("p1", "wait")
    room.pass_(100)
    assert room.decision.is_open
    room.choose("p1", "ship").pass_(30)
    assert room.sealed.winner == "ship"


def test_who_comes_while_an_agreement_settles_has_to_agree_as_well():
    room = agreed("ship", "ship").join("late")
    assert room.decision.phase is Phase.VOTING
    assert room.choose("late", "ship").decision.phase is Phase.SETTLING
