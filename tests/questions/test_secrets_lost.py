"""Secret answers that were on their way to somebody who has gone."""

import pytest

from questions import Quorum, StoreClosed, Text
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
