"""A process that has imported everything and makes others of itself, each of which opens a store and acts on it.

Its standard input has a JSON object a line, each for one process; what these do is told on the one standard output, a
line each. A process can stop at a named point of a commit, for ever: whoever has started it kills it there.
"""

import json
import os
import random
import signal
import sys
import threading
import time
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import trio

from facets import Principal
from questions.durable import Caller, NoNextHolder, NotOpen, StoreUnavailable, open_store, sqlite_commits
from questions.durable.following import Follower
from questions.durable.postgres import open_postgres
from questions.durable.postgres_commits import Commits
from questions.durable.postgres_connection import Dialled
from questions.durable.sqlite import open_sqlite
from questions.durable.store import TABLES

__all__ = ["POINTS"]

POINTS = ("before begin", "after the write", "after commit", "before the hint", "after it returned")
AT_ONCE = 20  # decisions that one process raises, when none are open


def say(**told):
    """One line, written whole however many processes share the pipe."""
    os.write(1, json.dumps({"pid": os.getpid(), **told}).encode() + b"\n")


class Stopping:
    """Where the process stops, once it is armed."""

    armed = None

    def reach(self, point):
        if point == self.armed:
            self.armed = None
            say(stopped=point)
            threading.Event().wait()


stopping = Stopping()


def name_the_points():
    """Each engine calls `reach` where it commits, and the reader of the feed before it tells anybody of a line."""
    begun, once, at_once, execute = (
        vars(sqlite_commits)["transaction"],
        Commits._once,
        Commits._at_once,
        Dialled.execute,
    )

    @contextmanager
    def transaction(connection):
        stopping.reach("before begin")
        with begun(connection):
            yield
            stopping.reach("after the write")
        stopping.reach("after commit")

    def begin(self, *arguments):
        stopping.reach("before begin")
        ends = once(self, *arguments)
        stopping.reach("after commit")
        return ends

    def commit_at_once(self, *arguments):
        return () if stopping.armed == "after the write" else at_once(self, *arguments)  # which has no such moment

    def executed(self, query, *arguments, **named):
        if query == "commit":
            stopping.reach("after the write")
        return execute(self, query, *arguments, **named)

    async def follow(self):
        await self._records.backend.moved(self._position)
        stopping.reach("before the hint")
        await followed(self)

    followed = Follower._follow
    vars(sqlite_commits)["transaction"] = transaction
    Commits._once, Commits._at_once = begin, commit_at_once  # type: ignore[method-assign]
    Dialled.execute, Follower._follow = executed, follow  # type: ignore[method-assign]


class Shared:
    """A clock that all processes of a file share, and anybody sets: this machine's, so many milliseconds ahead."""

    def __init__(self, folder):
        self.path = Path(folder) / "ahead"

    def __call__(self):
        try:
            ahead = int(self.path.read_text() or 0)
        except FileNotFoundError:
            ahead = 0
        return time.time_ns() // 1_000_000 + ahead


@asynccontextmanager
async def opened(where, now=None, **_):
    """A store at a place, for SQLite under a clock that stands at `now`, or under the one that the folder shares."""
    if where.startswith("postgresql:"):
        engine = open_postgres(where, TABLES)
    else:
        clock = Shared(where) if now is None else lambda: now
        engine = open_sqlite(Path(where) / "decisions.sqlite3", TABLES, clock)
    async with engine as backend, open_store(backend, sweep_ms=None) as store:
        yield store


def person(name):
    return Caller(Principal.user(name), via="cli")


ACTS = {
    "raise": lambda decisions, title: decisions.raise_decision(title),
    "answer": lambda decisions, id: decisions.answer(id, text="yes"),
    "escalate": lambda decisions, id: decisions.escalate(id, "somebody else"),
    "cancel": lambda decisions, id: decisions.cancel(id),
    "expire": lambda decisions, id: decisions.get(id),
}


async def act(*, act, what, point, **place):
    """Do one thing, and stop on the way or after it."""
    async with opened(**place) as store:
        stopping.armed = point
        done = await ACTS[act](store.decisions(person("alice")), what)
        say(acknowledged=[done.id, done.version])
        stopping.reach("after it returned")
        await trio.sleep_forever()


class Hammer:
    """Raises, escalates and answers the same decisions as all others; each success is told at once."""

    def __init__(self, store, name, stop, timeout_ms):
        self.decisions = store.decisions(person(name))
        self.stop = Path(stop)
        self.timeout_ms = timeout_ms
        self.worst = 0.0

    async def strike(self):
        """Until there is the file that stops it."""
        while not self.stop.exists():
            try:
                standing = await self.decisions.list(limit=AT_ONCE)
            except StoreUnavailable as lost:
                say(lost=str(lost))
                continue
            for one in random.sample(standing, len(standing)):
                if not self.stop.exists():
                    await self.wait_for(self.move(one))
            if not standing:
                async with trio.open_nursery() as nursery:
                    for _ in range(AT_ONCE):
                        nursery.start_soon(self.wait_for, self.grow())

    def move(self, one):
        if one.holder == "root":
            return self.decisions.escalate(one.id)
        return self.decisions.answer(one.id, text="yes")

    def grow(self):
        chain = {"hop_timeout_ms": self.timeout_ms}
        return self.decisions.raise_decision("Ship it?", holder="root", on_expire="escalate", escalation=chain)

    async def wait_for(self, act):
        start = time.monotonic()
        try:
            done = await act
            say(acknowledged=[done.id, done.version])
        except (NotOpen, NoNextHolder):  # somebody else was first
            pass
        except StoreUnavailable as lost:
            say(lost=str(lost))
        self.worst = max(self.worst, time.monotonic() - start)


async def hammer(*, name, stop, timeout_ms, **place):
    """All that `Hammer` does, and how long it had to wait at most."""
    async with opened(**place) as store:
        say(began=name)
        hammer = Hammer(store, name, stop, timeout_ms)
        await hammer.strike()
        say(ended=name, worst=hammer.worst)


async def do(order):
    await globals()[order.pop("do")](**order)


def main():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    name_the_points()
    say(ready=True)
    for line in sys.stdin:
        if os.fork() == 0:
            try:
                trio.run(do, json.loads(line))
            except BaseException as fault:
                say(fault=repr(fault))
                raise
            finally:
                os._exit(1)


if __name__ == "__main__":
    main()
