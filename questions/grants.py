"""Approvals that people have given for more than once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import attrs

from facets.principal import Who

from .scopes import Scope

__all__ = ["Grant", "Grants"]


@attrs.frozen
class Grant:
    """Leave to call one tool with the same arguments again, in one scope. Nothing wider can be said."""

    scope: Scope
    tool: str
    digest: str
    """Of the tool and its arguments, as they were shown."""
    by: tuple[Who, ...]
    """Who gave it."""
    at: float
    """Epoch seconds."""


class Grants:
    """The grants that guards look into before they ask. In memory; share one among the guards of a program.

    `most`: how many are kept, 1 or more (else `ValueError`); beyond that the oldest is forgotten, and its next call
    asks again.
    """

    def __init__(self, most: int = 10_000) -> None:
        if most < 1:
            raise ValueError(f"grants to keep: 1 or more, not {most!r}")
        self._most = most
        self._given: OrderedDict[tuple[Scope, str, str], Grant] = OrderedDict()

    def find(self, scope: Scope, tool: str, digest: str) -> Grant | None:
        """The grant for exactly this, or None."""
        return self._given.get((scope, tool, digest))

    def give(self, grant: Grant) -> None:
        """Keep a grant; a newer one for the same takes its place."""
        key = (grant.scope, grant.tool, grant.digest)
        self._given.pop(key, None)
        self._given[key] = grant
        while len(self._given) > self._most:
            self._given.popitem(last=False)

    def list(self, scope: Scope | None = None) -> Sequence[Grant]:
        """The grants, oldest first; of one scope, or all."""
        return [grant for grant in self._given.values() if scope is None or grant.scope == scope]

    def revoke(self, grant: Grant) -> bool:
        """Take one back; the next identical call asks again. Says whether it was still there."""
        return self._given.pop((grant.scope, grant.tool, grant.digest), None) is not None

    def revoke_all(self, scope: Scope | None = None) -> int:
        """Take back all of a scope, or all; returns how many."""
        return sum(self.revoke(grant) for grant in self.list(scope))
