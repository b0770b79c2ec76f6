"""The same inputs give the same outcome; who voters are makes no difference; plain models agree."""

import attrs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from questions.rooms import MECHANISMS, Ballot, InvalidParams, ParticipationOutOfRange, tally
from tests.questions.rooms.models import runoff, widest_paths
from tests.questions.rooms.votes import OPTIONS, cast, counted, votes

MANY = [*"abcdef", "10", "2"]


def outcome_of(mechanism, ballots, seed="decision-1", options=OPTIONS, eligible=10, **params):
    return tally(mechanism, {"quorum": 0.1, **params}, options, eligible, ballots, 0, seed)


@given(votes(), st.text(max_size=3, alphabet="abc"))
def test_the_same_inputs_give_the_same_outcome(vote, seed):
    mechanism, ballots = vote
    assert outcome_of(mechanism, ballots, seed) == outcome_of(mechanism, iter(ballots), seed)


@given(votes(), st.permutations(range(6)))
def test_who_the_voters_are_makes_no_difference(vote, numbers):
    """Not even to a draw: it is drawn about options."""
    mechanism, ballots = vote
    names = {f"voter {number}": f"voter {other}" for number, other in enumerate(numbers)}
    renamed = [attrs.evolve(ballot, voter=names[ballot.voter]) for ballot in ballots]
    ours, theirs = (outcome_of(mechanism, given).as_json() for given in (ballots, renamed))
    ours["duplicate_voters"] = [names[voter] for voter in ours["duplicate_voters"]]
    if "spent" in ours:
        ours["spent"] = {names[voter]: credits for voter, credits in ours["spent"].items()}
    assert ours == theirs


@given(votes(weights=st.integers(1, 3), voters=8), st.randoms())
def test_the_order_of_ballots_makes_no_difference_to_whole_numbers(vote, chance):
    mechanism, ballots = vote
    assume(mechanism != "quadratic_vote" and len({ballot.voter for ballot in ballots}) == len(ballots))
    shuffled = chance.sample(ballots, len(ballots))
    assert outcome_of(mechanism, ballots) == outcome_of(mechanism, shuffled)


@given(votes(["ranked_choice"], MANY, voters=12), st.sampled_from(["s1", "s2"]))
def test_moving_only_the_ballots_of_who_goes_counts_as_a_recount_does(vote, seed):
    _, ballots = vote
    outcome = outcome_of("ranked_choice", ballots, seed, MANY, 20, quorum=0)
    winner, tallies = runoff(ballots, MANY, seed)
    assert (outcome.winner, [one.tally for one in outcome.trace.rounds]) == (winner, tallies)


@given(votes(["ranked_pairwise"], MANY, voters=12))
def test_letting_wins_in_by_strength_finds_the_widest_paths(vote):
    _, ballots = vote
    trace = outcome_of("ranked_pairwise", ballots, options=MANY, eligible=20, quorum=0).trace
    assert trace.paths == widest_paths(trace.pairwise, MANY)


@given(votes(["ranked_pairwise"], voters=9))
def test_who_beats_everybody_wins(vote):
    outcome = outcome_of(*vote, quorum=0)
    duels = outcome.trace.pairwise
    best = [one for one in OPTIONS if all(duels[one][other] > duels[other][one] for other in OPTIONS if other != one)]
    assert not best or [outcome.winner] == best


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_ballots_beyond_the_electorate_are_refused(mechanism):
    choices = {"score_vote": {"tea": 1}, "quadratic_vote": {"tea": 1}}
    single = mechanism in ("simple_majority", "supermajority", "plurality")
    choice = choices.get(mechanism, "tea" if single else ["tea"])
    with pytest.raises(ParticipationOutOfRange) as refused:
        counted(mechanism, choice, choice, eligible=2, abstentions=1)
    assert (refused.value.participation, refused.value.eligible) == (3, 2)
    assert refused.value.code == "participation_out_of_range"


@pytest.mark.parametrize("seed", [None, 7, "\ud800"])
def test_a_seed_is_text(seed):
    with pytest.raises(InvalidParams, match=r"\$\.seed"):
        counted("plurality", seed=seed)


@pytest.mark.parametrize("eligible", [-1, 1.5, True, None, "3", 10**400])
def test_the_electorate_is_a_number_of_voters(eligible):
    with pytest.raises(InvalidParams, match=r"\$\.eligible"):
        tally("plurality", {"quorum": 0}, OPTIONS, eligible, [])


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_without_an_electorate_no_quorum_is_met(mechanism):
    assert counted(mechanism).status == "no_quorum"


def test_repeats_in_an_approval_count_once():
    assert counted("approval", ["tea", "tea", "cocoa"]).scores == {"tea": 1, "coffee": 0, "cocoa": 1}


def test_fractions_of_credits_are_dropped_before_they_count():
    outcome = counted("quadratic_vote", {"tea": 4.9, "cocoa": 5.9}, {"tea": -0.5, "cocoa": 1})
    assert (outcome.trace.spent, outcome.scores["tea"], outcome.invalid) == ({"voter 0": 9}, 2, 1)


def test_a_sum_of_doubles_is_that_of_a_plain_loop():
    """Ten tenths are less than one: a sum that compensates, as Python's does from 3.12 on, would make it a tie."""
    outcome = counted("score_vote", *[{"tea": 0.1}] * 10, {"cocoa": 1})
    assert (outcome.winner, outcome.scores["tea"]) == ("cocoa", 0.9999999999999999)


def test_an_outcome_cannot_be_changed_by_who_has_the_ballots():
    choice = ["tea", "cocoa"]
    before = counted("ranked_choice", choice)
    choice.reverse()
    assert before.winner == "tea"


def test_a_ballot_is_touched_only_when_its_option_goes():
    class Ranking(tuple):
        touched = 0

        def __getitem__(self, place):
            Ranking.touched += 1
            return super().__getitem__(place)

    standing = [Ballot(f"a{n}", Ranking(["a", "b"])) for n in range(100)]
    rivals = [Ballot(f"b{n}", ("b",)) for n in range(100)] + [Ballot(f"{o}{1}", (o, "a")) for o in "cdef"]
    outcome = outcome_of("ranked_choice", [*standing, *rivals], options=list("abcdef"), eligible=300)
    assert (outcome.winner, len(outcome.trace.rounds)) == ("a", 4)
    assert Ranking.touched <= 3 * len(standing)


def test_status_words_follow_the_outcome():
    assert counted("plurality", "tea").status == "completed"
    assert counted("simple_majority", "tea", "cocoa").status == "rejected"
    assert counted("simple_majority", "tea", eligible=3, quorum=0.5).status == "no_quorum"
    assert counted("score_vote", {"tea": 1}, {"cocoa": 1}, tie_break="no_pass").status == "tied"


def test_whole_numbers_are_written_without_a_point():
    written = counted("plurality", *cast("tea", "tea", "cocoa")).as_json()
    assert repr(written["scores"]) == "{'tea': 2, 'coffee': 0, 'cocoa': 1}"
