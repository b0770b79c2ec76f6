"""Going through the questions that wait for somebody's answer."""

from __future__ import annotations

from collections import deque

from facets.keyed import KeyedReadable

from .open_question import OpenQuestion

__all__ = ["QuestionsToAnswer"]


class QuestionsToAnswer:
    """The iterator of `viewer.to_answer()`. Holds nothing in the store, so it may simply be dropped."""

    __slots__ = ("_differences", "_known", "_next", "_open")

    def __init__(self, open: KeyedReadable[str, OpenQuestion]) -> None:
        self._open = open
        self._differences = open.differences()
        self._next: deque[str] = deque()
        self._known: set[str] = set()

    def __aiter__(self) -> QuestionsToAnswer:
        return self

    async def __anext__(self) -> OpenQuestion:
        while True:
            while self._next:
                question = self._open.value.get(self._next.popleft())
                if question is not None and not question.answered_by_me:  # else it has ended meanwhile
                    return question
            difference = await anext(self._differences)
            self._known.difference_update(difference.drop)
            waiting = [id for id, one in difference.put.items() if one.may_answer and not one.answered_by_me]
            self._next += [id for id in waiting if id not in self._known]
            self._known.update(waiting)
