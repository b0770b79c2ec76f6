"""What every channel shows of a request: one document in one order, so that nobody is shown less than others."""

from __future__ import annotations

import attrs

from questions.visible import visible

from .choices import ChoiceTerms
from .instants import iso
from .presentation import Block, Bullets, Fields, Section
from .view import ChannelView

__all__ = ["Document", "document"]


@attrs.frozen
class Document:
    """A request as text, in parts that each channel shows in this order. Immutable.

    What would not be seen, such as a zero-width blank, stands as an escape: see `questions.visible`.
    """

    title: str
    summary: str
    blocks: tuple[str, ...]
    """The blocks of the presentation, a text each."""
    deadline: str | None
    """Until when there is time, and what happens then, in a sentence. None: there is no deadline."""
    choices: tuple[str, ...]
    """The choices, a line each: the label, and what it asks for."""
    fingerprint: str
    """12 digits; a channel shows them wherever a person looks first."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Everything but the fingerprint, in order; between two of them belongs a blank line."""
        deadline = () if self.deadline is None else (self.deadline,)
        listed = "\n".join(("Choices", *(f"• {choice}" for choice in self.choices)))
        return (self.title, self.summary, *self.blocks, *deadline, listed)

    @property
    def text(self) -> str:
        """All of it, the fingerprint first."""
        return "\n\n".join((f"Fingerprint {self.fingerprint}", *self.parts))


def document(view: ChannelView) -> Document:
    """The document of a view: made of its presentation, its choices and its deadline, and of nothing else."""
    title, summary = visible(view.title), visible(view.presentation.summary)
    blocks = tuple(visible(_block(block)) for block in view.presentation.blocks)
    choices = tuple(visible(_choice(terms)) for terms in view.choices.values())
    return Document(title, summary, blocks, _deadline(view), choices, view.fingerprint)


def _block(block: Block) -> str:
    match block:
        case Section(title=title):
            return title
        case Bullets(items=items):
            return "\n".join(f"• {item}" for item in items)
        case Fields(items=items):
            return "\n".join(f"{item.label}: {item.value}" for item in items)
    return block.text


def _choice(terms: ChoiceTerms) -> str:
    return terms.label if terms.input is None else f"{terms.label}: {terms.input.prompt}"


def _deadline(view: ChannelView) -> str | None:
    if view.expires_at is None:
        return None
    until, default = iso(view.expires_at), view.default_response
    if default is None:
        return f"Open until {until}. If nobody chooses before, nothing is chosen."
    text = "" if default.input is None else f" with this text:\n{default.input.text}"
    label = view.choices[default.choice].label
    return visible(f"Automatic at {until}, unless somebody chooses before: {label}{text}")
