"""The cases that every adapter has to pass, over the small one of the tests."""

from contextlib import asynccontextmanager

import pytest

from questions.gates import Launch
from questions.testing import CHANNEL_CASES, check_channel
from tests.questions.gates.line_channel import LineChannel, open_line_channel
from tests.questions.gates.line_service import TOKEN, open_service


class LineStage:
    open_adapter = staticmethod(open_line_channel)
    brings_answers = True

    def __init__(self, service):
        self.service = service
        options = {"address": service.address}
        self.launch = Launch("approval", "epoch-1", TOKEN, ("100",), ("-200", "-300"), "", bytes(range(32)), options)

    def shown(self):
        return [message["text"] for message in self.service.messages.values()]

    async def answer(self, view, choice, text=None, *, listed=True):
        self.service.press(self.service.codes()[choice], user="100" if listed else "999", text=text)

    def plan(self, fault):
        self.service.plan["send"] = [fault]
        return True


@asynccontextmanager
async def open_line_stage():
    async with open_service() as service:
        yield LineStage(service)


@pytest.mark.parametrize("case", CHANNEL_CASES, ids=lambda case: case.__name__)
async def test_the_small_channel_keeps(case):
    await case(open_line_stage)


class Careless(LineChannel):
    """Sends what is there already."""

    async def present(self, view, attempt_id, shown):
        return await super().present(view, attempt_id, ())


@asynccontextmanager
async def open_careless(launch):
    yield Careless(launch)


async def test_an_adapter_that_breaks_a_rule_is_found_out():
    class CarelessStage(LineStage):
        open_adapter = staticmethod(open_careless)

    @asynccontextmanager
    async def open_stage():
        async with open_service() as service:
            yield CarelessStage(service)

    with pytest.raises(ExceptionGroup) as errors:
        await check_channel(open_stage)
    [error] = errors.value.exceptions
    assert "nothing may be sent twice" in str(error)
    assert "what_is_known_to_be_shown" in error.__notes__[0]
