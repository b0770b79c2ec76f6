"""Several contenders, one winner; the questions that lose are gone in the same step."""

from typing import Any

import pytest
import trio

from questions import (
    Confirm,
    Expired,
    InvalidAsk,
    Quorum,
    StoreClosed,
    Text,
    Unavailable,
    Winner,
    first_of,
)
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, assert_nothing_is_left, crash, endings, said, team
from tests.questions.tools import ANA


def after(seconds, result: Any):
    """A contender that returns, or raises, after so many seconds."""

    async def contend():
        await trio.sleep(seconds)
        if isinstance(result, BaseException):
            raise result
        return result

    return contend


def asking(asker, question=DEPLOY, audience=(ANA,), **options):
    return lambda: asker.ask(question, audience=audience, **options)


async def test_the_first_that_returns_wins(autojump_clock):
    begun = trio.current_time()
    assert await first_of(after(9, "slow"), after(5, "fast"), after(7, "middling")) == Winner(1, "fast")
    assert trio.current_time() - begun == 5


@pytest.mark.parametrize("result", [None, False, 0, "", []])
async def test_a_result_that_counts_as_false_wins_too(autojump_clock, result):
    assert await first_of(after(5, "slow"), after(1, result)) == Winner(1, result)


async def test_one_alone_wins(autojump_clock):
    assert await first_of(after(1, "alone")) == Winner(0, "alone")


async def test_a_race_of_nobody_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        await first_of()


async def test_of_two_that_finish_in_one_step_exactly_one_wins(autojump_clock):
    winner = await first_of(after(5, 0), after(5, 1))
    assert winner.place == winner.result


# Questions


async def test_the_answered_question_wins_and_the_others_are_withdrawn(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asker = await rig.asker()
        rig.at(5, bo.answer, True)
        winner: Any = await first_of(
            asking(asker, key="k", timeout=60),
            asking(asker, Confirm("Bo?"), [bo.principal]),
            asking(asker, audience=team(ana), policy=Quorum(2)),
        )
        assert (winner.place, winner.result.answer, rig.now) == (1, True, 5)
        assert sorted(endings(rig)) == ["answered", "withdrawn", "withdrawn"]
        assert ana.see() == []
        assert_nothing_is_left(rig)
        assert rig.host.describe()["waiting"] == []


async def test_losers_are_gone_in_the_step_in_which_the_winner_returns(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        open_then: list[Any] = []

        def look():
            open_then.append(len(ana.viewer.open.value))

        async def callback():
            await trio.sleep(12)
            look()
            trio.lowlevel.current_trio_token().run_sync_soon(look)  # runs in the next step, before any other task

        await first_of(callback, asking(await rig.asker(), timeout=300))
        await rig.quiet()
        assert (rig.now, open_then) == (12, [1, 0])


async def test_a_callback_that_beats_the_pasted_code_takes_the_question_away(autojump_clock):
    """A login: somebody is asked for the code, and at 12 the browser brings it."""
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        stream = ana.viewer.open.differences()
        asker = await rig.asker()
        winner = await first_of(asking(asker, Text("Code?", secret=True), timeout=300), after(12, "code"))
        assert (winner, rig.now) == (Winner(1, "code"), 12)
        assert_nothing_is_left(rig)
        assert [closed.how for closed in ana.viewer.closed.value] == ["withdrawn"]
        assert not (await anext(stream)).put


async def test_a_pasted_code_that_beats_the_callback_ends_the_wait_for_it(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        rig.at(5, ana.answer, "hunter2")
        winner: Any = await first_of(asking(asker, Text("Code?", secret=True)), after(12, "code"))
        assert (winner.place, winner.result.answer, rig.now) == (0, "hunter2", 5)


async def test_a_late_answer_to_the_question_that_lost_is_refused(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        ids: list[str] = []
        rig.at(5, lambda: ids.extend(one.id for one in ana.see()))
        await first_of(asking(asker), after(12, "code"))
        assert said(ana, True, ids[0]).how == "withdrawn"


async def test_a_contender_that_wins_before_the_others_begin_lets_nothing_be_asked(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()

        async def at_once():
            return "done"

        winner = await first_of(*[at_once] * 3, asking(asker))
        assert winner.result == "done"
        assert all(how == "withdrawn" for how in endings(rig))
        assert_nothing_is_left(rig)


async def test_a_question_that_others_wait_for_too_stays_open_for_them(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        other = rig.ask(DEPLOY, audience=[ANA], key="k", asker=asker)
        await first_of(asking(asker, key="k"), after(12, "code"))
        await ana.answer(True)
        assert (await other.wait()).answer is True


async def test_an_answer_and_a_callback_in_one_step_leave_one_winner_and_no_question(autojump_clock):
    async with open_rig(strict=False) as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        rig.at(12, ana.answer, True)
        winner = await first_of(asking(asker), after(12, "code"))
        assert winner.place == 1 or endings(rig) == ["answered"]
        assert_nothing_is_left(rig)


# Errors


@pytest.mark.parametrize("error", [Unavailable("x"), StoreClosed("x"), InvalidAsk(["$.x: y"])])
async def test_a_contender_that_is_refused_is_out_and_the_others_go_on(autojump_clock, error):
    assert await first_of(after(1, error), after(5, "late")) == Winner(1, "late")


async def test_a_question_that_expires_is_out_and_the_others_go_on(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        assert await first_of(asking(asker, timeout=5), after(12, "code")) == Winner(1, "code")
        assert endings(rig) == ["expired"]


async def test_when_the_only_one_is_out_its_error_comes_out_bare(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(Expired):
            await first_of(asking(asker, timeout=5))


async def test_when_all_are_out_their_errors_come_out_in_one_group(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        rig.at(9, crash, rig)
        with pytest.raises(ExceptionGroup) as group:
            await first_of(asking(asker, timeout=5), asking(asker))
        assert [type(error) for error in group.value.exceptions] == [Expired, StoreClosed]
        assert rig.now == 9


async def test_a_fault_of_the_program_ends_the_race_and_comes_out_bare(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(ZeroDivisionError):
            await first_of(asking(asker), after(5, ZeroDivisionError()))
        assert (rig.now, endings(rig)) == (5, ["withdrawn"])
        assert_nothing_is_left(rig)


async def test_a_fault_of_the_program_is_not_hidden_by_refusals_before_it(autojump_clock):
    with pytest.raises(ZeroDivisionError):
        await first_of(after(1, Unavailable("x")), after(2, ZeroDivisionError()))


async def test_a_fault_while_a_loser_cleans_up_is_not_hidden_by_the_winner(autojump_clock):
    async def untidy():
        try:
            await trio.sleep_forever()
        finally:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await first_of(untidy, after(1, "won"))


async def test_cancelling_the_race_withdraws_every_question(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with trio.move_on_after(5) as scope:
            await first_of(asking(asker), asking(asker, timeout=60), after(12, "code"))
        assert (scope.cancelled_caught, endings(rig)) == (True, ["withdrawn", "withdrawn"])
        assert_nothing_is_left(rig)


async def test_races_can_be_run_inside_races(autojump_clock):
    winner = await first_of(after(9, "slow"), lambda: first_of(after(5, "a"), after(3, "b")))
    assert winner == Winner(1, Winner(1, "b"))
