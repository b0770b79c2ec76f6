"""One table on a PostgreSQL server: the statements that make it, lock, write, read and count its rows.

Names of tables and columns are lower-case words and stand in the statements; values never do. Text is compared by its
code points (collation "C"), as Python does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
from msgspec.structs import astuple

from .backend import Column, Index, Scan, Table, Write

__all__ = ["Query", "Relation", "place_of"]

_WORD = re.compile(r"[a-z][a-z0-9_]{0,40}\Z")
_OURS = {"key", "version", "value"}
_TYPES: dict[type, str] = {int: "bigint", str: "text"}
_NOW = "pg_current_xact_id()::text::bigint"


@attrs.frozen
class Query:
    """A statement and its values."""

    text: str
    values: Sequence[Any] = ()
    ordered: bool = False
    """Whether its rows come in the order of an index, and are to be read in it, whatever the server may think."""


def place_of(equal: Sequence[Column]) -> str:
    """The values of an index as the counters have them; the same that `json_build_array` gives."""
    return json.dumps(list(equal), ensure_ascii=False)


class Relation:
    """A `Table` in a schema. Raises `ValueError` for names that are no words, or that a row has anyway."""

    def __init__(self, table: Table, schema: str) -> None:
        words = [table.name, *table.columns, *(index.name for index in table.indexes)]
        if wrong := [word for word in words if not _WORD.match(word)] + sorted(_OURS & set(table.columns)):
            raise ValueError(f"cannot be names in a table: {', '.join(wrong)}")
        self.table = table
        self.schema = schema
        self.name = f'"{schema}"."{table.name}"'
        self.columns = {name: _TYPES[kind] for name, kind in table.columns.items()}
        self.counted = [index for index in table.indexes if index.counted]
        self.looked_by = sorted({name for index in self.counted for name in (*index.equal, index.order)})
        self.clock = f'(select "{schema}".questions_now())'

    def definition(self) -> str:
        """Columns and indexes as text."""
        return json.dumps(
            [{"_gone": "bigint", **self.columns}, [astuple(index) for index in self.table.indexes]],
            sort_keys=True,
        )

    def making(self) -> Iterator[str]:
        """What makes the table, or adds to it what it does not have yet."""
        yield (
            f'create table if not exists {self.name} (key text collate "C" primary key, version bigint not null,'
            " value text)"
        )
        yield f"alter table {self.name} add column if not exists _gone bigint"
        yield f"update {self.name} set _gone = {_NOW} where value is null and _gone is null"
        yield f'create index if not exists "{self.table.name}._gone" on {self.name} (_gone) where _gone is not null'
        for name, kind in self.columns.items():
            collated = ' collate "C"' if kind == "text" else ""
            yield f'alter table {self.name} add column if not exists "{name}" {kind}{collated}'
        for index in self.table.indexes:
            order = f'"{index.order}"{" desc" if index.descending else ""}'
            columns = ", ".join([*(f'"{name}"' for name in index.equal), order, "key"])
            yield (
                f'create index if not exists "{self.table.name}_{index.name}" on {self.name} ({columns})'
                f' where "{index.order}" is not null'
            )

    def counting(self, index: Index) -> Query:
        """What fills the counters of an index, if it was not counted before."""
        equal = _listed(index.equal)
        whole = " and ".join(f'"{name}" is not null' for name in (*index.equal, index.order))
        return Query(
            f'insert into "{self.schema}"._counters (of, index, place, shard, rows)'
            f" select %s, %s, json_build_array({equal})::text, 0, count(*) from {self.name} where {whole}"
            f"{f' group by {equal}' if equal else ''}"
            f' having not exists (select from "{self.schema}"._counters where of = %s and index = %s)',
            (self.table.name, index.name) * 2,
        )

    def scanning(self, scan: Scan) -> Query:
        """What reads rows in the order of an index."""
        index = scan.table.index(scan.index)
        order, kind = f'"{index.order}"', self.columns[index.order]
        back, on = ("<", "desc") if index.descending else (">", "asc")
        conditions = [f'"{name}" = %s::{self.columns[name]}' for name in index.equal] + [f"{order} is not null"]
        values: list[Any] = list(scan.equal)
        if scan.until is not None:
            conditions.append(f"{order} {'>=' if index.descending else '<='} %s::{kind}")
            values.append(scan.until)
        if scan.after is not None:
            conditions.append(f"{order} {back}= %s::{kind} and ({order} {back} %s::{kind} or key > %s)")
            values += [scan.after[0], *scan.after]
        where = f"where {' and '.join(conditions)} order by {order} {on}, key limit %s"
        return Query(self._reading(where), (*values, scan.limit), ordered=True)

    def row(self, write: Write, expected: int) -> dict[str, Any]:
        """What a write leaves, for the function that commits; what is deleted is found by no column.

        `expected`: the version that the key has had until now; 0: none.
        """
        columns = {} if write.value is None else {name: write.columns.get(name) for name in self.columns}
        return {"key": write.key, "_expected": expected, "version": write.expected + 1, "value": write.value, **columns}

    def _reading(self, where: str) -> str:
        """With the clock, which has to be told also where there are no rows."""
        return (
            f"select clock.now, stored.key, stored.version, stored.value from (select {self.clock} as now) as clock"
            f" left join lateral (select key, version, value from {self.name} {where}) as stored on true"
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
