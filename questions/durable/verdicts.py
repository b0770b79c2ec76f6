"""Judging commits that share a transaction: each by itself, in their order, against what those before it have done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from .backend import (
    Before,
    Below,
    Column,
    Commit,
    Conflict,
    Guard,
    GuardFailed,
    Notice,
    Table,
    TooLate,
    Unchanged,
    Write,
)
from .errors import CommitRefused

__all__ = ["Ledger", "Place", "Standing", "counted", "expectations", "touched"]

Place = tuple[str, str, tuple[Column, ...]]
"""A table, one of its counted indexes, and values of it."""


class Standing(Struct, frozen=True):
    """What is stored under a key: the newest version, also of what is deleted. `columns`: at least what counts."""

    version: int
    gone: bool
    columns: Mapping[str, Column]


class Ledger(Struct):
    """What is stored, for a batch of commits, and what the batch makes of it.

    `now`: the engine's clock. `rows`: by table and key. `happened`: tokens in the feed. `counts`: for the guards.
    """

    now: int
    rows: dict[tuple[str, str], Standing]
    happened: set[str]
    counts: Mapping[Place, int]
    written: dict[tuple[str, str], Write] = field(default_factory=dict)
    """The last write of each key."""
    moves: Counter[Place] = field(default_factory=Counter)
    """By how much each place has grown, if something is counted."""
    lines: list[tuple[str, int, Notice]] = field(default_factory=list)
    """Of the feed: token, place within the commit, and what it says."""

    @classmethod
    def assumed(cls, commits: Sequence[Commit]) -> Ledger:
        """What would have to be stored for these commits, which have no `Below`, to find what they expect.

        Of two that expect different versions of a key the first one is believed. It is earlier than any instant.
        """
        rows = {place: Standing(version, False, {}) for place, version in expectations(commits).items() if version}
        return cls(-(2**63), rows, set(), {})

    def judge(self, commit: Commit) -> CommitRefused | None:
        """Enter the commit, or say why not."""
        if commit.token in self.happened:
            return None
        try:
            for guard in commit.guards:
                self._check(guard)
            for write in commit.writes:
                self._expect(write.table, write.key, write.expected)
        except CommitRefused as refusal:
            return refusal
        for write in commit.writes:
            self._write(write)
        self.lines += [(commit.token, part, notice) for part, notice in enumerate(commit.notices)]
        if commit.notices:
            self.happened.add(commit.token)
        return None

    def _check(self, guard: Guard) -> None:
        match guard:
            case Before(instant):
                if self.now >= instant:
                    raise TooLate(instant)
            case Below(table, index, equal, limit):
                place = (table.name, index, equal)
                if self.counts.get(place, 0) + self.moves[place] >= limit:
                    raise GuardFailed(guard)
            case Unchanged(table, key, version):
                self._expect(table, key, version)

    def _expect(self, table: Table, key: str, version: int) -> None:
        stored = self.rows.get((table.name, key))
        actual = 0 if stored is None else stored.version
        if actual != version or (stored is not None and stored.gone):
            raise Conflict(table.name, key, actual)

    def _write(self, write: Write) -> None:
        place = (write.table.name, write.key)
        before = self.rows.get(place)
        columns = {} if write.value is None else write.columns
        self.rows[place] = Standing(write.expected + 1, write.value is None, columns)
        self.written[place] = write
        if self.counts:
            self.moves.subtract(_places(write.table, before.columns if before else {}))
            self.moves.update(_places(write.table, columns))


def expectations(commits: Sequence[Commit]) -> dict[tuple[str, str], int]:
    """The keys that have to be known to judge these commits, by table and key, and the version expected first."""
    expected: dict[tuple[str, str], int] = {}
    for commit in commits:
        for write in commit.writes:
            expected.setdefault((write.table.name, write.key), write.expected)
        for guard in commit.guards:
            if isinstance(guard, Unchanged):
                expected.setdefault((guard.table.name, guard.key), guard.version)
    return expected


def touched(commits: Sequence[Commit]) -> dict[str, list[str]]:
    """The keys that have to be known, by table."""
    keys: dict[str, list[str]] = {}
    for table, key in expectations(commits):
        keys.setdefault(table, []).append(key)
    return keys


def counted(commits: Sequence[Commit]) -> Iterator[Place]:
    """The places that have to be counted to judge these commits."""
    for commit in commits:
        for guard in commit.guards:
            if isinstance(guard, Below):
                yield guard.table.name, guard.index, guard.equal


def _places(table: Table, columns: Mapping[str, Column]) -> Iterable[Place]:
    """Where a row counts."""
    for index in table.indexes:
        if index.counted and columns.get(index.order) is not None:
            equal = tuple([columns.get(name) for name in index.equal])
            if None not in equal:
                yield table.name, index.name, equal
