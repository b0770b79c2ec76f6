"""The keys of a host are its own alone, and none of them is ever lost."""

import pytest

from facets.errors import InvalidKeyFile
from questions.rooms.chain import verify_chain
from questions.rooms.keys import RoomKeys
from questions.rooms.public_keys import read_jwks
from questions.rooms.receipt import receipt_hash, sign_receipt
from tests.questions.rooms.receipts import payload_of


@pytest.fixture
def keys(tmp_path):
    return RoomKeys(tmp_path / "rooms" / "keys.json", create=True)


def test_what_it_signs_is_verified_with_what_it_publishes(keys):
    text = sign_receipt(payload_of(1), None, *keys.signing)
    for public in (read_jwks(keys.jwks()), keys.public):
        assert verify_chain([text], public).receipts[0].kid == keys.signing[0]


def test_it_publishes_no_private_half_and_the_algorithm_of_the_protocol(keys):
    assert [(key["alg"], key["use"], "d" in key) for key in keys.jwks()["keys"]] == [("EdDSA", "sig", False)]
    assert keys.signing[1].as_dict(private=True)["d"] not in repr(keys)


def test_a_new_key_signs_and_the_old_one_stays(keys):
    first = sign_receipt(payload_of(1), None, *keys.signing)
    kid = keys.rotate()
    second = sign_receipt(payload_of(2), receipt_hash(first), *keys.signing)
    assert keys.signing[0] == kid
    assert [receipt.kid for receipt in verify_chain([first, second], keys.public).receipts][1] == kid


def test_another_process_sees_a_new_key_when_it_looks(keys, tmp_path):
    other = RoomKeys(tmp_path / "rooms" / "keys.json")
    kid = keys.rotate()
    assert other.refresh()
    assert other.signing[0] == kid


def test_the_file_is_for_its_owner_alone(keys, tmp_path):
    file = tmp_path / "rooms" / "keys.json"
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    with pytest.raises(InvalidKeyFile, match="0644"):
        RoomKeys(file)


def test_there_is_no_key_without_a_file(tmp_path):
    with pytest.raises(InvalidKeyFile):
        RoomKeys(tmp_path / "nowhere.json")
