"""A key ring: one key signs, old ones verify, and a file that others could have read or made is not trusted."""

import hashlib
import json
import os
import stat
import sys

import pytest

from facets import CannotRetire, InvalidKeyFile, MissingExtra
from facets.link.keys import KeyRing, public_keys
from tests.facets.link.elsewhere import rotate_elsewhere
from tests.facets.link.forging import b64
from tests.questions.canary import Watch

# The key of RFC 8037, appendix A.
EXAMPLE = {
    "kty": "OKP",
    "crv": "Ed25519",
    "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    "kid": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "keys.json"


@pytest.fixture
def keys(path):
    return KeyRing(path, create=True)


def put(path, content):
    path.touch(0o600)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())


def faults_of(path):
    with pytest.raises(InvalidKeyFile) as refused:
        KeyRing(path)
    assert refused.value.path == str(path)
    return list(refused.value.faults)


def test_a_first_key_is_made_for_the_owner_alone(tmp_path):
    keys = KeyRing(tmp_path / "state" / "keys.json", create=True)
    assert len(keys.kids) == 1
    assert stat.S_IMODE(keys.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(keys.path.parent.stat().st_mode) == 0o700


def test_keys_that_are_there_are_not_made_anew(keys, path):
    assert KeyRing(path, create=True).kids == KeyRing(path).kids == keys.kids


def test_without_being_told_to_no_file_is_made(path):
    assert faults_of(path) == ["cannot be opened: No such file or directory"]
    assert not path.exists()


def test_the_id_of_a_key_is_its_thumbprint(keys, path):
    (entry,) = keys.public()["keys"]
    needed = json.dumps({name: entry[name] for name in ("crv", "kty", "x")}, separators=(",", ":"))
    assert keys.kids == (b64(hashlib.sha256(needed.encode()).digest()),)


def test_the_example_of_the_standard_can_be_used(path):

    put(path, {"keys": [EXAMPLE]})
    assert KeyRing(path).kids == (EXAMPLE["kid"],)


def test_the_public_set_has_no_private_part(keys):
    keys.rotate()
    entries = keys.public()["keys"]
    assert [entry["kid"] for entry in entries] == list(keys.kids)
    assert all(set(entry) == {"kty", "crv", "x", "kid", "alg", "use"} for entry in entries)
    assert set(public_keys(keys.public())) == set(keys.kids)


def test_a_new_key_signs_and_the_old_ones_stay(keys, path):
    (old,) = keys.kids
    new = keys.rotate()
    assert keys.kids == KeyRing(path).kids == (new, old)
    assert keys.signing[0] == new
    assert old in keys
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_retired_key_is_gone(keys, path):
    (old,) = keys.kids
    keys.rotate()
    keys.retire(old)
    assert old not in keys
    assert keys.find(old) is None
    assert old not in path.read_text()


def test_the_key_that_signs_cannot_be_retired(keys):
    before = keys.kids
    with pytest.raises(CannotRetire, match="rotate first"):
        keys.retire(keys.kids[0])
    with pytest.raises(CannotRetire, match=f"there is no such key; there are {keys.kids[0]}"):
        keys.retire("other")
    assert keys.kids == before


def test_what_another_process_has_changed_is_seen(keys, path):
    assert keys.refresh() is False
    assert rotate_elsewhere(path).wait(60) == 0
    assert keys.refresh() is True
    assert len(keys.kids) == 2


def test_processes_that_rotate_at_once_lose_no_key(keys, path):
    running = [rotate_elsewhere(path) for _ in range(4)]
    assert [each.wait(60) for each in running] == [0] * 4
    assert len(set(KeyRing(path).kids)) == 5


def test_rotating_builds_on_what_is_there_now(keys, path):
    KeyRing(path).rotate()
    keys.rotate()
    assert len(keys.kids) == 3


def test_there_is_a_most_of_keys(keys, monkeypatch):
    monkeypatch.setattr("facets.link.keys._MOST_KEYS", 2)
    keys.rotate()
    with pytest.raises(InvalidKeyFile, match="retire some"):
        keys.rotate()
    assert len(keys.kids) == 2


def test_a_file_that_becomes_unusable_leaves_no_keys_until_it_is_repaired(keys, path):
    before = keys.kids
    path.chmod(0o644)
    for _ in range(2):
        with pytest.raises(InvalidKeyFile, match="chmod 600"):
            keys.refresh()
        assert keys.kids == ()
    path.chmod(0o600)
    assert keys.refresh() is True
    assert keys.kids == before


def test_when_rotating_fails_nothing_has_changed(keys, path, monkeypatch):
    def no_space(_):
        raise OSError(28, "No space left on device")

    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(InvalidKeyFile, match="No space left"):
        keys.rotate()
    assert path.read_bytes() == before
    assert KeyRing(path).kids == keys.kids


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o622, 0o777])
def test_a_file_that_others_can_use_is_refused(keys, path, mode):
    path.chmod(mode)
    (fault,) = faults_of(path)
    assert f"mode {mode:04o}" in fault


