"""The conversation of docs/wire.md, frame by frame, with a real server: what the page shows is what is said."""

import json
import re
from contextlib import AsyncExitStack

from facets import Principal, open_host
from facets.link.server import open_link_server
from questions import questions_facet
from tests.link.raw import RawPeer, dialled
from tests.link.schema import CONVERSATION, assert_valid
from tests.link.stages import Tokens

# What differs from run to run: the epoch of a server, the part of an id that is the store's, and every time.
RANDOM = re.compile(r"(?<![0-9a-z])[0-9a-f]{10}(?![0-9a-z])")
TIME = re.compile(r"(?<=: )1\d{9}(\.\d+)?")


class Likeness:
    """The page's frames with this run's values in the place of those that differ."""

    def __init__(self):
        self._ours = {}

    def ours(self, text):
        return RANDOM.sub(lambda found: self._ours.get(found[0], found[0]), text)

    def learn(self, shown, heard):
        for theirs, ours in zip(RANDOM.findall(shown), RANDOM.findall(heard), strict=False):
            self._ours.setdefault(theirs, ours)


def timeless(frame):
    return TIME.sub("0", json.dumps(frame))


async def test_the_conversation_in_the_documents_is_what_a_server_says():
    likeness, peers = Likeness(), dict[str, RawPeer]()
    host = open_host([questions_facet], names={Principal.user("ana"): "Ana"})
    async with host as here, open_link_server(here, Tokens()) as server, AsyncExitStack() as stack:
        for step in CONVERSATION:
            if "dials" in step:
                if step["who"] in peers:
                    await peers[step["who"]].stream.aclose()
                peers[step["who"]] = await stack.enter_async_context(dialled(server))
            elif "sends" in step:
                await peers[step["who"]].say(likeness.ours(json.dumps(step["sends"])))
            else:
                heard, shown = timeless(await peers[step["who"]].hear()), timeless(step["gets"])
                likeness.learn(shown, heard)
                assert heard == likeness.ours(shown), step


def test_every_frame_of_the_conversation_is_valid_by_the_schema():
    for step in CONVERSATION:
        if "dials" not in step:
            assert_valid(step.get("sends", step.get("gets")))
