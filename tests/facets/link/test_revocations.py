"""What was revoked stays so, for every process; a list that cannot be trusted revokes everything."""

import json
import logging
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facets import InvalidRevocations, Principal
from facets.link.identity import LONGEST_LIFETIME, Identity
from facets.link.revocations import Revocations
from tests.facets.link.elsewhere import revoke_elsewhere
from tests.facets.link.forging import ANA, NOW

ONE, TWO = "1" * 32, "2" * 32
DAY = 86_400


@pytest.fixture
def path(tmp_path):
    return tmp_path / "keys.json.revoked"


@pytest.fixture
def revocations(path):
    return Revocations(path)


def identity(id=ONE, principal=ANA, issued=NOW):
    return Identity(principal, None, frozenset(), id, issued, issued + 60)


def test_at_first_nothing_is_revoked_and_there_is_a_file(revocations, path):
    assert not revocations.is_revoked(identity())
    assert path.read_bytes() == b""
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_token_is_revoked_for_good(revocations, path):
    revocations.revoke_token(ONE, NOW + 60)
    for each in (revocations, Revocations(path)):
        assert each.is_revoked(identity(ONE))
        assert not each.is_revoked(identity(TWO))


def test_of_a_principal_what_was_issued_before_is_revoked(revocations, path):
    revocations.revoke_principal(ANA, NOW)
    for each in (revocations, Revocations(path)):
        assert each.is_revoked(identity(issued=NOW - 0.001))
        assert not each.is_revoked(identity(issued=NOW))
        assert not each.is_revoked(identity(issued=NOW - 1, principal=Principal.guest("ana")))


def test_an_earlier_time_takes_nothing_back(revocations):
    revocations.revoke_principal(ANA, NOW)
    revocations.revoke_principal(ANA, NOW - 10)
    assert revocations.is_revoked(identity(issued=NOW - 5))


def test_what_another_process_revokes_is_seen(revocations, path):
    assert not revocations.is_revoked(identity())
    assert revoke_elsewhere(path, ONE).wait(60) == 0
    assert revocations.is_revoked(identity())


def test_processes_that_revoke_at_once_lose_nothing(revocations, path):
    ids = [f"{number:032x}" for number in range(4)]
    running = [revoke_elsewhere(path, id) for id in ids]
    assert [each.wait(60) for each in running] == [0] * 4
    assert all(revocations.is_revoked(identity(id)) for id in ids)


@pytest.mark.parametrize("length", [0, 1, 5, 9, 10, 30, 60])
def test_a_line_that_was_cut_off_is_none(revocations, path, length):
    revocations.revoke_token(ONE, NOW)
    whole = path.read_bytes()
    path.write_bytes(whole + whole.replace(b"1" * 32, b"2" * 32)[:length])
    again = Revocations(path)
    assert again.is_revoked(identity(ONE))
    assert not again.is_revoked(identity(TWO))
    again.revoke_principal(ANA, NOW)
    assert path.read_bytes() == whole + b'{"principal":"user:ana","before":1800000000.25}\n'


def test_a_line_written_by_hand_needs_no_line_end(revocations, path):
    path.write_text(json.dumps({"token": ONE, "expires": NOW}))
    assert revocations.is_revoked(identity(ONE))
    revocations.revoke_token(TWO, NOW)
    assert Revocations(path).is_revoked(identity(ONE))
    assert revocations.is_revoked(identity(TWO))
    assert len(path.read_text().splitlines()) == 2


BAD_LINES = [
    "",
    "[]",
    "7",
    "garbage",
    '{"token":"x","expires":1}',
    f'{{"token":"{ONE}"}}',
    f'{{"token":"{ONE}","expires":true}}',
    f'{{"token":"{ONE}","expires":NaN}}',
    f'{{"token":"{ONE}","expires":"1"}}',
    f'{{"token":"{ONE}","expires":1,"more":1}}',
    '{"principal":"ana","before":1}',
    '{"principal":"user:ana","before":Infinity}',
    '{"session":"s1","before":1}',
    "\\0\\0\\0",
]


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_list_with_anything_else_in_it_is_refused(path, line):
    path.touch(0o600)
    path.write_text(f'{line}\n{{"token":"{ONE}","expires":1}}\n{line}\n')
    with pytest.raises(InvalidRevocations) as refused:
        Revocations(path)
    assert refused.value.faults == ("line 1 is no entry", "line 3 is no entry")


