"""An open request as people see it who may answer it, and one that has ended: what a card needs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from datetime import datetime
from typing import Any, final

import msgspec

from questions.deadlines import Deadline, instant
from questions.question import Option, Question, Select
from questions.visible import visible

from .choices import TextInput
from .document import Document, document
from .endings import ending
from .resolution import AcceptedDecision, Provenance
from .responses import GivenText, Response
from .steps import Standing
from .view import ChannelView

__all__ = ["ClosedGate", "OpenGate", "closed_gate"]


@final
class OpenGate(msgspec.Struct, frozen=True, eq=False):
    """What somebody who may answer it knows of an open request. Immutable; time alone changes no value.

    Never the subject: `view` is what channels get.
    """

    view: ChannelView
    _deadline: Deadline | None
    _now: Callable[[], float]
    written: dict[Hashable, Any] = {}  # an empty dict of a struct is made anew for each
    """For surfaces: what they have made of it, once for all who are shown the same."""
    may_answer = True  # it is shown to nobody else
    answered_by_me = False  # this one ends with its answer

    @property
    def id(self) -> str:
        """What to answer it by, together with `request_digest`."""
        return self.view.decision_id

    @property
    def request_digest(self) -> str:
        """What says that the answer is to what was shown."""
        return self.view.request_digest

    @property
    def document(self) -> Document:
        """The text that every channel shows, in its order."""
        if "document" not in self.written:
            self.written["document"] = document(self.view)
        found: Document = self.written["document"]
        return found

    @property
    def message(self) -> str:
        """The title, with what cannot be seen in it made visible."""
        return self.document.title

    @property
    def details(self) -> str:
        """The summary and the blocks."""
        return "\n\n".join((self.document.summary, *self.document.blocks))

    @property
    def question(self) -> Question[Any]:
        """Its choices as a question; what is picked there may take a text besides, see `input_of`."""
        lines = zip(self.view.choices.items(), self.document.choices, strict=True)
        options = [Option(id, terms.label if terms.input is None else line) for (id, terms), line in lines]
        return Select(self.message, [Option(one.id, visible(one.label)) for one in options])

    def input_of(self, choice: str) -> TextInput | None:
        """The text that a choice takes; None: it takes none."""
        return self.view.choices[choice].input

    def response_of(self, choice: str, text: str = "") -> Response:
        """What to answer with: a choice, and the text exactly as it was typed, if that choice takes one."""
        asked = self.input_of(choice)
        return Response(choice) if asked is None else Response(choice, GivenText(asked.name, text))

    @property
    def asked_at(self) -> datetime:
        """When it was made, UTC, by the clock of the store."""
        return instant(self.view.created_at / 1000)

    @property
    def deadline(self) -> datetime | None:
        """From when on it is too late, UTC, by the clock of the host; None: it waits for ever."""
        return None if self._deadline is None else instant(self._deadline.epoch)

    @property
    def remaining(self) -> float | None:
        """Seconds left, now; None without a deadline."""
        return None if self._deadline is None else self._deadline.remaining(self._now())

    def __eq__(self, other: object) -> bool:
        return self.view == other.view if isinstance(other, OpenGate) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other  # a struct's own would go by identity

    def __hash__(self) -> int:
        return hash(self.id)

    def __rich_repr__(self) -> Iterator[tuple[str, object]]:  # type: ignore[override]  # rich takes either
        """For rich."""
        yield "id", self.id
        yield "audience", self.view.audience

    def __repr__(self) -> str:
        return f"OpenGate(id={self.id!r}, audience={self.view.audience!r})"


class ClosedGate(msgspec.Struct, frozen=True):
    """A request that has left somebody's `open`. Never by whom, nor where: see `Receipt`."""

    id: str
    message: str
    """Its title."""
    how: str
    """answered, expired, cancelled; or gone: it is not in the store any more, or cannot be read."""
    provenance: Provenance | None
    """Of an answer: human, or timeout: then nobody has decided. null: there is no answer."""
    answer: str | None
    """The label of what was chosen; a text is not repeated."""
    words: str
    """All of that as a sentence, the same in every channel."""
    at: float
    """When it has ended, epoch seconds: by the store, or when it was noticed if that does not say."""


def closed_gate(view: ChannelView, standing: Standing | None, now: float) -> ClosedGate:
    """How a request has ended. `standing` None: nobody can say. `now`: epoch seconds, for that."""
    id, title = view.decision_id, visible(view.title)
    resolution = None if standing is None else standing.resolution
    if resolution is None:
        return ClosedGate(id, title, "gone", None, None, "It is not there any more.", now)
    words = ending(view, resolution)
    if isinstance(resolution, AcceptedDecision):
        label = visible(view.choices[resolution.response.choice].label)
        return ClosedGate(id, title, "answered", resolution.provenance, label, words, resolution.accepted_at / 1000)
    return ClosedGate(id, title, resolution.reason, None, None, words, resolution.cancelled_at / 1000)
