"""How tables of an engine stand in a SQLite file: real columns and indexes, counters, and the feed.

What a table has is added step by step: all that is missing of one table in one transaction, with a record of it. So a
column or an index that a later version adds is a migration, and a file with more of a table than is known here is
refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain

import apsw

from .backend import Index, Table
from .errors import StoreUnavailable

__all__ = ["is_new", "migrate", "transaction"]

_OURS = 0x71_62_72_6B
"""The application id in the file's header: a file of somebody else is left alone."""

_FORMAT = 1

_TYPES = {int: "integer", str: "text"}

_FIRST = (
    f"pragma application_id = {_OURS}",
    f"pragma user_version = {_FORMAT}",
    "create table _migrations (name text primary key, at integer not null) strict",
    "create table _feed (sequence integer primary key, token text not null, of text not null,"
    " key text not null, version integer not null, kind text not null, data text not null) strict",
    "create index _feed_token on _feed (token)",
    "create table _counts (of text, name text, place text, rows integer not null,"
    " primary key (of, name, place)) strict, without rowid",
)


def migrate(connection: apsw.Connection, tables: Sequence[Table], now: int) -> None:
    """Bring a file up to what is known here.

    Raises `StoreUnavailable` for a file of somebody else, or of a later version; that is left as it is.
    """
    if is_new(connection):
        with transaction(connection):
            _run(connection, _FIRST)
    with transaction(connection):
        for table in tables:
            _check(connection, table)
    for table in tables:
        if _missing(connection, table):
            with transaction(connection):
                for name, statements in _missing(connection, table):
                    _run(connection, statements)
                    connection.execute("insert into _migrations values (?, ?)", (name, now))


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """One that writes, from its start; what it has done is undone if the block or the commit fails."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


def is_new(connection: apsw.Connection) -> bool:
    """Whether there is nothing in the file yet. Raises `StoreUnavailable` as `migrate` does, and changes nothing."""
    whose, version = connection.pragma("application_id"), connection.pragma("user_version")
    if whose == _OURS and version == _FORMAT:
        return False
    if whose == _OURS:
        raise _too_new(f"format {version}")
    if whose or version or connection.execute("select 1 from sqlite_schema limit 1").get is not None:
        raise StoreUnavailable("its file belongs to another program", faults=("name another folder",))
    return True


def _too_new(what: str) -> StoreUnavailable:
    return StoreUnavailable(f"a later version has written it ({what})", faults=("update this program",))


def _run(connection: apsw.Connection, statements: Sequence[str]) -> None:
    for statement in statements:
        connection.execute(statement)


def _recorded(connection: apsw.Connection, table: Table) -> set[str]:
    prefix = f"{table.name}."
    names = connection.execute(
        "select name from _migrations where name = ? or substr(name, 1, ?) = ?", (table.name, len(prefix), prefix)
    )
    return set(chain.from_iterable(names))


def _check(connection: apsw.Connection, table: Table) -> None:
    if unknown := _recorded(connection, table) - {name for name, _ in _steps(table)}:
        raise _too_new(", ".join(sorted(unknown)))


def _missing(connection: apsw.Connection, table: Table) -> list[tuple[str, Sequence[str]]]:
    recorded = _recorded(connection, table)
    return [(name, statements) for name, statements in _steps(table) if name not in recorded]


def _steps(table: Table) -> Iterator[tuple[str, Sequence[str]]]:
    """Names and statements of what makes up a table, in the order in which it is made."""
    name = table.name
    yield (
        name,
        (
            # A deleted key keeps its row, without a value, until the line of the feed that says so is trimmed.
            f'create table "{name}" (_key text primary key, _version integer not null, _value text, _gone integer)'
            " strict",
            f'create index "{name}._gone" on "{name}" (_gone) where _gone is not null',
        ),
    )
    for column, kind in table.columns.items():
        yield f"{name}.column.{column}", (f'alter table "{name}" add column "{column}" {_TYPES[kind]}',)
    for index in table.indexes:
        yield f"{name}.index.{index.name}", (_index(name, index), *(_counters(name, index) if index.counted else ()))


def _index(table: str, index: Index) -> str:
    order = f'"{index.order}" desc' if index.descending else f'"{index.order}"'
    columns = ", ".join([*(f'"{column}"' for column in index.equal), order, "_key"])
    return f'create index "{table}.{index.name}" on "{table}" ({columns}) where {_inside(index, "")}'


def _inside(index: Index, row: str) -> str:
    return " and ".join(f'{row}"{column}" is not null' for column in (*index.equal, index.order))


def _counters(table: str, index: Index) -> Iterator[str]:
    """Triggers, so that nothing can write a row and not count it; and the rows that are there already."""
    old, new = (_inside(index, f"{row}.") for row in ("old", "new"))
    name = f"{table}.{index.name}"
    moved = f"({old}) is not ({new}) or {_place(index, 'old.')} is not {_place(index, 'new.')}"
    columns = ", ".join(f'"{column}"' for column in (*index.equal, index.order))
    yield f'create trigger "{name}.put" after insert on "{table}" when {new} begin {_add(table, index)}; end'
    yield f'create trigger "{name}.cut" after delete on "{table}" when {old} begin {_cut(table, index)}; end'
    yield (
        f'create trigger "{name}.moved" after update of {columns} on "{table}" when {moved}'
        f" begin {_cut(table, index)} and {old}; {_add(table, index)}; end"
    )
    yield (
        f"insert into _counts select '{table}', '{index.name}', {_place(index)}, count(*) from \"{table}\""
        f" where {_inside(index, '')} group by {_place(index)}"
    )


def _place(index: Index, row: str = "") -> str:
    columns = ", ".join(f'{row}"{column}"' for column in index.equal)
    return f"json_array({columns})"


def _add(table: str, index: Index) -> str:
    return (
        f"insert into _counts select '{table}', '{index.name}', {_place(index, 'new.')}, 1"
        f" where {_inside(index, 'new.')} on conflict do update set rows = rows + 1"
    )


def _cut(table: str, index: Index) -> str:
    return (
        f"update _counts set rows = rows - 1 where of = '{table}' and name = '{index.name}'"
        f" and place = {_place(index, 'old.')}"
    )
