"""Whoever has no good token learns nothing, whatever it tries: the same bytes, and the connection is over."""

import logging

import pytest

from tests.link.bystander import ALICE, open_site
from tests.link.frames import CLOSE, frame_of
from tests.link.raw import Closed, dialled
from tests.link.stages import Tokens

SAID = {
    "a bad token": '{"type":"hello","token":"bad"}',
    "an empty token": '{"type":"hello","token":""}',
    "a revoked token": '{"type":"hello","token":"user:revoked"}',
    "a token that is too long": '{"type":"hello","token":"' + "x" * 9_000 + '"}',
    "a token that is none": '{"type":"hello","token":5}',
    "no token": '{"type":"hello"}',
    "a worker's bad token": '{"type":"hello","token":"bad","serves":["s1"],"nonce":"0123456789abcdef"}',
    "no JSON": "{",
    "nothing": "",
    "nested": "[" * 100_000,
    "no message": '{"type":"x"}',
    "a get first": '{"type":"get","id":1,"kind":"questions","input":{"session":"s1"}}',
    "a get of nothing": '{"type":"get","id":1,"kind":"nothing"}',
    "a call first": '{"type":"call","id":1,"object":1,"method":"answer"}',
    "a ping first": '{"type":"ping","id":1}',
    "a reply first": '{"type":"pong","id":1,"now":1}',
    "a megabyte": " " * 2**20,
    "a burst": '{"type":"ping","id":1}',
}


class Strict(Tokens):
    def authenticate(self, token, now):
        return super().authenticate(token, now) if token in ("user:innocent", "user:alice") else None


async def bytes_for(server, said, times=1):
    async with dialled(server) as peer:
        await peer.send(frame_of(said) * times)
        heard = [await peer.next_frame()]
        while heard[-1].opcode != CLOSE:
            heard.append(await peer.next_frame())
        return heard


@pytest.mark.parametrize("name", SAID)
async def test_a_stranger_is_told_the_same_whatever_it_has_said(name):
    async with open_site(Strict()) as site:
        usual = await bytes_for(site.server, SAID["a bad token"])
        assert [frame.raw for frame in usual] == [
            frame.raw for frame in await bytes_for(site.server, SAID[name], times=100 if name == "a burst" else 1)
        ]
        bye, closed = usual
        assert (closed.opcode, closed.code, closed.payload[2:]) == (CLOSE, 1008, b"")
        assert b'"unauthenticated"' in bye.payload
        assert ALICE not in site.server.by_principal


async def test_a_goodbye_is_the_last_word_of_the_server():
    async with open_site(Strict()) as site, dialled(site.server) as peer:
        await peer.say('{"type":"hello","token":"bad"}', '{"type":"hello","token":"user:alice"}')
        bye, closed = await peer.hear_all()
        assert (bye["type"], closed) == ("goodbye", Closed(1008))
        assert ALICE not in site.server.by_principal


async def test_no_token_gets_into_the_log(caplog):
    caplog.set_level(logging.DEBUG)
    async with open_site(Strict()) as site:
        await bytes_for(site.server, '{"type":"hello","token":"s3cr3t-t0ken"}')
        await bytes_for(site.server, '{"type":"hello","tokem":"s3cr3t-t0ken"}')
    assert "s3cr3t" not in caplog.text
