"""The inbox without a terminal and a server: the library's pilot presses keys, and questions are made up."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from facets.link.interface import Arrival
from questions.cli.arming import ARMING_DELAY
from questions.cli.inbox.app import Inbox
from questions.remote.wire import converter, read_open_question
from questions.reports import ClosedQuestion
from questions.scopes import SessionScope

ANA = {"kind": "user", "id": "ana", "name": "Ana"}
BO = {"kind": "user", "id": "bo", "name": "Bo"}
MAIN = SessionScope("main")


def opened(number, question, **changes):
    """An open question as it comes over a link; the number says which is older."""
    shown = {
        "id": f"q_{number}",
        "number": number,
        "scope": {"session": "main"},
        "question": converter.unstructure(question),
        "asker": {"kind": "worker", "id": "main", "name": "main"},
        "on_behalf_of": None,
        "policy": {"kind": "first"},
        "asked_at": float(number),
        "deadline": None,
        "default": None,
        "answered": [],
        "waiting_for": [ANA],
        "may_answer": True,
        "answered_by_me": False,
    }
    return read_open_question({**shown, **changes}, Arrival(0.0, time.monotonic(), time.monotonic))


class Played:
    """An inbox under test: what it shows, what was answered, and keys for it."""

    def __init__(self):
        self.pilot: Any = None
        self.sent = []
        self.refusal: Exception | None = None
        self.inbox = Inbox("user:ana", "ws://127.0.0.1:1", self._send, self._feed)

    async def _send(self, question, value):
        if self.refusal is not None:
            raise self.refusal
        self.sent.append((question.id, value.reveal()))

    async def _feed(self, inbox):
        await asyncio.Event().wait()

    async def show(self, *questions, closed=()):
        """These are open now, and those have ended."""
        self.inbox.look(list(questions), {one.id: one for one in closed})
        await self.pilot.pause()

    async def armed(self):
        """Return once keys count."""
        async with asyncio.timeout(20):
            while (left := self.inbox.pile.arming.remaining(time.monotonic())) > 0:  # noqa: ASYNC110  # it is time
                await asyncio.sleep(min(left, ARMING_DELAY))

    async def press(self, *keys):
        """Press keys, once they count."""
        await self.armed()
        await self.pilot.press(*keys)
        await self.pilot.pause()

    def words(self, id):
        """What stands in a part of the screen."""
        return str(self.inbox.query_one(f"#{id}").render())

    @property
    def rows(self):
        options = self.inbox._list.options
        return [" ".join(str(option.prompt).split("  (")[0].split()) for option in options]

    @property
    def front(self):
        front = self.inbox.pile.front
        return None if front is None else front.id


def ended(id, how="answered", by=()):
    return ClosedQuestion(id, "message", how, by, 0.0)


@asynccontextmanager
async def _playing(size):
    played = Played()
    async with played.inbox.run_test(size=size) as played.pilot:
        yield played


def play(scene, size=(80, 24)):
    """Run `scene(played)` on asyncio, in a thread: in this one a browser's driver may have a loop that is running."""

    async def run():
        async with asyncio.timeout(60), _playing(size) as played:
            await scene(played)
            played.inbox.exit()
        if played.inbox.failure is not None:
            raise played.inbox.failure

    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(run())).result()