def test_what_is_no_file_is_refused(path):
    path.mkdir()
    assert faults_of(path) == ["is not a regular file"]
    with pytest.raises(InvalidKeyFile):
        KeyRing(path, create=True)


def test_every_fault_is_listed_and_no_value_quoted(path):
    put(path, {"keys": [{"kty": "oct", "k": "canary"}, {**EXAMPLE, "d": "canary", "use": "enc"}, "canary"]})
    path.chmod(0o640)
    faults = faults_of(path)
    assert faults[1:] == [
        "$.keys[0].kty: must be OKP",
        "$.keys[0].crv: must be Ed25519",
        "$.keys[0].d: must be 32 bytes in base64url",
        "$.keys[0].x: must be 32 bytes in base64url",
        "$.keys[1].use: must be sig",
        "$.keys[1].d: must be 32 bytes in base64url",
        "$.keys[2]: must be an object",
    ]
    assert "canary" not in str(faults)


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"{", b"[]", b"{}", b'{"keys":{}}', b'{"keys":[]}', b"[" * 60_000, {"keys": [1] * 101}]
)
def test_what_is_no_set_of_keys_is_refused(path, content):
    put(path, content)
    assert faults_of(path) == ["$.keys: must be 1 to 100 keys, as JSON"]


def test_a_file_that_is_too_large_is_not_read(path):
    put(path, b" " * 65_537)
    assert faults_of(path) == ["has 65537 bytes, more than 65536"]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"x": "A" * 43}, "$.keys[0].x: does not belong to d"),
        ({"kid": "mine"}, "$.keys[0].kid: must be the thumbprint of the key (RFC 7638)"),
        ({"kid": None}, "$.keys[0].kid: must be the thumbprint of the key (RFC 7638)"),
        ({"d": "_" * 43}, "$.keys[0]: is not an Ed25519 key"),
        ({"alg": "EdDSA"}, "$.keys[0].alg: must be Ed25519"),
    ],
)
def test_a_key_that_is_not_what_it_says_is_refused(path, change, fault):
    put(path, {"keys": [{**EXAMPLE, **change}]})
    assert fault in faults_of(path)


def test_a_key_that_is_there_twice_is_refused(path):
    put(path, {"keys": [EXAMPLE, EXAMPLE]})
    assert faults_of(path) == ["$.keys[1]: is there twice"]


def test_a_public_set_of_others_may_hold_other_keys(keys):
    others = [{"kty": "RSA"}, 7, {"kty": "OKP", "crv": "Ed25519", "x": "?"}]
    assert set(public_keys({"keys": [*others, *keys.public()["keys"]]})) == set(keys.kids)
    assert public_keys({}) == public_keys({"keys": []}) == {}


def test_key_material_is_in_no_text(keys, path, monkeypatch):
    private = json.loads(path.read_text())["keys"][0]["d"]
    watch = Watch()
    watch.note(repr(keys), str(keys), repr(keys.signing), repr(keys.public()))
    path.chmod(0o644)
    for use in (keys.refresh, keys.rotate, lambda: KeyRing(path)):
        with pytest.raises(InvalidKeyFile) as refused:
            use()
        watch.refused(refused.value)
    put(path, path.read_bytes().replace(b"OKP", b"OK"))
    with pytest.raises(InvalidKeyFile) as refused:
        KeyRing(path)
    watch.refused(refused.value)
    assert not [text for text in watch.texts if private in text]


def test_without_the_library_it_says_what_to_install(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "joserfc", None)
    with pytest.raises(MissingExtra, match=r"question-broker\[serve\]"):
        KeyRing(path, create=True)
    assert not path.exists()
