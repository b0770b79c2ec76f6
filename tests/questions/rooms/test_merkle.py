"""One digest stands for many, in their order."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.rooms.merkle import audit_hashes, merkle_root

LEAVES = st.lists(st.binary(min_size=32, max_size=32), min_size=1, max_size=9)


def over(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def test_pairs_are_hashed_until_one_is_left():
    a, b, c = (over(bytes([n])) for n in range(3))
    assert merkle_root([a]) == a
    assert merkle_root([a, b]) == over(a, b)
    assert merkle_root([a, b, c]) == over(over(a, b), over(c, c)) == merkle_root([a, b, c, c])


@given(LEAVES, st.data())
def test_a_leaf_that_is_changed_changes_the_root(leaves, data):
    place = data.draw(st.integers(0, len(leaves) - 1))
    changed = [*leaves]
    changed[place] = over(leaves[place])
    assert merkle_root(changed) != merkle_root(leaves)


@pytest.mark.parametrize("leaves", [[], [b""], [bytes(32), bytes(31)]])
def test_leaves_are_digests_and_there_is_one_at_least(leaves):
    with pytest.raises(ValueError, match="one leaf"):
        merkle_root(leaves)


def test_each_event_is_hashed_with_all_before_it():
    first, second = audit_hashes([({"b": 1, "a": 1.0}, "t1"), ([], "t2")])
    assert first == over(b'{"a":1,"b":1}', b"t1")
    assert second == over(first, b"[]", b"t2")
