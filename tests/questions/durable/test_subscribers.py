"""Hundreds who only listen cost those who act nothing, and hear it all when it comes."""

import trio

from questions.durable import Hint, StoreLimits
from tests.questions.durable.acts import fill
from tests.questions.durable.cases import ALICE

SUBSCRIBERS = 300


async def test_three_hundred_idle_subscribers_are_one_reader(engines):
    limits = StoreLimits(max_open=1000, max_stored=2000)
    async with (
        engines.open(limits=limits) as store,
        engines.open_intercepted(safety_poll_ms=60_000) as (theirs, engine),
    ):
        ids = await fill(store, SUBSCRIBERS)
        ended, heard = [], []

        async def wait(id):
            ended.append((await theirs.decisions(ALICE).wait(id)).id)

        async def answer(store, id):
            await store.decisions(ALICE).answer(id, text="yes")

        async def listen(hints):
            hint = await anext(hints)
            while not isinstance(hint, Hint) or hint.kind != "decision.answered":
                hint = await anext(hints)
            heard.append(hint.id)

        async with trio.open_nursery() as waits:
            for id in ids:
                waits.start_soon(wait, id)
            while theirs.follower.watched < SUBSCRIBERS:
                await trio.lowlevel.checkpoint()
            engine.forget()
            async with trio.open_nursery() as listeners:
                for _ in range(SUBSCRIBERS):
                    listeners.start_soon(listen, theirs.decisions(ALICE).hints())
                await store.decisions(ALICE).answer(ids[0], text="yes")
            assert heard == [ids[0]] * SUBSCRIBERS
            while not ended:
                await trio.lowlevel.checkpoint()
            assert ended == ids[:1]
            assert engine.calls["get"] <= 3, "all that they wait for in one, and the one that was answered"
            for id in ids[1:]:
                waits.start_soon(answer, store, id)
        assert sorted(ended) == sorted(ids)
