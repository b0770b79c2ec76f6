"""What a peer wants proven is checked like everything else that it sends."""

from functools import partial

import pytest

from facets import Principal
from facets.link import KeyRing, check_proof, prove
from tests.link.bystander import ALICE, open_site
from tests.link.raw import Closed, dialled

GOOD = "0123456789abcdef"
NOW = 1_800_000_000.0


@pytest.fixture
def keys(tmp_path):
    return KeyRing(tmp_path / "keys.json", create=True)


def proving(keys, nonce):
    return prove(keys, Principal.server("main"), nonce, NOW)


async def said_to(site, nonce):
    async with dialled(site.server) as peer:
        await peer.say({"type": "hello", "token": "user:alice", "nonce": nonce})
        return [await peer.hear(), await peer.hear()] if nonce != GOOD else [await peer.hear()]


@pytest.mark.parametrize("nonce", ["x", "0123456789 abcdef", "\u0000" * 20, "é" * 20])
async def test_a_nonce_that_is_none_ends_the_connection_and_says_why(keys, nonce, caplog):
    async with open_site() as site:
        site.server.prove = partial(proving, keys)
        goodbye, end = await said_to(site, nonce)
        assert (goodbye["type"], goodbye["code"], end) == ("goodbye", "invalid_token", Closed(1008))
        assert ALICE not in site.server.by_principal
    assert "Traceback" not in caplog.text


async def test_a_good_nonce_is_signed(keys):
    async with open_site() as site:
        site.server.prove = partial(proving, keys)
        (welcome,) = await said_to(site, GOOD)
        assert check_proof(welcome["proof"], GOOD, keys.public(), NOW) == Principal.server("main")
