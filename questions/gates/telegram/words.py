"""What people read in a chat besides the request itself. All of it is short, and none says more than is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from questions.gates.adapter import Ended, ended_words
from questions.gates.view import ChannelView
from questions.visible import visible

from .codes import Option

__all__ = [
    "ENDED",
    "NOT_ALLOWED",
    "NO_SUCH_CODE",
    "NO_TEXT",
    "RECEIVED",
    "REPLY",
    "ended_text",
    "misfit_text",
    "prompt_text",
    "refused_text",
    "which_text",
]

# Telegram shows up to 200 characters over the chat when a button is pressed.
RECEIVED = "Received."
REPLY = "Reply to the message that asks for your text."
NOT_ALLOWED = "You may not answer here. Nothing was chosen."
ENDED = "This is not open any more. Nothing was chosen."
NO_SUCH_CODE = "Nothing that is open has this code. Nothing was chosen."
NO_TEXT = "Nothing was chosen. Send /answer, the code, and your text after one blank."
_MOST_NAMED = 5
_REFUSED = {
    "conflict": "Another answer was first.",
    "deadline_passed": "The time was over.",
    "decision_cancelled": "It was cancelled before.",
    "forbidden": "You may not answer this.",
    "stale": "It has been replaced.",
}
"""What refused an answer, by the code of the error."""


def ended_text(view: ChannelView, ended: Ended) -> str:
    """What is added to a request when it ends."""
    return f"\n\n{ended_words(view, ended)}"


def prompt_text(option: Option, code: str) -> str:
    """Asks for the text of a choice. It begins with the word You, which Telegram makes a mention."""
    asked = option.terms.input
    assert asked is not None, "only a choice with a text is prompted for"
    return (
        f"You: {option.label}\n{visible(asked.prompt)}\n\n"
        f"Reply to this very message with {asked.min_length:,} to {asked.max_length:,} characters. "
        f"If your app cannot, send:\n/answer {code} your text\n\nFingerprint {option.view.fingerprint}"
    )


def refused_text(code: str | None) -> str:
    """Why an answer was not counted."""
    return f"{_REFUSED.get(code or '', 'It was refused.')} Your answer was not counted."


def misfit_text(faults: Iterable[str]) -> str:
    """What is wrong with a text, without its path."""
    said = "; ".join(fault.partition(": ")[2] for fault in faults)
    return f"Your text was not counted: {said}. Send another one in the same way."


def which_text(views: Sequence[ChannelView]) -> str:
    """Asks which of the open requests a bare message was meant for."""
    named = "\n".join(f"• {visible(view.title[:100])} (fingerprint {view.fingerprint})" for view in views[:_MOST_NAMED])
    more = f"\nand {len(views) - _MOST_NAMED} more" if len(views) > _MOST_NAMED else ""
    return (
        f"Nothing was chosen, since this message does not say what it answers. Which one?\n{named}{more}\n"
        "Press a button under it, or reply to the message that asks for your text."
    )
