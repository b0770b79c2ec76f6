"""One short conversation over two links, each of which may fail: an ask with a key, and its answer by a person."""

from contextlib import suppress

import attrs
import trio

from facets import Principal
from facets.errors import LinkLost
from facets.link.client import open_link
from questions import NoLongerActive, Questions, SessionScope, Text


@attrs.define
class Told:
    """What the person was told of each try to answer."""

    accepted: list = attrs.Factory(list)
    refused: list = attrs.Factory(list)
    unknown: list = attrs.Factory(list)


async def get(link, scope):
    """Hold the questions of a scope, however often that takes."""
    while True:
        with suppress(LinkLost):
            return await link.get(Questions, scope)
        async for state in link.state.changes():
            if state == "connected":
                break


async def answer_until_told(viewer, told):
    """Answer, each time with another text, until the viewer knows that it counts or that it does not."""
    tries = 0
    while id := await newest(viewer, bool if not told.unknown else lambda _: True):
        tries += 1
        try:
            await viewer.answer(id, f"try {tries}")
        except LinkLost:
            told.unknown.append(f"try {tries}")
        except NoLongerActive:
            told.refused.append(f"try {tries}")
            return
        else:
            told.accepted.append(f"try {tries}")
            return


async def newest(viewer, wanted):
    """An open question, or None, as soon as the link is there and the open questions are as wanted."""
    async for why in viewer.open.unavailability.changes():
        if why is None:
            break
    async for shown in viewer.open.changes():
        if wanted(shown):
            return next(iter(shown), None)
    return None


async def converse(asker_url, viewer_url, name):
    """Returns the result, what the person was told, and the viewer's last value of the open questions."""
    person, scope, told = Principal.user(name), SessionScope(name), Told()
    async with open_link(asker_url, "server:host") as asking, open_link(viewer_url, str(person)) as viewing:
        viewer, asker = await get(viewing, scope), await get(asking, scope)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(answer_until_told, viewer, told)
            result = await asker.ask(Text("Which?"), audience=[person], key="k")
        async for shown in viewer.open.changes():
            if not shown and viewer.open.unavailable is None:
                return result.answer, told
    raise AssertionError("the link has ended")


def check(result, told):
    """The asker has one right result, and what the person was told agrees with it."""
    assert result in told.accepted + told.unknown
    assert len(told.accepted) <= 1
    assert result not in told.refused
    assert not told.accepted or told.accepted == [result]
