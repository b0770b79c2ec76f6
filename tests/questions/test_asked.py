"""`Asker.asked`: which question a key stands for, open or remembered, and of nobody else's."""

import pytest

from facets import Principal, Unavailable
from questions import Confirm, Questions, SessionScope, Text
from questions.testing import open_rig
from tests.questions.steps import opened, said
from tests.rules import rule

ANA = Principal.user("ana")


async def test_an_open_question_is_found_by_its_key(autojump_clock):
    async with open_rig() as rig:
        _, id = await opened(rig, audience=[ANA], key="k")
        asker = await rig.asker()
        assert (asker.asked("k"), asker.asked("other")) == (id, None)


@rule("Q-KEY-4")
@pytest.mark.parametrize("question", [Confirm("Go?"), Text("Code?", secret=True)], ids=["kept", "secret"])
async def test_one_that_was_answered_is_found_for_as_long_as_it_is_remembered(autojump_clock, question):
    async with open_rig() as rig:
        [ana] = await rig.people("ana")
        _, id = await opened(rig, question, audience=[ana], key="k")
        said(ana, "canary" if question.secret else True)
        asker = await rig.asker()
        assert asker.asked("k") == id
        await rig.until(3600)
        assert asker.asked("k") is None


async def test_one_that_was_withdrawn_is_found_until_the_key_is_used_again(autojump_clock):
    async with open_rig() as rig:
        first, id = await opened(rig, audience=[ANA], key="k")
        first.cancel()
        await rig.quiet()
        assert (await rig.asker()).asked("k") == id
        second, later = await opened(rig, Confirm("Again?"), audience=[ANA], key="k")
        assert (await rig.asker()).asked("k") == later
        second.cancel()
        await rig.quiet()
        assert (await rig.asker()).asked("k") == later


@rule("Q-KEY-1", "Q-AUTH-1")
async def test_a_key_of_another_asker_or_scope_is_another_key(autojump_clock):
    async with open_rig() as rig:
        await opened(rig, audience=[ANA], key="k")
        async with rig.host.root(principal=Principal.worker("s1")) as ctx:
            assert (await ctx.get(Questions, rig.scope)).asked("k") is None
        assert (await rig.asker(scope=SessionScope("s2"))).asked("k") is None


async def test_an_asker_that_was_released_finds_nothing_any_more(autojump_clock):
    async with open_rig() as rig:
        async with rig.host.root(principal=Principal.worker("s1")) as ctx:
            worker = await ctx.get(Questions, rig.scope)
        await rig.until(100)
        with pytest.raises(Unavailable):
            worker.asked("k")
