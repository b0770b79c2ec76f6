"""Every recorded case about receipts comes out as it was recorded, and a case that is none is told."""

from contextlib import suppress

import pytest

from questions.rooms import InvalidCase, differences, replay
from questions.rooms.receipt_replays import RECEIPT_REPLAYS
from tests.questions.rooms.receipts import receipt_cases


@pytest.mark.parametrize("kind", RECEIPT_REPLAYS)
def test_recorded_cases_come_out_as_recorded(kind):
    mine = [case for case in receipt_cases() if case["kind"] == kind]
    assert mine
    for case in mine:
        asked = {name: value for name, value in case.items() if name != "expected"}
        assert not list(differences(replay(asked)["expected"], case["expected"])), case["id"]


@pytest.mark.parametrize("kind", RECEIPT_REPLAYS)
def test_a_case_that_lacks_its_inputs_is_refused_and_not_an_internal_error(kind):
    case = next(case for case in receipt_cases() if case["kind"] == kind)
    for name in case.keys() - {"id", "kind", "expected", "name", "revoked_jtis"}:
        for nonsense in (None, 7, "\ud800", [7], {"a": 1}):
            with suppress(InvalidCase):
                replay({**case, name: nonsense})


@pytest.mark.parametrize(
    ("json", "canonical"),
    [
        ("-0", "0"),
        ("-0.0", "0"),
        ("1.0", "1"),
        ("1e21", "1e+21"),
        ("1E-7", "1e-7"),
        ("0.000001", "0.000001"),
        ("9007199254740993", "9007199254740992"),
        ("333333333.33333329", "333333333.3333333"),
        ('{"b": [ ], "a": { }}', '{"a":{},"b":[]}'),
        ('"\\u20ac\\/\\u000f\\n"', '"€/\\u000f\\n"'),
    ],
)
def test_numbers_and_texts_are_written_as_everywhere(json, canonical):
    assert replay({"id": "x", "kind": "canonical", "json": json})["expected"]["canonical"] == canonical


@pytest.mark.parametrize(
    "json", ["", "{", "nul", "NaN", "1e400", '{"a":1,"a":1}', '["\\ud800"]', '"\ud800"', "[" * 99999]
)
def test_what_has_no_canonical_form_is_told(json):
    assert replay({"id": "x", "kind": "canonical", "json": json})["expected"] == {"error": "not_canonicalizable"}
