"""A server proves that it has the keys, to whoever has asked just now."""

import pytest

from facets import InvalidToken, Principal
from facets.link.keys import KeyRing
from facets.link.tokens import TokenIssuer, check_proof, prove
from tests.facets.link.forging import ANA, NOW, changed, signed

HOST = Principal.server("host")
NONCE = "0123456789abcdef"


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    return KeyRing(tmp_path_factory.mktemp("proofs") / "keys.json", create=True)


def check(keys, proof, nonce=NONCE, now=NOW, **options):
    return check_proof(proof, nonce, keys.public(), now, **{"leeway": 0, **options})


def forged(keys, typ="facets-proof+jwt", **changes):
    good = {"aud": "facets.proof", "sub": "server:host", "nonce": NONCE, "iat": NOW, "exp": NOW + 60}
    said = {name: value for name, value in {**good, **changes}.items() if value is not None}
    return signed(keys, said, typ=typ)


def test_a_proof_names_the_server(keys):
    assert check(keys, prove(keys, HOST, NONCE, NOW)) == check(keys, forged(keys)) == HOST


@pytest.mark.parametrize("leeway", [0, 10])
def test_a_proof_is_good_for_a_minute(keys, leeway):
    proof = prove(keys, HOST, NONCE, NOW)
    times = [NOW - leeway - 0.1, NOW - leeway, NOW + 59.9 + leeway, NOW + 60 + leeway]
    assert [check(keys, proof, now=now, leeway=leeway) for now in times] == [None, HOST, HOST, None]


def test_a_proof_for_another_nonce_proves_nothing(keys):
    assert check(keys, prove(keys, HOST, "another-nonce-16", NOW)) is None
    assert check(keys, forged(keys, nonce=10**16), nonce=str(10**16)) is None
    assert check(keys, forged(keys, nonce=""), nonce="") is None


def test_keys_made_since_are_not_known(keys, tmp_path):
    others = KeyRing(tmp_path / "others.json", create=True)
    before = others.public()
    others.rotate()
    assert check_proof(prove(others, HOST, NONCE, NOW), NONCE, before, NOW) is None
    assert check_proof(prove(others, HOST, NONCE, NOW), NONCE, others.public(), NOW) == HOST
    assert check(keys, prove(others, HOST, NONCE, NOW)) is None


def test_what_another_process_has_made_signs(keys):
    KeyRing(keys.path).rotate()
    proof = prove(keys, HOST, NONCE, NOW)
    assert check(KeyRing(keys.path), proof) == HOST


@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_changed_proof_is_refused(keys, part):
    assert check(keys, changed(prove(keys, HOST, NONCE, NOW), part, 5)) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"typ": "facets+jwt"},
        {"aud": "facets.link"},
        {"sub": "user:ana"},
        {"sub": "host"},
        {"exp": NOW + 61},
        {"exp": "later"},
        {"iat": None},
        {"nonce": None},
        {"more": 1},
    ],
)
def test_what_is_no_proof_is_refused(keys, changes):
    assert check(keys, forged(keys, **changes)) is None


def test_a_token_is_no_proof(keys):
    assert check(keys, TokenIssuer(keys).issue(ANA, NOW).token) is None


@pytest.mark.parametrize("garbage", ["", "..", "a.b.c", "A" * 10_000, f"A.A.{'A' * 86}", None])
def test_garbage_is_refused(keys, garbage):
    assert check(keys, garbage) is None


@pytest.mark.parametrize("jwks", [{}, {"keys": []}, {"keys": [7]}])
def test_without_keys_nothing_is_proven(keys, jwks):
    assert check_proof(prove(keys, HOST, NONCE, NOW), NONCE, jwks, NOW) is None


@pytest.mark.parametrize("nonce", ["", "short", "with blanks in it", "\n" * 16, "a" * 257])
def test_a_nonce_has_to_be_one(keys, nonce):
    with pytest.raises(InvalidToken):
        prove(keys, HOST, nonce, NOW)


def test_why_is_in_the_log_and_not_the_proof(keys, caplog):
    proof = prove(keys, HOST, NONCE, NOW)
    check(keys, proof, now=NOW + 100)
    assert [record.getMessage() for record in caplog.records] == [
        "the proof of a server was refused: it is not from just now"
    ]
    assert not any(part in caplog.text for part in proof.split("."))