@pytest.mark.parametrize("last", [b"garbage", b"\0\0", b"[", b'{"session'])
def test_a_last_line_that_is_no_beginning_of_an_entry_is_refused(path, last):
    path.touch(0o600)
    path.write_bytes(last)
    with pytest.raises(InvalidRevocations, match="line 1 is no entry"):
        Revocations(path)


@given(st.binary(min_size=1))
def test_garbage_never_revokes_less_than_it_says(tmp_path_factory, garbage):
    """It is refused, or every line of it, but for a last one cut off, is an entry."""
    path = tmp_path_factory.mktemp("garbage") / "revoked"
    path.touch(0o600)
    path.write_bytes(garbage)
    try:
        Revocations(path)
    except InvalidRevocations:
        return
    assert b'{"'.startswith(garbage[:2])


DAMAGES = [
    lambda path: path.write_text("garbage"),
    lambda path: path.write_bytes(b"\n" * 10),
    lambda path: path.chmod(0o644),
    lambda path: path.unlink(),
    lambda path: path.rename(path.with_name("elsewhere")).touch() or path.mkdir(),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_list_that_becomes_unusable_revokes_everything_and_says_so_once(revocations, path, caplog, damage):
    revocations.revoke_token(ONE, NOW)
    damage(path)
    assert [revocations.is_revoked(identity(id)) for id in (ONE, TWO, TWO)] == [True] * 3
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("facets.link", logging.ERROR)
    assert record.getMessage().startswith(f"no token is accepted: list of revoked tokens {path}: ")


def test_once_repaired_it_says_again_what_is_revoked(revocations, path):
    revocations.revoke_token(ONE, NOW)
    path.chmod(0o604)
    assert revocations.is_revoked(identity(TWO))
    path.chmod(0o600)
    assert [revocations.is_revoked(identity(id)) for id in (ONE, TWO)] == [True, False]


def test_nothing_is_added_to_a_list_that_cannot_be_trusted(revocations, path):
    path.write_bytes(b"garbage\n")
    with pytest.raises(InvalidRevocations):
        revocations.revoke_token(ONE, NOW)
    with pytest.raises(InvalidRevocations):
        revocations.compact(NOW)
    assert path.read_bytes() == b"garbage\n"


@pytest.mark.parametrize("id", ["", "x", "A" * 32, ONE + "\n", "1" * 33])
def test_what_is_no_id_is_not_added(revocations, path, id):
    with pytest.raises(InvalidRevocations, match="this is none"):
        revocations.revoke_token(id, NOW)
    with pytest.raises(InvalidRevocations, match="this is none"):
        revocations.revoke_token(ONE, float("nan"))
    assert path.read_bytes() == b""


def test_a_full_list_is_not_added_to(revocations, path, monkeypatch):
    revocations.revoke_token(ONE, NOW)
    monkeypatch.setattr("facets.link.revocations._LARGEST_FILE", path.stat().st_size)
    with pytest.raises(InvalidRevocations, match="is full"):
        revocations.revoke_token(TWO, NOW)
    assert not revocations.is_revoked(identity(TWO))


def test_compacting_drops_what_has_expired_and_nothing_else(revocations, path):
    revocations.revoke_token(ONE, NOW)
    revocations.revoke_token(TWO, NOW + 10 * DAY)
    revocations.revoke_principal(ANA, NOW - 5)
    revocations.revoke_principal(ANA, NOW)
    assert revocations.compact(NOW) == 1, "of the two times for one principal"
    assert revocations.compact(NOW + 2 * DAY) == 1
    assert [revocations.is_revoked(identity(id)) for id in (ONE, TWO)] == [False, True]
    assert revocations.is_revoked(identity(issued=NOW - 1))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert revocations.compact(NOW + LONGEST_LIFETIME + 2 * DAY) == 2
    assert path.read_bytes() == b""


def test_compacting_when_there_is_nothing_to_drop_writes_nothing(revocations, path):
    revocations.revoke_token(ONE, NOW)
    before = path.stat()
    assert revocations.compact(NOW) == 0
    assert path.stat() == before


def test_what_is_revoked_while_another_compacts_stays_revoked(revocations, path):
    revocations.revoke_token(ONE, NOW)
    other = Revocations(path)
    assert other.compact(NOW + 2 * DAY) == 1
    revocations.revoke_token(TWO, NOW)
    assert other.is_revoked(identity(TWO))


def test_it_shows_how_much_is_in_it(revocations, path):
    revocations.revoke_token(ONE, NOW)
    assert repr(revocations) == f"Revocations('{path}', 1 tokens, 0 principals)"
    path.unlink()
    revocations.is_revoked(identity())
    assert "unusable" in repr(revocations)
