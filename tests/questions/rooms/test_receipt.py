"""What a receipt has to say is checked before it is signed, and again when it is read."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.rooms.errors import InvalidReceipt
from questions.rooms.jws import open_jws, sign_jws
from questions.rooms.receipt import read_receipt, receipt_hash, sign_receipt
from tests.questions.rooms.receipts import KEY, ROOM, payload_of

HEADER = {"alg": "EdDSA", "kid": "a", "typ": "grp-receipt+jwt"}


def changed(**changes):
    """A payload with other members, by their paths with `_` for the dots of `grp`."""
    payload = payload_of(1)
    for path, value in changes.items():
        where = payload["grp"] if path.startswith("grp_") else payload
        where[path.removeprefix("grp_")] = value
    return payload


def faults_of(payload):
    """The faults when it is signed, which are those when it is read."""
    with pytest.raises(InvalidReceipt) as signing:
        sign_receipt(
            payload, payload["grp"].get("prev_hash") if isinstance(payload.get("grp"), dict) else None, "a", KEY
        )
    with pytest.raises(InvalidReceipt) as reading:
        read_receipt(open_jws(sign_jws(HEADER, payload, KEY)))
    assert signing.value.faults == reading.value.faults
    return list(signing.value.faults)


def test_a_receipt_says_what_was_decided_and_what_it_follows():
    text = sign_receipt(payload_of(3), "sha256:" + "0" * 64, "a", KEY)
    receipt = read_receipt(open_jws(text))
    assert (receipt.room, receipt.sequence, receipt.status, receipt.winner) == (ROOM, 3, "completed", "ship")
    assert (receipt.prev_hash, receipt.hash) == ("sha256:" + "0" * 64, receipt_hash(text))


def test_what_else_a_host_writes_is_left_to_it():
    payload = changed(extra=1, grp_deliberation_root="x", grp_votes=[7])
    assert read_receipt(open_jws(sign_receipt(payload, None, "a", KEY))).sequence == 1


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"iss": ""}, "$.iss"),
        ({"aud": 7}, "$.aud"),
        ({"aud": ROOM + "x"}, "$.aud"),
        ({"jti": "1"}, "$.jti"),
        ({"iat": "now"}, "$.iat"),
        ({"iat": True}, "$.iat"),
        ({"iat": 1.5}, "$.iat"),
        ({"grp": []}, "$.grp"),
        ({"grp_decision_kind": "tarot"}, "$.grp.decision_kind"),
        ({"grp_decision_kind": []}, "$.grp.decision_kind"),
        ({"grp_votes": {}}, "$.grp.votes"),
        ({"grp_prev_hash": "sha256:" + "A" * 64}, "$.grp.prev_hash"),
        ({"grp_sequence": 0}, "$.grp.sequence"),
        ({"grp_sequence": True}, "$.grp.sequence"),
        ({"grp_outcome": {"status": "won", "winning_option": None}}, "$.grp.outcome.status"),
        ({"grp_outcome": {"status": "tied"}}, "$.grp.outcome.winning_option"),
    ],
)
def test_what_cannot_be_is_told_with_its_path(changes, path):
    assert {fault.split(": ")[0] for fault in faults_of(changed(**changes))} == {path}


def test_every_fault_is_told():
    assert len(faults_of(changed(iss=7, iat=None, grp_sequence=-1, grp_mechanism=None))) == 4


def test_a_receipt_is_marked_as_one_and_names_its_key():
    for header in ({**HEADER, "typ": "JWT"}, {**HEADER, "kid": 7}, {"alg": "EdDSA"}):
        with pytest.raises(InvalidReceipt, match=r"\$\.header"):
            read_receipt(open_jws(sign_jws(header, payload_of(1), KEY)))


def test_what_has_no_canonical_form_is_not_signed():
    with pytest.raises(ValueError, match="UTF-8"):
        sign_receipt(changed(note="\ud800"), None, "a", KEY)


@given(
    st.sampled_from([*payload_of(1), *(f"grp_{name}" for name in payload_of(1)["grp"])]),
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3) | st.just([]) | st.just({}),
)
def test_whatever_stands_in_it_a_receipt_is_read_or_refused(path, value):
    with suppress(InvalidReceipt):
        read_receipt(open_jws(sign_jws(HEADER, changed(**{path: value}), KEY)))
