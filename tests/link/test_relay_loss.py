"""What happens when a link of a relay drops: the worker's, a user's, or who asks."""

import pytest
import trio

from facets import Retryable
from facets.link.mirror import unavailability_of
from facets.link.worker import open_worker
from questions import Answered, Confirm, Questions
from questions.testing.stage import ANA
from tests.link.raw import greeted, wait_until
from tests.link.relays import WORKER, drop, open_relayed, sees, until
from tests.link.stages import SCOPE
from tests.link.test_relay import ask
from tests.rules import rule


def is_away(why):
    return bool(why)


def is_here(why):
    return why is None


async def test_viewers_keep_what_they_have_seen_and_hear_that_the_worker_is_away():
    async with open_relayed() as relayed, trio.open_nursery() as nursery:
        viewer = await relayed.viewer(ANA)
        await ask(relayed, nursery, Confirm("Go?"), audience=[ANA])
        await sees(viewer, "Go?")
        await drop(relayed.server, WORKER)
        assert await until(unavailability_of(viewer.open), is_away)
        await sees(viewer, "Go?")
        await until(unavailability_of(viewer.open), is_here)
        nursery.cancel_scope.cancel()


async def test_pending_questions_survive_the_workers_link_and_are_answered_after_it():
    async with open_relayed() as relayed, trio.open_nursery() as nursery:
        viewer = await relayed.viewer(ANA)
        results: list[Answered[bool]] = []
        await ask(relayed, nursery, Confirm("Go?"), results, audience=[ANA])
        (question,) = await sees(viewer, "Go?")
        await drop(relayed.server, WORKER)
        await until(relayed.worker.state, lambda state: state == "lost")
        await until(unavailability_of(viewer.open), is_away)
        await until(unavailability_of(viewer.open), is_here)
        await viewer.answer(question.id, True)
        await sees(viewer)
    assert [result.answer for result in results] == [True]


async def test_what_changed_while_the_worker_was_away_is_seen_after_it():
    async with open_relayed() as relayed, trio.open_nursery() as nursery:
        viewer = await relayed.viewer(ANA)
        await ask(relayed, nursery, Confirm("Before?"), audience=[ANA])
        await sees(viewer, "Before?")
        await drop(relayed.server, WORKER)
        await ask(relayed, nursery, Confirm("Meanwhile?"), audience=[ANA])
        await sees(viewer, "Before?", "Meanwhile?")
        nursery.cancel_scope.cancel()


async def test_a_call_while_the_worker_is_away_may_be_repeated():
    async with open_relayed() as relayed, trio.open_nursery() as nursery:
        viewer = await relayed.viewer(ANA)
        await ask(relayed, nursery, Confirm("Go?"), audience=[ANA])
        (question,) = await sees(viewer, "Go?")
        await drop(relayed.server, WORKER)
        await until(unavailability_of(viewer.open), is_away)
        with pytest.raises(Retryable):
            await viewer.answer(question.id, True)
        await until(unavailability_of(viewer.open), is_here)
        await viewer.answer(question.id, True)


@rule("Q-KEY-3")
async def test_a_keyed_ask_goes_on_by_itself_when_the_workers_link_is_back():
    async with open_relayed() as relayed, trio.open_nursery() as nursery:
        asker, viewer, results = await relayed.remote_asker(), await relayed.viewer(ANA), []

        async def run():
            results.append(await asker.ask(Confirm("Go?"), audience=[ANA], key="k"))

        nursery.start_soon(run)
        (before,) = await sees(viewer, "Go?")
        await drop(relayed.server, WORKER)
        await until(unavailability_of(viewer.open), is_away)
        await until(unavailability_of(viewer.open), is_here)
        (after,) = await sees(viewer, "Go?")
        assert after.id == before.id
        await viewer.answer(after.id, True)
    assert [result.answer for result in results] == [True]


@rule("Q-KEY-3")
async def test_the_worker_sees_that_who_asks_is_lost_rather_than_gone():
    """Who asks goes without a word and does not come back: its keyed question lingers, the other is withdrawn."""
    async with open_relayed() as relayed:
        viewer = await relayed.viewer(ANA)
        async with greeted(relayed.server, "worker:s1") as peer:
            object = await peer.get()
            for key in ("kept", None):
                question = {"kind": "confirm", "message": f"{key}?"}
                args = {"question": question, "audience": [{"kind": "user", "id": "ana"}], "key": key}
                call = {"type": "call", "id": peer.new_id(), "object": object, "method": "ask", "args": args}
                await peer.say(call)
            await until(viewer.open, lambda value: len(value) == 2)
        await sees(viewer, "kept?")
        assert [one.how for one in await until(viewer.closed)] == ["withdrawn"]
        assert [waiting.what for waiting in relayed.host.waiting.value.values()]


async def test_a_worker_that_dials_in_again_replaces_its_old_connection():
    async with open_relayed() as relayed, trio.open_nursery() as nursery:
        viewer = await relayed.viewer(ANA)
        await ask(relayed, nursery, Confirm("Go?"), audience=[ANA])
        await sees(viewer, "Go?")
        async with open_worker(relayed.host, relayed.server.url, "worker:s1", "s1") as again:
            await again.connected()
            await until(relayed.worker.state, lambda state: state == "lost")
            assert len(relayed.server.relay.describe()) == 1
            await sees(viewer, "Go?")
        nursery.cancel_scope.cancel()


async def test_leaving_the_block_leaves_what_is_pending_in_the_host():
    async with open_relayed() as relayed, relayed.host.root(principal=ANA) as ctx:
        local = await ctx.get(Questions, SCOPE)
        async with trio.open_nursery() as nursery:
            asker = await relayed.remote_asker()
            async with open_worker(relayed.host, relayed.server.url, "worker:s1", "s1") as second:
                await second.connected()
                nursery.start_soon(lambda: asker.ask(Confirm("Go?"), audience=[ANA], key="k"))
                await sees(local, "Go?")
            await trio.testing.wait_all_tasks_blocked(0.05)
            await sees(local, "Go?")
            nursery.cancel_scope.cancel()


async def test_a_cancelled_block_leaves_what_is_pending_too():
    async with open_relayed() as relayed, relayed.host.root(principal=ANA) as ctx, trio.open_nursery() as nursery:
        local, asker = await ctx.get(Questions, SCOPE), await relayed.remote_asker()
        with trio.CancelScope() as scope:
            async with open_worker(relayed.host, relayed.server.url, "worker:s1", "s1") as second:
                await second.connected()
                nursery.start_soon(lambda: asker.ask(Confirm("Go?"), audience=[ANA], key="k"))
                (question,) = await sees(local, "Go?")
                scope.cancel()
                await trio.sleep_forever()
        assert [one.id for one in local.open.value.values()] == [question.id]
        await wait_until(lambda: relayed.worker.state.value == "connected")
        nursery.cancel_scope.cancel()
