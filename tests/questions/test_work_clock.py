"""A budget of work time: it stands still while the work's own asks are open, and at no other time."""

from contextlib import suppress
from typing import Any

import pytest
import trio

from questions import Expired, StoreClosed, WorkTimeExceeded, current_work_clock, work_clock
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, crash
from tests.questions.tools import ANA


async def test_time_that_people_take_is_not_work(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        rig.at(3_260, ana.answer, True)
        with work_clock(60) as clock:
            await trio.sleep(20)
            await asker.ask(DEPLOY, audience=[ANA])
            await trio.sleep(30)
        assert (rig.now, clock.used, clock.left) == (3_290, 50, 10)


async def test_work_beyond_the_budget_is_cancelled_and_says_so(autojump_clock):
    begun = trio.current_time()
    with pytest.raises(WorkTimeExceeded) as error, work_clock(60) as clock:
        await trio.sleep(61)
    assert (trio.current_time() - begun, error.value.seconds, clock.left) == (60, 60, 0)
    assert str(error.value) == "the budget of 60 s of work is spent; time waiting for people does not count"


async def test_the_budget_goes_on_after_the_answer_where_it_stood(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        rig.at(100, ana.answer, True)
        with pytest.raises(WorkTimeExceeded), work_clock(60):  # noqa: PT012
            await trio.sleep(20)
            await asker.ask(DEPLOY, audience=[ANA])
            await trio.sleep(41)
        assert rig.now == 140


async def test_what_is_left_stands_still_while_an_ask_is_open(autojump_clock):
    async with open_rig() as rig:
        seen: list[Any] = []
        asker = await rig.asker()
        with work_clock(60) as clock:
            for seconds in (25, 500):
                rig.at(seconds, lambda: seen.append((clock.used, clock.left)))
            await trio.sleep(20)
            with trio.move_on_after(1000):
                await asker.ask(DEPLOY, audience=[ANA])
        assert seen == [(20, 40)] * 2


async def test_two_asks_that_overlap_stop_the_clock_once(autojump_clock):
    """Open from 10 to 110 and from 50 to 150: the clock stands still for 140 s, not for 200, and not for 100."""
    async with open_rig() as rig:
        with work_clock(60) as clock:
            await trio.sleep(10)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(ask_for, await rig.asker(), 100)
                await trio.sleep(40)
                nursery.start_soon(ask_for, await rig.asker(), 100)
            await trio.sleep(30)
        assert (rig.now, clock.used) == (180, 40)


async def ask_for(asker, seconds):
    """Ask, and give up after so many seconds."""
    with trio.move_on_after(seconds):
        await asker.ask(DEPLOY, audience=[ANA])


async def test_asks_of_tasks_that_the_work_has_started_stop_the_clock(autojump_clock):
    async with open_rig() as rig, trio.open_nursery() as elsewhere:
        with work_clock(60) as clock:
            elsewhere.start_soon(ask_for, await rig.asker(), 1000)
            await trio.sleep(1010)
        assert clock.used == 10


async def test_asks_of_other_work_do_not_stop_the_clock(autojump_clock):
    async with open_rig() as rig:
        rig.ask(DEPLOY, audience=[ANA])
        with pytest.raises(WorkTimeExceeded), work_clock(60):
            await trio.sleep(1000)
        assert rig.now == 60


@pytest.mark.parametrize("end", ["answer", "deadline", "crash", "cancel"])
async def test_the_clock_goes_on_however_the_ask_ends(autojump_clock, end):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker, scope = await rig.asker(), trio.CancelScope()
        ends: Any = {
            "answer": (ana.answer, True),
            "crash": (crash, rig),
            "cancel": (scope.cancel,),
            "deadline": (list,),
        }
        rig.at(200, *ends[end])
        with work_clock(60) as clock:
            with scope, suppress(Expired, StoreClosed):
                await asker.ask(DEPLOY, audience=[ANA], timeout=200 if end == "deadline" else None)
            assert (rig.now, clock.used) == (200, 0)
            await trio.sleep(5)
        assert clock.used == 5


async def test_a_result_that_is_kept_takes_no_time_and_stops_nothing(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        rig.at(1, ana.answer, True)
        await asker.ask(DEPLOY, audience=[ANA], key="k")
        with work_clock(60) as clock:
            assert (await asker.ask(DEPLOY, audience=[ANA], key="k")).answer
            await trio.sleep(5)
            assert clock.used == 5


async def test_an_ask_that_is_refused_stops_nothing(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with work_clock(60) as clock:
            with pytest.raises(Exception, match="audience"):
                await asker.ask(DEPLOY, audience=[])
            await trio.sleep(5)
            assert clock.used == 5


async def test_a_budget_that_is_spent_when_an_ask_would_open_asks_nobody(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(WorkTimeExceeded), work_clock(60):  # noqa: PT012
            await trio.sleep(60)
            await asker.ask(DEPLOY, audience=[ANA])
        assert (rig.now, rig.reports) == (60, [])


async def test_a_budget_of_nothing_lets_nothing_be_asked(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(WorkTimeExceeded), work_clock(0):
            await asker.ask(DEPLOY, audience=[ANA])
        assert (rig.now, rig.reports) == (0, [])


async def test_work_that_ends_without_waiting_fits_any_budget():
    with work_clock(0) as clock:
        pass
    assert clock.left == 0


async def test_a_budget_without_end_counts_all_the_same(autojump_clock):
    with work_clock(float("inf")) as clock:
        await trio.sleep(1000)
    assert (clock.used, clock.left) == (1000, float("inf"))


@pytest.mark.parametrize("seconds", [-1, -0.001, float("nan"), float("-inf")])
async def test_a_budget_that_cannot_be_is_refused(seconds):
    with pytest.raises(ValueError, match="0 or more"), work_clock(seconds):
        pass
    assert current_work_clock() is None


# One inside another


async def test_an_ask_stops_the_inner_and_the_outer_clock(autojump_clock):
    async with open_rig() as rig:
        with work_clock(60) as outer:
            await trio.sleep(10)
            with work_clock(30) as inner:
                await trio.sleep(10)
                await ask_for(await rig.asker(), 1000)
                await trio.sleep(10)
            await trio.sleep(10)
        assert (inner.used, outer.used) == (20, 40)


async def test_an_ask_under_the_outer_clock_does_not_stop_the_inner(autojump_clock):
    async with open_rig() as rig:
        with work_clock(60) as outer:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(ask_for, await rig.asker(), 100)
                with pytest.raises(WorkTimeExceeded), work_clock(30):
                    await trio.sleep(1000)
        assert (rig.now, outer.used) == (100, 0)


@pytest.mark.parametrize(("outer", "inner", "spent"), [(60, 30, 30), (30, 60, 30), (30, 30, 30)])
async def test_the_clock_that_is_spent_first_is_the_one_that_ends_it(autojump_clock, outer, inner, spent):
    begun = trio.current_time()
    with pytest.raises(WorkTimeExceeded) as error, work_clock(outer), work_clock(inner):
        await trio.sleep(1000)
    assert (trio.current_time() - begun, error.value.seconds) == (spent, spent)


async def test_the_current_clock_is_the_innermost(autojump_clock):
    seen = [current_work_clock()]
    with work_clock(60) as outer:
        seen.append(current_work_clock())
        with work_clock(30) as inner:
            seen.append(current_work_clock())
        seen.append(current_work_clock())
    assert [*seen, current_work_clock()] == [None, outer, inner, outer, None]


async def test_other_waits_for_people_can_stop_the_clock_too(autojump_clock):
    with work_clock(60) as clock:
        with clock.paused():
            await trio.sleep(1000)
        await trio.sleep(5)
    assert clock.used == pytest.approx(5)


# After the block


async def test_a_clock_whose_block_is_over_stands_still(autojump_clock):
    with work_clock(60) as clock:
        await trio.sleep(5)
    await trio.sleep(1000)
    assert (clock.used, clock.left) == (5, 55)


async def test_an_ask_that_outlives_the_block_changes_it_no_more(autojump_clock):
    async with open_rig() as rig, trio.open_nursery() as elsewhere:
        with work_clock(60) as clock:
            elsewhere.start_soon(ask_for, await rig.asker(), 100)
            await rig.until(50)
        await trio.sleep(1000)
        assert clock.used == 0


async def test_what_the_work_raises_comes_out_as_it_is(autojump_clock):
    with pytest.raises(OSError, match="disk"), work_clock(60):
        raise OSError("no disk")
    assert current_work_clock() is None


async def test_a_cancellation_from_outside_is_not_the_budget(autojump_clock):
    with trio.move_on_after(10) as scope, work_clock(60) as clock:
        await trio.sleep(1000)
    assert (scope.cancelled_caught, clock.used) == (True, 10)
