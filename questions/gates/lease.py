"""`Lease`: which gate server applies deadlines: owner, token, generation, and until when."""

from __future__ import annotations

import hashlib

import attrs

from questions.durable.backend import Before, Guard, Row, Unchanged

from .kept import read_kept, write_kept
from .pieces import Piece, put
from .tables import GATE_SERVER

__all__ = ["HeldLease", "Lease", "claimed", "lease_of", "lease_piece"]

_SCHEMA = "questions.gate-server-lease.v1"
LEASE = "lease"
"""The key of the one row."""
_LONGEST_MS = 600_000


@attrs.frozen
class Lease:
    """The lease as it is stored. `generation`: one more with each owner. `until`: epoch milliseconds, exclusive."""

    owner: str
    token_hash: str
    generation: int
    until: int

    def is_live(self, now: int) -> bool:
        """Whether it is not over."""
        return now < self.until


@attrs.frozen
class HeldLease:
    """A lease that is held, and the version of its row: nobody else has written that."""

    lease: Lease
    version: int

    @property
    def guards(self) -> tuple[Guard, ...]:
        """What a commit has to keep that only the holder may make: nobody has taken the lease, and it is not over."""
        return Unchanged(GATE_SERVER, LEASE, self.version), Before(self.lease.until)


def lease_of(row: Row | None) -> HeldLease | None:
    """What is stored. Raises `IncompatibleState` and `InvalidRecord`."""
    return None if row is None else HeldLease(read_kept(row.value, _SCHEMA, Lease), row.version)


def claimed(stored: HeldLease | None, owner: str, token: str, now: int, lease_ms: int) -> HeldLease | None:
    """The lease that `owner` gets at `now`, to be written; None while it is somebody else's.

    The holder, known by its token, renews it. One that is over is taken anew by anybody, its holder too, in another
    generation: somebody may have had it in between. So is one that lasts longer than any is made for, which was
    written before the clock was set back.
    """
    hash, until = hashlib.sha256(token.encode()).hexdigest(), now + lease_ms
    if stored is None:
        return HeldLease(Lease(owner, hash, 1, until), 1)
    lease = stored.lease
    if not lease.is_live(now) or lease.until > now + max(lease_ms, _LONGEST_MS):
        return HeldLease(Lease(owner, hash, lease.generation + 1, until), stored.version + 1)
    if lease.token_hash != hash:
        return None
    return HeldLease(attrs.evolve(lease, until=until), stored.version + 1)


def lease_piece(held: HeldLease) -> Piece:
    """What is written for a lease that was claimed, or is given back."""
    return put(GATE_SERVER, LEASE, held.version - 1, write_kept(_SCHEMA, held.lease), kind="lease.held")
