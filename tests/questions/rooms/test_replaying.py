"""A case is replayed from its inputs alone; what differs is told with its path."""

import pytest

from questions.rooms import InvalidCase, differences, replay
from tests.questions.rooms.receipts import receipt_cases
from tests.questions.rooms.votes import cases

CASE = {
    "id": "case-1",
    "mechanism": "plurality",
    "params": {"quorum": 0.5},
    "options": ["tea", "cocoa"],
    "eligible": 2,
    "abstentions": 0,
    "seed": "decision-1",
    "ballots": [{"voter": "ana", "ballot": "tea", "weight": 1}],
}


def test_a_case_gives_its_outcome_and_when_it_was_locked():
    replayed = replay(CASE)
    assert (replayed["id"], replayed["expected"]["winner"]) == ("case-1", "tea")
    assert replayed["expected"]["lock_trace"] == [False, False]


def test_numbers_of_json_have_no_kinds():
    assert replay({**CASE, "eligible": 2.0, "abstentions": 0.0}) == replay(CASE)


@pytest.mark.parametrize("case", [None, [], "case", {}, {"id": 7}, {**CASE, "kind": "tarot"}, {**CASE, "kind": []}])
def test_what_is_no_case_is_refused(case):
    with pytest.raises(InvalidCase):
        replay(case)


@pytest.mark.parametrize("weight", ["1", [], {}])
def test_a_weight_that_is_no_number_is_a_fault_of_its_case(weight):
    mandate = next(case for case in receipt_cases() if case["kind"] == "mandate")
    with pytest.raises(InvalidCase):
        replay({**mandate, "context": {**mandate["context"], "weight": weight}})


def test_every_missing_field_is_told():
    with pytest.raises(InvalidCase) as refused:
        replay({"id": "case-1", "mechanism": "plurality", "params": {}, "seed": "", "options": []})
    assert refused.value.faults == ["$.eligible: is missing", "$.abstentions: is missing", "$.ballots: is missing"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"params": {"quorum": 7}}, "invalid_params"),
        ({"mechanism": "tarot"}, "invalid_params"),
        ({"eligible": "two"}, "invalid_params"),
        ({"eligible": 1e400}, "invalid_params"),
        ({"ballots": {}}, "invalid_params"),
        ({"ballots": [7]}, "invalid_params"),
        ({"ballots": [{"voter": "ana"}]}, "invalid_params"),
        ({"ballots": [{"voter": "ana", "ballot": "tea", "weight": "1"}]}, "invalid_params"),
        ({"abstentions": 2}, "participation_out_of_range"),
    ],
)
def test_what_a_count_refuses_is_the_outcome_of_its_case(change, error):
    assert replay({**CASE, **change})["expected"] == {"error": error}


def test_the_same_values_differ_in_nothing():
    for case in cases():
        assert not list(differences(case, {name: case[name] for name in reversed(case)}))


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        (3, 3.0, []),
        (2**53, 2**53 + 1, []),
        (0.1 + 0.2, 0.3, ["$: 0.30000000000000004, expected 0.3"]),
        (1, True, ["$: 1, expected True"]),
        (0, False, ["$: 0, expected False"]),
        (None, 0, ["$: None, expected 0"]),
        ("3", 3, ["$: '3', expected 3"]),
        ([], {}, ["$: a list, expected an object"]),
        ({"a": 1}, {"b": 1}, ["$.a: not expected", "$.b: is missing"]),
        ([1, 2], [2], ["$: 2 long, expected 1", "$[0]: 1, expected 2"]),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, ["$.a[0].b: 1, expected 2"]),
        (10**400, 1, None),
    ],
)
def test_differences_are_told_with_their_paths(ours, theirs, said):
    found = list(differences(ours, theirs))
    assert found == said if said is not None else len(found) == 1
