"""What the dialog of a gate says, beside the document that every channel shows."""

from __future__ import annotations

from rich.text import Text

from questions.cli.durations import in_words
from questions.gates.choices import Choices, ChoiceTerms, TextInput
from questions.gates.document import Document
from questions.gates.errors import InvalidResponse
from questions.gates.view import ChannelView
from questions.visible import visible

__all__ = ["FORGOTTEN", "KEYS", "choice_lines", "faults_told", "head", "prompt", "shown"]

FORGOTTEN = "What was typed before this was shown is forgotten. Point at a choice: Up, Down or its number."

KEYS = {
    "choices": "Up, Down, number: choose  Enter: give  Space, b: read  Esc: leave it open",
    "text": "Ctrl+S, F2: give  Enter: new line  PgUp, PgDn: read  Esc: leave it",
}


def head(view: ChannelView, seconds_left: float | None) -> Text:
    """By what people compare screens, how much time is left, and who is asked."""
    said = [("Fingerprint ", ""), (view.fingerprint, "bold")]
    if seconds_left is not None:
        left = f"{in_words(seconds_left)} left" if seconds_left > 0 else "its deadline has come"
        said.append((f"  {left}", ""))
    return Text.assemble(*said, f"  for {visible(view.audience)}")


def shown(document: Document) -> Text:
    """The whole document."""
    text = Text(document.text)
    text.highlight_words([document.title], "bold")
    return text


def choice_lines(choices: Choices, chosen: int | None) -> list[str]:
    """The choices, numbered; a mark says which one Enter gives, so that no colour has to."""
    return [
        f"{'>' if place == chosen else ' '} {place + 1} {_label(terms)}" for place, terms in enumerate(choices.values())
    ]


def _label(terms: ChoiceTerms) -> str:
    return visible(terms.label) + ("" if terms.input is None else ", with a text")


def prompt(terms: ChoiceTerms, asked: TextInput) -> Text:
    """Above the text that a choice takes."""
    lengths = f"({asked.min_length} to {asked.max_length} characters)"
    return Text(f"{visible(terms.label)}: {visible(asked.prompt)} {lengths}")


def faults_told(error: InvalidResponse) -> str:
    """What keeps a response from being given, without the paths, which mean nothing to whoever types."""
    return (
        "Not given: "
        + "; ".join(fault.partition(": ")[2] for fault in error.faults).replace("code points", "characters")
        + "."
    )
