"""Going through the questions that wait for somebody's answer."""

import trio

from questions import Confirm, Quorum
from questions.testing import open_rig

GO, STOP = Confirm("Go?"), Confirm("Stop?")


async def test_each_question_comes_once_oldest_first(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        rig.ask(GO, audience=[ana, bo], policy=Quorum(2))
        await rig.quiet()
        rig.ask(STOP, audience=[ana])
        await rig.quiet()
        questions = ana.viewer.to_answer()
        first = await anext(questions)
        await ana.answer(True, first.id)
        second = await anext(questions)
        assert [first.message, second.message] == ["Go?", "Stop?"]
        with trio.move_on_after(5) as waited:
            await anext(questions)
        assert waited.cancelled_caught


async def test_a_question_that_has_ended_by_its_turn_is_left_out(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        for question in (GO, STOP):
            rig.ask(question, audience=[ana, bo])
            await rig.quiet()
        rig.ask(Confirm("Last?"), audience=[ana])
        await rig.quiet()
        questions = ana.viewer.to_answer()
        assert (await anext(questions)).message == "Go?"
        await bo.answer(True, bo.see()[1].id)
        assert (await anext(questions)).message == "Last?"


async def test_a_question_that_is_not_ones_own_to_answer_does_not_come(autojump_clock):
    async with open_rig(may_view=lambda principal, scope: "all") as rig:
        ana, bo = await rig.people("ana", "bo")
        rig.ask(GO, audience=[bo])
        await rig.quiet()
        rig.ask(STOP, audience=[ana])
        assert (await anext(ana.viewer.to_answer())).message == "Stop?"


async def test_who_comes_back_to_an_audience_is_given_the_question_again(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        rig.ask(GO, audience=rig.present)
        await rig.quiet()
        assert (await anext(ana.viewer.to_answer())).message == "Go?"
        ana.leave()
        await ana.join()
        await rig.quiet()
        assert (await anext(ana.viewer.to_answer())).message == "Go?"
