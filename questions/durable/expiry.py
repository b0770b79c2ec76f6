"""What a deadline that has passed does to a decision: whoever looks at one applies it first, however late."""

from __future__ import annotations

from msgspec.structs import replace

from .decision import Answer, Decision, Escalation, Move, Status

__all__ = ["catch_up", "default_of", "ends_at", "is_due", "moved_on"]


def is_due(decision: Decision, now: int) -> bool:
    """Whether its deadline has passed and nothing was done about it. `now`: epoch milliseconds of the store's clock."""
    # Q-SET-5: the very instant of the deadline belongs to the deadline.
    return decision.status is Status.OPEN and decision.deadline is not None and decision.deadline <= now


def catch_up(decision: Decision, now: int) -> Decision:
    """The decision as it stands at `now`; the very same object if nothing is due.

    Deadlines follow from the deadline before, not from `now`: a late reader finds the holder that a punctual one would
    have found. All of it, the end too, is one change to be written.
    """
    while is_due(decision, now):
        if decision.next_holder is None:
            return _expired(decision, now)
        decision = _next_hop(decision)
    return decision


def moved_on(decision: Decision, move: Move, deadline: int) -> Decision:
    """With its next holder, until `deadline`; `move` is how the one before has left. There has to be a next one."""
    escalation, holder = decision.escalation, decision.next_holder
    assert escalation is not None
    assert holder is not None
    hop = Escalation(escalation.chain, escalation.hop + 1, escalation.hop_timeout_ms, escalation.on_final)
    history = (*(decision.history or ()), move)
    return replace(decision, holder=holder, deadline=deadline, escalation=hop, history=history)


def default_of(decision: Decision) -> str | None:
    """The option that it gets by itself when nobody has answered until the end; None: then it ends without one."""
    return decision.default_option_id if _rule(decision) == "default" else None


def ends_at(decision: Decision) -> int | None:
    """When it ends by itself if nobody does anything, through all its holders. None: never."""
    if decision.deadline is None or decision.next_holder is None or decision.escalation is None:
        return decision.deadline
    further = len(decision.escalation.chain) - 1 - decision.escalation.hop
    return decision.deadline + further * decision.escalation.hop_timeout_ms


def _next_hop(decision: Decision) -> Decision:
    assert decision.deadline is not None
    assert decision.escalation is not None
    move = Move(decision.holder, decision.deadline, "expired")
    return moved_on(decision, move, decision.deadline + decision.escalation.hop_timeout_ms)


def _expired(decision: Decision, now: int) -> Decision:
    option = default_of(decision)
    answer = None if option is None else Answer(option_id=option, answered_by="deadline", via="expiry", at=now)
    return replace(decision, status=Status.EXPIRED, answer=answer, resolved_at=now)


def _rule(decision: Decision) -> str:
    """What the end does: `default`, or anything else for nothing. A chain that cannot be used has no say."""
    if decision.is_malformed:
        return "cancel"
    if decision.on_expire == "escalate" and decision.escalation is not None:
        return decision.escalation.on_final
    return decision.on_expire
