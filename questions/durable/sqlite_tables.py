"""The statements that read and write a table of an engine in a SQLite file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from .backend import Column, Row, Scan, Table, Write
from .verdicts import Standing

__all__ = ["Relation", "among", "counting", "in_lots", "telling"]

T = TypeVar("T")

_LOT = 500
"""Rows of one statement."""

# Somebody else may have written what is no text; it comes out as a value that nobody can read, and is left alone.
_ROW = "_key, _version, cast(_value as blob)"


class Relation:
    """A table, as statements. Made once; SQLite keeps statements ready by their text."""

    def __init__(self, table: Table) -> None:
        name = f'"{table.name}"'
        columns = [_quoted(column) for column in table.columns]
        self._table = table
        self._getting = f"select {_ROW} from {name} where _value is not null and _key"
        self._standing = (
            f"select {', '.join(['_key', '_version', '_value is not null', *columns])} from {name} where _key"
        )
        self.trim = f"delete from {name} where _gone <= ?"
        self.columns = tuple(table.columns)

    def getting(self, keys: Sequence[str]) -> tuple[str, Sequence[str]]:
        """The statement of the rows of these keys, and its values."""
        return among(self._getting, keys)

    def standing(self, keys: Sequence[str]) -> tuple[str, Sequence[str]]:
        """The statement of what is stored under these keys, also of what is deleted, and its values."""
        return among(self._standing, keys)

    def written(
        self, write: Write, stood: Standing | None, sequence: int
    ) -> tuple[tuple[str, ...] | None, list[Column]]:
        """Which columns a write changes, and what `writing` takes of it; None for a new row, with all of its columns.

        `stood`: what there is until now; only indexes that move are touched. `sequence`: the end of the feed, for
        what is deleted.
        """
        gone = write.value is None
        new = {} if gone else write.columns
        version = write.expected + 1
        if stood is None:
            return None, [write.key, version, write.value, sequence if gone else None, *map(new.get, self.columns)]
        moved = tuple([name for name in self.columns if new.get(name) != stood.columns.get(name)])
        values = [write.key, version, write.value, *map(new.get, moved)]
        return (*moved, "_gone") if gone else moved, [*values, sequence] if gone else values

    def writing(self, moved: tuple[str, ...] | None, count: int) -> str:
        """The statement that writes so many rows that change the same columns."""
        name = self._table.name
        if moved is None:
            names = ["_key", "_version", "_value", "_gone", *self.columns]
            return f'insert into "{name}" ({", ".join(map(_quoted, names))}) values {_places(len(names), count)}'
        changed = ["_version", "_value", *moved]
        if count == 1:
            changes = ", ".join(f"{_quoted(one)} = ?{place}" for place, one in enumerate(changed, 2))
            return f'update "{name}" set {changes} where _key = ?1'
        changes = ", ".join(f"{_quoted(one)} = given.column{place}" for place, one in enumerate(changed, 2))
        return (
            f'update "{name}" set {changes} from (values {_places(1 + len(changed), count)}) as given'
            " where _key = given.column1"
        )

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


def telling(count: int) -> str:
    """The statement that puts so many lines into the feed: the token, and what each says."""
    return f"insert into _feed (token, of, key, version, kind, data) values {_places(6, count)}"


def among(statement: str, texts: Sequence[str]) -> tuple[str, Sequence[str]]:
    """A statement whose end is to be one of these texts, and its values. Raises `ValueError` for what is no text."""
    if len(texts) == 1:
        return f"{statement} = ?", texts
    return f"{statement} in (select value from json_each(?))", [json.dumps(texts, ensure_ascii=False)]


def in_lots(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """Rows as many statements take them, which are as few as can be: SQLite has a limit for the values of one."""
    for start in range(0, len(rows), _LOT):
        yield rows[start : start + _LOT]


def _places(columns: int, rows: int) -> str:
    return ", ".join([f"({', '.join('?' * columns)})"] * rows)


def _quoted(name: str) -> str:
    return f'"{name}"'


def counting(columns: int) -> str:
    """The statement that counts rows of an index: values are the table, the index, and those of its columns."""
    return f"select rows from _counts where of = ? and name = ? and place = json_array({', '.join('?' * columns)})"
