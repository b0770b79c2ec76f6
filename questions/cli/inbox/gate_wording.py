"""What the inbox says of a gate. What the request says stands as in every channel: see `Document`."""

from __future__ import annotations

from collections.abc import Iterator

from questions.cli.durations import in_words
from questions.cli.lines import line_of
from questions.gates.open_gate import ClosedGate, OpenGate

__all__ = ["gate_ended", "gate_facts", "how_to_type"]


def gate_facts(one: OpenGate) -> Iterator[str]:
    """Who is asked, by which run, until when, and what happens by itself."""
    view, left = one.view, one.remaining
    yield f"Fingerprint {one.document.fingerprint}"
    yield f"Asked by    {line_of(view.workflow_name)}, run {line_of(view.run_id)} at {line_of(view.node_id)}"
    yield f"Asked of    {line_of(view.audience)}"
    yield f"Time left   {'no limit' if left is None else in_words(left)}"
    if one.document.deadline is not None:
        yield one.document.deadline


def how_to_type(one: OpenGate, choice: str) -> str:
    """What to type with a choice."""
    asked = one.input_of(choice)
    return "" if asked is None else f"{line_of(asked.prompt)} Type it, then Ctrl+S or F2; Esc: another choice."


def gate_ended(closed: ClosedGate) -> str:
    """How it has ended; what a timeout has chosen is nobody's decision."""
    elsewhere = closed.how == "answered" and closed.provenance == "human"
    return f"Settled elsewhere. {closed.words}" if elsewhere else closed.words
