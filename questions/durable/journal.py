"""`open_journal`: which live questions are open is written down, so that those that a crash has taken can be named.

A row for each, written in the background while the question is open. A host that lives holds a lease. Rows whose
lease is over are found by the next host that starts: it takes them over, reports them as lost, and deletes them.
"""

from __future__ import annotations

import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

import trio

from facets.errors import Retryable
from facets.nursery import open_serving_nursery
from facets.principal import Principal
from questions.durable_port import DURABLE_ID
from questions.reports import Opened, Settled
from questions.visible import visible

from .backend import Commit, Conflict, Notice, Row, Scan, Write
from .caller import Caller
from .errors import BadArgument, Unreadable
from .journal_lines import JOURNAL, Lines, Lost, claimed, read_lost
from .leases import Lease, check_lease
from .repeating import repeat
from .store import Store
from .swapping import committed
from .tokens import new_token

__all__ = ["Journal", "open_journal"]

_BATCH = 500
"""Rows in one commit."""
_PATIENCE = 5.0
"""Seconds for which a start waits for the store, and for which an end tries to delete what has been closed."""
_MARGIN = 0.2
"""Seconds by which the second look comes later, since the clock here is not that of the store."""
_LAST = "\U0010ffff"

_WORDS = "question %s in %s, asked by %s, was lost when its host ended, and answered by nobody: %s"

_log = logging.getLogger("questions")

Tell = Callable[[Lost], object]


class Journal:
    """The journal of one host in one store. Made by `open_journal`, lives as long as that block."""

    def __init__(self, store: Store, lease: Lease, batch_seconds: float, most: int, tell: Tell) -> None:
        self.lost: list[Lost] = []
        """What was found to be lost, oldest first for each host: complete at the start, or one lease after it."""
        self._store = store
        self._lease = lease
        self._lines = Lines(lease.owner, most)
        self._pause = batch_seconds
        self._tell = tell
        self._takes = True
        self._nudged = trio.Event()
        self._held = trio.Event()
        self._begun = trio.Event()
        self._renew_at, self._look_at = -math.inf, -math.inf
        self._doing: Commit | None = None

    def observe(self, report: Opened | Settled) -> None:
        """Take a report of the questions facet. For `observe=` of the facet; never waits and never fails.

        Reports of durable questions are left out. What finds no room is counted, and the log says so once.
        """
        if report.id.startswith(DURABLE_ID) or not self._takes:
            return
        if isinstance(report, Settled):
            self._lines.settled(report.id)
        elif not self._lines.opened(report) and self._lines.unwritten == 1:
            _log.warning("the journal is full: questions are not written, and would be lost unnamed; they are counted")
        self._nudged.set()

    def figures(self) -> Mapping[str, int]:
        """`lost`: how many have been reported; `unwritten`: how many found no room; `waiting`: rows to be written."""
        return {"lost": len(self.lost), "unwritten": self._lines.unwritten, "waiting": self._lines.waiting}

    # Writing

    async def write(self) -> None:
        """Wait until there is something to write, then write one batch."""
        await self._held.wait()  # a row without a lease would be taken for lost
        await self._nudged.wait()
        await trio.sleep(self._pause)
        await self._write_batch()

    async def _write_batch(self) -> None:
        if self._doing is None and (writes := self._lines.take(_BATCH)):
            self._doing = _commit(writes)
        if not self._lines.waiting:
            self._nudged = trio.Event()
        if self._doing is not None:
            try:
                await self._commit(self._doing)
            except BaseException:
                self._nudged.set()  # the very same commit again, which happens once however often it is tried
                raise
            self._doing = None

    async def _commit(self, commit: Commit) -> None:
        """What somebody else has taken over or deleted is left out."""
        try:
            return await committed(self._store.backend, commit)
        except Conflict:
            for write in commit.writes:
                with suppress(Conflict):
                    await committed(self._store.backend, _commit([write]))

    # The lease, and what others have left

    async def keep(self) -> None:
        """Renew the lease when it is time, and look for what was lost, once or twice."""
        await trio.sleep_until(min(self._renew_at, self._look_at))
        try:
            await self._hold()
            if self._look_at <= trio.current_time():
                await self._look()
        finally:
            self._begun.set()
        self._renew_at = trio.current_time() + self._lease.lease_ms / 3_000

    async def _hold(self) -> None:
        await self._lease.hold()
        if self._lease.owner != self._lines.owner:
            self._lines.moved(self._lease.owner)
            self._nudged.set()
        self._held.set()

    async def _look(self) -> None:
        """Report what the dead have left; at the first look, look again once the leases of all others were over."""
        is_first, longest = self._look_at == -math.inf, 0
        for owner in await self._owners():
            if left := await self._lease.left(owner):
                longest = max(longest, left)
            else:
                await self._take_over(owner)
        self._look_at = trio.current_time() + longest / 1000 + _MARGIN if is_first and longest else math.inf

    async def _owners(self) -> list[str]:
        """All others who have rows."""
        found: dict[str, None] = {}
        after = None
        while rows := (await self._store.backend.scan(Scan(JOURNAL, "owner", (), 1, after=after))).rows:
            owner = rows[0].key.rpartition("/")[0]
            if owner in found:  # somebody has changed the table by hand
                break
            found[owner] = None
            after = (owner, _LAST)
        return [owner for owner in found if owner != self._lease.owner]

    async def _take_over(self, owner: str) -> None:
        unreadable: set[str] = set()
        while True:
            scan = Scan(JOURNAL, "opened", (owner,), _BATCH + len(unreadable))
            found = (await self._store.backend.scan(scan)).rows
            if not (rows := [row for row in found if row.key not in unreadable]):
                return
            lost = {row.key: one for row in rows if (one := _readable(row)) is not None}
            unreadable |= {row.key for row in rows} - lost.keys()
            mine = self._lease.owner
            writes = [write for row in rows if row.key in lost for write in claimed(row, lost[row.key], mine)]
            if writes:
                with suppress(Conflict):  # another host is at it, too; what it leaves is there at the next look
                    await committed(self._store.backend, _commit(writes))
                    self._report(list(lost.values()), mine)

    def _report(self, lost: Sequence[Lost], owner: str) -> None:
        for one in lost:
            self.lost.append(one)
            _log.warning(_WORDS, one.id, one.scope, one.asker.principal, visible(one.message), extra=_fields(one))
            try:
                self._tell(one)
            except Exception:
                _log.exception("nobody could be told that question %s was lost", one.id)
            self._lines.drop(f"{owner}/{one.id}")
        self._nudged.set()

    # Its life

    async def begin(self) -> None:
        """Wait for the first look, for a while only."""
        with trio.move_on_after(_PATIENCE):
            await self._begun.wait()

    async def serve(self, step: Callable[[], Awaitable[object]], what: str) -> None:
        """Do a step for ever. What must never happen ends the journal, and nothing else."""
        try:
            await repeat(step, what)
        except Exception:
            _log.exception("%s has failed, and will not go on", what)
            self._takes = False

    async def end(self) -> None:
        """Delete what has been closed, and give the lease back, if the store can be reached."""
        self._takes = False
        if not self._held.is_set():
            return
        with trio.move_on_after(_PATIENCE), suppress(Retryable):
            while self._doing is not None or self._lines.waiting:
                await self._write_batch()
        await self._lease.end()


