"""What only the client on asyncio has to decide: what becomes of a cancellation that came too late."""

import asyncio

import pytest
import trio

import facets.link.asyncio
from facets import LinkLost, Principal
from questions import Confirm, Questions
from tests.link.clients import OnAsyncio
from tests.link.scripted import open_script
from tests.link.stages import SCOPE
from tests.link.test_clients_cancelling import YES
from tests.rules import rule

ANA = Principal.user("ana")


async def answer_after_the_cancellation(script, times=1):
    """Whatever is asked is answered once the call was given up: the answer was first."""
    talk = await script.next()
    for _ in range(times):
        call = await talk.hear("call")
        await talk.hear("cancel")
        await talk.say({"type": "returned", "id": call["id"], "value": YES})


async def cut_after_the_call(script):
    talk = await script.next()
    await talk.hear("call")
    await talk.cut()


async def on_asyncio(script, program):
    """Run a program with a link and an asker on asyncio, while the script answers too late."""

    async def run():
        async with facets.link.asyncio.open_link(script.url, "t") as link:
            return await program(link, await link.get(Questions, SCOPE))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer_after_the_cancellation, script)
        return await OnAsyncio().run(run)


def ask(asker):
    return asker.ask(Confirm("Go?"), audience=[ANA])


@rule("Q-SET-2")
async def test_an_answer_wins_over_a_timeout_that_was_later():
    async def program(link, asker):
        async with asyncio.timeout(0.05):
            answered = await ask(asker)
        await link.get(Questions, SCOPE)  # the timeout is over, and with it its cancellation
        task = asyncio.current_task()
        return answered.answer, task and task.cancelling()

    async with open_script("asker") as script:
        assert await on_asyncio(script, program) == (True, 0)


@rule("Q-SET-2")
async def test_a_cancellation_that_came_too_late_is_raised_at_the_next_wait_for_a_link():
    got = []

    async def work(asker, link):
        got.append((await ask(asker)).answer)
        await anext(link.state.changes())
        got.append("went on")

    async def program(link, asker):
        task = asyncio.create_task(work(asker, link))
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    async with open_script("asker") as script:
        assert await on_asyncio(script, program) is True
    assert got == [True]


async def test_a_cancellation_that_came_too_late_is_raised_at_the_end_of_the_block():
    async def work(link_of):
        async with link_of as link:
            return await ask(await link.get(Questions, SCOPE))

    async def run(script):
        task = asyncio.create_task(work(facets.link.asyncio.open_link(script.url, "t")))
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    async with open_script("asker") as script, trio.open_nursery() as nursery:
        nursery.start_soon(answer_after_the_cancellation, script)
        assert await OnAsyncio().run(run, script) is True


async def test_who_is_cancelled_twice_does_not_wait_to_hear_who_was_first():
    async def run(script):
        async with facets.link.asyncio.open_link(script.url, "t") as link:
            task = asyncio.create_task(ask(await link.get(Questions, SCOPE)))
            await asyncio.sleep(0.05)
            for _ in range(2):
                task.cancel()
                await asyncio.sleep(0)
            with pytest.raises(asyncio.CancelledError):
                await asyncio.wait_for(asyncio.shield(task), 1)

    async with open_script("asker") as script:
        await OnAsyncio().run(run, script)


async def test_a_link_with_a_fault_of_its_own_keeps_nobody_waiting(monkeypatch):
    def fail(link, wire):
        raise ZeroDivisionError

    async def run(script):
        async with facets.link.asyncio.open_link(script.url, "t") as link:
            asker = await link.get(Questions, SCOPE)
            asking = asyncio.create_task(ask(asker))
            monkeypatch.setattr(facets.link.asyncio.Link, "opened", fail)
            with pytest.raises(LinkLost):
                await asking
            changes = link.state.changes()
            while await anext(changes) != "closed":
                pass

    async with open_script("asker") as script, trio.open_nursery() as nursery:
        nursery.start_soon(cut_after_the_call, script)
        with pytest.raises(ZeroDivisionError):
            await OnAsyncio().run(run, script)


async def test_a_follower_that_is_cancelled_leaves_nothing_behind():
    async def run(script):
        async with facets.link.asyncio.open_link(script.url, "t") as link:
            task = asyncio.create_task(link.state.changed(link.state.version))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert link.state._listeners
            task.cancel()
            await asyncio.wait([task])
            assert not link.state._listeners

    async with open_script("viewer") as script:
        await OnAsyncio().run(run, script)
