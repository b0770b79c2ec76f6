"""Hints that a decision has changed, as lines of the feed: they wake, and give nobody a right."""

from __future__ import annotations

import msgspec

from .backend import Notice
from .decision import Decision, Status
from .table import DECISIONS

__all__ = ["hint"]


def hint(before: Decision | None, after: Decision) -> Notice:
    """The line for one swap, from `before` (None: it is raised) to `after`, both as they are handed to the engine.

    Its kind is decision.raised, escalated, answered, expired or cancelled; its data are JSON, with the values after the
    swap: id, kind, holder, status, title, and hop if there is a chain. A swap over several hops is one line; who wants
    to know them reads the record.
    """
    data: dict[str, str | int] = {
        "id": after.id,
        "kind": after.kind,
        "holder": after.holder,
        "status": after.status.value,
        "title": after.title,
    }
    if after.escalation is not None:
        data["hop"] = after.escalation.hop
    version = 1 if before is None else before.version + 1
    return Notice(DECISIONS.name, after.id, version, _kind(before, after), msgspec.json.encode(data).decode())


def _kind(before: Decision | None, after: Decision) -> str:
    if before is None:
        return "decision.raised"
    return f"decision.{'escalated' if after.status is Status.OPEN else after.status.value}"
