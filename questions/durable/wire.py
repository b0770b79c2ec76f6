"""How decisions are written in JSON on links. See `docs/wire.md`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from cattrs import Converter
from msgspec import Raw

from facets.link.conversion import Misfit, make_converter, register_hooks
from facets.link.interface import Arrival
from facets.link.refusals import fault_of_frame
from questions.deadlines import Deadline

from .decision import Decision, Option, decode, flat
from .errors import BadArgument, Unreadable
from .open_decision import ClosedDecision, OpenDecision

__all__ = ["ESCALATION", "OPTIONS", "ShownDecision", "age_of", "converter", "read_open_decision"]

OPTIONS: Any = Sequence[Option | Mapping[str, str]] | None
"""Objects with `id` and `label` on the wire."""
ESCALATION: Any = Mapping[str, Any] | None
"""An object with `chain`, `hop_timeout_ms` and `on_final`; all of them may be left out."""


class ShownDecision(msgspec.Struct, frozen=True, gc=False):
    """An open decision as somebody is shown it. Times are epoch seconds, by the host's clock, but for the record's."""

    id: str
    decision: dict[str, Any]
    """The record, as `questions decisions list --json` has it; its times are milliseconds by the clock of the store."""
    names: dict[str, str]
    """What the host calls holders and participants that stand in the record, where that is not simply their id."""
    hop: int | None
    """Which holder of its chain has to act now, from 1; null: there is no chain."""
    hops: int | None
    """How many there are."""
    next: list[str]
    """Who comes after this holder, in order."""
    deadline: float | None
    """When this holder's time is over; `deadline` less the frame's `now` is left."""
    ends_at: float | None
    """When it ends by itself if nobody does anything, through all its holders; null: never."""
    default: str | None
    """The option that it is then answered with by itself; null: none, and it ends without an answer."""
    may_answer: bool
    may_escalate: bool
    may_cancel: bool


_encode = msgspec.json.Encoder().encode


def _make_converter() -> Converter:
    made = make_converter()
    structure: dict[Any, Callable[[Any], Any]] = {
        Decision: _decision,
        ClosedDecision: lambda value: msgspec.convert(value, ClosedDecision),
        OPTIONS: lambda value: made.structure(value, list[dict[str, str]] | None),  # type: ignore[arg-type]
        ESCALATION: lambda value: made.structure(value, dict[str, Any] | None),  # type: ignore[arg-type]
    }
    unstructure: dict[Any, Callable[[Any], Any]] = {
        Decision: flat,
        OpenDecision: _written,
        ClosedDecision: msgspec.to_builtins,
        OPTIONS: _options_to_wire,
        ESCALATION: lambda value: value,
    }
    register_hooks(made, structure, unstructure)
    return made


def _decision(value: Any) -> Decision:
    if not isinstance(value, dict) or type(value.get("version")) is not int:
        raise Misfit('must be a record of a decision, with its "version"')
    record = {name: its for name, its in value.items() if name != "version"}
    return decode(_encode(record).decode(), value["version"])


def _options_to_wire(options: Any) -> Any:
    return options if options is None else [_option_to_wire(one) for one in options]


def _option_to_wire(option: Any) -> Any:
    return {"id": option.id, "label": option.label} if isinstance(option, Option) else dict(option)


def _written(one: OpenDecision) -> Raw:
    """Encoded once for all who are shown the same, and may do the same about it."""
    which = (one.may_answer, one.may_escalate, one.may_cancel)
    if which not in one.written:
        one.written[which] = Raw(_encode(_shown(one)))
    found: Raw = one.written[which]
    return found


def _shown(one: OpenDecision) -> ShownDecision:
    deadline, ends_at = one.deadline, one.ends_at
    hop, hops = one.hop or (None, None)
    return ShownDecision(
        id=one.id,
        decision=flat(one.decision),
        names=dict(one.names),
        hop=hop,
        hops=hops,
        next=list(one.next_holders),
        deadline=None if deadline is None else deadline.timestamp(),
        ends_at=None if ends_at is None else ends_at.timestamp(),
        default=None if one.default is None else one.default.id,
        may_answer=one.may_answer,
        may_escalate=one.may_escalate,
        may_cancel=one.may_cancel,
    )


def read_open_decision(given: Any, arrival: Arrival) -> OpenDecision:
    """An open decision as it has come, with its deadline on this process's clock. Raises `BadArgument`."""
    try:
        shown = msgspec.convert(given, ShownDecision)
        decision = _decision(shown.decision)
    except msgspec.ValidationError as error:
        raise BadArgument(fault_of_frame(error).faults) from None
    except (Misfit, Unreadable) as error:
        raise BadArgument([f"$.decision: {error}"]) from None
    deadline = None
    if shown.deadline is not None:
        deadline = Deadline(arrival.at + shown.deadline - arrival.sent, shown.deadline)
    may = (shown.may_answer, shown.may_escalate, shown.may_cancel)
    return OpenDecision(decision, *may, shown.names, deadline, arrival.clock)


def age_of(one: OpenDecision) -> tuple[int, str]:
    """What open decisions are ordered by: the oldest first."""
    return one.decision.created_at, one.decision.id


converter = _make_converter()
"""What structures and writes everything of decisions."""
