"""Who holds what, as plain counts."""

import gc

import pytest

from facets import ObjectKey, Reference
from facets.references import References
from tests.facets.stubs import ALICE, BOB, Desk
from tests.rules import rule

pytestmark = rule("Q-FAC-2")


@pytest.fixture
def references():
    references = References()
    references.put(ObjectKey(Desk, "s1", ALICE), 2, lingering=False)
    references.put(ObjectKey(Desk, "s2", BOB), 0, lingering=True)
    return references


def test_references_of_a_type_are_all_its_inputs(references):
    assert list(references.of(Desk).value.values()) == [
        Reference("s1", ALICE, 2, False),
        Reference("s2", BOB, 0, True),
    ]


def test_references_of_an_input_are_those_alone(references):
    assert list(references.of_input(Desk, "s2").value.values()) == [Reference("s2", BOB, 0, True)]
    assert not references.of_input(Desk, "s3").value
    assert not references.of(str).value


def test_change_of_one_input_does_not_touch_another(references):
    before = references.of_input(Desk, "s2").version
    references.put(ObjectKey(Desk, "s1", ALICE), 1, lingering=False)
    assert references.of_input(Desk, "s2").version == before


def test_what_is_gone_is_gone_from_both(references):
    key = ObjectKey(Desk, "s1", ALICE)
    of_input, of_kind = references.of_input(Desk, "s1"), references.of(Desk)
    known = of_kind.version
    references.drop(key, "released")
    assert not of_input.value
    assert of_kind.since(known).drop == {key: "released"}


def test_references_are_described_as_plain_data(references):
    assert references.describe()[0] == {
        "type": "Desk",
        "input": "s1",
        "principal": "user:alice",
        "holders": 2,
        "lingering": False,
    }


def test_inputs_that_came_and_went_leave_nothing_behind(references):
    kept = len(references._by_input), len(references._in_use)
    for number in range(100):
        key = ObjectKey(Desk, f"session-{number}", ALICE)
        references.put(key, 1, lingering=False)
        references.drop(key, "released")
        references.of_input(Desk, f"asked about only {number}")
    gc.collect()
    assert (len(references._by_input), len(references._in_use)) == kept


def test_who_follows_an_input_that_nobody_holds_is_told_of_the_next_who_does(references):
    followed, key = references.of_input(Desk, "s3"), ObjectKey(Desk, "s3", ALICE)
    for _ in range(2):
        references.put(key, 1, lingering=False)
        assert list(followed.value) == [key]
        references.drop(key, "released")
        gc.collect()
        assert not followed.value


def test_a_revision_of_what_was_forgotten_meanwhile_is_answered_with_everything(references):
    alice, bob = ObjectKey(Desk, "s3", ALICE), ObjectKey(Desk, "s3", BOB)
    references.put(alice, 1, lingering=False)
    revision = references.of_input(Desk, "s3").version
    references.drop(alice, "released")
    gc.collect()
    references.put(bob, 1, lingering=False)
    difference = references.of_input(Desk, "s3").since(revision)
    assert (difference.whole, list(difference.put)) == (True, [bob])
