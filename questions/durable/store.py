"""`Store`: an engine with the rules of decisions on top, and keys and values beside them."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
from msgspec.structs import replace

from .asks_table import ASK_NAMES, ASKS
from .backend import Backend, Commit, Found, Index, Notice, Row, Scan, Table, Write
from .caller import Caller
from .decision import encode
from .decisions import Decisions
from .errors import BadArgument, ReservedKey, Unreadable
from .following import Follower
from .journal_lines import JOURNAL
from .limits import StoreLimits
from .listening import store_closed
from .raising import Raising
from .settings import Settings
from .swapping import Records, committed, read
from .table import DECISIONS, META
from .texts import text_faults
from .tokens import new_token

__all__ = ["TABLES", "Store", "UnreadableRecord"]

_ENTRIES = Table("entries", {"name": str}, (Index("name", (), "name"),))
TABLES = (DECISIONS, META, _ENTRIES, ASKS, ASK_NAMES, JOURNAL)
"""What an engine has to have tables for."""

_RESERVED = "decisions/"
_LONGEST_KEY, _LONGEST_VALUE = 500, 262_144  # code points
_MOST_LISTED = 200
_PAGE = 1_000
_LAST = "\U0010ffff"


@attrs.frozen
class UnreadableRecord:
    """A record that is no decision, or one of a newer version: skipped, and never written over. `why`: for people."""

    id: str
    version: int
    why: str


class Store:
    """An open store. Built by `open_store`; lives as long as its block, and raises `StoreUnavailable` after that.

    Its general keys and values share versions and engine with the decisions, which are read under `decisions/` and
    written by what decisions do alone.
    """

    def __init__(self, backend: Backend, safety_poll: float) -> None:
        self._records = Records(backend)
        self.raising = Raising(self._records, Settings(backend))
        self.follower = Follower(self._records, safety_poll)
        self._closed = False

    @property
    def records(self) -> Records:
        """The decisions under the rules. Raises `StoreUnavailable` once the store is closed."""
        if self._closed:
            raise store_closed()
        return self._records

    @property
    def backend(self) -> Backend:
        """The engine. Raises `StoreUnavailable` once the store is closed."""
        return self.records.backend

    def close(self) -> None:
        """End all waits. Called at the end of `open_store`."""
        self._closed = True
        self.follower.close()

    def decisions(self, caller: Caller) -> Decisions:
        """The decisions as this caller may see and change them. The host says who that is, and nobody else."""
        return Decisions(self, caller)

    async def limits(self) -> StoreLimits:
        """The limits that all who use this store keep. Raises `Unreadable`."""
        return await Settings(self.backend).read()

    async def set_limits(self, limits: StoreLimits) -> None:
        """Change them for all; every raise from now on keeps them. Raises `ChangedConcurrently`."""
        await Settings(self.backend).change(limits)

    async def unreadable(self) -> Sequence[UnreadableRecord]:
        """All records that cannot be read, whichever version wrote them. Looks through the whole store."""
        bad: dict[str, UnreadableRecord] = {}
        limit, after = _PAGE, None
        while True:
            rows = (await self.backend.scan(Scan(DECISIONS, "all", (), limit, after=after))).rows
            last = after
            for row in rows:
                try:
                    last = (read(row).created_at, row.key)
                except Unreadable as fault:
                    bad[row.key] = UnreadableRecord(row.key, row.version, fault.why)
            if len(rows) < limit:
                return list(bad.values())
            # Only what can be read says where it stands; a page without such a record has to be a longer one.
            limit, after = (2 * limit, after) if last == after else (_PAGE, last)

    # Keys and values

    async def get(self, key: str) -> Row | None:
        """What is stored under a key, or None. Raises `BadArgument`.

        Under `decisions/` and an id: that decision, with its deadlines applied, as it is stored.
        """
        _check("$.key", key, 1, _LONGEST_KEY)
        if key.startswith(_RESERVED):
            entries = await self._decisions(await self.backend.get(DECISIONS, [key.removeprefix(_RESERVED)]))
        else:
            entries = (await self.backend.get(_ENTRIES, [key])).rows
        return entries[0] if entries else None

    async def list(self, prefix: str = "", limit: int = 50) -> Sequence[Row]:
        """Entries whose keys begin with `prefix`, in the order of the keys; at most `limit`, 1 to 200.

        Decisions are listed for a prefix that begins with `decisions/` alone, the newest first. Raises `BadArgument`.
        """
        _check("$.prefix", prefix, 0, _LONGEST_KEY)
        _check_limit(limit)
        if prefix.startswith(_RESERVED):
            return await self._list_decisions(prefix, limit)
        after = (prefix, "") if prefix else None
        return (await self.backend.scan(Scan(_ENTRIES, "name", (), limit, until=prefix + _LAST, after=after))).rows

    async def put(self, key: str, value: str, *, expected: int = 0) -> int:
        """Store a value for a key that has the version `expected` (0: it never existed); the version that it has then.

        `value`: up to 262,144 code points. Raises `Conflict` if it has another version, `ReservedKey` for the keys of
        decisions, `BadArgument`; nothing is written then.
        """
        return await self._write(key, value, expected)

    async def delete(self, key: str, *, expected: int) -> None:
        """Delete a key that has the version `expected`; it cannot be stored again. Raises as `put` does."""
        await self._write(key, None, expected)

    async def _write(self, key: str, value: str | None, expected: int) -> int:
        _check("$.key", key, 1, _LONGEST_KEY)
        if key.startswith(_RESERVED):
            raise ReservedKey(key)
        if value is not None:
            _check("$.value", value, 0, _LONGEST_VALUE)
        write = Write(_ENTRIES, key, expected, value, {"name": key})
        notice = Notice(_ENTRIES.name, key, expected + 1, "entry.put" if value is not None else "entry.deleted")
        await committed(self.backend, Commit(new_token(), [write], [notice]))
        return expected + 1

    async def _list_decisions(self, prefix: str, limit: int) -> Sequence[Row]:
        wanted = limit
        while True:
            found = await self.backend.scan(Scan(DECISIONS, "all", (), wanted))
            fitting = [row for row in found.rows if (_RESERVED + row.key).startswith(prefix)][:limit]
            if len(fitting) == limit or len(found.rows) < wanted:
                return await self._decisions(Found(found.now, fitting))
            wanted *= 2

    async def _decisions(self, found: Found) -> Sequence[Row]:
        """Rows of decisions as entries: with their deadlines applied, and the unreadable ones as they are."""
        stand = await self.records.advance(found)
        rows = [
            Row(row.key, one.version, encode(one))
            if (one := stand.get(row.key)) and one.version != row.version
            else row
            for row in found.rows
        ]
        return [replace(row, key=_RESERVED + row.key) for row in rows]


def _check(path: str, text: object, least: int, most: int) -> None:
    faults = text_faults(path, text, least, most)
    if not faults and "\0" in str(text):  # the one character that not every engine can store
        faults = [f"{path}: no U+0000"]
    if faults:
        raise BadArgument(faults)


def _check_limit(limit: object) -> None:
    if type(limit) is not int or not 1 <= limit <= _MOST_LISTED:
        raise BadArgument([f"$.limit: a whole number from 1 to {_MOST_LISTED}"])
