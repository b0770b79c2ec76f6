"""An outcome that does not follow from the ballots beside it is found; one that cannot be counted is said to be."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.rooms import MECHANISMS
from questions.rooms.agreement import replay_agreement
from questions.rooms.recounting import recount
from tests.questions.rooms.receipts import payload_of

AGREEMENT = {
    "agreement": True,
    "options": ["ship", "wait"],
    "ballot_mode": "single_choice",
    "quorum": 1,
    "pass_threshold": 1,
    "tie_break": "no_pass",
    "plurality_fallthrough": False,
}


def with_(path, value, payload=None):
    """A payload with another value under a path in `grp`; `...` takes it away."""
    payload = deepcopy(payload_of(1) if payload is None else payload)
    *above, last = path.split(".")
    where = payload["grp"]
    for name in above:
        where = where[int(name)] if isinstance(where, list) else where[name]
    if value is ...:
        del where[last]
    else:
        where[int(last) if isinstance(where, list) else last] = value
    return payload


AGREED = with_("mechanism.parameters", AGREEMENT)


def test_an_outcome_that_follows_is_verified():
    assert recount(payload_of(1)) == "verified"
    assert recount(payload_of(1, choices=("ship", "wait"))) == "verified"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("votes.0.choice", "wait"),
        ("votes.0.weight", 0),
        ("votes.1.agent_id", "participant:p0"),
        ("votes.0", 7),
        ("votes.0.weight", "x"),
        ("outcome.status", "rejected"),
        ("outcome.winning_option", "wait"),
        ("outcome.tallies.ship", 3),
        ("outcome.tallies.wait", 1),
        ("outcome.tallies.more", 1),
        ("outcome.tallies.wait", False),
        ("outcome.diagnostics.cast_votes", 3),
        ("outcome.diagnostics.eligible_voters", 1),
        ("outcome.diagnostics.eligible_voters", 9),
        ("mechanism.parameters.options", []),
        ("abstentions", 7),
        ("abstentions", "xx"),
        ("abstentions", [{"reason": "nobody's"}]),
        ("decision_id", ...),
    ],
)
def test_an_outcome_that_does_not_follow_has_failed(path, value):
    assert recount(with_(path, value)) == "failed"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("votes", []),
        ("votes", None),
        ("mechanism.kind", "tarot"),
        ("mechanism.kind", []),
        ("mechanism.parameters.quorum", ...),
        ("mechanism.parameters.options", ...),
        ("outcome.diagnostics", ...),
    ],
)
def test_what_is_withheld_cannot_be_counted_again(path, value):
    assert recount(with_(path, value)) == "unavailable"


def test_a_ranking_in_which_all_have_abstained_may_be_rejected():
    payload = payload_of(1, choices=(), abstentions=[{"agent_id": "p", "reason": "none"}])
    payload["grp"]["mechanism"]["kind"] = "ranked_choice"
    payload = with_("outcome.diagnostics.eligible_voters", 1, payload)
    assert recount(payload) == "verified"


@pytest.mark.parametrize("again", ["votes", "abstentions"])
def test_nobody_has_been_counted_twice(again):
    """A host could reach a quorum so; a room keeps only what each has said last."""
    payload = with_("outcome.diagnostics.eligible_voters", 3)
    payload["grp"][again] = [*payload["grp"].get(again, []), payload["grp"]["votes"][0]]
    assert recount(payload) == "failed"


def test_numbers_are_what_they_are_however_they_are_written():
    payload = with_("outcome.diagnostics", {"cast_votes": 2.0, "eligible_voters": 2.0})
    assert recount(payload) == "verified"
    assert recount(with_("outcome.diagnostics.cast_votes", True, payload)) == "unavailable"


@pytest.mark.parametrize("payload", [None, [], {}, {"grp": 7}, {"grp": {}}])
def test_what_is_no_receipt_says_nothing(payload):
    assert recount(payload) == "unavailable"
    assert replay_agreement(payload) == "not_applicable"


def test_a_conclusion_decides_nothing():
    assert recount(payload_of(1, kind="conclusion")) == "not_applicable"


def test_an_agreement_takes_everybody():
    assert recount(AGREED) == "verified"
    split = with_("mechanism.parameters", AGREEMENT, payload_of(1, choices=("ship", "wait")))
    assert recount(split) == "verified"
    late = with_("outcome.diagnostics.eligible_voters", 3, AGREED)
    assert recount(late) == "failed"
    assert recount(with_("outcome.winning_option", None, with_("outcome.status", "no_quorum", late))) == "verified"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("mechanism.kind", "approval"),
        ("mechanism.parameters.quorum", 0.5),
        ("mechanism.parameters.quorum", True),
        ("mechanism.parameters.pass_threshold", ...),
        ("mechanism.parameters.tie_break", "first_listed"),
        ("mechanism.parameters.options", ["ship", "ship"]),
        ("mechanism.parameters.options", ["ship", 7]),
        ("votes.0.choice", "elsewhere"),
        ("votes.0.choice", ["ship"]),
        ("votes.0.weight", 2),
        ("votes.0.weight", True),
        ("votes.1.agent_id", "participant:p0"),
        ("votes.0", None),
        ("votes", {}),
        ("outcome.tallies", {"ship": 2}),
        ("outcome.tallies.ship", True),
        ("outcome.diagnostics.cast_votes", 1),
        ("outcome.diagnostics.cast_votes", "2"),
        ("outcome.diagnostics.eligible_voters", 1),
    ],
)
def test_an_agreement_that_is_none_has_failed(path, value):
    assert replay_agreement(with_(path, value, AGREED)) == "failed"


def test_an_agreement_whose_ballots_are_withheld_cannot_be_counted_again():
    assert replay_agreement(with_("votes", [], AGREED)) == "unavailable"


PATHS = st.sampled_from(
    "votes votes.0 votes.0.choice votes.0.weight votes.0.agent_id mechanism mechanism.parameters outcome abstentions "
    "mechanism.parameters.options mechanism.parameters.quorum mechanism.parameters.tie_break outcome.tallies "
    "outcome.tallies.ship outcome.diagnostics.cast_votes outcome.diagnostics.eligible_voters decision_id".split()
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3) | st.just("ship"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["ship", "wait", "x"]), inner),
    max_leaves=4,
)


@given(st.sampled_from([*MECHANISMS]), st.sampled_from([payload_of(1), AGREED]), PATHS, ANYTHING)
def test_whatever_stands_in_a_receipt_it_is_counted_again_or_not_and_nothing_breaks(mechanism, payload, path, value):
    changed = with_("mechanism.kind", mechanism, payload)
    assert recount(with_(path, value, changed)) in ("verified", "failed", "unavailable")


def test_more_options_than_a_room_may_have_are_not_counted_again():
    options = [str(number) for number in range(501)]
    assert recount(with_("mechanism.parameters.options", options)) == "unavailable"
