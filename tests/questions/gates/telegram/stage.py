"""A Telegram adapter before a real Bot API, driven as a gate server drives it."""

from contextlib import aclosing, asynccontextmanager
from typing import Any

from questions.gates import view_of
from questions.gates.adapter import Judged, Launch
from questions.gates.telegram.telegram import open_telegram
from tests.questions.gates.bot_api import TOKEN, open_bot_api
from tests.questions.gates.cases import CREATED, request

KEY = bytes(range(32))
ACCEPTED = Judged(accepted=True)


def launch(url, **changes):
    usual = {
        "profile": "approval",
        "epoch": "epoch-1",
        "token": TOKEN,
        "allowed_user_ids": ("100", "101"),
        "allowed_chat_ids": ("-200",),
        "key": KEY,
        "options": {"base_url": url},
    }
    return Launch(**usual | changes)


def view(**changes):
    return view_of(request(**changes))


VIEW = view()


class Stage:
    """`cursor`, `shown`: what the server has stored. `pauses`: for how long the adapter has waited, in seconds."""

    def __init__(self, api):
        self.api = api
        self.telegram: Any = None
        self.cursor = ""
        self.shown = ()
        self.pauses = []

    async def pause(self, seconds):
        self.pauses.append(seconds)

    async def present(self, view=VIEW):
        report = await self.telegram.present(view, "attempt-1", self.shown)
        self.shown = report.messages
        return report

    async def poll(self, *views, judged=ACCEPTED):
        """The answers of one batch; each cursor is stored once its update is dealt with."""
        answers = []
        async with aclosing(self.telegram.poll(self.cursor, views or (VIEW,))) as updates:
            async for update in updates:
                self.cursor = update.cursor
                if update.answer is not None:
                    answers.append(update.answer)
                    await self.telegram.answered(update.answer, judged)
        return answers

    @asynccontextmanager
    async def running(self, now=CREATED, patience=10.0, **changes):
        """An adapter; another one after it is a restart."""
        begun = launch(self.api.url, cursor=self.cursor, **changes)
        async with open_telegram(begun, now=lambda: now, patience=patience, pause=self.pause) as self.telegram:
            yield self


@asynccontextmanager
async def staged(*chats, **changes):
    async with open_bot_api(*chats) as api, Stage(api).running(**changes) as stage:
        yield stage
