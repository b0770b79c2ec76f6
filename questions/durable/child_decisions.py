"""A dialog of a child as a decision, and what its end means for the child."""

from __future__ import annotations

from typing import Any

import attrs

from facets.principal import Principal

from .caller import Caller
from .decision import Decision, Status
from .dialogs import CANCELLED, Dialog, Reply, fitting
from .drafting import LONGEST_BODY, LONGEST_LABEL, LONGEST_TITLE, MOST_OPTIONS, SHORTEST_MS
from .holders import ROOT

__all__ = ["Child", "decision_fields", "reply_in"]

_INPUTS = {"select": "select", "confirm": "confirm", "input": "text", "editor": "editor"}


@attrs.frozen
class Child:
    """A child run: `id` names it as a participant, one child at a time; `name` is what people are shown."""

    id: str
    name: str
    session: str | None = None

    @property
    def caller(self) -> Caller:
        """The child as who raises. It is a call of its own: neither it nor what it calls judges what it has asked."""
        return Caller(Principal.program(self.id), call=self.id, session=self.session)

    def title(self, dialog: Dialog) -> str:
        """The title under which others are asked: it says who asks."""
        return f"{self.name}: {dialog.title}"


def decision_fields(child: Child, dialog: Dialog) -> dict[str, Any]:
    """The fields of the decision that a dialog becomes: for root, cancelled when the child's time is over."""
    body = "\n\n".join(text for text in (dialog.message, dialog.prefill) if text)
    fields: dict[str, Any] = {
        "kind": "question",
        "title": _cut(child.title(dialog), LONGEST_TITLE),
        "body": _cut(body, LONGEST_BODY) or None,
        "input": _INPUTS[dialog.method],
        "holder": ROOT,
        "on_expire": "cancel",
        # Of less than a decision can have: the least, so that nothing lingers for which the child has given up.
        "timeout_ms": max(SHORTEST_MS, dialog.timeout_ms),
    }
    if dialog.method == "select":
        fields["options"] = [
            {"id": f"o{number}", "label": _cut(text, LONGEST_LABEL) if text.strip() else f"Option {number}"}
            for number, text in enumerate(dialog.texts[:MOST_OPTIONS], 1)
        ]
    return fields


def reply_in(dialog: Dialog, decision: Decision) -> Reply:
    """What a decision that has ended tells the child: the answer, if somebody gave one, else `CANCELLED`."""
    answer = decision.answer
    if decision.status is not Status.ANSWERED or answer is None:
        return CANCELLED
    if dialog.method == "confirm":
        return Reply(confirmed=answer.option_id == "yes")
    if dialog.method != "select":
        return fitting(dialog, Reply(answer.text))
    chosen = {f"o{number}": text for number, text in enumerate(dialog.texts[:MOST_OPTIONS], 1)}
    text = chosen.get(answer.option_id or "")
    return CANCELLED if text is None else Reply(text)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
