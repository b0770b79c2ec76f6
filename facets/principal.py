"""Who acts: an identity that a host has authenticated, and the name to show for it."""

from __future__ import annotations

import unicodedata
from typing import Literal, get_args

import attrs
import msgspec

from .errors import InvalidPrincipal

__all__ = ["Principal", "PrincipalKind", "Who"]

PrincipalKind = Literal["user", "guest", "program", "worker", "server"]
"""user, guest: people. program: a model or an agent run. worker: a host running one session. server: a host."""

_KINDS = frozenset(get_args(PrincipalKind))
_LONGEST_ID = 200
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""An id is the name of who was given none; these would let it show as somebody else's."""


class Principal(msgspec.Struct, frozen=True, order=True, gc=False):
    """An authenticated identity. Equality is kind and id; a display name is not part of it.

    Use the constructors (`Principal.user("ana")`). Ids have 1 to 200 code points, no control and no bidirectional ones;
    anything else raises `InvalidPrincipal`. Immutable, hashable, sortable.
    """

    kind: PrincipalKind
    id: str

    def __post_init__(self) -> None:
        if faults := _faults(self.kind, self.id):
            raise InvalidPrincipal(faults)

    @classmethod
    def user(cls, id: str) -> Principal:
        """A person with an account."""
        return cls("user", id)

    @classmethod
    def guest(cls, id: str) -> Principal:
        """A person without an account, invited by somebody who has one."""
        return cls("guest", id)

    @classmethod
    def program(cls, id: str) -> Principal:
        """A model or an agent run; `id` names the run."""
        return cls("program", id)

    @classmethod
    def worker(cls, session: str) -> Principal:
        """A host that runs the work of one session, and may ask in that session only."""
        return cls("worker", session)

    @classmethod
    def server(cls, id: str) -> Principal:
        """A host acting in its own name."""
        return cls("server", id)

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


def _faults(kind: object, id: object) -> list[str]:
    faults = []
    if not isinstance(kind, str) or kind not in _KINDS:
        faults.append(f"$.kind: one of {', '.join(sorted(_KINDS))}, not {repr(kind)[:60]}")
    if not isinstance(id, str):
        faults.append(f"$.id: text, not {type(id).__name__}")
    elif not 1 <= len(id) <= _LONGEST_ID:
        faults.append(f"$.id: 1 to {_LONGEST_ID} code points, not {len(id)}")
    elif any(char in _BIDI or unicodedata.category(char) in ("Cc", "Cs") for char in id):
        faults.append("$.id: no control and no bidirectional characters")
    return faults


@attrs.frozen(order=True)
class Who:
    """A principal and the name to show for it. Two with the same principal are the same person."""

    principal: Principal
    name: str = attrs.field(eq=False, order=False)

    def __str__(self) -> str:
        return self.name
