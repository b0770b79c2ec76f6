"""What a vote has come to, as data."""

import json

import pytest

from questions.rooms import MECHANISMS
from tests.questions.rooms.votes import cases, choices_of, counted

TRACES = {
    "ranked_choice": {"rounds"},
    "ranked_pairwise": {"pairwise", "paths", "tied_options"},
    "score_vote": {"total_weight"},
    "quadratic_vote": {"spent"},
}


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_an_outcome_is_written_with_the_fields_of_its_trace(mechanism):
    written = counted(mechanism, *choices_of(mechanism, ["tea", "cocoa"]), options=["tea", "cocoa"]).as_json()
    recorded = next(case["expected"] for case in cases() if case["mechanism"] == mechanism)
    assert {*written, "lock_trace"} == set(recorded)
    assert TRACES.get(mechanism, {"threshold_met"}) <= set(written)
    assert json.loads(json.dumps(written)) == written


def test_a_late_round_shows_only_what_still_runs():
    outcome = counted("ranked_choice", ["tea"], ["tea"], ["cocoa"], ["cocoa"], ["coffee", "tea"])
    first, last = outcome.trace.rounds
    assert (first.eliminated, last.eliminated) == (("coffee",), ())
    assert (outcome.scores, last.remaining) == ({"tea": 3, "cocoa": 2}, ("tea", "cocoa"))


def test_too_few_show_what_they_chose_only_where_options_are_named():
    assert counted("plurality", "tea", eligible=4, quorum=0.5).scores["tea"] == 1
    assert counted("score_vote", {"tea": 5}, eligible=4, quorum=0.5).scores["tea"] == 0
