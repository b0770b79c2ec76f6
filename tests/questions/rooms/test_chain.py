"""Whatever is done to the receipts of a room is found, and told with the place where it shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.rooms import chain as module
from questions.rooms.chain import sign_chain, verify_chain, verify_receipt
from questions.rooms.errors import InvalidChain, InvalidJws
from questions.rooms.jws import sign_jws
from questions.rooms.public_keys import read_jwks
from questions.rooms.receipt import receipt_hash, sign_receipt
from tests.questions.rooms.receipts import (
    KEY,
    KEYS,
    OTHER_KEY,
    ROOM,
    jwks,
    payload_of,
    segment,
    signed,
    signed_segments,
)

CHAIN = signed(5)


def found_in(texts, keys=KEYS, **expected):
    """(place, code) of every fault."""
    with pytest.raises(InvalidChain) as refused:
        verify_chain(texts, keys, **expected)
    return [(fault.place, fault.code) for fault in refused.value.found]


def test_a_whole_chain_is_verified():
    chain = verify_chain(CHAIN, KEYS, room=ROOM, last_hash=receipt_hash(CHAIN[-1]))
    assert [receipt.sequence for receipt in chain.receipts] == [1, 2, 3, 4, 5]
    assert (chain.room, chain.last_hash, chain.is_concluded) == (ROOM, receipt_hash(CHAIN[-1]), False)
    assert chain.are_canonical


def test_a_conclusion_ends_it():
    assert verify_chain(signed(3, concluded=True), KEYS).is_concluded


def test_decisions_may_be_sealed_in_another_order_than_they_were_opened():
    payloads = [payload_of(number) for number in (2, 1, 3)]
    assert verify_chain(sign_chain(payloads, "a", KEY), KEYS).receipts[0].sequence == 2


def test_a_conclusion_may_have_the_number_of_the_last_decision():
    payloads = [payload_of(1), {**payload_of(2, kind="conclusion", sequence=1)}]
    assert verify_chain(sign_chain(payloads, "a", KEY), KEYS).is_concluded


def test_a_rotated_key_goes_on_where_the_old_one_ended():
    first = signed(1)[0]
    texts = [first, sign_receipt(payload_of(2), receipt_hash(first), "b", OTHER_KEY)]
    assert [receipt.kid for receipt in verify_chain(texts, KEYS).receipts] == ["a", "b"]
    assert found_in(texts, read_jwks(jwks(b=OTHER_KEY))) == [(0, "kid_unknown")]


def test_a_key_signs_nothing_under_the_id_of_another():
    assert found_in(signed(1, kid="b")) == [(0, "signature_invalid")]


def test_a_part_is_verified_from_the_receipt_that_it_follows():
    after = receipt_hash(CHAIN[1])
    assert len(verify_chain(CHAIN[2:], KEYS, after=after).receipts) == 3
    assert found_in(CHAIN[3:], after=after) == [(0, "missing")]


@pytest.mark.parametrize(
    ("places", "faults"),
    [
        ([], [(None, "empty")]),
        ([1, 2, 3, 4], [(0, "missing")]),
        ([0, 1, 3, 4], [(2, "missing")]),
        ([0, 1, 1, 2, 3, 4], [(2, "duplicate")]),
        ([0, 1, 2, 3, 4, 0], [(5, "duplicate")]),
        ([1, 0], [(0, "reordered"), (1, "reordered")]),
        ([0, 2, 1, 3, 4], [(1, "reordered"), (2, "reordered"), (3, "reordered")]),
    ],
)
def test_what_is_left_out_doubled_or_moved_is_told(places, faults):
    assert found_in([CHAIN[place] for place in places]) == faults


def test_an_end_that_is_cut_off_shows_by_the_last_hash():
    last = receipt_hash(CHAIN[-1])
    assert found_in(CHAIN[:-1], last_hash=last) == [(None, "other_end")]
    assert found_in(CHAIN, last_hash=receipt_hash(CHAIN[1])) == [(None, "other_end")]


def test_two_histories_are_told_apart_from_a_gap():
    fork = sign_receipt(payload_of(6), receipt_hash(CHAIN[2]), "a", KEY)
    assert found_in([*CHAIN[:4], fork]) == [(4, "forked")]
    assert found_in([CHAIN[0], sign_receipt(payload_of(2), None, "a", KEY)]) == [(1, "forked")]


def test_a_receipt_of_another_room_is_foreign_wherever_it_stands():
    stranger = sign_receipt(payload_of(6, room=f"{ROOM}x"), receipt_hash(CHAIN[-1]), "a", KEY)
    assert found_in([*CHAIN, stranger]) == [(5, "foreign")]
    assert found_in(CHAIN, room=f"{ROOM}x") == [(place, "foreign") for place in range(5)]
    other = {**payload_of(6), "iss": "https://elsewhere.example"}
    assert found_in([*CHAIN, sign_receipt(other, receipt_hash(CHAIN[-1]), "a", KEY)]) == [(5, "foreign")]


def test_nothing_follows_a_conclusion():
    ended = signed(2, concluded=True)
    more = sign_receipt(payload_of(3), receipt_hash(ended[-1]), "a", KEY)
    assert found_in([*ended, more]) == [(2, "after_conclusion")]


def test_no_decision_has_two_receipts():
    again = {**payload_of(7), "grp": payload_of(7, sequence=2)["grp"]}
    assert found_in([*CHAIN, sign_receipt(again, receipt_hash(CHAIN[-1]), "a", KEY)]) == [(5, "repeated")]
    same_id = {**payload_of(7), "jti": payload_of(2)["jti"]}
    assert found_in([*CHAIN, sign_receipt(same_id, receipt_hash(CHAIN[-1]), "a", KEY)]) == [(5, "repeated")]


def test_something_else_that_the_host_has_signed_is_no_receipt():
    texts = [sign_jws({"alg": "EdDSA", "kid": "a", "typ": "grp-mandate+jwt"}, payload_of(1), KEY)]
    assert found_in(texts) == [(0, "no_receipt")]


def test_every_fault_of_every_receipt_is_told_in_their_order():
    broken = [CHAIN[0], "x", CHAIN[2][:-4], signed(1, kid="nobody")[0], CHAIN[4]]
    assert found_in(broken) == [(1, "shape"), (2, "signature_invalid"), (3, "kid_unknown"), (4, "missing")]


def test_what_is_not_canonical_holds_and_is_told():
    header = {"alg": "EdDSA", "kid": "a", "typ": "grp-receipt+jwt"}
    assert not verify_chain([signed_segments(segment(header), segment(payload_of(1)))], KEYS).are_canonical


def test_the_number_of_receipts_and_of_faults_has_an_end(monkeypatch):
    monkeypatch.setattr(module, "MOST_RECEIPTS", 4)
    assert found_in(CHAIN) == [(None, "too_many")]
    monkeypatch.undo()
    monkeypatch.setattr(module, "_MOST_FAULTS", 3)
    assert found_in(["x"] * 5) == [(0, "shape"), (1, "shape"), (2, "shape"), (None, "and_more")]


def test_one_receipt_is_verified_wherever_it_stands():
    assert verify_receipt(CHAIN[3], KEYS).sequence == 4
    with pytest.raises(InvalidJws):
        verify_receipt(CHAIN[3][:-1], KEYS)


SEALED = "\n".join(signed(3, concluded=True)).encode()


@given(st.integers(0, len(SEALED) - 1), st.integers(0, 255))
def test_a_byte_that_is_changed_is_found(place, byte):
    changed = bytearray(SEALED)
    changed[place] = byte
    if changed != SEALED:
        assert found_in(changed.decode("latin-1").split("\n"))


@given(st.integers(0, len(SEALED) - 1), st.binary(max_size=3))
def test_a_byte_that_is_lost_or_added_is_found(place, more):
    for changed in (SEALED[:place] + SEALED[place + 1 :], SEALED[:place] + more + SEALED[place:]):
        if changed != SEALED:
            assert found_in(changed.decode("latin-1").split("\n"))


@given(st.lists(st.integers(0, 4), max_size=6))
def test_any_other_choice_of_receipts_is_found_but_a_cut_end(places):
    if places and places == [*range(len(places))]:
        assert len(verify_chain([CHAIN[place] for place in places], KEYS).receipts) == len(places)
        assert places == [*range(5)] or found_in([CHAIN[place] for place in places], last_hash=receipt_hash(CHAIN[-1]))
    else:
        assert found_in([CHAIN[place] for place in places])
