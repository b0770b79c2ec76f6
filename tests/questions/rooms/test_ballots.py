"""One ballot a voter, the latest; and only those that can be read."""

import pytest

from questions.rooms import Ballot, InvalidParams
from questions.rooms.ballots import clean, is_list, is_number, is_text, on_slate
from tests.questions.rooms.votes import counted


def texts(ballot):
    return ballot.choice if isinstance(ballot.choice, str) else None


def test_a_later_ballot_replaces_the_earlier_one_and_counts_at_its_own_place():
    cleaned = clean([Ballot("ana", "tea"), Ballot("bo", "tea"), Ballot("ana", "cocoa")], texts)
    assert [ballot.voter for ballot in cleaned.ballots] == ["bo", "ana"]
    assert cleaned.contents == ["tea", "cocoa"]
    assert cleaned.duplicate_voters == ("ana",)


def test_a_later_ballot_replaces_the_earlier_one_even_if_it_is_invalid():
    cleaned = clean([Ballot("ana", "tea"), Ballot("ana", [])], texts)
    assert (cleaned.cast, cleaned.invalid, cleaned.duplicate_voters) == (0, 1, ("ana",))


def test_a_ballot_that_was_replaced_is_not_counted_as_invalid():
    cleaned = clean([Ballot("ana", []), Ballot("ana", "tea")], texts)
    assert (cleaned.cast, cleaned.invalid) == (1, 0)


def test_each_further_ballot_names_its_voter_once():
    cleaned = clean([Ballot(voter, "tea") for voter in ("ana", "bo", "ana", "bo", "ana")], texts)
    assert cleaned.duplicate_voters == ("ana", "bo", "ana")


@pytest.mark.parametrize(
    ("voter", "weight", "fault"),
    [
        (7, 1, "$.voter"),
        ("\ud800", 1, "$.voter"),
        ("ana", "heavy", "$.weight"),
        ("ana", True, "$.weight"),
        ("ana", float("nan"), "$.weight"),
        ("ana", float("inf"), "$.weight"),
        ("ana", 10**400, "$.weight"),
    ],
)
def test_a_ballot_without_a_voter_or_a_weight_is_refused(voter, weight, fault):
    with pytest.raises(InvalidParams) as refused:
        Ballot(voter, "tea", weight)
    assert [one.split(":")[0] for one in refused.value.faults] == [fault]


def test_a_weight_of_nothing_counts_as_cast_where_options_are_named_and_is_invalid_elsewhere():
    assert counted("plurality", Ballot("ana", "tea", 0), Ballot("bo", "cocoa", -1)).cast == 2
    for mechanism, choice in (("ranked_choice", ["tea"]), ("score_vote", {"tea": 1}), ("quadratic_vote", {"tea": 1})):
        assert counted(mechanism, Ballot("ana", choice, 0), eligible=1).invalid == 1


@pytest.mark.parametrize("choice", [None, 3, "tea", b"tea", {"tea": 1}, [["tea"]], [{}], [None]])
def test_a_choice_of_another_shape_is_an_invalid_ballot(choice):
    mechanisms = {"approval", "ranked_choice", "ranked_pairwise", "score_vote", "quadratic_vote"}
    if isinstance(choice, dict):
        mechanisms -= {"score_vote", "quadratic_vote"}
    for mechanism in mechanisms:
        assert counted(mechanism, choice, eligible=1).invalid == 1, mechanism


@pytest.mark.parametrize("number", ["3", None, True, float("nan"), float("inf"), [1], 10**400])
def test_what_is_given_to_an_option_is_a_number(number):
    for mechanism in ("score_vote", "quadratic_vote"):
        assert counted(mechanism, {"tea": number, "cocoa": 1}, eligible=1).invalid == 1


def test_what_is_not_on_the_slate_is_left_out_of_a_map():
    given: dict = {"tea": 1, "beer": "much"}
    assert on_slate(Ballot("ana", given), frozenset(["tea"])) == {"tea": 1}


def test_kinds_of_values():
    assert [is_number(one) for one in (0, 1.5, -1e100, True, "1", 1e101)] == [True, True, True, False, False, False]
    assert [is_text(one) for one in ("", "ü", "\udfff", 1)] == [True, True, False, False]
    assert [is_list([]), is_list(()), is_list(""), is_list({})] == [True, True, False, False]
