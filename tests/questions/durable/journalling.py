"""Journals on a store, and what the tests of them look at."""

from contextlib import asynccontextmanager

import trio

from facets import Principal
from facets.principal import Who
from questions import First, Opened, SessionScope, Settled
from questions.durable import Scan, open_journal
from questions.durable.journal_lines import JOURNAL
from tests.questions.durable.asking import within
from tests.questions.durable.cases import T

LEASE = 10_000
SCOPE = SessionScope("s1")
JOB = Who(Principal.server("host"), "Host")


def opened(number, at=T / 1000):
    return Opened(f"q_{number}", SCOPE, f"Go {number}?", "confirm", First(), JOB, (), None, at)


def settled(number):
    who: dict = {"by": (), "answers": (), "missing": (), "seen": ()}
    when: dict = {"automatic": False, "opened_at": 0.0, "settled_at": 0.0}
    return Settled(
        f"q_{number}",
        SCOPE,
        f"Go {number}?",
        "confirm",
        First(),
        JOB,
        None,
        secret=False,
        how="answered",
        **who,
        **when,
    )


@asynccontextmanager
async def journal_on(store, **options):
    """A journal that writes at once."""
    async with open_journal(store, **{"lease_ms": LEASE, "batch_ms": 0, **options}) as journal:
        yield journal


async def nothing(*_):
    """What a killed process does."""
    await trio.lowlevel.checkpoint()


async def left_by_a_killed_host(store, *reports, lease_ms=LEASE):
    """What a host leaves that is killed once it has written all of this."""
    async with journal_on(store, lease_ms=lease_ms) as journal:
        journal.end = nothing
        for report in reports:
            journal.observe(report)
        await has_rows(store, len(reports))


async def keys(store):
    """The keys of all rows."""
    return [row.key for row in (await store.backend.scan(Scan(JOURNAL, "owner", (), 10_000))).rows]


async def has_rows(store, count):
    """The ids of the questions in the journal, once there are so many."""
    with within(f"{count} rows"):
        while len(found := await keys(store)) != count:
            await trio.lowlevel.checkpoint()
    return [key.rpartition("/")[2] for key in found]
