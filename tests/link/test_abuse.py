"""Whatever a peer sends is refused with a type or ends its connection, and other people notice nothing."""

import pytest

from tests.link.abuses import CLOSED, HARMLESS, NO_MESSAGES, REFUSED
from tests.link.bystander import open_site
from tests.link.raw import Closed, greeted


def rows(table):
    return pytest.mark.parametrize(
        ("what", "result"), [(what, code) for _, what, code in table], ids=[n for n, *_ in table]
    )


async def is_served(peer):
    """Whether a connection works as ever after what has been refused on it."""
    id = 1_000
    await peer.say({"type": "ping", "id": id})
    return await peer.until("pong", id)


@pytest.mark.parametrize("what", NO_MESSAGES.values(), ids=NO_MESSAGES)
async def test_what_is_no_message_is_refused_as_such(what):
    async with open_site() as site, greeted(site.server, "user:alice") as peer:
        await peer.get()
        await peer.say(what)
        heard = await peer.until("refused")
        assert heard["code"] == "invalid_message"
        assert heard["data"]["faults"]
        assert len(str(heard)) < 2_000
        await is_served(peer)


@rows(REFUSED)
async def test_what_is_not_done_is_refused_with_the_reason(what, result):
    async with open_site() as site, greeted(site.server, "user:alice") as peer:
        await peer.get()
        await peer.say(what)
        if result is not None:
            heard = await peer.until("refused")
            assert heard["code"] == result
            assert len(str(heard)) < 2_000
        await is_served(peer)


@rows(CLOSED)
async def test_what_is_no_websocket_ends_the_connection(what, result):
    async with open_site() as site, greeted(site.server, "user:alice") as peer:
        await peer.send(what)
        assert await peer.hear_all() == [Closed(result)]


@pytest.mark.parametrize("what", [what for _, what in HARMLESS], ids=[name for name, _ in HARMLESS])
async def test_what_only_looks_odd_is_answered(what):
    async with open_site() as site, greeted(site.server, "user:alice") as peer:
        await peer.send(b"".join(what))
        await peer.until("pong", 2)
