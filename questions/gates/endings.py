"""How a request ended, in words for everybody who was shown it. None says who, and none says more than happened."""

from __future__ import annotations

from questions.visible import visible

from .asked import Asked
from .instants import iso
from .resolution import AcceptedDecision, Resolution

__all__ = ["ending"]


def ending(asked: Asked, resolution: Resolution) -> str:
    """A sentence for cards and messages: the label that was chosen and how, or that nothing was.

    What a timeout has chosen is never put as somebody's decision, and an end without a choice never as a denial.
    """
    if isinstance(resolution, AcceptedDecision):
        label = visible(asked.choices[resolution.response.choice].label)
        if resolution.provenance == "human":
            return f"Chosen: {label}"
        return f"Automatic at the deadline, since there was no answer: {label}"
    if resolution.reason == "expired":
        return f"The time was over at {iso(asked.expires_at or resolution.cancelled_at)}. Nothing was chosen."
    return "Cancelled. Nothing was chosen."
