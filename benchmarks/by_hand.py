"""The forty-line broker as a side of the comparison."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter_ns

from benchmarks.forty_lines import Broker
from benchmarks.turns import Crowd, Turns


class ByHand:
    """People at a forty-line broker."""

    def __init__(self) -> None:
        self.broker = Broker()
        self.answering = False
        self._answered_at = 0
        self._picture: set[int] = set()

    async def ask_in_turn(self, count: int) -> list[int]:
        latencies = []
        for _ in range(count):
            await self.broker.ask({"message": "Run it?"})
            latencies.append(perf_counter_ns() - self._answered_at)
        return latencies

    async def stand(self) -> None:
        await self.broker.ask({"message": "Run it?"})

    async def answer_what_comes(self) -> None:
        with self.broker.subscribe() as messages:
            async for kind, question_id, _question in messages:
                if kind == "put" and self.answering:
                    self._answered_at = perf_counter_ns()
                    self.broker.answer(question_id, True)

    async def ask_at_each_turn(self, turns: Turns) -> None:
        while True:
            await turns.wait()
            await self.broker.ask({"message": "Run it?"})

    async def watch(self, person: int, crowd: Crowd) -> None:
        picture: set[int] = set()
        if person == 0:
            self._picture = picture
        with self.broker.subscribe() as messages:
            async for kind, question_id, _question in messages:
                if kind == "put":
                    picture.add(question_id)
                else:
                    picture.discard(question_id)
                crowd.sees(len(picture))

    async def answer_all(self) -> None:
        for question_id in list(self._picture):
            self.broker.answer(question_id, True)


@asynccontextmanager
async def open_by_hand() -> AsyncIterator[ByHand]:
    """A fresh broker; nothing of it has to be closed."""
    yield ByHand()
