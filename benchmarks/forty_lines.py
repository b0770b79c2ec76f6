"""The reference: the broker of forty lines that people write by hand.

A dict of events and a channel for each subscriber. It validates nothing and knows no policies,
keys, deadlines, authority or views; who watches keeps a picture of his own from the messages. Its
channels are unbounded, so that it never has to decide what to do about a slow reader.
"""

import itertools
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import trio

Message = tuple[str, int, Any]


class Pending:
    def __init__(self, question: Any) -> None:
        self.question = question
        self.answered = trio.Event()
        self.answer: Any = None


class Broker:
    """Asks, waits on an event, returns the answer; tells each subscriber what comes and goes."""

    def __init__(self) -> None:
        self.pending: dict[int, Pending] = {}
        self._subscribers: set[trio.MemorySendChannel[Message]] = set()
        self._ids = itertools.count(1)

    async def ask(self, question: Any) -> Any:
        question_id = next(self._ids)
        pending = self.pending[question_id] = Pending(question)
        self._tell(("put", question_id, question))
        try:
            await pending.answered.wait()
        finally:
            if self.pending.pop(question_id, None):
                self._tell(("drop", question_id, None))
        return pending.answer

    def answer(self, question_id: int, answer: Any) -> None:
        pending = self.pending.pop(question_id)
        pending.answer = answer
        pending.answered.set()
        self._tell(("drop", question_id, None))

    @contextmanager
    def subscribe(self) -> Iterator[trio.MemoryReceiveChannel[Message]]:
        send, receive = trio.open_memory_channel[Message](math.inf)
        for question_id, pending in self.pending.items():
            send.send_nowait(("put", question_id, pending.question))
        self._subscribers.add(send)
        try:
            yield receive
        finally:
            self._subscribers.discard(send)

    def _tell(self, message: Message) -> None:
        for subscriber in self._subscribers:
            subscriber.send_nowait(message)
