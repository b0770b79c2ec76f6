"""The statements that read and write a table of an engine in a SQLite file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .backend import Column, Row, Scan, Table, Write

__all__ = ["Relation", "counting"]

# Somebody else may have written what is no text; it comes out as a value that nobody can read, and is left alone.
_ROW = "_key, _version, cast(_value as blob)"


class Relation:
    """A table, as statements. Made once; SQLite keeps statements ready by their text."""

    def __init__(self, table: Table) -> None:
        name = f'"{table.name}"'
        columns = [f'"{column}"' for column in table.columns]
        names = ", ".join(["_key", "_version", "_value", "_gone", *columns])
        self._table = table
        self.get = f"select {_ROW} from {name} where _key = ? and _value is not null"
        self.get_all = (
            f"select {_ROW} from {name} where _key in (select value from json_each(?)) and _value is not null"
        )
        self.standing = f"select {', '.join(['_version', '_value is not null', *columns])} from {name} where _key = ?"
        self.trim = f"delete from {name} where _gone <= ?"
        self._new = f"insert into {name} ({names}) values ({', '.join('?' * (4 + len(columns)))})"
        self._changes: dict[tuple[str, ...], str] = {}

    def writing(self, write: Write, stood: Sequence[Column], sequence: int) -> tuple[str, list[Any]]:
        """The statement of a write, and its values. `stood`: the columns until now; only indexes that move are touched.

        `sequence`: the end of the feed, for what is deleted.
        """
        gone = write.value is None
        columns = {} if gone else write.columns
        new = {name: columns.get(name) for name in self._table.columns}
        if not write.expected:
            return self._new, [write.key, 1, write.value, sequence if gone else None, *new.values()]
        moved = {name: value for (name, value), was in zip(new.items(), stood, strict=True) if value != was}
        if gone:
            moved["_gone"] = sequence
        return self._change(tuple(moved)), [write.expected + 1, write.value, *moved.values(), write.key]

    def _change(self, moved: tuple[str, ...]) -> str:
        if moved not in self._changes:
            names = ", ".join(f'"{name}" = ?' for name in ["_version", "_value", *moved])
            self._changes[moved] = f'update "{self._table.name}" set {names} where _key = ?'
        return self._changes[moved]

    def scanning(self, scan: Scan) -> tuple[str, list[Any]]:
        """The statement of a scan, and its values."""
        index = self._table.index(scan.index)
        order, beyond = f'"{index.order}"', "<" if index.descending else ">"
        where = [*(f'"{column}" = ?' for column in index.equal), f"{order} is not null"]
        values: list[Any] = list(scan.equal)
        if scan.until is not None:
            where.append(f"{order} {'>=' if index.descending else '<='} ?")
            values.append(scan.until)
        if scan.after is not None:
            where.append(f"{order} {beyond}= ? and ({order} {beyond} ? or _key > ?)")
            values += [scan.after[0], *scan.after]
        way = "desc" if index.descending else "asc"
        statement = (
            f'select {_ROW} from "{self._table.name}" where {" and ".join(where)} order by {order} {way}, _key limit ?'
        )
        return statement, [*values, scan.limit]

    @staticmethod
    def row(key: str, version: int, value: bytes) -> Row:
        """A row as it was found."""
        return Row(key, version, value.decode("utf-8", "surrogateescape"))


def counting(columns: int) -> str:
    """The statement that counts rows of an index: values are the table, the index, and those of its columns."""
    return f"select rows from _counts where of = ? and name = ? and place = json_array({', '.join('?' * columns)})"
