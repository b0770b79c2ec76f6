"""Giving a call up: both sides agree on how it ended, whoever was first."""

import pytest
import trio

from facets import LinkLost, Principal
from questions import Confirm, Expired, NoLongerActive, Questions
from questions.testing import Asking
from tests.link.clients import every_client
from tests.link.relays import sees, until
from tests.link.scripted import open_script
from tests.link.stages import SCOPE, open_stage_over_links
from tests.rules import rule

ANA = Principal.user("ana")
YES = {"by": {"kind": "user", "id": "ana", "name": "Ana"}, "answer": True, "automatic": False, "secret": False}


async def begin(nursery, link):
    """An ask under way over a link."""
    asker, asking = await link.get(Questions, SCOPE), Asking()
    nursery.start_soon(asking.run, lambda: asker.ask(Confirm("Go?"), audience=[ANA]))
    return asking


async def answer(viewer, question):
    try:
        await viewer.answer(question.id, True)
    except NoLongerActive as error:
        return error.how
    return "accepted"


@rule("Q-SET-6")
@every_client
async def test_a_call_that_is_cancelled_is_given_up_at_the_other_side(open_link):
    async with open_script("asker") as script, trio.open_nursery() as nursery, open_link(script.url, "t") as link:
        talk, asking = await script.next(), await begin(nursery, link)
        call = await talk.hear("call")
        asking.cancel()
        assert (await talk.hear("cancel"))["id"] == call["id"]
        assert asking.outcome is None, "it waits to hear what came first"
        await talk.say({"type": "cancelled", "id": call["id"]})
        await asking.done.wait()
        assert asking.cancelled


@rule("Q-SET-2")
@every_client
async def test_an_answer_that_came_before_the_cancellation_is_returned(open_link):
    async with open_script("asker") as script, trio.open_nursery() as nursery, open_link(script.url, "t") as link:
        talk, asking = await script.next(), await begin(nursery, link)
        call = await talk.hear("call")
        asking.cancel()
        await talk.hear("cancel")
        await talk.say({"type": "returned", "id": call["id"], "value": YES})
        await asking.done.wait()
        assert asking.outcome.unwrap().answer is True


@rule("Q-SET-2")
@every_client
async def test_a_refusal_that_came_before_the_cancellation_is_raised(open_link):
    async with open_script("asker") as script, trio.open_nursery() as nursery, open_link(script.url, "t") as link:
        talk, asking = await script.next(), await begin(nursery, link)
        call = await talk.hear("call")
        asking.cancel()
        await talk.hear("cancel")
        expired = {"missing": [], "seen": [], "deadline": 1.0}
        await talk.say({"type": "refused", "id": call["id"], "code": "expired", "message": "", "data": expired})
        await asking.done.wait()
        with pytest.raises(Expired):
            asking.outcome.unwrap()


@every_client
async def test_a_call_that_is_cancelled_and_then_loses_its_link_is_cancelled(open_link):
    async with open_script("asker") as script, trio.open_nursery() as nursery, open_link(script.url, "t") as link:
        talk, asking = await script.next(), await begin(nursery, link)
        await talk.hear("call")
        asking.cancel()
        await talk.hear("cancel")
        await talk.cut()
        await asking.done.wait()
        assert asking.cancelled


@rule("Q-SET-2")
@every_client
async def test_cancel_and_answer_at_once_agree(open_link):
    async with open_stage_over_links(open_link=open_link) as stage, trio.open_nursery() as nursery:
        asker, viewer = await stage.asker(), await stage.viewer(ANA)
        for _ in range(5):
            asking = Asking()
            nursery.start_soon(asking.run, lambda: asker.ask(Confirm("Go?"), audience=[ANA]))
            (question,) = await sees(viewer, "Go?")
            asking.cancel()
            how = await answer(viewer, question)
            await asking.done.wait()
            assert how == ("withdrawn" if asking.cancelled else "accepted")
            await sees(viewer)


@every_client
async def test_calls_that_still_wait_when_the_block_ends_raise_link_lost(open_link):
    async with open_script("asker") as script, trio.open_nursery() as nursery:
        async with open_link(script.url, "t") as link:
            talk, asking = await script.next(), await begin(nursery, link)
            await talk.hear("call")
        await asking.done.wait()
        with pytest.raises(LinkLost):
            asking.outcome.unwrap()
        with pytest.raises(LinkLost):
            await link.get(Questions, SCOPE)
        await until(link.state, lambda state: state == "closed")
