"""The machine of a decision: a table of transitions, and `step`, which goes one on in it.

`step(decision, event, caller, now)` looks up the decision's status and the event, checks that the caller may, applies
the change, and takes the next status from the table. What has ended is `NotOpen`. A step is one swap in the store; who
acts on a decision applies its deadlines first, which is a step of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import attrs
from msgspec.structs import replace

from .authority import authorize_cancelling, authorize_judging
from .backend import TooLate
from .caller import Caller
from .decision import Answer, Decision, Move, Status
from .errors import BadAnswer, BadArgument, NoNextHolder, NotOpen
from .expiry import catch_up, is_due, moved_on
from .texts import text_faults

__all__ = ["TRANSITIONS", "Answering", "Cancelling", "Due", "Escalating", "Event", "Transition", "step"]

LONGEST_ID, LONGEST_TEXT, LONGEST_REASON = 64, 4_000, 500  # code points


@attrs.frozen
class Answering:
    """Somebody answers: with an option, a text, or both. Raises `BadArgument` for what cannot be either.

    Whether it fits the decision is seen when it is applied: `BadAnswer`.
    """

    option: str | None = None
    text: str | None = None

    def __attrs_post_init__(self) -> None:
        _refuse(_optional("$.option", self.option, LONGEST_ID) + _optional("$.text", self.text, LONGEST_TEXT))


@attrs.frozen
class Escalating:
    """Its holder passes it on to the next one. `reason`: at most 500 code points, else `BadArgument`."""

    reason: str | None = None

    def __attrs_post_init__(self) -> None:
        _refuse(_optional("$.reason", self.reason, LONGEST_REASON))


@attrs.frozen
class Cancelling:
    """Somebody takes it back. `via`: why a program did that for itself; None: the caller did, on its surface."""

    via: Literal["abort", "restart"] | None = None


@attrs.frozen
class Due:
    """Its deadline has passed."""


Event = Answering | Escalating | Cancelling | Due

_OPEN, _EXPIRED = Status.OPEN, Status.EXPIRED


class Transition(NamedTuple):
    """What an event does: a change, which may refuse, then the status that follows from the changed decision."""

    change: Callable[[Decision, Any, Any, int], Decision]
    then: Callable[[Decision], Status]


def step(decision: Decision, event: Event, caller: Caller | None, now: int) -> Decision:
    """The decision after the event, with the version that it had. `caller`: who does it; None for `Due` alone.

    Raises, in this order and with nothing changed: `NotOpen`; `TooLate` if a deadline was not applied (`catch_up`);
    `SelfAnswer`; `NotHolder` or `HeldByUser`; `BadAnswer` or `NoNextHolder`.
    """
    transitions = TRANSITIONS[decision.status]
    if not transitions:
        raise NotOpen(decision.id, decision.status.value)
    if type(event) is not Due and is_due(decision, now):
        raise TooLate(decision.deadline or 0)
    transition = transitions[type(event)]
    changed = transition.change(decision, event, caller, now)
    status = transition.then(changed)
    return changed if status is _OPEN else replace(changed, status=status, resolved_at=now)


def _answer(decision: Decision, event: Answering, caller: Caller, now: int) -> Decision:
    authorize_judging(caller, decision)
    if faults := _answer_faults(decision, event):
        raise BadAnswer(faults)
    answer = Answer(option_id=event.option, text=event.text, answered_by=caller.name, via=caller.via, at=now)
    return replace(decision, answer=answer)


def _escalate(decision: Decision, event: Escalating, caller: Caller, now: int) -> Decision:
    authorize_judging(caller, decision)
    if decision.next_holder is None or decision.escalation is None:
        raise NoNextHolder(decision.id)
    move = Move(decision.holder, now, "escalated", event.reason, caller.participant_id)
    return moved_on(decision, move, now + decision.escalation.hop_timeout_ms)  # a fresh deadline, not a chained one


def _cancel(decision: Decision, event: Cancelling, caller: Caller, now: int) -> Decision:
    authorize_cancelling(caller, decision)
    return replace(decision, answer=Answer(answered_by=caller.name, via=event.via or caller.via, at=now))


def _lapse(decision: Decision, _event: Due, _caller: Caller | None, now: int) -> Decision:
    return catch_up(decision, now)


def _lapsed(decision: Decision) -> Status:
    return _EXPIRED if decision.status is _EXPIRED else _OPEN


def _always(status: Status) -> Callable[[Decision], Status]:
    return lambda decision: status


TRANSITIONS: Mapping[Status, Mapping[type[Event], Transition]] = {
    Status.OPEN: {
        Answering: Transition(_answer, _always(Status.ANSWERED)),
        Escalating: Transition(_escalate, _always(Status.OPEN)),
        Cancelling: Transition(_cancel, _always(Status.CANCELLED)),
        Due: Transition(_lapse, _lapsed),
    },
    Status.ANSWERED: {},
    Status.EXPIRED: {},
    Status.CANCELLED: {},
}


def _answer_faults(decision: Decision, event: Answering) -> list[str]:
    """Why it does not fit. Only options are named: what somebody wrote is not repeated."""
    if decision.options is None:
        faults = [] if event.option is None else ["$.option: this decision has no options; answer with a text"]
        return faults if event.text is not None else [*faults, "$.text: this decision is answered with a text"]
    ids = [option.id for option in decision.options]
    return [] if event.option in ids else [f"$.option: one of {', '.join(ids)}"]


def _optional(path: str, text: object, longest: int) -> list[str]:
    return [] if text is None else text_faults(path, text, 0, longest)


def _refuse(faults: list[str]) -> None:
    if faults:
        raise BadArgument(faults)
