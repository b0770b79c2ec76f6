"""What a store reports as it happens: a question opened, a question settled. Plain data, without secrets."""

from __future__ import annotations

from typing import Any

import attrs
import msgspec

from facets.principal import Who

from .policies import Policy
from .scopes import Scope

__all__ = ["ClosedQuestion", "Opened", "Settled"]


@attrs.frozen
class Opened:
    """A question was published."""

    id: str
    scope: Scope
    message: str
    kind: str
    """text, select or confirm."""
    policy: Policy
    asker: Who
    audience: tuple[Who, ...]
    key: str | None
    at: float
    """Epoch seconds."""


@attrs.frozen
class Settled:
    """A question ended."""

    id: str
    scope: Scope
    message: str
    kind: str
    policy: Policy
    asker: Who
    key: str | None
    secret: bool
    how: str
    """answered, expired, withdrawn, superseded or closed."""
    by: tuple[Who, ...]
    """Who had answered, in order."""
    answers: tuple[tuple[Who, Any], ...]
    """The same with what they answered; empty for a secret question."""
    missing: tuple[Who, ...]
    seen: tuple[Who, ...]
    automatic: bool
    """Whether the deadline answered."""
    opened_at: float
    settled_at: float
    """Epoch seconds both."""


class ClosedQuestion(msgspec.Struct, frozen=True):
    """A question that has left a viewer's `open`; so that a card can say how, rather than vanish."""

    id: str
    message: str
    how: str
    """answered, expired, withdrawn, superseded, closed, or left: the viewer left its audience."""
    by: tuple[Who, ...]
    """Who had answered."""
    at: float
    """Epoch seconds."""
