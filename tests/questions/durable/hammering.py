"""Eight processes that all want to act on the same decisions, and what they were told afterwards."""

import os
import random
import shutil
import tempfile
import time
from functools import partial
from pathlib import Path

import trio

from tests.questions.durable.forks import assert_sound, kill

__all__ = ["SECONDS", "Hammering"]

SECONDS = float(os.environ.get("SOAK_SECONDS", "1"))
PROCESSES = 8
HOUR_MS = 3_600_000


class Hammering:
    """Processes at work on a store; `heard` follows it.

    `acknowledged`: (id, version) of each success that was told. `lost`: failures that were told.
    """

    def __init__(self, forks, where, heard, *, timeout_ms=HOUR_MS, now=None):
        self.forks, self.heard = forks, heard
        self.order = {"where": str(where), "timeout_ms": timeout_ms, "now": now}
        self.stop = Path(tempfile.mkdtemp()) / "stop"
        self.acknowledged: list[tuple[str, int]] = []
        self.lost: list[str] = []
        self.worst = 0.0
        self.killed = 0
        self.pids: dict[str, int] = {}
        self._names = (f"p{number}" for number in range(1_000_000))
        self._expected: set[str] = set()
        self.under_way = trio.Event()
        """Once all have opened the store."""

    async def run(self, disturb=None, enough=lambda: True):
        """Let them work for `SECONDS`, and until it is `enough`; `disturb` them again and again, once at least."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.heard.follow)
            for _ in range(PROCESSES):
                self.start()
            nursery.start_soon(self._disturb, disturb or partial(trio.sleep, SECONDS), enough)
            while self._expected:
                self._note(await self.forks.line())
            nursery.cancel_scope.cancel()
        shutil.rmtree(self.stop.parent)

    async def _disturb(self, disturb, enough):
        await self.under_way.wait()
        until = time.monotonic() + SECONDS
        await disturb()
        while time.monotonic() < until or not enough():
            await disturb()
        self.stop.touch()

    def start(self):
        """One more process."""
        name = next(self._names)
        self._expected.add(name)
        self.forks.start("hammer", name=name, stop=str(self.stop), **self.order)

    async def kill_one(self):
        """Kill one at any moment, and let another take its place."""
        await trio.sleep(random.uniform(0.01, 0.1))
        if running := sorted(self._expected & set(self.pids)):
            name = random.choice(running)
            await trio.to_thread.run_sync(kill, self.pids[name])
            self._expected.discard(name)
            self.killed += 1
            self.start()

    def _note(self, told):
        if "acknowledged" in told:
            self.acknowledged.append(tuple(told["acknowledged"]))
        if "lost" in told:
            self.lost.append(told["lost"])
        if "began" in told:
            self.pids[told["began"]] = told["pid"]
            if len(self.pids) == PROCESSES:
                self.under_way.set()
        if "ended" in told:
            self._expected.discard(told["ended"])
            self.worst = max(self.worst, told["worst"])

    async def assert_nothing_is_lost(self):
        """Each success was told to one alone, and is there; what nobody was told of: (id, version, kind)."""
        await assert_sound(self.heard)
        assert len(self.acknowledged) == len(set(self.acknowledged))
        lines = {(id, line[0]): line[1] for id, said in self.heard.lines.items() for line in said}
        assert set(self.acknowledged) <= set(lines)
        return [(*key, kind) for key, kind in lines.items() if key not in set(self.acknowledged)]
