"""Replaying decisions from what was written down of them, so that anybody can check how they came out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .cases import read_case
from .errors import InvalidCase, InvalidParams, ParticipationOutOfRange
from .receipt_replays import RECEIPT_REPLAYS

__all__ = ["REPLAYS", "differences", "replay"]


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
    try:
        read = read_case(case)
        return {**read.counted().as_json(), "lock_trace": read.lock_trace()}
    except (InvalidParams, ParticipationOutOfRange) as error:
        return {"error": error.code}


REPLAYS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {"mechanism": _replay_mechanism, **RECEIPT_REPLAYS}
"""What is done with a case, by its kind."""


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
