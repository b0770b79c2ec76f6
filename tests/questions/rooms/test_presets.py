"""The eight mechanisms by name, and their parameters."""

import pytest

from questions.rooms import AGREEMENT, MECHANISMS, PRESETS, RESERVED, InvalidParams, electorate, read_params
from tests.questions.rooms.votes import cases, faults_of


def test_the_presets_are_what_the_recorded_rooms_ran_with():
    for case in cases():
        if "preset" in case["tags"] and "error" not in case["expected"]:
            rest = {name: value for name, value in case["params"].items() if name != "quorum"}
            assert rest == PRESETS[case["mechanism"]], case["id"]


def test_every_fault_is_told_with_its_path():
    faults = faults_of("score_vote", options=[1], eligible=-1, quorum=2, min_score="low", turnout=3, tie_break="duel")
    assert [fault.split(":")[0] for fault in faults] == [
        "$.params.turnout",
        "$.params.quorum",
        "$.params.tie_break",
        "$.params.min_score",
        "$.options[0]",
        "$.eligible",
    ]


@pytest.mark.parametrize(
    ("mechanism", "name", "value"),
    [
        ("plurality", "pass_threshold", 0),
        ("plurality", "pass_threshold", 1.1),
        ("plurality", "pass_threshold", True),
        ("plurality", "pass_threshold_comparison", "about"),
        ("plurality", "plurality_fallthrough", 1),
        ("approval", "ballot_mode", ["approval"]),
        ("score_vote", "min_score", -1),
        ("score_vote", "max_score", 0),
        ("quadratic_vote", "credits_per_voter", 0),
        ("quadratic_vote", "credits_per_voter", 1001),
        ("quadratic_vote", "credits_per_voter", 2.5),
        ("quadratic_vote", "credits_per_voter", float("inf")),
        ("ranked_choice", "quorum", float("nan")),
        ("ranked_choice", "quorum", -0.1),
        ("ranked_choice", "min_score", 0),
    ],
)
def test_a_parameter_out_of_bounds_is_refused(mechanism, name, value):
    assert [fault.split(":")[0] for fault in faults_of(mechanism, **{name: value})] == [f"$.params.{name}"]


def test_scores_need_a_range():
    assert faults_of("score_vote", min_score=5) == ["$.params.max_score: must be above min_score"]


def test_the_quorum_has_to_be_given():
    with pytest.raises(InvalidParams, match=r"\$\.params\.quorum: must be given"):
        read_params("plurality", {})


@pytest.mark.parametrize("name", [*sorted(RESERVED), "dictatorship", "", None, ["plurality"]])
def test_other_mechanisms_are_refused_and_the_known_ones_named(name):
    with pytest.raises(InvalidParams, match=r"\$\.mechanism: .*ranked_pairwise") as refused:
        read_params(name, {"quorum": 0})
    assert ("reserved" in str(refused.value)) == (isinstance(name, str) and name in RESERVED)


@pytest.mark.parametrize("options", [[], None, "tea", ["tea", "tea"], ["tea", 1], ["\ud800"]])
def test_options_are_distinct_texts_and_one_at_least(options):
    assert faults_of("plurality", options=options)


def test_an_agreement_takes_exactly_its_parameters():
    read_params("simple_majority", AGREEMENT)
    read_params("supermajority", AGREEMENT)
    for mechanism, change in (
        ("plurality", {}),
        ("supermajority", {"quorum": 0.5}),
        ("supermajority", {"pass_threshold": 0.9}),
    ):
        with pytest.raises(InvalidParams):
            read_params(mechanism, {**AGREEMENT, **change})


def test_a_quorum_is_a_floor_of_the_electorate():
    assert (electorate(2, 4).eligible, electorate(2, 4).quorum) == (4, 1.0)
    assert (electorate(5, 2).eligible, electorate(5, 2).quorum) == (5, 0.4)


def test_without_a_quorum_one_response_is_enough_and_none_is_not():
    assert (electorate(3, None).eligible, electorate(3, None).quorum) == (3, 1 / 3)
    assert (electorate(0, None).eligible, electorate(0, None).quorum) == (0, 1.0)


@pytest.mark.parametrize("seats", range(1, 60))
def test_the_share_of_a_quorum_is_met_by_exactly_so_many(seats):
    for quorum in range(1, seats + 1):
        share = electorate(seats, quorum)
        assert quorum / share.eligible >= share.quorum > (quorum - 1) / share.eligible


def test_every_mechanism_has_a_preset():
    assert list(PRESETS) == list(MECHANISMS)
