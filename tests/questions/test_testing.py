"""The rig itself."""

from questions import Confirm, NoLongerActive, Quorum
from questions.testing import open_rig


async def test_a_quorum_of_two_is_reached_when_the_second_person_answers(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        asking = rig.ask(Confirm("Deploy?"), audience=[ana, bo, cy], policy=Quorum(2), timeout=60)
        rig.at(5, ana.answer, True)
        rig.at(9, bo.answer, True)
        collected = await asking.wait()
        assert collected.unanimous(True)
        assert rig.now == 9


async def test_refusals_of_scripted_steps_are_kept_with_their_time(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        rig.ask(Confirm("Deploy?"), audience=[ana])
        await rig.quiet()
        id = ana.see()[0].id
        await ana.answer(True)
        rig.at(3, ana.answer, False, id)
        await rig.until(4)
        [(when, refusal)] = rig.refusals
        assert when == 3
        assert isinstance(refusal, NoLongerActive)
