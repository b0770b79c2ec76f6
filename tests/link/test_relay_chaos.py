"""Links that drop at random, all of them: every keyed ask gets its one answer, and no answer counts twice."""

import random

import pytest
import trio

from facets import Retryable
from questions import NoLongerActive, Questions, Text, UnknownQuestion
from questions.testing.stage import ANA, BO
from tests.link.relays import WORKER, open_relayed
from tests.link.stages import SCOPE
from tests.rules import rule

ASKS, DROPS = 6, 15


class Chaos:
    """Three who ask, two who answer whatever is open, and somebody with scissors."""

    def __init__(self, relayed, seed):
        self.relayed = relayed
        self.random = random.Random(seed)
        self.results = {}
        self.tried = {}
        self.accepted = {}
        self.cuts = 0

    async def work(self, number, asker):
        for step in range(ASKS):
            key = f"{number}/{step}"
            result = await asker.ask(Text(key), audience=[ANA, BO], key=key)
            self.results[key] = result.answer

    async def answer(self, viewer):
        while True:
            for question in viewer.open.value.values():
                if question.may_answer and not question.answered_by_me:
                    await self._answer(viewer, question, f"{viewer.principal} {self.random.random()}")
            await trio.sleep(self.random.random() * 0.1)

    async def _answer(self, viewer, question, text):
        self.tried.setdefault(question.message, []).append(text)
        try:
            await viewer.answer(question.id, text)
        except (Retryable, NoLongerActive, UnknownQuestion):
            return
        self.accepted.setdefault(question.message, []).append(text)

    async def cut(self):
        for _ in range(DROPS):
            await trio.sleep(self.random.random() * 0.1)
            whose = self.random.choice([WORKER, ANA, BO])
            while not (peers := self._peers(whose)):  # noqa: ASYNC110  # cut off before, and coming back
                await trio.sleep(0.01)
            self.cuts += 1
            await self.random.choice(peers)._connection.close_stream()

    def _peers(self, whose):
        return [one for one in self.relayed.server.peers if one.identity.principal == whose]

    def check(self):
        assert self.cuts == DROPS
        assert len(self.results) == 3 * ASKS
        for key, answer in self.results.items():
            assert answer in self.tried[key]
            assert self.accepted.get(key, [answer]) == [answer], "who was told that it counts was told the truth"


@rule("Q-SET-2", "Q-KEY-3")
@pytest.mark.parametrize("seed", [1, 2])
async def test_no_ask_is_lost_and_no_answer_counts_twice(seed):
    async with open_relayed() as relayed, trio.open_nursery() as nursery:
        chaos = Chaos(relayed, seed)
        viewers = [await relayed.viewer(principal) for principal in (ANA, BO)]
        askers = [await (await relayed.link("worker:s1")).get(Questions, SCOPE) for _ in range(3)]
        for viewer in viewers:
            nursery.start_soon(chaos.answer, viewer)
        with trio.fail_after(60):
            async with trio.open_nursery() as asking:
                asking.start_soon(chaos.cut)
                for number, asker in enumerate(askers):
                    asking.start_soon(chaos.work, number, asker)
        nursery.cancel_scope.cancel()
        assert not relayed.host.waiting.value
    chaos.check()
