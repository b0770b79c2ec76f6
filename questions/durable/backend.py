"""What the engine of a durable store does: swap values of several tables in one commit, and tell of it in a feed.

An engine knows tables, keys, versions and columns to look by. What a value means, and which change of it is allowed,
is the business of those who call: they read, step, and commit what they have read the versions of. Every engine keeps
`questions.testing.check_backend`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

import attrs
from msgspec import Struct, field

from .errors import CommitRefused

__all__ = [
    "Backend",
    "Before",
    "Below",
    "Changes",
    "Commit",
    "Conflict",
    "Feed",
    "Found",
    "Guard",
    "GuardFailed",
    "Index",
    "Notice",
    "Row",
    "Scan",
    "Table",
    "TooLate",
    "Unchanged",
    "Write",
]

Column = str | int | None


class Index(Struct, frozen=True):
    """A way to look through a table: rows whose `equal` columns have given values, in the order of one more column.

    Rows without a value in one of these columns are not in the index. Of the same order, by key. Only `counted`
    indexes can be counted and guarded by `Below`.
    """

    name: str
    equal: tuple[str, ...]
    order: str
    descending: bool = False
    counted: bool = False


class Table(Struct, frozen=True):
    """A table of an engine: its name, its columns to look by (`int` or `str`), and the indexes over them.

    Names are lower-case words. Keys have 1 to 500 code points.
    """

    name: str
    columns: Mapping[str, type[int] | type[str]]
    indexes: tuple[Index, ...] = ()

    def index(self, name: str) -> Index:
        """The index of that name. Raises `KeyError`."""
        return {index.name: index for index in self.indexes}[name]


class Row(Struct, frozen=True):
    """What is stored under a key. `value`: any text. `version`: 1 at first, and one more with each write of the key."""

    key: str
    version: int
    value: str


class Write(Struct, frozen=True):
    """A value for a key of a table, if the key still has the version `expected`.

    `expected` 0: the key never existed; a deleted key is no such key. `value` None deletes. `columns`: what the row is
    found by; those left out are empty.
    """

    table: Table
    key: str
    expected: int
    value: str | None
    columns: Mapping[str, Column] = field(default_factory=dict)


class Notice(Struct, frozen=True):
    """One line of the feed, written with the commit it belongs to: what happened to a key, and its version after it.

    `data`: any text. The token of the commit stands with it.
    """

    table: str
    key: str
    version: int
    kind: str
    data: str = ""


class Below(Struct, frozen=True):
    """A guard: in an index of a table, fewer than `limit` rows have these values, before this commit."""

    table: Table
    index: str
    equal: tuple[Column, ...]
    limit: int


class Unchanged(Struct, frozen=True):
    """A guard: the key has this version (0: it never existed), though the commit does not write it."""

    table: Table
    key: str
    version: int


class Before(Struct, frozen=True):
    """A guard: by the engine's clock it is earlier than `instant`, milliseconds since the epoch (Q-SET-5)."""

    instant: int


Guard = Below | Unchanged | Before


class Commit(Struct, frozen=True):
    """Writes, lines of the feed, and guards: all of it happens, in one instant, or nothing. No key is written twice.

    `token` names the commit in the feed (see `tokens.new_token`), so that a caller who was not told the outcome finds
    out what it was: a commit whose token is in the feed has happened, and to commit it once more does nothing and
    succeeds. That needs a line in the feed, which every commit that writes should have.
    """

    token: str
    writes: Sequence[Write] = ()
    notices: Sequence[Notice] = ()
    guards: Sequence[Guard] = ()


class Scan(Struct, frozen=True):
    """Rows of one index: those whose `equal` columns have these values, in its order, at most `limit` (1 or more).

    `until`: none beyond this value of the order column, itself included. `after`: none up to this value and key.
    """

    table: Table
    index: str
    equal: tuple[Column, ...]
    limit: int
    until: int | str | None = None
    after: tuple[int | str, str] | None = None


class Found(Struct, frozen=True):
    """What a read saw, and when: `now` is the engine's clock, in milliseconds since the epoch."""

    now: int
    rows: Sequence[Row]


class Feed(Struct, frozen=True):
    """A line of the feed as it is read: `sequence` rises with every line, and not always by one."""

    sequence: int
    token: str
    notice: Notice


class Changes(Struct, frozen=True):
    """Lines after a sequence. `upto`: go on from here. `gap`: some are not kept any more; read all that matters."""

    lines: Sequence[Feed]
    upto: int
    gap: bool = False


@attrs.define(eq=False, slots=False, str=False)
class Conflict(CommitRefused):
    """A key has another version than was expected. Nothing was changed: read again, and decide again."""

    table: str
    key: str
    version: int
    """What it has now; 0 if it never existed."""

    def __str__(self) -> str:
        return f"{self.key!r} of {self.table} has version {self.version} now; read it again"


@attrs.define(eq=False, slots=False, str=False)
class GuardFailed(CommitRefused):
    """A limit is reached that the commit was to stay below. Nothing was changed."""

    guard: Below

    def __str__(self) -> str:
        return f"{self.guard.limit} rows of {self.guard.table.name} are {self.guard.equal!r}, which is the limit"


@attrs.define(eq=False, slots=False, str=False)
class TooLate(CommitRefused):
    """The instant that the commit had to come before has passed, by the engine's clock. Nothing was changed."""

    instant: int

    def __str__(self) -> str:
        return f"it was to happen before {self.instant}; read again"


class Backend(Protocol):
    """An engine that is open. Under trio; safe to use from any number of tasks at once.

    Every method can raise `StoreUnavailable`. A read that is cancelled has no effect; a commit that is cancelled
    before it began has not happened, and one that has begun is waited for.
    """

    name: ClassVar[str]
    """"memory", "sqlite", "postgres"."""

    async def commit(self, commit: Commit) -> None:
        """Do all of it, or raise `Conflict`, `GuardFailed` or `TooLate` and do nothing.

        Returns when it cannot be lost any more. Commits that wait at the same time may share one turn of the disk;
        each is judged by itself, in the order in which they came.
        """

    async def get(self, table: Table, keys: Sequence[str]) -> Found:
        """The rows of these keys that exist, in the order asked for."""

    async def scan(self, scan: Scan) -> Found:
        """Rows by an index."""

    async def count(self, table: Table, index: str, equal: tuple[Column, ...]) -> int:
        """How many rows of a `counted` index have these values. Costs the same, however many they are."""

    async def changes(self, after: int, limit: int = 1000) -> Changes:
        """Lines of the feed after a sequence, in the order in which they were committed; none is ever skipped.

        `after` 0: from the oldest that is kept. -1: no lines, only where the feed ends now.
        """

    async def moved(self, after: int) -> Changes:
        """Wait for lines after this sequence, written here or by another process: the lines, as `changes` gives them.

        Costs little while nothing happens, and may return without any. For one task at a time.
        """

    async def now(self) -> int:
        """The engine's clock, the same for all who share the store: milliseconds since the epoch."""
