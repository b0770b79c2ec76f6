"""Committing pieces: whoever was overtaken reads and decides again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from questions.durable.backend import Backend, Commit, Conflict, TooLate
from questions.durable.errors import ChangedConcurrently
from questions.durable.swapping import committed
from questions.durable.tokens import new_token

from .pieces import Piece

__all__ = ["by_rounds", "write"]

_ROUNDS = 16

T = TypeVar("T")


async def write(backend: Backend, piece: Piece) -> None:
    """Commit it under a name of its own. Nothing to write is not committed. Raises what the engine refuses."""
    if piece:
        await committed(backend, Commit(new_token(), piece.writes, piece.notices, piece.guards))


async def by_rounds(once: Callable[[], Awaitable[T]], key: str, given: Piece = Piece()) -> T:  # noqa: B008  # immutable
    """What `once` comes to, which reads, decides and commits; again if others were quicker.

    `given`: the part of the commit that the caller has decided on already. Raises `Conflict` if it is that which was
    overtaken, and `ChangedConcurrently` after the last round.
    """
    for _ in range(_ROUNDS):
        try:
            return await once()
        except Conflict as conflict:
            if given.has(conflict):
                raise
        except TooLate:
            continue
    raise ChangedConcurrently(key)
