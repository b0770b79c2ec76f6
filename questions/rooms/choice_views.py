"""What a room shows of choices. It bears on views alone: what is counted and kept is the same."""

from __future__ import annotations

from typing import Any, Literal

from .responses import Response
from .room_config import RoomConfig
from .room_decision import RoomDecision

__all__ = ["choices_lock", "settling_view", "shows_choices", "visible_responses"]


def shows_choices(config: RoomConfig, decision: RoomDecision) -> bool:
    """Whether it shows who has chosen what, and a tally that would give it away: at once, once decided, or never."""
    return config.choice_visibility == "live" or (config.choice_visibility == "after_decided" and not decision.is_open)


def choices_lock(config: RoomConfig) -> Literal["at_close", "when_determined"]:
    """When choices can be revised no more, in the protocol's word: once their window is over, or perhaps before."""
    return "when_determined" if config.early_close else "at_close"


def visible_responses(config: RoomConfig, decision: RoomDecision) -> tuple[Response, ...]:
    """What has been said so far, or was counted, as far as it is shown. Abstentions always are."""
    responses = decision.responses if decision.sealed is None else decision.sealed.responses
    shows = shows_choices(config, decision)
    return tuple(one for one in responses if shows or one.is_abstention)


def settling_view(decision: RoomDecision, now: int) -> dict[str, Any] | None:
    """When a decision that settles is sealed, and who wins then if nothing more is said. None: it does not settle."""
    if decision.settling is None or decision.due_at is None:
        return None
    seconds = max(0, -((now - decision.due_at) // 1000))
    return {"seals_in_seconds": seconds, "presumptive": decision.settling.presumptive}
