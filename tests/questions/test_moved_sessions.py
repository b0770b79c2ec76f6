"""Real flows while the ground moves: sessions that go to another host, stores that are replaced, tasks that end."""

from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest

from questions import Quorum, StoreClosed, Unavailable, ask_again, questions_facet
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, assert_nothing_is_left, endings, opened, said, state, store_of
from tests.questions.tools import ANA
from tests.rules import rule

pytestmark = rule("Q-FAC-3")


@asynccontextmanager
async def two_hosts():
    """Where a session is, and where it goes; ana looks at both."""
    async with open_rig() as old, open_rig() as new:
        [there] = await new.people("ana")
        yield old, new, there


def flow(asker, **options):
    """A tool call, begun on some host."""
    return ask_again(asker, DEPLOY, key="tool-42", audience=[ANA], **options)


class Moving:
    """An asker that goes to wherever its session is."""

    def __init__(self, asker):
        self.asker: Any = asker

    def __getattr__(self, name):
        return getattr(self.asker, name)


@rule("Q-KEY-6")
async def test_a_session_that_is_moved_goes_on_asking_on_its_new_host(autojump_clock):
    async with two_hosts() as (old, new, ana):
        moving = Moving(await old.asker())
        working = old.start(flow, moving)
        await old.until(5)
        moving.asker = await new.asker()
        await old.host.fence(old.scope, timeout=10, force=True)
        await old.until(21)
        assert (endings(old), [one.message for one in ana.see()]) == (["closed"], ["Deploy?"])
        await ana.answer(True)
        assert (await working.wait()).answer is True
        assert_nothing_is_left(old)


@rule("Q-KEY-6")
async def test_a_flow_that_is_begun_before_its_new_host_takes_asks_waits_for_it(autojump_clock):
    async with two_hosts() as (_, new, ana):
        await new.host.fence(new.scope, timeout=0)
        working = new.start(flow, await new.asker())
        await new.until(20)
        assert (ana.see(), working.outcome) == ([], None)
        new.host.unfence(new.scope)
        await new.until(26)
        await ana.answer(True)
        assert (await working.wait()).answer is True


@rule("Q-KEY-6")
async def test_the_deadline_moves_with_the_session(autojump_clock):
    async with two_hosts() as (old, new, _):
        moving = Moving(await old.asker())
        working = old.start(lambda: flow(moving, timeout=60, default=False))
        await old.until(20)
        moving.asker = await new.asker()
        await old.host.fence(old.scope, timeout=10, force=True)
        assert (await working.wait()).automatic
        assert old.now == pytest.approx(60)


async def test_a_session_whose_asks_are_answered_in_time_moves_without_force(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        working = rig.start(flow, await rig.asker())
        await rig.quiet()
        rig.at(5, ana.answer, True)
        await rig.host.fence(rig.scope, timeout=60)
        assert (rig.now, (await working.wait()).answer) == (5, True)


async def test_an_ask_that_is_not_repeated_is_told_that_its_host_has_gone_and_not_that_it_was_denied(autojump_clock):
    async with open_rig() as rig:
        working, _ = await opened(rig, audience=[rig.person("ana")], key="k")
        await rig.host.fence(rig.scope, timeout=0, force=True)
        with pytest.raises(StoreClosed) as error:
            await working.wait()
        assert "denied" not in str(error.value)
        late = rig.ask(DEPLOY, audience=[ANA])
        with pytest.raises(Unavailable):
            await late.wait()


@rule("Q-KEY-6")
async def test_a_fence_with_force_and_a_lift_leave_one_question_for_the_flow_that_asks_again(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        working = rig.start(flow, await rig.asker())
        await rig.quiet()
        await rig.host.fence(rig.scope, timeout=1, force=True)
        rig.host.unfence(rig.scope)
        await rig.until(10)
        assert (endings(rig), len(ana.see())) == (["closed"], 1)
        await ana.answer(True)
        assert (await working.wait()).answer is True


@rule("Q-KEY-6")
async def test_a_host_is_drained_once_the_flows_that_ask_again_have_their_answers(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        working = rig.start(flow, await rig.asker())
        await rig.quiet()
        rig.at(7, ana.answer, True)
        assert await rig.host.drain(timeout=60) == ()
        assert (rig.now, (await working.wait()).answer) == (7, True)


# A store that is replaced


def other_version(**changes):
    """The questions facet as a new release has it, with a store of another version."""
    store, *others = questions_facet.resources
    return attrs.evolve(questions_facet, resources=(attrs.evolve(store, version=2, **changes), *others))


@rule("Q-FAC-1", "Q-KEY-3")
async def test_a_store_of_another_version_takes_the_waiting_asker_over(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        working, id = await opened(rig, audience=[ana, bo], policy=Quorum(2), timeout=60)
        said(ana, True)
        await rig.host.reload(other_version())
        assert (working.outcome, list(bo.viewer.open.value)) == (None, [id])
        assert said(bo, True) is None
        assert (await working.wait()).unanimous(True)
        assert_nothing_is_left(rig)


@rule("Q-FAC-1", "Q-KEY-3")
async def test_a_store_that_is_opened_anew_closes_its_questions_and_the_flow_asks_again(autojump_clock):
    async with open_rig() as rig:
        working = rig.start(flow, await rig.asker())
        await rig.quiet()
        old = store_of(rig)
        await rig.host.reload(other_version(replace=None))
        (ana,) = await rig.people("ana")
        await rig.until(1)
        assert (endings(rig), store_of(rig) is old, len(state(rig)["open"])) == (["closed"], False, 1)
        await ana.answer(True)
        assert (await working.wait()).answer is True


# One key, two tasks


@rule("Q-KEY-5")
@pytest.mark.parametrize("cancelled", [0, 1])
async def test_of_two_tasks_with_one_key_the_one_that_stays_gets_the_answer(autojump_clock, cancelled):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tasks = [rig.start(flow, await rig.asker()) for _ in range(2)]
        await rig.quiet()
        tasks[cancelled].cancel()
        await rig.quiet()
        assert (tasks[cancelled].cancelled, len(ana.see()), len(rig.reports)) == (True, 1, 1)
        await ana.answer(True)
        assert (await tasks[1 - cancelled].wait()).answer is True


@rule("Q-KEY-5")
async def test_a_task_that_is_cancelled_while_it_waits_to_ask_again_takes_nothing_from_the_other(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tasks = [rig.start(flow, await rig.asker()) for _ in range(2)]
        await rig.quiet()
        store = store_of(rig)
        store.call(store.failed, RuntimeError("a fault"))
        tasks[0].cancel()  # while both pause before their next try
        await rig.until(1)
        assert len(ana.see()) == 1
        await ana.answer(True)
        assert (await tasks[1].wait()).answer is True
        assert len(rig.settled) == 1


@rule("Q-KEY-5")
async def test_when_both_tasks_are_cancelled_the_question_goes(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tasks = [rig.start(flow, await rig.asker()) for _ in range(2)]
        await rig.quiet()
        for task in tasks:
            task.cancel()
        await rig.quiet()
        assert (ana.see(), endings(rig)) == ([], ["withdrawn"])
        assert_nothing_is_left(rig)
