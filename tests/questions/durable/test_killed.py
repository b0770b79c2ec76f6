"""Processes that are killed at every step of a transition: it has happened, or it has not, and is never half done."""

import os

import pytest
import trio

from questions.durable import StoreLimits
from questions.durable.backend import Scan
from questions.durable.decision import flat
from questions.durable.swapping import read
from questions.durable.table import DECISIONS
from tests.questions.durable.acts import raise_one, rows
from tests.questions.durable.cases import ALICE, T
from tests.questions.durable.engines import OUTLIVING
from tests.questions.durable.forking_program import ACTS, POINTS
from tests.questions.durable.forks import Heard, assert_sound, forks, kill

__all__ = ["forks"]

ROUNDS = int(os.environ.get("SOAK_ROUNDS", "20"))
HAPPENED = POINTS[2:]
ENDS = {"answer": "answered", "escalate": "open", "cancel": "cancelled", "expire": "expired"}
ROOMY = StoreLimits(max_open=100_000, max_stored=1_000_000)


class Killing:
    """Acts by processes that are killed on the way, on one store."""

    def __init__(self, engines, store, forks):
        self.engines, self.store, self.forks = engines, store, forks

    async def at(self, point, act, name):
        """Kill one who acts: the row that this leaves, if any, and what was acknowledged."""
        what, now = name, T
        if act != "raise":
            fields = {"holder": "root", "on_expire": "escalate"} if act == "escalate" else {"timeout_ms": 1000}
            what = (await raise_one(self.store, name, **fields)).id
        if act == "expire":
            now = T + 2000
            await self.engines.set_clock(now)
        self.forks.start("act", act=act, what=what, point=point, where=str(self.engines.where), now=now)
        pid, acknowledged = await self.forks.stopped()
        kill(pid)
        await self.engines.set_clock(T)
        return await self.row(act, what), acknowledged

    async def row(self, act, what):
        if act == "raise":
            found = (await self.store.backend.scan(Scan(DECISIONS, "all", (), 100_000))).rows
            return next((row for row in found if read(row).title == what), None)
        [row] = await rows(self.store, what)
        return row


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("engines", OUTLIVING, indirect=True)
async def test_who_is_killed_leaves_the_old_or_the_new_and_never_half(engines, forks, point):  # case 122, case 123
    async with engines.open(limits=ROOMY) as store:
        killing = Killing(engines, store, forks)
        for number in range(ROUNDS):
            act = list(ACTS)[number % len(ACTS)]
            row, acknowledged = await killing.at(point, act, f"{act} {number}")
            before = 0 if act == "raise" else 1
            assert (row.version if row else 0) == before + (point in HAPPENED)
            if row and row.version > 1:
                assert read(row).status == ENDS[act]
            assert acknowledged in ([], [(row.key, row.version)] if row else [])
            assert acknowledged or point != "after it returned"
    async with engines.open() as store:
        await assert_sound(Heard(store.backend))


@pytest.mark.parametrize("engines", OUTLIVING, indirect=True)
async def test_who_waits_hears_of_an_answer_whose_giver_is_killed_before_telling(engines, forks):  # case 122
    """The hint is in the store with the answer: nothing depends on who has written it."""
    async with engines.open(safety_poll_ms=60_000) as store:
        raised = await raise_one(store)
        ended = []

        async def wait():
            ended.append(await store.decisions(ALICE).wait(raised.id))

        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(wait)
                where = str(engines.where)
                forks.start("act", act="answer", what=raised.id, point="after commit", where=where, now=T)
                pid, acknowledged = await forks.stopped()
                kill(pid)
        assert acknowledged == []
        assert flat(ended[0])["answer"]["text"] == "yes"
