"""A store for many machines: a schema on a PostgreSQL server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from facets.errors import MissingExtra

from .backend import Backend, Table
from .postgres_address import Address

__all__ = ["open_postgres"]


@asynccontextmanager
async def open_postgres(
    address: str, tables: Sequence[Table], *, patience: float = 5.0, poll_seconds: float = 0.005
) -> AsyncIterator[Backend]:
    """An engine on a PostgreSQL server, for as long as the block lasts.

    PostgreSQL 17 or later: earlier ones cannot end the transaction of a client that stands still while it sends, and
    others wait for its rows until it goes on, or until its connection is lost.

    `address`: `postgresql://[user@][host][:port][/database][?schema=word]`, with libpq's other options; the schema is
    `questions` unless given, and is made, with the tables, if it is not there. No password: libpq reads it from the
    file that `PGPASSFILE` names, and the like. Poolers of connections are fine, by transaction too.

    `patience`: seconds for which a lost server is looked for before whoever waits gets `StoreUnavailable`.
    `poll_seconds`: how often the feed is looked at for commits of other processes, while somebody waits for them.

    Two threads with a connection each live as long as the block, and none after it; leaving it, also by cancellation,
    waits for what they have begun: as long as the server's limits allow, ten seconds if it stands still.

    Raises `BadArgument` for the address, `MissingExtra` without psycopg, and `StoreUnavailable` if the server cannot
    be reached, or the schema is newer than what is known here; nothing is open then.
    """
    where = Address.parse(address)
    try:
        from .postgres_engine import open_engine  # noqa: PLC0415  # psycopg comes with an extra
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "psycopg":
            raise
        instead = "keep the decisions in a folder"
        raise MissingExtra("A store on a PostgreSQL server", "psycopg", "postgres", instead) from None
    async with open_engine(where, tables, patience=patience, poll_seconds=poll_seconds) as engine:
        yield engine
