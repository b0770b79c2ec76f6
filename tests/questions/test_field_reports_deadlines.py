"""Faults that users of other systems have met: deadlines and clocks."""

import logging

import pytest
import trio

from questions import Expired, Option, Select, StoreClosed
from questions.testing import EPOCH, open_rig
from tests.questions.steps import DEPLOY, crash, names, opened, said, state
from tests.rules import rule

CHOICE = Select("Which?", [Option("a", "A"), Option("b", "B")])
PLAN = Select("And now?", [Option("implement", "Go on"), Option("hold", "Hold")])


@rule("Q-ASK-2", "Q-POL-5")
async def test_silence_is_no_choice(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, _ = await opened(rig, CHOICE, audience=[ana, bo], timeout=60)
        with pytest.raises(Expired) as expired:
            await asking.wait()
        assert names(expired.value.missing) == ["ana", "bo"]
        assert (rig.now, rig.settled[0].how, rig.settled[0].answers) == (60, "expired", ())


@rule("Q-ASK-2")
async def test_a_declared_default_carries_where_it_came_from(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, CHOICE, audience=[ana], timeout=60, default="b")
        assert ana.see()[0].default == "b"
        answered = await asking.wait()
        assert (answered.answer, answered.automatic, answered.by.name) == ("b", True, "deadline")
        assert names(ana.viewer.closed.value[0].by) == ["deadline"]


@rule("Q-ASK-3")
async def test_the_questions_own_deadline_is_not_beaten_by_an_outer_timeout(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with trio.fail_after(100):
            answered = await asker.ask(PLAN, audience=[rig.person("ana").principal], timeout=100, default="hold")
        assert (answered.answer, rig.now) == ("hold", 100)


@rule("Q-POL-5")
async def test_a_question_that_nobody_was_shown_is_expired_and_never_called_denied(autojump_clock, caplog):
    caplog.set_level(logging.DEBUG)
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(Expired) as expired:
            await asker.ask(DEPLOY, audience=[rig.person("ana").principal], timeout=600)
        assert (rig.now, expired.value.reason) == (600, "never shown to anyone")
        assert not any(word in (caplog.text + str(expired.value)).lower() for word in ("denied", "deny", "denial"))


@rule("Q-KEY-3")
async def test_questions_without_a_deadline_show_their_age_and_that_nobody_waits_for_them(autojump_clock):
    async with open_rig(linger=float("inf")) as rig:
        (ana,) = await rig.people("ana")
        lost, _ = await opened(rig, audience=[ana], key="a")
        crash(rig)
        for key in "bc":
            await opened(rig, audience=[ana], key=key)
        with pytest.raises(StoreClosed):
            await lost.wait()
        await rig.until(90_000)
        listed = state(rig)["open"]
        now = rig.host.now()
        assert (len(listed), max(now - one["opened"] for one in listed)) == (3, 90_000)
        assert [one["key"] for one in listed if not one["waiters"]] == ["a"]
        assert min(waiting.since for waiting in rig.host.waiting.value.values()) == EPOCH
        assert said(ana, True, listed[0]["id"]) is None
