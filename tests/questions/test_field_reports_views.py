"""Faults that users of other systems have met: views, reconnecting, slow readers."""

import gc
import weakref

import trio

from questions import Confirm, Quorum
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, opened, said
from tests.rules import rule


@rule("Q-VIEW-2")
async def test_who_connects_or_comes_back_gets_what_is_open_now(autojump_clock):
    async with open_rig() as rig:
        (bo,) = await rig.people("bo")
        ana = rig.person("ana")
        _, one = await opened(rig, audience=[ana, bo])
        await rig.until(10)
        await ana.join()
        assert list((await anext(ana.viewer.open.differences())).put) == [one]
        await rig.until(11)
        ana.lose()
        await rig.until(12)
        said(bo, True, one)
        _, two = await opened(rig, audience=[ana, bo])
        await rig.until(13)
        await ana.join()
        frame = await anext(ana.viewer.open.differences())
        assert (list(frame.put), frame.whole) == ([two], True)


@rule("Q-VIEW-1")
async def test_seven_questions_at_once_are_each_shown_once_in_the_order_of_asking(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        messages = [f"{number}?" for number in range(7)]
        askings = []
        for message in messages:
            askings.append(rig.ask(Confirm(message), audience=[ana]))
            await trio.sleep(0.001)
        shown = []
        while waiting := ana.see():
            shown.append(waiting[0].question.message)
            said(ana, True, waiting[0].id)
        assert shown == messages
        assert [(await asking.wait()).answer for asking in askings] == [True] * 7


@rule("Q-VIEW-2", "Q-VIEW-3")
async def test_a_stalled_viewer_neither_grows_nor_slows_the_others(autojump_clock):
    async with open_rig() as rig:
        stalled, *readers = await rig.people("stalled", *(f"r{number}" for number in range(9)))
        behind = stalled.viewer.open.differences()
        await anext(behind)
        for _ in range(1000):
            asking, id = await opened(rig, audience=[stalled, *readers])
            assert [list(reader.viewer.open.value) for reader in readers] == [[id]] * 9
            said(readers[0], True, id)
            assert (await asking.wait()).by.principal == readers[0].principal
        assert rig.now == 0
        _, last = await opened(rig, audience=[stalled], policy=Quorum(1))
        frame = await anext(behind)
        assert (list(frame.put), len(frame.drop)) == ([last], 0)


@rule("Q-VIEW-2")
async def test_a_stalled_viewer_that_has_gone_leaves_nothing_behind(autojump_clock):
    async with open_rig() as rig:
        (stalled,) = await rig.people("stalled")
        await anext(stalled.viewer.open.changes())
        for _ in range(100):
            rig.ask(DEPLOY, audience=[stalled])
        await rig.quiet()
        stalled.see()
        gone = weakref.ref(stalled.viewer.open)
        stalled.leave()
        del stalled.viewer
        gc.collect()
        assert gone() is None
