"""What lies before the person: open questions, decisions and gates, the one in front, and what was begun for each.

Pure: the time is an argument. What is in front stays there until the person turns to another one, or has answered it:
a question that ends under somebody's hands says how, and no other one takes its place under their keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from questions.cli.arming import Arming
from questions.durable.open_decision import ClosedDecision, OpenDecision
from questions.gates.open_gate import ClosedGate, OpenGate
from questions.open_question import OpenQuestion
from questions.reports import ClosedQuestion
from questions.scopes import Scope

__all__ = ["DECISIONS", "GATES", "Closed", "Open", "Pile", "Place", "is_mine", "place_of"]

Open = OpenQuestion | OpenDecision | OpenGate
"""What can be open."""
Closed = ClosedQuestion | ClosedDecision | ClosedGate
"""How it has ended."""
DECISIONS, GATES = "decisions", "gates"
"""Where decisions and gates are; questions have scopes."""
Place = Scope | str

_MOST_DRAFTS = 200


class Pile:
    """Questions of one or more sessions, oldest first, and which of them is in front."""

    def __init__(self) -> None:
        self.rows: tuple[Open, ...] = ()
        """Those that are open."""
        self.front: Open | None = None
        """The one that keys are for; it may have ended."""
        self.ending: Closed | None = None
        """How that one has ended; None: it has not."""
        self.picked = ""
        """The choice of a gate whose text is being typed; empty: none is."""
        self.arming = Arming()
        self._drafts: dict[str, str] = {}
        self._answered: set[str] = set()

    @property
    def mine(self) -> list[Open]:
        """Those that wait for this person's answer."""
        return [one for one in self.rows if is_mine(one) and one.id not in self._answered]

    @property
    def is_answerable(self) -> bool:
        """Whether the one in front can be answered now."""
        return self.front is not None and self.ending is None and self.front in self.mine

    def look(self, opened: Sequence[Open], closed: Mapping[str, Closed], now: float) -> None:
        """Take in what is open, oldest first, and what has ended of late. `now`: epoch seconds."""
        self.rows = tuple(opened)
        self._answered &= {one.id for one in opened}
        front = self.front
        if front is None:
            self.next()
            return
        current = next((one for one in opened if one.id == front.id), None)
        if current is not None:
            self.front, self.ending = current, None
        else:
            unknown = ClosedQuestion(front.id, front.message, "unknown", (), now)
            self.ending = closed.get(front.id, self.ending or unknown)
            if front.question.secret:
                self._drafts.pop(front.id, None)

    def next(self) -> None:
        """Turn to the oldest one that waits for this person's answer; if there is none, to the oldest."""
        self.turn_to(next(iter(self.mine), next(iter(self.rows), None)))

    def turn_to(self, question: Open | None) -> None:
        """Put it in front. Keys count again once it has been shown for a while."""
        before = self.front
        self.front, self.ending = question, None
        if question is None or before is None or question.id != before.id:
            self.arming.hide()
            self.picked = ""

    def answered(self, id: str) -> None:
        """This person's answer to it counts, though nobody may have been told of that yet. The next one comes."""
        self._answered.add(id)
        self._drafts.pop(id, None)
        self.next()

    def draft(self, id: str) -> str:
        """What was begun for a question; empty: nothing."""
        return self._drafts.get(id, "")

    def keep_draft(self, id: str, text: str, *, is_secret: bool = False) -> None:
        """Keep what was begun, until it is answered; the oldest of very many goes. Of a secret: while it is open."""
        self._drafts.pop(id, None)
        if text and not (is_secret and all(one.id != id for one in self.rows)):
            self._drafts[id] = text
        if len(self._drafts) > _MOST_DRAFTS:
            del self._drafts[next(iter(self._drafts))]


def is_mine(question: Open) -> bool:
    """Whether it waits for this person's answer."""
    return question.may_answer and not question.answered_by_me


def place_of(question: Open) -> Place:
    """Where it is: what can be out of reach by itself."""
    if isinstance(question, OpenGate):
        return GATES
    return DECISIONS if isinstance(question, OpenDecision) else question.scope
