"""What every adapter has to do, done by this one before a real receiver; its answers come in by another door."""

from contextlib import asynccontextmanager
from functools import partial

import pytest

from questions.gates.webhook import open_webhook
from questions.testing.channels import CHANNEL_CASES
from tests.questions.gates.webhook.receiver import open_receiver
from tests.questions.gates.webhook.test_sending import launch


class Stage:
    brings_answers = False

    def __init__(self, receiver):
        self.receiver = receiver
        self.launch = launch(receiver.url, allowed_user_ids=("ana",), allowed_chat_ids=("ana",))
        self.open_adapter = partial(open_webhook, patience=0.3)

    def shown(self):
        return [notice["data"].get("document", notice["data"].get("ended")) for notice in self.receiver.notices]

    async def answer(self, view, choice, text=None, *, listed=True):
        raise AssertionError("nobody answers here")

    def plan(self, fault):
        self.receiver.replies.append(400 if fault == "refuse" else "hang")
        return True


@asynccontextmanager
async def open_stage():
    async with open_receiver() as receiver:
        yield Stage(receiver)


@pytest.mark.parametrize("case", CHANNEL_CASES, ids=lambda case: case.__name__)
async def test_it_does_what_every_adapter_has_to_do(case):
    await case(open_stage)
