"""Lost links: what comes back by itself, and who is told."""

import pytest
import trio

from facets import LinkLost, Principal, open_host
from facets.link import open_link_server
from facets.nursery import open_serving_nursery
from questions import Confirm, NoLongerActive, Questions, questions_facet
from questions.testing import Asking
from tests.link.clients import coming_back, every_client
from tests.link.raw import PATIENCE
from tests.link.relays import drop, sees, until
from tests.link.scripted import NOW, open_script
from tests.link.stages import SCOPE, OverLinks, Tokens, open_stage_over_links
from tests.link.test_clients_cancelling import YES
from tests.rules import rule

ANA = Principal.user("ana")
HOST = Principal.server("host")


def begin(nursery, asker, message="Go?", **options):
    asking = Asking()
    nursery.start_soon(asking.run, lambda: asker.ask(Confirm(message), audience=[ANA], **options))
    return asking


async def end_of(asking):
    with trio.fail_after(PATIENCE):
        return await asking.wait()


@every_client
async def test_a_link_that_was_cut_comes_back_with_what_it_holds_and_follows(open_link):
    async with open_stage_over_links(open_link=open_link) as stage, trio.open_nursery() as nursery:
        viewer, asker = await stage.viewer(ANA), await stage.asker()
        begin(nursery, asker, "Before?")
        await sees(viewer, "Before?")
        await drop(stage.server, ANA)
        assert await until(viewer.open.unavailability, lambda why: why) == "the link is lost"
        begin(nursery, asker, "Meanwhile?")
        _, meanwhile = await sees(viewer, "Before?", "Meanwhile?")
        assert viewer.open.unavailable is None
        await viewer.answer(meanwhile.id, True)
        await sees(viewer, "Before?")
        nursery.cancel_scope.cancel()


@rule("Q-KEY-3")
@every_client
async def test_a_keyed_ask_goes_on_by_itself(open_link):
    async with open_stage_over_links(open_link=open_link) as stage, trio.open_nursery() as nursery:
        viewer, asking = await stage.viewer(ANA), begin(nursery, await stage.asker(), key="k")
        (before,) = await sees(viewer, "Go?")
        async with coming_back(stage._links["server:host"]):
            await drop(stage.server, HOST)
        (after,) = await sees(viewer, "Go?")
        assert after.id == before.id, "nobody is asked twice"
        await viewer.answer(after.id, True)
        assert (await end_of(asking)).answer is True


@rule("Q-KEY-2", "Q-KEY-3")
@every_client
async def test_another_try_only_attaches_and_its_time_goes_on(open_link):
    async with open_script("asker") as script, trio.open_nursery() as nursery, open_link(script.url, "t") as link:
        first = await script.next()
        asking = begin(nursery, await link.get(Questions, SCOPE), key="k", timeout=60)
        args = (await first.hear("call"))["args"]
        assert (args["timeout"], args.get("attach_only")) == (60, None)
        await first.cut()
        second = await script.next()
        call = await second.hear("call")
        assert (call["args"]["attach_only"], call["args"].get("timeout")) == (True, None)
        assert call["args"]["deadline"] == pytest.approx(NOW + 60, abs=5)
        await second.say({"type": "returned", "id": call["id"], "value": YES})
        assert (await end_of(asking)).answer is True


@every_client
async def test_an_ask_without_a_key_raises_link_lost(open_link):
    async with open_stage_over_links(open_link=open_link) as stage, trio.open_nursery() as nursery:
        viewer, asking = await stage.viewer(ANA), begin(nursery, await stage.asker())
        (question,) = await sees(viewer, "Go?")
        await drop(stage.server, HOST)
        with pytest.raises(LinkLost):
            await end_of(asking)
        await sees(viewer)
        with pytest.raises(NoLongerActive):
            await viewer.answer(question.id, True)


@every_client
async def test_a_keyed_ask_goes_on_when_the_server_was_started_again(open_link):
    async with open_serving_nursery() as keeping, trio.open_nursery() as nursery:
        async with open_host([questions_facet]) as old, open_link_server(old, Tokens()) as server:
            port, links = server.address[1], OverLinks(server, keeping, open_link=open_link)
            viewer, asking = await links.viewer(ANA), begin(nursery, await links.asker(), key="k")
            (before,) = await sees(viewer, "Go?")
        await until(viewer.open.unavailability, lambda why: why == "the link is lost")
        async with open_host([questions_facet]) as new, open_link_server(new, Tokens(), port=port):
            (after,) = await shown_anew(viewer, before)
            await viewer.answer(after.id, True)
            assert (await end_of(asking)).answer is True


async def shown_anew(viewer, before):
    """The open questions, once they are of the new host."""
    shown = await until(viewer.open, lambda value: value and before.id not in value)
    return list(shown.values())


@every_client
async def test_a_server_that_is_not_there_yet_is_waited_for(open_link):
    async with open_host([questions_facet]) as host:
        async with open_link_server(host, Tokens()) as server:
            port, url = server.address[1], server.url
        async with trio.open_nursery() as nursery:
            greeted = trio.Event()

            async def connect():
                async with open_link(url, "user:ana") as link:
                    assert link.principal == ANA
                    greeted.set()

            nursery.start_soon(connect)
            await trio.testing.wait_all_tasks_blocked(0.05)
            assert not greeted.is_set()
            async with open_link_server(host, Tokens(), port=port):
                with trio.fail_after(PATIENCE):
                    await greeted.wait()


@every_client
async def test_nothing_is_held_anew_while_the_link_is_lost(open_link):
    async with open_script("viewer") as script, open_link(script.url, "t") as link:
        talk = await script.next()
        viewer = await link.get(Questions, SCOPE)
        script.goodbye = {"code": "link_limit_exceeded", "retryable": True}
        await talk.cut()
        await until(link.state, lambda state: state == "lost")
        for call in (link.get(Questions, SCOPE), viewer.answer("q_0123456789_1", True)):
            with pytest.raises(LinkLost):
                await call
        script.goodbye = None
        await until(link.state, lambda state: state == "connected")
