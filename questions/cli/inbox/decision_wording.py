"""What the inbox says of a decision."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from questions.cli.durations import in_words
from questions.cli.lines import line_of
from questions.durable.decision import Move
from questions.durable.open_decision import ClosedDecision, OpenDecision

__all__ = ["decision_ended", "decision_facts", "how_to_pass_on", "next_of"]


def decision_facts(one: OpenDecision) -> Iterator[str]:
    """Who has asked for it, who holds it, and what happens by itself."""
    yield f"Asked by    {line_of(one.name_of(one.decision.raised_by.participant_id))}"
    yield f"Held by     {line_of(_held(one))}"
    yield f"Time left   {_left(one)}"
    yield f"Left alone  {line_of(_left_alone(one))}"
    for move in one.history:
        yield f"Before      {line_of(_moved(one, move))}"


def _held(one: OpenDecision) -> str:
    holder = one.name_of(one.decision.holder)
    if one.hop is None:
        return holder
    following = ", then ".join(map(one.name_of, one.next_holders))
    return f"{holder}: hop {one.hop[0]} of {one.hop[1]}, {f'next: {following}' if following else 'the last one'}"


def _left(one: OpenDecision) -> str:
    if one.remaining is None:
        return "no limit"
    then = f"; then it goes on to {line_of(one.name_of(one.next_holders[0]))}" if one.next_holders else ""
    return in_words(one.remaining) + then


def _left_alone(one: OpenDecision) -> str:
    if one.ends_at is None:
        return "it stays open"
    what = "it ends without an answer" if one.default is None else f"{one.default.label}, by itself"
    return f"by {_instant(one.ends_at)}: {what}"


def _moved(one: OpenDecision, move: Move) -> str:
    at = _instant(datetime.fromtimestamp(move.until / 1000).astimezone())
    if move.reason != "escalated":
        return f"{one.name_of(move.holder)}, whose time was over at {at}"
    by = "" if move.by is None or move.holder == f"supervisor:{move.by}" else f" by {one.name_of(move.by)}"
    return f"{one.name_of(move.holder)}, passed on{by} at {at}" + (f": {move.text}" if move.text else "")


def _instant(at: datetime) -> str:
    """In the time of whoever sits here."""
    return f"{at.astimezone():%Y-%m-%d %H:%M}"


def how_to_pass_on(one: OpenDecision) -> str:
    """What to press for it; empty if there is nobody to pass it on to."""
    return f"[e] Pass it on to {next_of(one)}" if one.may_escalate else ""


def next_of(one: OpenDecision) -> str:
    """Who gets it next, of which there has to be somebody."""
    return line_of(one.name_of(one.next_holders[0]))


def decision_ended(closed: ClosedDecision) -> str:
    """How it has ended."""
    answer = "" if closed.answer is None else f": {line_of(closed.answer)}"
    by = "" if closed.by is None else f" by {line_of(closed.by)}"
    if closed.how in ("moved", "gone"):
        return "has gone on to somebody else" if closed.how == "moved" else "is not there any more"
    if closed.how == "expired":
        return f"was answered by itself{answer}" if closed.via == "expiry" else "ran out of time"
    return f"was {closed.how}{by}{answer}"
