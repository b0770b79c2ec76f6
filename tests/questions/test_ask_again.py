"""Asking until there is an outcome."""

from itertools import pairwise
from typing import Any

import pytest
import trio

from facets import Principal
from questions import (
    Confirm,
    Expired,
    InvalidAsk,
    InvalidPolicy,
    Quorum,
    StoreClosed,
    Superseded,
    ask_again,
)
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, assert_nothing_is_left, crash, endings, said, store_of
from tests.rules import rule

ANA, BO = Principal.user("ana"), Principal.user("bo")


@rule("Q-KEY-6")
async def test_ask_again_needs_a_key():
    with pytest.raises(TypeError, match="key"):
        await ask_again(None, DEPLOY, audience=[ANA])  # type: ignore[call-overload]
    with pytest.raises(InvalidAsk, match=r"\$\.key: needed"):
        await ask_again(None, DEPLOY, audience=[ANA], key=None)  # type: ignore[call-overload]


@rule("Q-KEY-6")
async def test_ask_again_gets_the_answer_through_any_number_of_crashes(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        for seconds in (1, 8, 15):
            rig.at(seconds, crash, rig)
        rig.at(25, ana.answer, True)
        answered = await ask_again(asker, DEPLOY, key="k", audience=[ANA])
        assert (answered.answer, rig.now) == (True, 25)
        assert len(rig.reports) == 2, "one question, opened once and settled once"


@rule("Q-KEY-6", "Q-KEY-4")
async def test_ask_again_gets_an_answer_that_was_given_while_it_was_away(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        rig.at(1, lambda: (crash(rig), said(ana, False)))
        answered = await ask_again(asker, DEPLOY, key="k", audience=[ANA])
        assert answered.answer is False
        assert 1 < rig.now <= 1.05


@rule("Q-KEY-6")
async def test_the_deadline_of_ask_again_is_that_of_the_first_try(autojump_clock):
    async with open_rig(linger=0) as rig:
        asker = await rig.asker()
        rig.at(40, crash, rig)
        with pytest.raises(Expired):
            await ask_again(asker, DEPLOY, key="k", audience=[ANA], timeout=60)
        assert rig.now == pytest.approx(60)


@rule("Q-KEY-6", "Q-ASK-3")
@pytest.mark.parametrize("at", [0.0, 0.1, 12.345])
async def test_the_deadline_of_ask_again_beats_an_outer_timeout_set_for_the_same_instant(autojump_clock, at):
    async with open_rig() as rig:
        asker = await rig.asker()
        await rig.until(at)
        with trio.fail_after(100):
            answered = await ask_again(asker, DEPLOY, key="k", audience=[ANA], timeout=100, default=False)
        assert answered.automatic


@rule("Q-KEY-6")
async def test_a_fenced_scope_is_asked_again_until_it_opens(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        await rig.host.fence(rig.scope, timeout=0)
        rig.at(20, rig.host.unfence, rig.scope)
        rig.at(40, ana.answer, True)
        assert (await ask_again(asker, DEPLOY, key="k", audience=[ANA])).answer is True


@rule("Q-KEY-6")
async def test_the_pauses_of_ask_again_grow_to_five_seconds(autojump_clock):
    async with open_rig() as rig:
        tries: list[float] = []
        asker: Any = _Failing(await rig.asker(), tries)
        with trio.move_on_after(300):
            await ask_again(asker, DEPLOY, key="k", audience=[ANA])
        pauses = [later - earlier for earlier, later in pairwise(tries)]
        assert 0 < pauses[0] <= 0.05
        assert max(pauses) <= 5
        assert all(pause >= 2.5 for pause in pauses[10:])


@rule("Q-KEY-6")
async def test_cancelling_ask_again_withdraws_the_question(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        rig.at(1, crash, rig)
        with trio.move_on_after(10):
            await ask_again(asker, DEPLOY, key="k", audience=[ANA])
        assert endings(rig) == ["withdrawn"]
        assert_nothing_is_left(rig)


@rule("Q-KEY-6")
@pytest.mark.parametrize("bad", [{"timeout": 0}, {"policy": Quorum(2)}, {"key": ""}])
async def test_ask_again_does_not_repeat_what_repeating_cannot_help(autojump_clock, bad):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises((InvalidAsk, InvalidPolicy)):
            await ask_again(asker, DEPLOY, **{"key": "k", "audience": [ANA], **bad})
        assert rig.now == 0


@rule("Q-KEY-2", "Q-KEY-6")
async def test_a_later_try_gets_superseded_rather_than_supersede(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        rig.at(1, lambda: (crash(rig), rig.ask(Confirm("Newer?"), audience=[ana], key="k", asker=asker)))
        with pytest.raises(Superseded):
            await ask_again(asker, DEPLOY, key="k", audience=[ANA])
        assert [one.question.message for one in ana.see()] == ["Newer?"]


class _Failing:
    """An asker whose store is always away; notes when it was asked."""

    def __init__(self, asker, tries):
        self.now, self.sleep, self.is_over = asker.now, asker.sleep, False
        self._tries = tries

    async def ask_as(self, request):
        self._tries.append(trio.current_time())
        raise StoreClosed("away")


@rule("Q-KEY-6")
async def test_a_store_that_is_gone_is_tried_until_the_deadline_and_no_longer(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        store_of(rig).call(store_of(rig).close)
        with pytest.raises(StoreClosed):
            await ask_again(asker, DEPLOY, key="k", audience=[ANA], timeout=30)
        assert 30 <= rig.now < 30 + 5
