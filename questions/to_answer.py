"""Going through the questions that wait for somebody's answer."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING

from facets.keyed import Difference, KeyedReadable

from .open_question import OpenQuestion

if TYPE_CHECKING:
    from facets.link.blocking import BlockingKeyedReadable

__all__ = ["BlockingQuestionsToAnswer", "QuestionsToAnswer"]


class _Turns:
    """Whose turn it is: each question that waits for an answer once, in the order in which they were asked."""

    __slots__ = ("_known", "_next")

    def __init__(self) -> None:
        self._next: deque[str] = deque()
        self._known: set[str] = set()

    def take(self, open: Mapping[str, OpenQuestion]) -> OpenQuestion | None:
        while self._next:
            question = open.get(self._next.popleft())
            if question is not None and not question.answered_by_me:  # else it has ended meanwhile
                return question
        return None

    def add(self, difference: Difference[str, OpenQuestion]) -> None:
        self._known.difference_update(difference.drop)
        waiting = [id for id, one in difference.put.items() if one.may_answer and not one.answered_by_me]
        self._next += [id for id in waiting if id not in self._known]
        self._known.update(waiting)


class QuestionsToAnswer:
    """The iterator of `viewer.to_answer()`. Holds nothing in the store, so it may simply be dropped."""

    __slots__ = ("_differences", "_open", "_turns")

    def __init__(self, open: KeyedReadable[str, OpenQuestion]) -> None:
        self._open = open
        self._differences = open.differences()
        self._turns = _Turns()

    def __aiter__(self) -> QuestionsToAnswer:
        return self

    async def __anext__(self) -> OpenQuestion:
        while (question := self._turns.take(self._open.value)) is None:
            self._turns.add(await anext(self._differences))
        return question


class BlockingQuestionsToAnswer:
    """The same for plain scripts, over a link. May simply be dropped."""

    __slots__ = ("_differences", "_open", "_turns")

    def __init__(self, open: BlockingKeyedReadable[OpenQuestion], timeout: float | None) -> None:
        self._open = open
        self._differences = open.differences(timeout)
        self._turns = _Turns()

    def __iter__(self) -> BlockingQuestionsToAnswer:
        return self

    def __next__(self) -> OpenQuestion:
        while (question := self._turns.take(self._open.value)) is None:
            self._turns.add(next(self._differences))
        return question
