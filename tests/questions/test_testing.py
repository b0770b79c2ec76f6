"""The rig itself."""

from functools import partial

import pytest
import trio

from questions import Confirm, InvalidAnswer, NoLongerActive, Quorum
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, opened


async def test_a_quorum_of_two_is_reached_when_the_second_person_answers(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        asking = rig.ask(Confirm("Deploy?"), audience=[ana, bo, cy], policy=Quorum(2), timeout=60)
        rig.at(5, ana.answer, True)
        rig.at(9, bo.answer, True)
        collected = await asking.wait()
        assert collected.unanimous(True)
        assert rig.now == 9


async def test_work_of_ones_own_is_run_in_a_task_of_its_own(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")

        async def deploy(asker, *people):
            return (await asker.ask(DEPLOY, audience=people)).answer

        working = rig.start(deploy, await rig.asker(), ana.principal)
        rig.at(5, ana.answer, True)
        assert await working.wait() is True


async def test_waiting_for_work_that_was_cancelled_says_so(autojump_clock):
    async with open_rig() as rig:
        working = rig.start(trio.sleep_forever)
        rig.at(5, working.cancel)
        with pytest.raises(RuntimeError, match="cancelled"):
            await working.wait()
        assert working.cancelled


# Steps that are refused


async def refused(rig, at=3):
    """A second answer of the same person, which is one too many."""
    (ana,) = await rig.people("ana")
    _, id = await opened(rig, audience=[ana])
    await ana.answer(True)
    rig.at(at, ana.answer, False, id)
    await rig.until(at)


async def test_refusals_of_scripted_steps_are_kept_with_their_time(autojump_clock):
    async with open_rig() as rig:
        await refused(rig)
        [(when, refusal)] = rig.refusals
        assert when == 3
        assert isinstance(refusal, NoLongerActive)


async def in_a_rig(*steps):
    async with open_rig() as rig:
        for step in steps:
            await step(rig)


async def test_a_refusal_that_nobody_has_looked_at_is_raised_at_the_end(autojump_clock):
    with pytest.raises(ExceptionGroup, match=r"rig\.refusals was not looked at") as group:
        await in_a_rig(refused)
    [refusal] = group.value.exceptions
    assert isinstance(refusal, NoLongerActive)
    assert refusal.__notes__ == ["a step of the rig's script: Person.answer at 3"]


async def test_having_looked_earlier_excuses_no_later_refusal(autojump_clock):
    async def look(rig):
        assert rig.refusals

    with pytest.raises(ExceptionGroup) as group:
        await in_a_rig(refused, look, partial(refused, at=7))
    assert len(group.value.exceptions) == 1


async def test_a_rig_that_is_not_strict_raises_no_refusal(autojump_clock):
    async with open_rig(strict=False) as rig:
        await refused(rig)


async def test_a_test_that_fails_says_which_steps_were_refused(autojump_clock):
    async def fail(rig):
        raise AssertionError("because")

    with pytest.raises(AssertionError, match="because") as failure:
        await in_a_rig(refused, fail)
    [note] = failure.value.__notes__
    assert note.startswith("a step of the rig's script: Person.answer at 3 was refused: NoLongerActive(")


async def test_an_answer_that_was_refused_is_not_quoted(autojump_clock):
    async def answer_nonsense(rig):
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana])
        rig.at(3, ana.answer, "hunter2")
        await rig.until(4)

    with pytest.raises(ExceptionGroup) as group:
        await in_a_rig(answer_nonsense)
    [refusal] = group.value.exceptions
    assert isinstance(refusal, InvalidAnswer)
    assert "hunter2" not in f"{group.value!r} {refusal.__notes__}"
