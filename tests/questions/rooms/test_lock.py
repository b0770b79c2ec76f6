"""Once locked, winner and status never change, whatever the outstanding ballots say."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.rooms import AGREEMENT, MECHANISMS, Ballot, InvalidParams, Lock, is_locked, tally
from tests.questions.rooms.votes import CHOICES, OPTIONS, RANKED, cases, cast, choices_of, votes

TWO = ["tea", "coffee"]
PARAMS: dict[str, list[dict]] = {
    "simple_majority": [{}, {"pass_threshold": 0.4, "pass_threshold_comparison": "inclusive"}],
    "supermajority": [{}],
    "plurality": [{}, {"plurality_fallthrough": False}],
    "approval": [{}, {"tie_break": "no_pass"}],
    "ranked_choice": [{}],
    "ranked_pairwise": [{}],
    "score_vote": [{"max_score": 3}, {"min_score": 1, "max_score": 3}],
    "quadratic_vote": [{"credits_per_voter": 3}],
}
SETTINGS = [(mechanism, params) for mechanism, several in PARAMS.items() for params in several]


def ended(mechanism, params, eligible, ballots):
    """Winner and status."""
    outcome = tally(mechanism, {"quorum": 0.3, **params}, TWO, eligible, ballots, 0, "decision-1")
    return outcome.winner, outcome.status


def electorates(mechanism, weights, eligible):
    """Every sequence of ballots over two options, from nobody's to everybody's."""
    said = [(choice, weight) for choice in choices_of(mechanism, TWO) for weight in weights]
    for turnout in range(eligible + 1):
        for taken in product(said, repeat=turnout):
            yield [Ballot(f"voter {number}", *one) for number, one in enumerate(taken)]


def check_all(mechanism, params, weights, eligible):
    """Find every electorate whose end is not the one that it was locked at, and count the early locks."""
    rules = {"quorum": 0.3, **params}
    ends: dict[tuple, tuple] = {}
    for ballots in electorates(mechanism, weights, eligible):
        now = ended(mechanism, params, eligible, ballots)
        said = tuple((tuple(ballot.choice), str(ballot.choice), ballot.weight) for ballot in ballots)
        for turnout in range(len(said)):
            assert ends.get(said[:turnout], now) == now, (said[:turnout], said)
        if is_locked(mechanism, rules, TWO, eligible, ballots, largest_outstanding_weight=max(weights)):
            ends[said] = now
    return sum(len(said) < eligible for said in ends)


@pytest.mark.parametrize(("mechanism", "params"), SETTINGS)
def test_no_completion_changes_what_is_locked(mechanism, params):
    early = check_all(mechanism, params, [1], 4 if len(choices_of(mechanism, TWO)) < 10 else 3)
    assert (early > 0) == (mechanism not in RANKED)


@pytest.mark.parametrize(("mechanism", "params"), SETTINGS)
def test_no_completion_changes_what_is_locked_with_heavier_ballots(mechanism, params):
    early = check_all(mechanism, params, [1, 2], 3 if len(choices_of(mechanism, TWO)) < 10 else 2)
    assert early == 0 or mechanism not in RANKED


def test_taking_all_weights_for_1_would_lock_too_early():
    ballots = cast("tea", "tea")
    assert is_locked("plurality", {"quorum": 0.5}, TWO, 3, ballots)
    assert not is_locked("plurality", {"quorum": 0.5}, TWO, 3, ballots, largest_outstanding_weight=2)
    assert ended("plurality", {}, 3, [*ballots, Ballot("late", "coffee", 3)]) == ("coffee", "completed")


@given(votes(["score_vote", "quadratic_vote"], TWO, st.sampled_from([0.1, 0.2, 0.3, 0.7, 1])), st.integers(1, 4))
def test_no_rounding_unlocks_what_is_locked(vote, outstanding):
    mechanism, ballots = vote
    params = {"score_vote": {"max_score": 3}, "quadratic_vote": {"credits_per_voter": 3}}[mechanism]
    eligible = len({ballot.voter for ballot in ballots}) + outstanding
    if is_locked(mechanism, {"quorum": 0, **params}, TWO, eligible, ballots):
        now = tally(mechanism, {"quorum": 0, **params}, TWO, eligible, ballots)
        for rival in TWO:
            late = [Ballot(f"late {number}", {rival: 3}) for number in range(outstanding)]
            then = tally(mechanism, {"quorum": 0, **params}, TWO, eligible, [*ballots, *late])
            assert (then.winner, then.status) == (now.winner, now.status)


def spending(option, *credits):
    """A ballot for each number of credits."""
    return [Ballot(f"{option} {number}", {option: spent}) for number, spent in enumerate(credits)]


@pytest.mark.parametrize(("leading", "behind"), [((1, 2, 9, 9), (1, 2, 9)), ((1, 4, 6, 9), (6, 9))])
def test_a_lead_that_a_rounding_can_eat_up_does_not_lock(leading, behind):
    """The lead is above 3, which is what the last ballot can give, and yet 3 more is a tie: doubles have an end."""
    ballots = [*spending("tea", *leading), *spending("coffee", *behind)]
    rules = {"quorum": 0}
    scores = tally("quadratic_vote", rules, TWO, 9, ballots).scores
    assert scores["tea"] - scores["coffee"] > 3
    late = Ballot("late", {"coffee": 9})
    tied = tally("quadratic_vote", {**rules, "tie_break": "no_pass"}, TWO, 9, [*ballots, late])
    assert tied.status == "tied"
    assert not is_locked("quadratic_vote", rules, TWO, len(ballots) + 1, ballots)


def test_a_lead_that_takes_too_long_to_be_sure_of_does_not_lock():
    outstanding = 10**9
    ballots = [Ballot("ana", {"tea": 5}, outstanding + 1), Ballot("bo", {"coffee": 0.1}, 0.1)]
    assert not is_locked("score_vote", {"quorum": 0}, TWO, outstanding + 2, ballots)


WEIGHTS = st.sampled_from([0.1, 1, 1, 1, 2, 0.7])
ABSTAINS = st.sampled_from([False, False, False, False, True])
ACTS = st.lists(st.tuples(st.integers(0, 6), ABSTAINS, st.integers(0, 50), WEIGHTS), max_size=24)


@given(st.sampled_from(SETTINGS), ACTS, WEIGHTS)
def test_what_is_kept_up_to_date_is_what_a_recount_finds(setting, acts, heaviest):
    mechanism, params = setting
    rules, choices = {"quorum": 0.3, **params}, choices_of(mechanism, OPTIONS)
    lock = Lock(mechanism, rules, OPTIONS, 8)
    said: dict[int, Ballot | None] = {}
    for voter, abstains, number, weight in acts:
        said.pop(voter, None)
        said[voter] = ballot = None if abstains else Ballot(str(voter), choices[number % len(choices)], weight)
        if ballot is None:
            lock.abstain(str(voter))
        else:
            lock.add(ballot)
        ballots = [ballot for ballot in said.values() if ballot is not None]
        counted = Lock(mechanism, rules, OPTIONS, 8, len(said) - len(ballots))
        for ballot in ballots:
            counted.add(ballot)
        assert lock.outstanding == counted.outstanding
        assert lock.is_locked(heaviest) == counted.is_locked(heaviest)


def test_a_revision_is_as_exact_as_if_the_ballots_had_come_in_that_order():
    """0.1 + 0.2 + 0.3 is a little more than 0.2 + 0.3 + 0.1: a lead that is just enough, or not."""
    lock = Lock("plurality", {"quorum": 0, "pass_threshold": 0.01}, TWO, 5)
    for voter, weight in (("ana", 0.1), ("bo", 0.2), ("cleo", 0.3), ("ana", 0.1)):
        lock.add(Ballot(voter, "tea", weight))
    ballots = [Ballot("bo", "tea", 0.2), Ballot("cleo", "tea", 0.3), Ballot("ana", "tea", 0.1)]
    for largest in (0.3, (0.1 + 0.2 + 0.3) / 2, 0.29):
        given = ("plurality", {"quorum": 0, "pass_threshold": 0.01}, TWO, 5, ballots)
        assert lock.is_locked(largest) == is_locked(*given, largest_outstanding_weight=largest) == (largest < 0.3)


def test_the_recorded_traces_hold_for_an_option_that_comes_late_too():
    """With an open slate a lock comes no sooner."""
    for case in cases():
        if case["mechanism"] in ("score_vote", "quadratic_vote") and "lock_trace" in case["expected"]:
            ballots = [Ballot(one["voter"], one["ballot"], one.get("weight", 1)) for one in case["ballots"]]
            given = (case["mechanism"], case["params"], case["options"], case["eligible"], ballots, case["abstentions"])
            assert is_locked(*given) or not is_locked(*given, open_slate=True)


@pytest.mark.parametrize(("mechanism", "choice"), [("score_vote", {"tea": 1}), ("quadratic_vote", {"tea": 1})])
def test_a_sole_option_is_locked_only_if_no_other_can_be_proposed(mechanism, choice):
    given = (mechanism, {"quorum": 0}, ["tea"], 3, [Ballot("ana", choice)])
    assert is_locked(*given)
    assert not is_locked(*given, open_slate=True)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_complete_turnout_locks_whatever_the_outcome(mechanism):
    assert is_locked(mechanism, {"quorum": 1}, OPTIONS, 3, [], 3)
    assert is_locked(mechanism, {"quorum": 1}, OPTIONS, 0, [])
    assert not is_locked(mechanism, {"quorum": 1}, OPTIONS, 3, [], 2)


def test_an_agreement_is_locked_by_unanimity_alone():
    said = (["tea", "tea"], ["tea", "tea", "tea"], ["tea", "tea", "coffee"])
    assert [is_locked("simple_majority", AGREEMENT, TWO, 3, cast(*one)) for one in said] == [False, True, False]


def test_a_failure_is_left_to_the_window():
    assert not is_locked("simple_majority", {"quorum": 0.5}, TWO, 5, cast("tea", "tea", "coffee", "coffee"))


def test_the_word_may_still_move_once_locked_but_never_winner_or_status():
    ballots = cast("tea", "tea", "tea", "tea", "coffee", "coffee", "cocoa", "cocoa")
    given = ("plurality", {"quorum": 0.5}, OPTIONS, 9)
    assert is_locked(*given, ballots)
    before, after = tally(*given, ballots), tally(*given, [*ballots, Ballot("late", "tea")])
    assert (before.outcome, after.outcome) == ("plurality_pass", "pass")
    assert (before.winner, before.status) == (after.winner, after.status)


@pytest.mark.parametrize("weight", ["2", None, True, float("nan")])
def test_the_largest_weight_is_a_number(weight):
    with pytest.raises(InvalidParams):
        Lock("plurality", {"quorum": 0}, TWO, 3).is_locked(weight)


def test_what_a_count_refuses_a_lock_refuses():
    with pytest.raises(InvalidParams) as refused:
        Lock("plurality", {}, [], -1)
    assert len(refused.value.faults) == 3


def test_the_first_four_reckon_with_options_that_are_yet_to_be_proposed():
    for mechanism in CHOICES:
        choice = ["tea"] if mechanism == "approval" else "tea"
        params = {"quorum": 0, "pass_threshold": 0.1, "pass_threshold_comparison": "inclusive"}
        assert not is_locked(mechanism, params, ["tea"], 4, cast(choice, choice)), mechanism
        assert is_locked(mechanism, params, ["tea"], 4, cast(choice, choice, choice)), mechanism
