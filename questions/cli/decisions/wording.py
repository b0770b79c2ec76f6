"""How decisions are told to people: a line each, and below it what there is to know of one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from questions.cli.lines import line_of
from questions.durable.decision import Answer, Decision, Move

__all__ = ["as_json", "described", "of_options", "summary", "written"]

_PATH = re.compile(r"\$\.([a-z_.]+?)(?:\[([0-9]+)\])?(?:\.(id|label))?: ")
_NAME = re.compile(r"\b(?:timeout_ms|on_expire|on_final|max_open)\b")
_OPTIONS = {
    "where": "--root",
    "id": "ID",
    "options": "--option",
    "default_option_id": "--default",
    "escalation": "--chain, --hop-ms and --on-final",
    "escalation.chain": "--chain",
    "escalation.hop_timeout_ms": "--hop-ms",
    "escalation.on_final": "--on-final",
}
"""Those that are not called as their fields are."""


def summary(decision: Decision) -> str:
    """Id, status, kind, holder, chain, deadline, title and options, with two spaces in between.

    What others have written cannot break out of the line, nor hide in it.
    """
    return line_of("  ".join(_fields(decision)))


def described(decision: Decision) -> Iterator[str]:
    """The line, and more of them, set in: what it is about, who held it before, and how it has ended."""
    yield summary(decision)
    more = [f"raised by {decision.raised_by.participant_id} at {_instant(decision.created_at)}"]
    more += (decision.body or "").splitlines()
    more += map(_moved, decision.history or ())
    if decision.answer is not None:
        more.append(_ended(decision, decision.answer))
    yield from (f"  {line_of(line)}" for line in more)


def as_json(told: Any) -> str:
    """JSON as it is printed, in ASCII."""
    return json.dumps(told, indent=2)


def of_options(fault: str) -> str:
    """A fault, with the options that were typed in place of the fields that they fill. The first of several is 1."""

    found = _PATH.match(fault)
    if found is None:
        return fault
    path, place, part = found.groups()
    what = fault[found.end() :]
    if path != "option":  # where the ids of options are named, which can be any word
        what = _NAME.sub(lambda name: _option(name[0]), what)
    return _option(path) + (f" {int(place) + 1}" if place else "") + (f" ({part})" if part else "") + f": {what}"


def written(number: int | None) -> str:
    """A limit; `none` if there is none."""
    return "none" if number is None else str(number)


def _option(field: str) -> str:
    return _OPTIONS.get(field) or f"--{field.replace('_', '-')}"


def _fields(decision: Decision) -> Iterator[str]:
    yield from (decision.id, decision.status.value, decision.kind)
    held = f"holder={decision.holder}"
    if (chain := decision.escalation) is not None:
        held += f" hop {chain.hop + 1}/{len(chain.chain)} chain={'>'.join(chain.chain)}"
    if decision.deadline is not None:
        held += f" deadline={_instant(decision.deadline)}"
    yield held
    yield decision.title
    if decision.options:
        yield f"[{', '.join(f'{one.id}={one.label}' for one in decision.options)}]"


def _moved(move: Move) -> str:
    how = "let its time pass" if move.reason == "expired" else f"passed it on ({move.by or 'unknown'})"
    return f"{move.holder} {how} at {_instant(move.until)}" + (f": {move.text}" if move.text else "")


def _ended(decision: Decision, answer: Answer) -> str:
    given = [] if answer.option_id is None else [f"option {answer.option_id}"]
    given += [] if answer.text is None else [f"text {json.dumps(answer.text, ensure_ascii=False)}"]
    what = f"{decision.status.value} with {' and '.join(given)}" if given else decision.status.value
    return f"{what} by {answer.answered_by} via {answer.via} at {_instant(answer.at)}"


def _instant(at: int) -> str:
    """Epoch milliseconds as a time of day in UTC; a number where calendars end."""
    try:
        second = datetime.fromtimestamp(at // 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return str(at)
    return f"{second:%Y-%m-%dT%H:%M:%S}.{at % 1000:03}Z"
