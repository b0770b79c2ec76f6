"""What every adapter has to do, done by this one before a real Bot API."""

from contextlib import asynccontextmanager
from functools import partial

import pytest

from questions.gates.telegram.telegram import open_telegram
from questions.testing.channels import CHANNEL_CASES
from tests.questions.gates.bot_api import Dropped, Status, open_bot_api
from tests.questions.gates.cases import CREATED
from tests.questions.gates.telegram.stage import launch


class Stage:
    brings_answers = True

    def __init__(self, api):
        self.api = api
        self.launch = launch(api.url)
        self.open_adapter = partial(open_telegram, now=lambda: CREATED)
        self.presses = 0

    def shown(self):
        return [text for text in self.api.texts(-200) if text.startswith("Part ")]

    async def answer(self, view, choice, text=None, *, listed=True):
        self.presses += 1
        user = 100 if listed else 999
        self.api.press(view.choices[choice].label, user=user, query=f"press-{self.presses}")
        if text is not None:
            await self.api.until(lambda: "force_reply" in str(self.api.messages))
            self.api.say(text, user=user, to=self.api.prompt())

    def plan(self, fault):
        self.api.fail("sendMessage", Status(400) if fault == "refuse" else Dropped(done=True))
        return True


@asynccontextmanager
async def open_stage():
    async with open_bot_api() as api:
        yield Stage(api)


@pytest.mark.parametrize("case", CHANNEL_CASES, ids=lambda case: case.__name__)
async def test_it_does_what_every_adapter_has_to_do(case):
    await case(open_stage)
