"""Keys are found by their ids, and none that could stand for another or prove nothing is used."""

import pytest

from questions.rooms.errors import InvalidJws, InvalidKeySet
from questions.rooms.jws import to_base64url
from questions.rooms.public_keys import (
    MOST_KEYS,
    did_key,
    key_of_did,
    make_private_key,
    make_public_key,
    read_jwks,
)
from tests.questions.rooms.receipts import KEY, OTHER_KEY, jwk, jwks

PRIME = 2**255 - 19
EIGHTH = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD83D3D706A17C7


def x_of(key):
    return key.as_dict(private=False)["x"]


def faults_of(document):
    with pytest.raises(InvalidKeySet) as refused:
        read_jwks(document)
    return list(refused.value.faults)


def unknown(keys, kid):
    with pytest.raises(InvalidJws) as refused:
        keys.find(kid)
    assert refused.value.reason == "kid_unknown"
    return refused.value.faults[0]


def test_a_key_is_found_by_its_id():
    keys = read_jwks(jwks(a=KEY, b=OTHER_KEY))
    assert keys.kids == ("a", "b")
    assert x_of(keys.find("b")) == x_of(OTHER_KEY)


@pytest.mark.parametrize("kid", [None, 7, ["a"], "", "c", "A"])
def test_an_unknown_id_is_told(kid):
    assert unknown(read_jwks(jwks(a=KEY)), kid).startswith("$.header.kid: ")


def test_the_page_of_a_host_is_a_set_as_well():
    assert read_jwks({"protocol_version": "0.1", **jwks(a=KEY)}).kids == ("a",)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kty": "EC"}, "another kind"),
        ({"crv": "X25519"}, "another kind"),
        ({"kty": "oct", "k": "c2VjcmV0"}, "another kind"),
        ({"alg": "HS256"}, "another algorithm"),
        ({"alg": None}, "another algorithm"),
        ({"use": "enc"}, "no key for signatures"),
        ({"key_ops": ["sign"]}, "no key for signatures"),
        ({"key_ops": 7}, "no key for signatures"),
        ({"x": 7}, "32 bytes"),
        ({"x": "AAAA"}, "32 bytes"),
        ({"x": "=" * 43}, "32 bytes"),
        ({"x": to_base64url((1).to_bytes(32, "little"))}, "anybody"),
    ],
)
def test_a_key_for_something_else_verifies_nothing_and_why_is_told(changes, said):
    keys = read_jwks({"keys": [jwk(OTHER_KEY, "b"), {**jwk(KEY, "a"), **changes}]})
    assert keys.kids == ("b",)
    assert said in unknown(keys, "a")


@pytest.mark.parametrize("alg", ["EdDSA", "Ed25519"])
def test_both_names_of_the_algorithm_are_good_for_keys(alg):
    assert read_jwks({"keys": [jwk(KEY, "a", alg=alg)]}).kids == ("a",)


def test_two_keys_with_one_id_are_refused_since_either_could_be_meant():
    assert faults_of({"keys": [jwk(KEY, "a"), jwk(OTHER_KEY, "a")]}) == ["$.keys[1].kid: is the id of another key, too"]
    assert faults_of({"keys": [jwk(KEY, "a", use="enc"), jwk(OTHER_KEY, "a")]})


def test_a_private_key_among_them_is_told_and_not_quoted():
    fault = faults_of({"keys": [{**jwk(KEY, "a"), "d": "a secret"}]})[0]
    assert fault.startswith("$.keys[0].d: is a private key")
    assert "a secret" not in fault


def test_every_fault_of_a_set_is_told():
    found = faults_of({"keys": [7, {"kty": "OKP"}, {**jwk(KEY, "a"), "kid": "x" * 513}]})
    assert [fault.split(":")[0] for fault in found] == ["$.keys[0]", "$.keys[1].kid", "$.keys[2].kid"]


@pytest.mark.parametrize("document", [None, 7, [], {}, {"keys": {}}, {"keys": [{}] * (MOST_KEYS + 1)}])
def test_what_is_no_set_is_refused(document):
    assert faults_of(document) == [f"$.keys: must be a list of at most {MOST_KEYS} keys"]


@pytest.mark.parametrize("y", [0, 1, PRIME - 1, PRIME, PRIME + 1, EIGHTH, PRIME - EIGHTH, 2**255 - 1])
@pytest.mark.parametrize("sign", [0, 1])
def test_a_key_for_which_anybody_can_sign_is_none(y, sign):
    with pytest.raises(InvalidKeySet, match="anybody"):
        make_public_key((y | sign << 255).to_bytes(32, "little"))


@pytest.mark.parametrize("raw", [b"", bytes(31), bytes(33)])
def test_a_key_has_32_bytes(raw):
    for make in (make_public_key, make_private_key):
        with pytest.raises(InvalidKeySet):
            make(raw)


def test_a_did_leads_back_to_its_key():
    assert did_key(KEY).startswith("did:key:z6Mk")
    assert x_of(key_of_did(did_key(KEY))) == x_of(KEY)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "did:key:",
        "did:key:z",
        "did:web:example.com",
        "did:key:z6Mk0",
        "did:key:z6MkVectorAgent",
        did_key(KEY)[:-1],
        did_key(KEY) + "1",
        did_key(KEY).replace("z6Mk", "z16Mk"),
        "did:key:z" + "9" * 10_000,
    ],
)
def test_a_did_that_is_none_is_refused(text):
    with pytest.raises(InvalidKeySet):
        key_of_did(text)
