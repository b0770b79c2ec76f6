"""Where an answer is typed: a line that is not shown for a secret, an area of any number of lines for a text."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.message import Message
from textual.widgets import Input, TextArea

from questions.cli.inbox.decision_wording import next_of
from questions.durable.open_decision import OpenDecision
from questions.redaction import Secret

__all__ = ["SENDING", "Area", "Line", "PassedOn", "Reason", "Sent", "Shortened"]

SENDING = frozenset({"ctrl+s", "f2"})
"""The keys that give what is typed."""


class Sent(Message):
    """What is typed is to be given. `about`: to the question with this id."""

    def __init__(self, about: str, value: str) -> None:
        super().__init__()
        self.about = about
        self.value = Secret(value)


class PassedOn(Sent):
    """A decision is to be passed on, for a reason, which may be empty."""


class Shortened(Message):
    """Of what was pasted something was left out. `why`: in words."""

    def __init__(self, why: str) -> None:
        super().__init__()
        self.why = why


class Line(Input):
    """A line of text. Of what is pasted it takes the first line, and says so."""

    sending: ClassVar[frozenset[str]] = SENDING | {"enter"}
    sends: ClassVar[type[Sent]] = Sent
    about = ""
    """The id of the question that is answered here."""
    kept_as = ""
    """By what its text is kept while another one is in front."""

    async def _on_key(self, event: events.Key) -> None:
        """Here rather than by a binding of the app, which would come before what is typed and not yet taken in."""
        if event.key in self.sending:
            _send(self, event)
        else:
            await super()._on_key(event)

    def begin(self, about: str, kept_as: str, draft: Callable[[str], str]) -> None:
        """Answer this question here, from what was begun for it."""
        self.about, self.kept_as, self.value = about, kept_as, draft(kept_as)

    def on_paste(self, event: events.Paste) -> None:
        """Beside what the library does with it."""
        if len(event.text.splitlines()) > 1:
            self.post_message(Shortened("Only the first line was taken."))


class Reason(Line):
    """A line with the reason for which a decision is passed on."""

    _away_from = ""

    def begin_for(self, decision: OpenDecision) -> None:
        """Ask why this one is passed on."""
        self.value, self.about, self.display = "", decision.id, True
        self._away_from = decision.decision.holder

    def why_not(self, decision: OpenDecision) -> str:
        """What keeps it from being passed on now, as it stands; empty: nothing."""
        if not decision.may_escalate:
            return "There is nobody to pass it on to any more."
        if self._away_from != decision.decision.holder:  # its new holder is not passed over unawares
            self._away_from = decision.decision.holder
            return f"It has gone on meanwhile. Enter again passes it on to {next_of(decision)}."
        return ""

    sends: ClassVar[type[Sent]] = PassedOn


class Area(TextArea):
    """Lines of text. What is pasted loses its last line feed, and characters that a terminal would obey."""

    sending: ClassVar[frozenset[str]] = SENDING
    sends: ClassVar[type[Sent]] = Sent
    about = ""
    """The id of the question that is answered here."""
    kept_as = ""
    """By what its text is kept while another one is in front."""

    def begin(self, about: str, kept_as: str, draft: Callable[[str], str]) -> None:
        """Answer this question here, from what was begun for it."""
        self.about, self.kept_as, self.value = about, kept_as, draft(kept_as)

    @property
    def value(self) -> str:
        """What is typed. Given another one, it forgets how the last one came about."""
        return self.text

    @value.setter
    def value(self, text: str) -> None:
        self.load_text(text)
        self.move_cursor(self.document.end)

    async def _on_key(self, event: events.Key) -> None:
        """As for a line."""
        if event.key in self.sending:
            _send(self, event)
        else:
            await super()._on_key(event)

    def on_paste(self, event: events.Paste) -> None:
        """Instead of what the library does with it."""
        event.prevent_default()
        lines = event.text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
        kept = "".join(one for one in lines if one in "\n\t" or unicodedata.category(one) != "Cc")
        if kept != lines:
            self.post_message(Shortened("Control characters in what was pasted were left out."))
        self.move_cursor(self.replace(kept, *self.selection).end_location)


def _send(field: Line | Area, event: events.Key) -> None:
    event.stop()
    event.prevent_default()
    field.post_message(field.sends(field.about, field.value))
