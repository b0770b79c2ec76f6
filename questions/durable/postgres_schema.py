"""What a store has on a PostgreSQL server beside its tables: the feed, the counters, the clock; and how it gets there.

Nothing here belongs to a session, so that all of it works through a pooler of connections, too.

The feed. A line is known by the number of the transaction that wrote it, and its place in it. Numbers of transactions
are not committed in their order, so a reader goes as far as the horizon: below it nobody is writing any more. Those who
write hold a lock (`WRITING`) before they get a number; the horizon is the lowest number of those who hold it. Other
transactions of the server, which may run for hours, do not hold it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from .errors import StoreUnavailable
from .postgres_tables import Relation

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["GUARDED", "WRITING", "lock_number", "prepare"]

WRITING = "writing"
"""The lock that everybody shares who is going to write."""
GUARDED = "guarded"
"""The lock of those who count before they write: one at a time."""

_FIRST = (
    """
    create table {schema}._feed (
        transaction bigint not null,
        line integer not null,
        token text not null,
        part integer not null,
        of text not null,
        key text not null,
        version bigint not null,
        kind text not null,
        data text not null,
        primary key (transaction, line),
        unique (token, part)
    )
    """,
    "create table {schema}._edge (transaction bigint not null, line integer not null)",
    "insert into {schema}._edge values (0, 0)",
    """
    create table {schema}._counters (
        of text collate "C" not null,
        index text collate "C" not null,
        place text collate "C" not null,
        shard smallint not null,
        rows bigint not null,
        primary key (of, index, place, shard)
    ) with (fillfactor = 50)
    """,
    "create table {schema}._tables (name text, definition text, primary key (name, definition))",
    """
    create function {schema}.questions_now() returns bigint language sql volatile as
    $$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$
    """,
    # The snapshot comes before the look at the locks: who has a number below the snapshot's end either holds the
    # lock still, or has ended, and then whoever looks later sees what became of it. Between getting a number and
    # showing it among the locks there is a moment, in which only the snapshot knows it.
    """
    create function {schema}._horizon() returns bigint language plpgsql volatile as $$
    declare
        seen pg_snapshot := pg_current_snapshot();
        past bigint := pg_snapshot_xmax(seen)::text::bigint;
        running bigint := pg_snapshot_xmin(seen)::text::bigint;
        lowest bigint;
    begin
        with held as materialized (select * from pg_locks where granted), writer as (
            select virtualtransaction from held where locktype = 'advisory' and objsubid = 1
            and (classid::bigint << 32 | objid::bigint) = {writing}
            and database = (select oid from pg_database where datname = current_database())
        ), numbered as (
            select (own.transactionid::text::bigint - past) & 4294967295 as ahead
            from writer left join held as own on own.virtualtransaction = writer.virtualtransaction
            and own.locktype = 'transactionid' and own.mode = 'ExclusiveLock'
        )
        select min(case when ahead is null then running when ahead >= 2147483648 then past + ahead - 4294967296
            else past end) into lowest from numbered;
        return least(past, lowest);
    end $$
    """,
    """
    create function {schema}._changes(after_transaction bigint, after_line bigint, most integer)
    returns table (edge_transaction bigint, edge_line integer, transaction bigint, line integer, token text, of text,
        key text, version bigint, kind text, data text)
    language plpgsql volatile as $$
    #variable_conflict use_column
    declare
        horizon bigint := 0;
    begin
        if exists (select from {schema}._feed where (transaction, line) > (after_transaction, after_line)) then
            horizon := {schema}._horizon();
        end if;
        return query
            select edge.transaction, edge.line, feed.* from {schema}._edge as edge left join lateral (
                select transaction, line, token, of, key, version, kind, data from {schema}._feed
                where (transaction, line) > (after_transaction, after_line) and transaction < horizon
                order by transaction, line limit most
            ) as feed on true order by feed.transaction, feed.line;
    end $$
    """,
    """
    create function {schema}._end() returns table (transaction bigint, line integer) language plpgsql volatile as $$
    #variable_conflict use_column
    declare
        horizon bigint := {schema}._horizon();
    begin
        return query
            (select transaction, line from {schema}._feed where transaction < horizon
            order by transaction desc, line desc limit 1)
            union all select transaction, line from {schema}._edge order by 1 desc, 2 desc limit 1;
    end $$
    """,
    """
    create function {schema}._trim(kept integer) returns void language plpgsql volatile as $$
    declare
        horizon bigint := {schema}._horizon();
        last record;
    begin
        if not pg_try_advisory_xact_lock({trimming}) then
            return;
        end if;
        select transaction, line into last from {schema}._feed where transaction < horizon
            order by transaction desc, line desc offset kept limit 1;
        if found then
            update {schema}._edge set transaction = last.transaction, line = last.line
                where (transaction, line) < (last.transaction, last.line);
            delete from {schema}._feed where (transaction, line) <= (last.transaction, last.line);
        end if;
    end $$
    """,
)

_SECOND = (
    # A deleted key keeps its row, without a value, until the line of the feed that says so is trimmed. Whoever has such
    # a row locked is about to be refused, and is not waited for: the next trim takes it.
    """
    create or replace function {schema}._trim(kept integer) returns void language plpgsql volatile as $$
    declare
        horizon bigint := {schema}._horizon();
        last record;
        stored oid;
    begin
        if not pg_try_advisory_xact_lock({trimming}) then
            return;
        end if;
        select transaction, line into last from {schema}._feed where transaction < horizon
            order by transaction desc, line desc offset kept limit 1;
        if found then
            update {schema}._edge set transaction = last.transaction, line = last.line
                where (transaction, line) < (last.transaction, last.line);
            delete from {schema}._feed where (transaction, line) <= (last.transaction, last.line);
            for stored in select attrelid from pg_attribute join pg_class as class on class.oid = attrelid
                where relnamespace = to_regnamespace('{schema}') and relkind = 'r' and attname = '_gone'
            loop
                execute format('delete from %1$s where key in (select key from %1$s where _gone < $1'
                    ' order by key for update skip locked)', stored::regclass) using last.transaction;
            end loop;
        end if;
    end $$
    """,
)

MIGRATIONS = (_FIRST, _SECOND)
"""What makes each version of the schema out of the one before."""


def lock_number(schema: str, purpose: str) -> int:
    """The number of an advisory lock."""
    return int.from_bytes(blake2b(f"questions/{schema}/{purpose}".encode(), digest_size=8).digest(), signed=True)


def prepare(
    connection: Connection, schema: str, relations: Sequence[Relation], functions: Sequence[tuple[str, str]]
) -> None:
    """Bring a schema to the newest version, and make the tables and functions that it does not have.

    `functions`: names, and the statements that make them; another function has another name.

    One after the other, whoever opens it: each step in one transaction under a lock. Raises `StoreUnavailable` if
    the schema is of a version that is not known here.
    """
    if _version(connection, schema) < len(MIGRATIONS):
        with connection.transaction():
            _wait_for_turn(connection, schema)
            if connection.execute("select to_regnamespace(%s)", (f'"{schema}"',)).fetchone() == (None,):
                connection.execute(f'create schema "{schema}"')
            connection.execute(f'create table if not exists "{schema}"._migrations (version integer primary key)')
    while (version := _version(connection, schema)) < len(MIGRATIONS):
        _migrate(connection, schema, version)
    if version > len(MIGRATIONS):
        why = f"schema {schema!r} has version {version}, and {len(MIGRATIONS)} is the newest that is known here"
        raise StoreUnavailable(why, faults=["open it with a newer version of this program"])
    made = set(connection.execute(f'select name, definition from "{schema}"._tables').fetchall())
    for relation in relations:
        if (relation.table.name, relation.definition()) not in made:
            _make(connection, relation)
    for name, statement in functions:
        if (name, "") not in made:
            with connection.transaction():
                _wait_for_turn(connection, schema)
                connection.execute(statement)
                connection.execute(f'insert into "{schema}"._tables values (%s, %s) on conflict do nothing', (name, ""))


def _version(connection: Connection, schema: str) -> int:
    if connection.execute("select to_regclass(%s)", (f'"{schema}"._migrations',)).fetchone() == (None,):
        return 0
    [version] = connection.execute(f'select coalesce(max(version), 0) from "{schema}"._migrations').fetchone() or (0,)
    return int(version)


def _wait_for_turn(connection: Connection, schema: str) -> None:
    connection.execute("select pg_advisory_xact_lock(%s)", (lock_number(schema, "migrations"),))


def _migrate(connection: Connection, schema: str, version: int) -> None:
    with connection.transaction():
        _wait_for_turn(connection, schema)
        if _version(connection, schema) == version:
            for statement in MIGRATIONS[version]:
                connection.execute(_filled(statement, schema))
            connection.execute(f'insert into "{schema}"._migrations values (%s)', (version + 1,))


def _filled(statement: str, schema: str) -> str:
    for purpose in (WRITING, "trimming"):
        statement = statement.replace(f"{{{purpose}}}", str(lock_number(schema, purpose)))
    return statement.replace("{schema}", f'"{schema}"')


def _make(connection: Connection, relation: Relation) -> None:
    """Columns and indexes are added, and never taken away: an older program may still be using them."""
    with connection.transaction():
        _wait_for_turn(connection, relation.schema)
        for statement in relation.making():
            connection.execute(statement)
        for index in relation.counted:
            query = relation.counting(index)
            connection.execute(query.text, query.values)
        connection.execute(
            f'insert into "{relation.schema}"._tables values (%s, %s) on conflict do nothing',
            (relation.table.name, relation.definition()),
        )
