"""A JWS is read in one way and by one algorithm, and whatever is wrong with it has a name and a place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.rooms import jws as module
from questions.rooms.errors import InvalidJws
from questions.rooms.jws import from_base64url, open_jws, sign_jws, to_base64url
from tests.questions.rooms.receipts import KEY, OTHER_KEY, segment

HEADER = {"alg": "EdDSA", "kid": "a", "typ": "grp-receipt+jwt"}
SIGNED = sign_jws(HEADER, {"a": 1}, KEY)
SIGNATURE = SIGNED.rpartition(".")[2]


def refused(text, key=KEY):
    """The reason and the faults of a JWS that is none."""
    with pytest.raises(InvalidJws) as error:
        open_jws(text).verify(key)
    return error.value.reason, list(error.value.faults)


def made(header=HEADER, payload=None, signature=SIGNATURE):
    return f"{segment(header)}.{segment({'a': 1} if payload is None else payload)}.{signature}"


def test_what_was_signed_is_read_again():
    opened = open_jws(SIGNED)
    opened.verify(KEY)
    assert (opened.header, opened.payload.value) == (HEADER, {"a": 1})


def test_the_same_is_always_signed_in_the_same_way():
    assert sign_jws(dict(reversed(HEADER.items())), {"a": 1.0}, KEY) == SIGNED


def test_another_key_has_not_signed_it():
    assert refused(SIGNED, OTHER_KEY)[0] == "signature_invalid"


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (b"", "header"),
        (b"x", "header"),
        ([], "header"),
        ("EdDSA", "header"),
        ({}, "header"),
        ({"alg": None}, "header"),
        ({"alg": ["EdDSA"]}, "header"),
        ({**HEADER, "crit": []}, "header"),
        ({**HEADER, "crit": ["b64"], "b64": False}, "header"),
        (b'{"alg":"none","alg":"EdDSA"}', "header"),
        (b'{"alg":"EdDSA","x":"' + b"y" * 5000 + b'"}', "header"),
        ({"alg": "none"}, "alg_unsupported"),
        ({"alg": "NONE"}, "alg_unsupported"),
        ({"alg": "HS256"}, "alg_unsupported"),
        ({"alg": "Ed25519"}, "alg_unsupported"),
        ({"alg": "eddsa"}, "alg_unsupported"),
        ({"alg": "EdDSA "}, "alg_unsupported"),
    ],
)
def test_a_header_asks_for_the_one_algorithm_and_nothing_else(header, reason):
    found, faults = refused(made(header))
    assert found == reason
    assert all(fault.startswith("$.header") for fault in faults)


@pytest.mark.parametrize("payload", [b"", b"{", b"NaN", b'{"a":1,"a":2}', b"1e400", b'"\\ud800"', b"[" * 9999, b"\xff"])
def test_a_payload_is_json(payload):
    reason, faults = refused(made(payload=payload))
    assert reason == "payload_decode"
    assert all(fault.startswith("$.payload") for fault in faults)


@pytest.mark.parametrize(
    ("signature", "reason"),
    [
        ("", "signature_invalid"),
        (SIGNATURE[:-4], "signature_invalid"),
        (SIGNATURE + "AAAA", "signature_invalid"),
        (to_base64url(bytes(64)), "signature_invalid"),
        (SIGNATURE + "==", "shape"),
        (SIGNATURE[:-1], "shape"),
        ("+" + SIGNATURE[1:], "shape"),
        (SIGNATURE + "\n", "shape"),
        (" " + SIGNATURE, "shape"),
        ("é" + SIGNATURE[1:], "shape"),
        (SIGNATURE[:-1] + chr(ord(SIGNATURE[-1]) + 1), "shape"),
    ],
)
def test_a_signature_is_written_in_the_one_way_there_is(signature, reason):
    found, faults = refused(made(signature=signature))
    assert found == reason
    assert faults[0].startswith("$.signature: ")


def test_the_other_half_of_a_signature_is_no_signature():
    """S and S + L sign the same to those who do not look (RFC 8032, 5.1.7)."""
    order = 2**252 + 27742317777372353535851937790883648493
    raw = from_base64url(SIGNATURE) or b""
    twin = raw[:32] + (int.from_bytes(raw[32:], "little") + order).to_bytes(32, "little")
    assert refused(f"{SIGNED.rpartition('.')[0]}.{to_base64url(twin)}")[0] == "signature_invalid"


@pytest.mark.parametrize("text", ["", ".", "a.b", "a.b.c.d", "....."])
def test_there_are_three_segments(text):
    assert refused(text)[0] == "shape"


def test_a_jws_has_an_end(monkeypatch):
    monkeypatch.setattr(module, "LONGEST_JWS", len(SIGNED) - 1)
    assert refused(SIGNED) == ("shape", [f"$: has {len(SIGNED)} characters, more than {len(SIGNED) - 1}"])


def test_every_fault_is_told_and_the_first_check_that_failed_gives_the_reason():
    reason, faults = refused(f"{segment({'crit': []})}.{segment(b'{')}.*")
    assert reason == "header"
    assert [fault.split(":")[0] for fault in faults] == ["$.header.alg", "$.header.crit", "$.payload", "$.signature"]
    assert refused(made({"alg": "none"}, b"{", ""))[0] == "payload_decode"


@given(st.binary(max_size=40))
def test_base64url_leads_back_to_the_same_bytes(data):
    assert from_base64url(to_base64url(data)) == data


@given(st.text("AQgw-_Zz09=+/ \n", max_size=9))
def test_bytes_have_one_base64url(text):
    data = from_base64url(text)
    assert data is None or to_base64url(data) == text


@given(st.integers(0, len(SIGNED) - 1), st.integers(0, 255))
def test_a_byte_that_is_changed_is_found(place, byte):
    changed = bytearray(SIGNED.encode())
    changed[place] = byte
    if changed != SIGNED.encode():
        refused(changed.decode("latin-1"))
