"""Secret answers that were on their way to somebody who has gone."""

import traceback

import pytest

from questions import InvalidAsk, Quorum, StoreClosed, Text, UnknownQuestion
from questions.testing import open_rig
from tests.questions.steps import crash
from tests.rules import rule

CODE = Text("Code?", secret=True)


@rule("Q-KEY-4", "Q-SEC-1")
async def test_a_crash_closes_a_keyed_secret_question_that_has_an_answer(autojump_clock):
    """The answer was meant for the waiter of that moment; who asks again asks afresh."""
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking = rig.ask(CODE, audience=[ana, bo], policy=Quorum(2), key="login")
        await rig.quiet()
        await ana.answer("hunter2")
        crash(rig)
        with pytest.raises(StoreClosed):
            await asking.wait()
        assert not ana.see()


@rule("Q-SEC-1")
async def test_an_answer_in_the_place_of_the_id_is_not_quoted(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        with pytest.raises(UnknownQuestion) as caught:
            await ana.viewer.answer("hunter2", "q_1")
        text = "".join(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
        own = [frame for frame in text.split("  File ") if "questions/views" in frame or "questions/store" in frame]
        assert "hunter2" not in str(caught.value)
        assert own
        assert "hunter2" not in "".join(own)


@rule("Q-FAC-3")
async def test_what_is_no_scope_cannot_be_fenced(autojump_clock):
    async with open_rig() as rig:
        with pytest.raises(InvalidAsk):
            await rig.host.fence("s1", 0.1)
