"""What is read of a store in a file, each in one statement and so of one instant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw

from .backend import Changes, Column, Feed, Found, Notice, Scan, Table
from .sqlite_connection import Line, connect
from .sqlite_tables import Relation, counting

__all__ = ["Reads"]


class Reads:
    """A connection that only reads. For one thread at a time; raises what SQLite raises."""

    def __init__(self, path: Path, tables: Sequence[Table], clock: Callable[[], int], patience: float) -> None:
        self._path = path
        self._patience = patience
        self._relations = {table.name: Relation(table) for table in tables}
        self._clock = clock
        self._line = Line(path, self._connect)

    def get(self, table: Table, keys: Sequence[str]) -> Found:
        """See `Backend`."""
        relation = self._relations[table.name]
        rows = {row[0]: relation.row(*row) for row in self._all(*relation.getting(keys))}
        return Found(self._clock(), [rows[key] for key in keys if key in rows])

    def scan(self, scan: Scan) -> Found:
        """See `Backend`."""
        relation = self._relations[scan.table.name]
        found = self._all(*relation.scanning(scan))
        return Found(self._clock(), [relation.row(*row) for row in found])

    def count(self, table: Table, index: str, equal: tuple[Column, ...]) -> int:
        """See `Backend`."""
        return sum(rows for [rows] in self._all(counting(len(equal)), (table.name, index, *equal)))

    def changes(self, after: int, limit: int) -> Changes:
        """See `Backend`."""
        with self._line.connection():  # lines and edges of one instant
            [(first, last)] = self._all("select min(sequence), max(sequence) from _feed")
            if first is None or after < 0:
                return Changes((), last or 0, gap=after > 0)
            found = self._all("select * from _feed where sequence > ? order by sequence limit ?", (after, limit))
        lines = [Feed(sequence, token, Notice(*notice)) for sequence, token, *notice in found]
        # Beyond the end: the file was put back as it was before, and what was read of it is not there any more.
        gap = after < first - 1 or after > last
        return Changes(lines, lines[-1].sequence if lines else last, gap)

    def end(self) -> int:
        """Where the feed ends."""
        [(last,)] = self._all("select coalesce(max(sequence), 0) from _feed")
        return int(last)

    def close(self) -> None:
        """Close the connection."""
        self._line.close()

    def _all(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows at once: a statement that has not come to its end would hold on to its instant."""
        return self._line.connection().execute(statement, values).fetchall()

    def _connect(self) -> apsw.Connection:
        connection = connect(self._path, self._patience)
        connection.pragma("query_only", 1)
        return connection
