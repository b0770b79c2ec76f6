"""Tokens that are taken back, or run out, while somebody is connected with them; others notice nothing."""

import logging

import pytest
import trio

from tests.link.raw import Closed, dialled, greeted
from tests.link.tokens import open_guarded

SOON = 3.0
"""Seconds; the server looks once a second."""


async def assert_sent_away(peer):
    with trio.fail_after(SOON):
        goodbye, end = await peer.hear_all()
    assert (goodbye["type"], goodbye["code"]) == ("goodbye", "unauthenticated")
    assert end == Closed(1008)


async def assert_refused(server, token):
    async with dialled(server) as peer:
        await peer.say({"type": "hello", "token": token})
        await assert_sent_away(peer)


async def assert_still_there(peer):
    await peer.say({"type": "ping", "id": 999})
    assert (await peer.hear())["type"] == "pong"


def revoke_token(guarded, issued):
    guarded.revocations.revoke_token(issued.identity.token_id, issued.identity.expires)


def revoke_principal(guarded, issued):
    guarded.revocations.revoke_principal(issued.identity.principal, guarded.clock.now + 1)


async def test_a_clock_that_is_set_back_sends_nobody_away(tmp_path):
    async with open_guarded(tmp_path) as guarded, greeted(guarded.server, guarded.token("user:ana")) as ana:
        guarded.clock.now -= 86_400
        (peer,) = guarded.server.peers
        assert guarded.server.authenticator.still_valid(peer.identity, guarded.clock.now), "which is asked every second"
        await assert_still_there(ana)


@pytest.mark.parametrize("revoke", [revoke_token, revoke_principal])
async def test_a_revoked_token_ends_its_connection(tmp_path, revoke):
    async with open_guarded(tmp_path) as guarded:
        issued = guarded.issue("user:ana")
        async with (
            greeted(guarded.server, issued.token) as ana,
            greeted(guarded.server, guarded.token("user:bo")) as bo,
        ):
            revoke(guarded, issued)
            await assert_sent_away(ana)
            await assert_still_there(bo)
        await assert_refused(guarded.server, issued.token)


async def test_another_token_of_the_same_principal_stays_good(tmp_path):
    async with open_guarded(tmp_path) as guarded:
        lost, kept = guarded.issue("user:ana"), guarded.issue("user:ana")
        async with greeted(guarded.server, lost.token) as thief, greeted(guarded.server, kept.token) as ana:
            revoke_token(guarded, lost)
            await assert_sent_away(thief)
            await assert_still_there(ana)


async def test_a_token_that_expires_ends_its_connection(tmp_path):
    async with open_guarded(tmp_path) as guarded:
        short, long = guarded.issue("user:ana", lifetime=60), guarded.issue("user:bo", lifetime=3600)
        async with greeted(guarded.server, short.token) as ana, greeted(guarded.server, long.token) as bo:
            guarded.clock.now += 120
            await assert_sent_away(ana)
            await assert_still_there(bo)
        await assert_refused(guarded.server, short.token)


async def test_a_retired_key_ends_the_connections_of_its_tokens(tmp_path):
    async with open_guarded(tmp_path) as guarded:
        old = guarded.issue("user:ana")
        guarded.keys.rotate()
        async with (
            greeted(guarded.server, old.token) as ana,
            greeted(guarded.server, guarded.token("user:bo")) as bo,
        ):
            guarded.keys.retire(old.identity.key_id)
            await assert_sent_away(ana)
            await assert_still_there(bo)
        await assert_refused(guarded.server, old.token)


@pytest.mark.parametrize("name", ["keys.json", "keys.json.revoked"])
@pytest.mark.parametrize("fault", ["garbage", "gone", "readable by others"])
async def test_no_token_is_taken_while_the_list_of_revocations_cannot_be_read(tmp_path, caplog, name, fault):
    """Nor while the keys cannot; both hold again once they are repaired."""
    caplog.set_level(logging.ERROR, "facets.link")
    async with open_guarded(tmp_path) as guarded:
        token = guarded.token("user:ana")
        async with greeted(guarded.server, token) as ana:
            before = (tmp_path / name).read_bytes()
            spoil(tmp_path / name, fault)
            await assert_sent_away(ana)
        await assert_refused(guarded.server, token)
        repair(tmp_path / name, before)
        async with greeted(guarded.server, token) as ana:
            await assert_still_there(ana)
    assert len([record for record in caplog.records if record.name == "facets.link"]) == 1


def spoil(path, fault):
    if fault == "garbage":
        path.write_bytes(b"{}\n")
    elif fault == "gone":
        path.unlink()
    else:
        path.chmod(0o644)


def repair(path, content):
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(content)
