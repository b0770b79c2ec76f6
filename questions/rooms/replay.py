"""Replaying decisions from what was written down of them, so that anybody can check how they came out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .ballots import Ballot
from .errors import InvalidCase, InvalidParams, ParticipationOutOfRange
from .lock import Lock
from .mechanisms import tally
from .receipt_replays import RECEIPT_REPLAYS

__all__ = ["REPLAYS", "differences", "replay"]

_FIELDS = ("mechanism", "params", "options", "eligible", "abstentions", "seed", "ballots")


def replay(case: object) -> dict[str, Any]:
    """`{"id": ..., "expected": ...}`: what comes of a case, by its `kind`; a case without one is a count of ballots.

    What the case itself expects is never looked at. Raises `InvalidCase` for what is no case.
    """
    if not isinstance(case, Mapping):
        raise InvalidCase(["$: must be an object"])
    if not isinstance(case.get("id"), str):
        raise InvalidCase(["$.id: must be text"])
    kind = case.get("kind", "mechanism")
    if not isinstance(kind, str) or kind not in REPLAYS:
        raise InvalidCase([f"$.kind: not known; there are {', '.join(REPLAYS)}"])
    return {"id": case["id"], "expected": REPLAYS[kind](case)}


def _replay_mechanism(case: Mapping[str, Any]) -> dict[str, Any]:
    """What a count comes to, and after which of its ballots it was locked; or why it is refused."""
    if missing := [name for name in _FIELDS if name not in case]:
        raise InvalidCase([f"$.{name}: is missing" for name in missing])
    mechanism, params, options, eligible, abstentions, seed, written = (_plain(case[name]) for name in _FIELDS)
    try:
        ballots = _read_ballots(written)
        outcome = tally(mechanism, params, options, eligible, ballots, abstentions, seed)
        lock = Lock(mechanism, params, options, eligible, abstentions)
    except (InvalidParams, ParticipationOutOfRange) as error:
        return {"error": error.code}
    trace = [lock.is_locked()]
    for ballot in ballots:
        lock.add(ballot)
        trace.append(lock.is_locked())
    return {**outcome.as_json(), "lock_trace": trace}


REPLAYS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {"mechanism": _replay_mechanism, **RECEIPT_REPLAYS}
"""What is done with a case, by its kind."""


def _plain(value: Any) -> Any:
    """In JSON 5.0 is the number 5."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _read_ballots(written: object) -> list[Ballot]:
    """The ballots of a case. Raises `InvalidParams` with every fault of them."""
    if not isinstance(written, list):
        raise InvalidParams(["$.ballots: must be a list"])
    ballots, faults = [], []
    for place, one in enumerate(written):
        path = f"$.ballots[{place}]"
        if not isinstance(one, Mapping) or not {"voter", "ballot"} <= one.keys():
            faults.append(f"{path}: must be an object with voter and ballot")
            continue
        try:
            ballots.append(Ballot(one["voter"], one["ballot"], one.get("weight", 1.0)))
        except InvalidParams as error:
            faults += [fault.replace("$", path, 1) for fault in error.faults]
    if faults:
        raise InvalidParams(faults)
    return ballots


def differences(ours: Any, theirs: Any, path: str = "$") -> Iterator[str]:
    """Where two values of JSON differ, each with its path. Numbers are doubles, so 3 and 3.0 are one; True is no 1."""
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        for name in dict.fromkeys([*ours, *theirs]):
            if name not in theirs or name not in ours:
                yield f"{path}.{name}: {'not expected' if name in ours else 'is missing'}"
            else:
                yield from differences(ours[name], theirs[name], f"{path}.{name}")
    elif isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            yield f"{path}: {len(ours)} long, expected {len(theirs)}"
        for place, (one, other) in enumerate(zip(ours, theirs, strict=False)):
            yield from differences(one, other, f"{path}[{place}]")
    elif not _are_the_same(ours, theirs):
        yield f"{path}: {_said(ours)}, expected {_said(theirs)}"


def _are_the_same(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool) or not isinstance(one, int | float):
        return type(one) is type(other) and one == other
    return isinstance(other, int | float) and _double(one) == _double(other)


def _double(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf")


def _said(value: Any) -> str:
    if isinstance(value, list | Mapping):
        return "a list" if isinstance(value, list) else "an object"
    return repr(value)
