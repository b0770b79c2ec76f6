"""Group commit: one thread that owns a connection, and takes all that waits into one turn of the disk.

The way to speed is not to commit faster, but to let those who come while the disk is busy share the next turn, and to
tell each of them only after it. A thread of our own, since a connection belongs to one, and since nothing may be left
running when a store is closed; trio's threads stay for a while.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from queue import SimpleQueue
from typing import Any, Self, TypeVar

import attrs
import trio
from outcome import Error, Outcome, Value, capture
from trio.lowlevel import Abort, checkpoint_if_cancelled, current_task, current_trio_token, wait_task_rescheduled

from .backend import Commit
from .errors import StoreUnavailable

__all__ = ["Job", "Turns", "Worker"]

T = TypeVar("T")
Take = Callable[[Sequence[Commit]], Sequence[BaseException | None]]


@attrs.define(eq=False)
class Job:
    """What a task has asked for, and waits for."""

    what: Commit | Callable[[], Any]
    task: trio.lowlevel.Task
    claimed: threading.Lock = attrs.field(factory=threading.Lock)
    """Whoever gets it first decides: the thread, that it happens; a cancellation, that it never does."""

    def claim(self) -> bool:
        """Whether it is ours: for the one who asks first."""
        return self.claimed.acquire(blocking=False)

    def abort(self, _: Any) -> Abort:
        """What a cancellation does."""
        return Abort.SUCCEEDED if self.claim() else Abort.FAILED


class Worker:
    """A thread that does one thing after another, for tasks of the trio run that it was entered in.

    Lives as long as its `async with` block; leaving that waits until all that was asked for is done and the thread
    has ended, also when it is cancelled. `name`: the thread's.
    """

    def __init__(self, *, name: str) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name=name)
        self._token: trio.lowlevel.TrioToken
        self._open = False
        self._ended = trio.Event()

    async def __aenter__(self) -> Self:
        self._token = current_trio_token()
        self._open = True
        self._thread.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._open = False
        self._jobs.put(None)
        with trio.CancelScope(shield=True):
            await self._ended.wait()
        self._thread.join()

    async def run(self, do: Callable[..., T], *arguments: Any) -> T:
        """What `do(*arguments)` returns or raises, on the thread.

        Cancelled before its turn, it never runs; after that it is waited for. Raises `StoreUnavailable` once the
        worker is being closed.
        """
        result: T = await self._ask(lambda: do(*arguments))
        return result

    async def _ask(self, what: Commit | Callable[[], Any]) -> Any:
        await checkpoint_if_cancelled()
        if not self._open:
            raise StoreUnavailable("it was closed here")
        job = Job(what, current_task())
        self._jobs.put(job)
        return await wait_task_rescheduled(job.abort)

    def _serve(self) -> None:
        while job := self._jobs.get():
            self._turn(job)
        self._token.run_sync_soon(self._ended.set)

    def _turn(self, job: Job) -> None:
        if job.claim() and not isinstance(job.what, Commit):
            self._tell([(job.task, capture(job.what))])

    def _waiting(self) -> Iterator[Job]:
        while not self._jobs.empty():
            if (job := self._jobs.get_nowait()) is None:
                self._jobs.put(None)
                return
            yield job

    def _tell(self, ends: Sequence[tuple[trio.lowlevel.Task, Outcome[Any]]]) -> None:
        """One message to the loop for all of a turn."""
        self._token.run_sync_soon(_wake, ends)


class Turns(Worker):
    """A worker that also takes commits, all that wait at once: at most `most` of them in one call of `take`.

    `take` runs on the thread. It returns for each commit the exception that its caller gets, or None once it cannot
    be lost any more; if it raises, that is what all of them get. `rest` runs there when all have been told of a turn.
    """

    def __init__(self, take: Take, *, name: str, most: int = 256, rest: Callable[[], object] | None = None) -> None:
        super().__init__(name=name)
        self._take = take
        self._most = most
        self._rest = rest

    async def submit(self, commit: Commit) -> None:
        """Have it committed. Raises what `take` says.

        Cancelled before its turn, it never happens; after that it is waited for, and the cancellation comes later.
        """
        await self._ask(commit)

    def _turn(self, job: Job) -> None:
        taken = [job for job in [job, *islice(self._waiting(), self._most - 1)] if job.claim()]
        commits = [job for job in taken if isinstance(job.what, Commit)]
        for job in taken:
            if not isinstance(job.what, Commit):
                # Told at once: it does not wait for the disk of others.
                self._tell([(job.task, capture(job.what))])
        if commits:
            self._tell([(job.task, end) for job, end in zip(commits, self._commit(commits), strict=True)])
            if self._rest is not None:
                capture(self._rest)  # whatever goes wrong there, the next commit meets it, too

    def _commit(self, jobs: Sequence[Job]) -> Sequence[Outcome[None]]:
        try:
            faults = self._take([job.what for job in jobs if isinstance(job.what, Commit)])
            return [Value(None) if fault is None else Error(fault) for _, fault in zip(jobs, faults, strict=True)]
        except BaseException as fault:
            return [Error(fault) for _ in jobs]


def _wake(ends: Sequence[tuple[trio.lowlevel.Task, Outcome[Any]]]) -> None:
    for task, end in ends:
        trio.lowlevel.reschedule(task, end)
