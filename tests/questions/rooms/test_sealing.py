"""What is signed of a decision: it can be counted again by anybody, and is chained in the order of sealing."""

import json

import pytest

from questions.rooms import MECHANISMS, recount, sign_receipt, verify_chain
from questions.rooms.choice_views import choices_lock, settling_view, visible_responses
from questions.rooms.receipt import receipt_hash
from questions.rooms.sealing import conclusion_payload, decision_payload
from tests.questions.rooms.elections import BALLOTS, OPTIONS
from tests.questions.rooms.group_rooms import AT_ONCE, NOW, URL, life, voted
from tests.questions.rooms.receipts import KEY, KEYS, receipt_cases

SAMPLE = next(case for case in receipt_cases() if case["id"] == "ch-001")["payloads_without_prev"][0]


def urn(number):
    return f"urn:uuid:0a000000-0000-4000-8000-{number:012d}"


def payload(room, decision=None):
    decision = decision or room.decision
    return decision_payload(room.room, decision, urn(decision.seq), URL, room.now)


def grp(room):
    return payload(room)["grp"]


def test_a_payload_has_the_fields_that_the_protocol_has_and_the_abstentions():
    room = voted("ship", "wait", config=AT_ONCE)
    signed = payload(room)
    assert signed.keys() == SAMPLE.keys()
    assert signed["grp"].keys() - SAMPLE["grp"].keys() == {"abstentions"}
    for name in ("windows", "outcome", "mechanism"):
        assert signed["grp"][name].keys() == SAMPLE["grp"][name].keys()
    assert signed["grp"]["votes"][0].keys() == SAMPLE["grp"]["votes"][0].keys()
    assert (signed["iss"], signed["aud"], signed["iat"]) == (URL, URL, NOW // 1000)


def test_the_windows_say_when_what_began_and_ended():
    room = life()
    room.ask("ship", "wait", proposal_window=60, voting_window=90)
    room.pass_(1000)
    assert grp(room)["windows"] == {
        "deliberation_started_at": "2026-09-21T14:13:20.000Z",
        "voting_started_at": "2026-09-21T14:14:20.000Z",
        "voting_ended_at": "2026-09-21T14:15:50.000Z",
        "cooldown_ended_at": "2026-09-21T14:15:50.000Z",
    }


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("abstains", [False, True])
def test_every_outcome_follows_from_its_receipt(mechanism, abstains):
    best, other = BALLOTS[mechanism]
    room = voted(best, best, other, None, options=OPTIONS, config={"mechanism": mechanism})
    if abstains:
        room.abstain("p1").abstain("p3")
    room.pass_(3600)
    assert recount(json.loads(json.dumps(payload(room)))) == "verified"


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_decision_that_failed_is_signed_and_counted_again_alike(mechanism):
    room = voted(None, None, options=OPTIONS, config={"mechanism": mechanism})
    room.pass_(3600)
    assert (grp(room)["outcome"]["status"], recount(payload(room))) == ("no_quorum", "verified")
    everybody = voted(None, options=OPTIONS, config={"mechanism": mechanism, **AT_ONCE}).abstain("p0")
    assert (grp(everybody)["outcome"]["status"], recount(payload(everybody))) == ("rejected", "verified")


@pytest.mark.parametrize("choices", [("ship", "ship"), ("ship", "wait"), ("ship", None)])
def test_an_agreement_is_signed_as_one_and_counted_again(choices):
    room = voted(*choices, agreement=True)
    room.pass_(3600)
    assert grp(room)["mechanism"]["parameters"]["agreement"] is True
    assert recount(payload(room)) == "verified"


def test_an_abstention_is_signed_with_its_reason():
    room = voted("ship", None, config=AT_ONCE).abstain("p1", "conflict of interest")
    assert grp(room)["abstentions"] == [
        {"agent_id": "participant:p1", "reason": "conflict of interest", "declared_at": "2026-09-21T14:13:20.000Z"}
    ]
    assert [vote["agent_id"] for vote in grp(room)["votes"]] == ["participant:p0"]


def test_whoever_has_a_did_is_named_by_it():
    room = life(**AT_ONCE, creator_votes=False).join(
        "bo", subject="did:key:z6MkBo", token_digest=None, has_mandate=True
    )
    room.ask("ship", "wait")
    assert grp(room.choose("bo", "ship", mandate_ref="urn:uuid:1"))["votes"][0]["agent_id"] == "did:key:z6MkBo"
    assert grp(room)["votes"][0]["mandate_ref"] == "urn:uuid:1"


def test_no_token_and_no_digest_is_signed():
    assert "t-p0" not in json.dumps(payload(voted("ship", config=AT_ONCE)))


def test_the_kind_follows_the_type_of_the_room():
    kinds = [
        grp(voted("ship", config={**AT_ONCE, "type": kind}))["decision_kind"] for kind in ("persistent", "ephemeral")
    ]
    assert kinds == ["standing", "ephemeral"]


@pytest.mark.parametrize("agreement", [False, True])
def test_a_slate_that_stayed_empty_is_signed_as_a_failure_that_anybody_can_check(agreement):
    room = life()
    room.ask(proposal_window=60, agreement=agreement)
    room.pass_(60)
    assert (grp(room)["mechanism"]["parameters"]["options"], grp(room)["outcome"]["status"]) == ([], "no_quorum")
    assert recount(payload(room)) == "verified"


def test_who_abstains_from_an_empty_slate_has_taken_part():
    room = life()
    room.ask()
    room.abstain("ana").pass_(3600)
    assert (room.sealed.status, recount(payload(room))) == ("rejected", "verified")
    lied = payload(room)
    lied["grp"]["outcome"]["status"] = "no_quorum"
    assert recount(lied) == "failed"


def test_a_room_is_a_chain_in_the_order_of_sealing_that_its_conclusion_ends():
    room = life("bo", max_open_decisions=2)
    room.ask("ship", "wait", voting_window=100)
    room.ask("tea", "coffee", voting_window=50)
    room.choose("ana", "ship").choose("bo", "tea", decision=2).pass_(200)
    room.close(statement="that is all")
    payloads = [payload(room, room.room.decision(seq)) for seq in room.room.seal_order]
    texts, previous = [], None
    for one in [*payloads, conclusion_payload(room.room, urn(99), URL, room.now)]:
        texts.append(sign_receipt(one, previous, "a", KEY))
        previous = receipt_hash(texts[-1])
    chain = verify_chain(texts, KEYS, room=URL)
    assert [(one.sequence, one.winner) for one in chain.receipts] == [(2, "tea"), (1, "ship"), (3, None)]
    assert chain.is_concluded


def test_a_conclusion_says_who_closed_the_room_and_with_which_words():
    room = life()
    room.close(statement="that is all")
    said = conclusion_payload(room.room, urn(1), URL, room.now)["grp"]
    assert (said["closing_statement"], said["concluded_by"], said["sequence"]) == ("that is all", "participant:ana", 1)
    assert recount({"grp": said}) == "not_applicable"


# --- what is shown of choices ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("visibility", "before", "after"),
    [("live", ["p0", "p2"], ["p0", "p2"]), ("after_decided", ["p2"], ["p0", "p2"]), ("never", ["p2"], ["p2"])],
)
def test_choices_are_shown_when_the_room_says_and_abstentions_always(visibility, before, after):
    room = voted("ship", None, None, config={"choice_visibility": visibility}).abstain("p2")
    shown = [one.participant_id for one in visible_responses(room.room.config, room.decision)]
    room.pass_(3600)
    later = [one.participant_id for one in visible_responses(room.room.config, room.decision)]
    assert (shown, later) == (before, after)
    assert room.sealed.winner == "ship", "what is counted is the same"


def test_choices_that_are_never_shown_are_in_no_receipt_and_no_log():
    room = voted("ship", None, config={**AT_ONCE, "choice_visibility": "never"}).abstain("p1")
    assert (grp(room)["votes"], len(grp(room)["abstentions"])) == ([], 1)
    assert grp(room)["outcome"]["diagnostics"]["cast_votes"] == 1
    assert recount(payload(room)) == "unavailable"
    assert "choice" not in next(entry.data for entry in room.log if entry.event_type == "vote.cast")


@pytest.mark.parametrize(("early", "word"), [(False, "at_close"), (True, "when_determined")])
def test_a_room_says_when_choices_lock(early, word):
    assert choices_lock(life(early_close=early).room.config) == word


def test_a_decision_that_settles_says_how_long_and_who_wins():
    room = voted("ship", "ship", config={"early_close": True, "settle_window": 30})
    assert settling_view(room.decision, room.now + 500) == {"seals_in_seconds": 30, "presumptive": "ship"}
    assert settling_view(room.decision, room.now + 29_001) == {"seals_in_seconds": 1, "presumptive": "ship"}
    assert settling_view(voted("ship", None).decision, room.now) is None
