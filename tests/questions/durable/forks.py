"""Many processes on one store, made quickly, and killed where they have stopped or at any moment."""

import json
import os
import select
import signal
import subprocess
import sys
from collections import Counter

import msgspec
import pytest
import trio

from questions.durable.backend import Scan
from questions.durable.swapping import read
from questions.durable.table import DECISIONS

__all__ = ["Forks", "Heard", "assert_sound", "forks", "kill"]

PATIENCE = 60.0


class Forks:
    """One process that makes others of itself; see `forking_program`."""

    def __init__(self, program="tests.questions.durable.forking_program"):
        command = [sys.executable, "-m", program]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        assert "ready" in self.process.stdout.readline()

    def start(self, do, **order):
        """One more process, which does this."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"do": do, **order}) + "\n")
        self.process.stdin.flush()

    async def line(self):
        """The next thing that one of them tells."""
        assert self.process.stdout
        with trio.fail_after(PATIENCE):
            line = await trio.to_thread.run_sync(self.process.stdout.readline, abandon_on_cancel=True)
        told = json.loads(line)
        assert "fault" not in told, told
        return told

    async def stopped(self):
        """Wait until a process has stopped: its id, and what was acknowledged until then."""
        acknowledged = []
        while "stopped" not in (told := await self.line()):
            acknowledged.append(tuple(told["acknowledged"]))
        return told["pid"], acknowledged

    def close(self):
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()


@pytest.fixture(scope="module")
def forks():
    forks = Forks()
    yield forks
    forks.close()


def kill(pid):
    """Kill a process, and wait until it is gone and holds nothing any more."""
    watched = os.pidfd_open(pid)
    try:
        os.kill(pid, signal.SIGKILL)
        assert select.select([watched], [], [], PATIENCE)[0]
    finally:
        os.close(watched)


class Heard:
    """What the feed has told until now: `lines` by decision, each (version, kind, status), in their order."""

    def __init__(self, backend):
        self.backend = backend
        self.lines: dict[str, list] = {}
        self._position = 0

    async def follow(self):
        """Hear it all, for ever: the feed is not kept for ever."""
        while True:
            await self.backend.moved(self._position)
            await self.to_the_end()

    async def to_the_end(self):
        while (changes := await self.backend.changes(self._position)).lines:
            assert not changes.gap
            for line in changes.lines:
                if line.notice.table == DECISIONS.name:
                    status = msgspec.json.decode(line.notice.data)["status"]
                    self.lines.setdefault(line.notice.key, []).append((line.notice.version, line.notice.kind, status))
            self._position = changes.upto


async def assert_sound(heard):
    """Every record, its columns, the counters and the feed agree: nothing is torn, and versions step by one."""
    await heard.to_the_end()
    backend, lines = heard.backend, heard.lines
    stored = (await backend.scan(Scan(DECISIONS, "all", (), 1_000_000))).rows
    decisions = {row.key: read(row) for row in stored}
    assert {id: one.version for id, one in decisions.items()} == {id: said[-1][0] for id, said in lines.items()}
    assert {id: one.status for id, one in decisions.items()} == {id: said[-1][2] for id, said in lines.items()}
    for said in lines.values():
        assert [version for version, _, _ in said] == list(range(1, len(said) + 1))
    for status, number in Counter(one.status.value for one in decisions.values()).items():
        found = (await backend.scan(Scan(DECISIONS, "status", (status,), 1_000_000))).rows
        assert {row.key for row in found} == {id for id, one in decisions.items() if one.status == status}
        assert await backend.count(DECISIONS, "status", (status,)) == number
