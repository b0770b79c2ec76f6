"""Stages on a PostgreSQL server, each in a schema of its own."""

from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import psycopg
import trio

from questions.durable.postgres import open_postgres
from questions.durable.postgres_schema import lock_number
from questions.testing.engine_stage import THINGS, WORDS
from tests.questions.durable.postgres_server import new_schema, shared_address

TABLES = (THINGS, WORDS)


class PostgresStage:
    outlives = True

    def __init__(self, address=None):
        self.server = address or shared_address()
        self.address = new_schema(self.server)
        self.schema = parse_qs(urlsplit(self.address).query)["schema"][0]

    def open(self, tables=TABLES, **options):
        return open_postgres(self.address, tables, **options)

    async def set_clock(self, now):
        await self.execute(f"create or replace function questions_now() returns bigint language sql return {now}")

    async def execute(self, statement, *values):
        """Rows of a statement by somebody else; what it names is looked for in the schema."""
        return await trio.to_thread.run_sync(self.execute_here, statement, values)

    def execute_here(self, statement, values=()):
        with psycopg.connect(self.server, autocommit=True) as connection:
            connection.execute(f"set search_path to {self.schema}")
            cursor = connection.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def through(self, host, port):
        """The address, by way of this place."""
        with psycopg.connect(self.server) as connection:
            info = connection.info
            return f"postgresql://{info.user}@{host}:{port}/{info.dbname}?schema={self.schema}"

    def lock(self, purpose):
        """The number of one of the store's locks."""
        return lock_number(self.schema, purpose)

    async def blocked(self):
        """Wait until somebody waits for a lock, on behalf of this store."""
        waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like %s"
        with trio.fail_after(60):
            while not await self.execute(waiting, f"%{self.schema}%"):
                pass

    def drop(self):
        self.execute_here(f"drop schema if exists {self.schema} cascade")


@asynccontextmanager
async def open_postgres_stage():
    stage = PostgresStage()
    try:
        yield stage
    finally:
        stage.drop()