@asynccontextmanager
async def open_journal(
    store: Store,
    principal: Principal | None = None,
    *,
    lease_ms: int = 10_000,
    batch_ms: int = 250,
    most: int = 10_000,
    tell: Tell = lambda lost: None,
) -> AsyncIterator[Journal]:
    """Write down which live questions are open, for the block, which is to be around that of the host.

    Give `journal.observe` to the facet of the host's questions. `principal`: the host's own, as for `open_host`.
    `lease_ms`: how long after a kill its questions count as open, 1,000 to 600,000; by the store's clock.
    `batch_ms`: for how long rows are gathered before they are written, 0 to 60,000; a question that ends sooner is
    never written, and one that a crash takes sooner is not named. `most`: how many wait to be written, 1 to 1,000,000.

    When it begins, what other lives of any host have left is reported: in `journal.lost`, to the log, and to `tell`,
    which is called once for each and should be quick; what was still leased, up to a lease later. One host reports
    each. A store that cannot be reached delays all of it and disturbs nothing else. Raises `BadArgument`.
    """
    check_lease(lease_ms)
    _check("batch_ms", batch_ms, 0, 60_000)
    _check("most", most, 1, 1_000_000)
    host_id = Caller(principal or Principal.server("host")).participant_id
    journal = Journal(store, Lease(store, host_id, lease_ms), batch_ms / 1000, most, tell)
    try:
        async with open_serving_nursery() as nursery:
            nursery.start_soon(journal.serve, journal.keep, "holding the lease of a journal")
            nursery.start_soon(journal.serve, journal.write, "writing the journal of live questions")
            await journal.begin()
            yield journal
    finally:
        with trio.CancelScope(shield=True):
            await journal.end()


def _check(name: str, value: object, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        raise BadArgument([f"$.{name}: a whole number from {least:,} to {most:,}"])


def _commit(writes: Sequence[Write]) -> Commit:
    """One line of the feed is enough for all of them."""
    first = writes[0]
    return Commit(new_token(), writes, [Notice(JOURNAL.name, first.key, first.expected + 1, "journal.changed")])


def _readable(row: Row) -> Lost | None:
    try:
        return read_lost(row)
    except Unreadable as fault:
        _log.warning("line %s of a journal cannot be read and is left as it is: %s", visible(row.key), fault)
        return None


def _fields(lost: Lost) -> dict[str, object]:
    """What a record has besides its words. The title is in it, since it is nowhere else any more."""
    return {
        "questions.event": "lost",
        "questions.id": lost.id,
        "questions.scope": str(lost.scope),
        "questions.title": lost.message,
        "questions.asker": str(lost.asker.principal),
        "questions.since": datetime.fromtimestamp(lost.since, UTC).isoformat(timespec="milliseconds"),
        "questions.host": lost.host_id,
    }
