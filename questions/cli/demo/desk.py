"""What lies in front of the person at the keyboard: one question at a time, and what they typed for it so far.

Pure: the time is an argument. A key counts only for the question that has been in view for a while, so that neither
a key from the buffer nor one meant for the question before answers this one.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from questions.cli.arming import ARMING_DELAY, Arming, chosen
from questions.open_question import OpenQuestion
from questions.question import Text as TextQuestion

__all__ = ["ARMING_DELAY", "Answer", "Desk"]


@attrs.frozen
class Answer:
    """What the person answers to a question. Not in the `repr`: it may be a secret."""

    id: str
    value: bool | str = attrs.field(repr=False)


class Desk:
    """Picks the question to show, oldest first, and turns keys into an answer to it."""

    def __init__(self) -> None:
        self.front: OpenQuestion | None = None
        """The question that keys are for."""
        self.waiting: tuple[OpenQuestion, ...] = ()
        """The other open ones, oldest first."""
        self.typed = ""
        self.page = 0
        self.pages = 1
        self.read_to_the_end = False
        """Whether the last page of the arguments of `front` has been drawn."""
        self.note = ""
        """Something to tell the person."""
        self._left: set[str] = set()
        self._arming = Arming()

    def look(self, opened: Sequence[OpenQuestion], now: float) -> bool:
        """Take in what is open, oldest first. True if another question is in front now: then drop buffered keys."""
        mine = [each for each in opened if each.may_answer and not each.answered_by_me]
        todo = {each.id: each for each in mine if each.id not in self._left}
        before = self.front.id if self.front else ""
        self.front = todo.get(before) or next(iter(todo.values()), None)
        self.waiting = tuple(each for each in opened if each is not self.front)
        if self.front is None or self.front.id == before:
            return False
        # What was typed for another question is never submitted for this one.
        self.typed, self.page, self.pages, self.read_to_the_end = "", 0, 1, False
        self._arming.show(now)
        return True

    def turn_to(self, pages: int) -> int:
        """For whoever draws: the arguments of `front` fill so many pages; the one to draw, from 0."""
        self.pages, self.page = pages, min(self.page, pages - 1)
        self.read_to_the_end = self.read_to_the_end or self.page == pages - 1
        return self.page

    def armed_in(self, now: float) -> float:
        """Seconds until keys count; zero or less once they do."""
        return self._arming.remaining(now)

    def press(self, keys: Sequence[str], now: float) -> Answer | None:
        """Take keys in order; an answer ends it, and the keys after it are dropped."""
        if self.front is None or self.armed_in(now) > 0:
            return None
        for key in keys:
            answer = self._press(self.front, key)
            if answer is not None or self.front is None:
                return answer
        return None

    def _press(self, front: OpenQuestion, key: str) -> Answer | None:
        self.note = ""
        if key == "tab":
            self._leave(front)
        elif key == "down" or (key == " " and not isinstance(front.question, TextQuestion)):
            self.page = (self.page + 1) % self.pages
        elif isinstance(front.question, TextQuestion):
            return self._type(front, key)
        else:
            return self._choose(front, key)
        return None

    def _leave(self, front: OpenQuestion) -> None:
        self._left.add(front.id)
        self.note = f"Left to others: {front.question.message}"
        self.front = None

    def _choose(self, front: OpenQuestion, key: str) -> Answer | None:
        value = chosen(front.question, key)
        if value is None:
            return None
        if value is True and not self.read_to_the_end:
            # A long command hides its end below the screen; nobody allows what they have not seen.
            self.note = "Read to the end first: press space."
            return None
        return Answer(front.id, value)

    def _type(self, front: OpenQuestion, key: str) -> Answer | None:
        if key == "enter" and self.typed:
            answer, self.typed = Answer(front.id, self.typed), ""
            return answer
        if key == "enter":
            self.note = "Nothing typed yet."
        elif key == "backspace":
            self.typed = self.typed[:-1]
        elif len(key) == 1:
            self.typed += key
        return None
