"""How a request ended, in words for everybody who was shown it. None says who, and none says more than happened."""

from __future__ import annotations

from questions.visible import visible

from .asked import Asked
from .instants import iso
from .resolution import AcceptedDecision, Provenance, Reason, Resolution

__all__ = ["chosen", "ending", "not_chosen"]


def ending(asked: Asked, resolution: Resolution) -> str:
    """A sentence for cards and messages: the label that was chosen and how, or that nothing was.

    What a timeout has chosen is never put as somebody's decision, and an end without a choice never as a denial.
    """
    if isinstance(resolution, AcceptedDecision):
        return chosen(asked, resolution.response.choice, resolution.provenance)
    return not_chosen(asked, resolution.reason)


def chosen(asked: Asked, choice: str, provenance: Provenance) -> str:
    """The sentence for an end with a choice."""
    label = visible(asked.choices[choice].label)
    if provenance == "human":
        return f"Chosen: {label}"
    return f"Automatic at the deadline, since there was no answer: {label}"


def not_chosen(asked: Asked, reason: Reason) -> str:
    """The sentence for an end without one."""
    if reason == "expired" and asked.expires_at is not None:
        return f"The time was over at {iso(asked.expires_at)}. Nothing was chosen."
    return "Cancelled. Nothing was chosen."
