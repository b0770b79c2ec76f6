"""The statements that read and write a table of an engine in a SQLite file."""

from __future__ import annotations

from typing import Any

from .backend import Row, Scan, Table, Write

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
        self.version = f"select _version, _value is not null from {name} where _key = ?"
        self.trim = f"delete from {name} where _gone <= ?"
        self._new = f"insert into {name} ({names}) values ({', '.join('?' * (4 + len(columns)))})"
        changed = ", ".join(f"{column} = ?" for column in ["_version", "_value", "_gone", *columns])
        self._change = f"update {name} set {changed} where _key = ?"

    def writing(self, write: Write, sequence: int) -> tuple[str, list[Any]]:
        """The statement of a write, and its values. `sequence`: the end of the feed, for what is deleted."""
        gone = sequence if write.value is None else None
        columns = [None if write.value is None else write.columns.get(name) for name in self._table.columns]
        what = [write.expected + 1, write.value, gone, *columns]
        return (self._change, [*what, write.key]) if write.expected else (self._new, [write.key, *what])

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
