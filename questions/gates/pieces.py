"""`Piece`: a part of a commit, so that all of one change is one commit, whoever has something to add to it."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from questions.durable.backend import Column, Conflict, Guard, Notice, Table, Write

__all__ = ["Piece", "put"]


@attrs.frozen
class Piece:
    """Writes, the lines of the feed that tell of them, and guards. Immutable; `piece + piece` is both in one commit.

    No key may be written by two pieces of one commit.
    """

    writes: tuple[Write, ...] = ()
    notices: tuple[Notice, ...] = ()
    guards: tuple[Guard, ...] = ()

    def __add__(self, other: Piece) -> Piece:
        return Piece(self.writes + other.writes, self.notices + other.notices, self.guards + other.guards)

    def __bool__(self) -> bool:
        """Whether there is anything to be written."""
        return bool(self.writes)

    def has(self, conflict: Conflict) -> bool:
        """Whether it is this piece that expects something else of the key in conflict."""
        return any((write.table.name, write.key) == (conflict.table, conflict.key) for write in self.writes)


def put(
    table: Table,
    key: str,
    expected: int,
    value: str | None,
    columns: Mapping[str, Column] = {},  # never changed
    *,
    kind: str,
) -> Piece:
    """One write with its line in the feed; see `Write`. `kind`: what has happened, such as `gate.accepted`."""
    return Piece((Write(table, key, expected, value, columns),), (Notice(table.name, key, expected + 1, kind),))
