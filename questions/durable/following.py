"""Following a store: one reader of its feed, and one of the decisions that are waited for, however many wait."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from weakref import WeakSet

import attrs
import trio

from facets.errors import Retryable
from questions.timers import Timers

from .backend import Feed
from .decision import Decision, Status
from .errors import UnknownDecision
from .listening import Hints, Missed, hint_of, store_closed
from .repeating import repeat
from .swapping import Records
from .table import DECISIONS

__all__ = ["Follower", "Heard"]

Heard = Callable[[str | None], None]

_AT_ONCE = 500
"""Decisions that are read in one go."""
_UNHEARD = 0.05
"""Seconds between looks at the feed while nobody here waits or listens: who comes then has little to catch up with."""


@attrs.define(eq=False)
class _Watch:
    """A decision that somebody waits for, as it was read last. `changed` is another event after each change."""

    id: str
    latest: Decision | None = None
    changed: trio.Event = attrs.field(factory=trio.Event)
    waiting: int = 0
    asked: int = 0
    """How many waits have begun."""
    told: int = 0
    """How many of them had begun when it was read. The others do not go by what is older than they are."""
    timer: int = 0
    """Of its next look; 0: none is planned."""

    def show(self, decision: Decision | None, asked: int) -> None:
        was, self.latest = self.latest, decision
        if asked > self.told or decision is None or was is None or decision.version != was.version:
            self.told = asked
            self.wake()

    def wake(self) -> None:
        self.changed.set()
        self.changed = trio.Event()


class Follower:
    """What a store hears from its feed, for all who wait in this process. Lives as long as the store is open.

    A decision that is waited for is read when a hint names it, at its deadline, and every `safety_poll` seconds,
    since hints can be lost. While the store cannot be reached those who wait go on waiting.
    """

    def __init__(self, records: Records, safety_poll: float) -> None:
        self._records = records
        self.safety_poll = safety_poll
        """Seconds after which those who wait look although they heard nothing."""
        self._position = 0
        self._watches: dict[str, _Watch] = {}
        self._looks: Timers[_Watch] = Timers()
        self._nudged = trio.Event()
        self._hints: WeakSet[Hints] = WeakSet()
        self._listeners: dict[tuple[str, Heard], None] = {}
        self._wanted = trio.Event()
        self._closed = False

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Follow until cancelled; started once it is known where the feed ends, or else raises `StoreUnavailable`."""
        self._position = (await self._records.backend.changes(-1)).upto
        async with trio.open_nursery() as nursery:
            nursery.start_soon(repeat, self._follow, "following the feed of decisions")
            nursery.start_soon(repeat, self._look, "looking at the decisions that are waited for")
            task_status.started()

    def close(self) -> None:
        """Let all who wait or listen know that the store is closed."""
        self._closed = True
        for watch in self._watches.values():
            watch.wake()
        for hints in self._hints:
            hints.close()

    def listen(self, table: str, heard: Heard) -> None:
        """Call `heard` with the key of every line of another table from now on; None: some may have been missed."""
        self._listeners[table, heard] = None
        self._wanted.set()

    def unlisten(self, table: str, heard: Heard) -> None:
        """Call it no more."""
        self._listeners.pop((table, heard), None)

    @property
    def watched(self) -> int:
        """How many decisions are waited for here."""
        return len(self._watches)

    @property
    def listeners(self) -> int:
        """How many iterators of hints there are."""
        return len(self._hints)

    def hints(self) -> Hints:
        """Hints from now on."""
        hints = Hints()
        if self._closed:
            hints.close()
        self._hints.add(hints)
        self._wanted.set()
        return hints

    async def ended(self, id: str, check: Callable[[Decision], object]) -> Decision:
        """The decision once it has ended. `check` sees each version, and what it raises is raised.

        Raises `UnknownDecision` if there is none, or none any more, and `StoreUnavailable` once the store is closed.
        Cancelled, it leaves nothing behind.
        """
        await trio.lowlevel.checkpoint()
        with self._watching(id) as watch:  # first subscribe, then read: what comes in between is not missed
            turn = watch.asked
            while not self._closed:
                if watch.told >= turn:
                    if watch.latest is None:
                        raise UnknownDecision(id)
                    check(watch.latest)
                    if watch.latest.status is not Status.OPEN:
                        return watch.latest
                await watch.changed.wait()
        raise store_closed()

    @contextmanager
    def _watching(self, id: str) -> Iterator[_Watch]:
        watch = self._watches.setdefault(id, _Watch(id))
        watch.waiting += 1
        watch.asked += 1
        self._wanted.set()
        # Also if it is watched already: what was read may be older than this wait.
        self._look_at(watch, trio.current_time())
        try:
            yield watch
        finally:
            watch.waiting -= 1
            if not watch.waiting:
                self._looks.cancel(watch.timer)
                del self._watches[id]

    def _look_at(self, watch: _Watch, at: float) -> None:
        self._looks.cancel(watch.timer)
        watch.timer = self._looks.arm(at, watch)
        self._nudged.set()

    # The feed

    async def _follow(self) -> None:
        if self._watches or self._hints or self._listeners:
            changes = await self._records.backend.moved(self._position)
        else:
            # Following each commit costs about as much as the commit; nobody wants to know.
            self._wanted = trio.Event()
            with trio.move_on_after(_UNHEARD):
                await self._wanted.wait()
            changes = await self._records.backend.changes(self._position)
        self._position = changes.upto
        if changes.gap:
            self._rescan()
        for line in changes.lines:
            self._hear(line)

    def _rescan(self) -> None:
        for watch in self._watches.values():
            self._look_at(watch, trio.current_time())
        for hints in self._hints:
            hints.put(Missed())
        for _, heard in list(self._listeners):
            heard(None)

    def _hear(self, line: Feed) -> None:
        if line.notice.table != DECISIONS.name:
            for table, heard in list(self._listeners):
                if table == line.notice.table:
                    heard(line.notice.key)
            return
        if watch := self._watches.get(line.notice.key):
            self._look_at(watch, trio.current_time())
        if self._hints:
            hint = hint_of(line.notice)
            for hints in self._hints:
                hints.put(hint)

    # The decisions

    async def _look(self) -> None:
        with trio.move_on_at(self._looks.nearest()):
            await self._nudged.wait()
        self._nudged = trio.Event()
        due = list(iter(lambda: self._looks.pop_due(trio.current_time()), None))
        for watch in due:
            watch.timer = 0
        try:
            for start in range(0, len(due), _AT_ONCE):
                await self._read(due[start : start + _AT_ONCE])
        except Retryable:
            for watch in due:
                if watch.waiting:
                    self._look_at(watch, trio.current_time())
            raise

    async def _read(self, watches: Sequence[_Watch]) -> None:
        asked = [watch.asked for watch in watches]
        found = await self._records.backend.get(DECISIONS, [watch.id for watch in watches])
        decisions = await self._records.advance(found)
        for watch, turn in zip(watches, asked, strict=True):
            decision = decisions.get(watch.id)
            # A hint that came while it was read has armed it, and stands: what was read may be older.
            if watch.waiting and not watch.timer and decision is not None and decision.status is Status.OPEN:
                watch.timer = self._looks.arm(self._next_look(decision, found.now), watch)
            watch.show(decision, turn)

    def _next_look(self, decision: Decision, now: int) -> float:
        """At its deadline, or with all others at the next safety look."""
        safety = (math.floor(trio.current_time() / self.safety_poll) + 1) * self.safety_poll
        if decision.deadline is None:
            return safety
        return min(safety, trio.current_time() + max(decision.deadline - now, 1) / 1000)
