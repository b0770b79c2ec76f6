"""`questions` commands as processes of their own: run to their end, or kept while something happens."""

import json
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio

from tests.house.source import ROOT

COMMAND = [sys.executable, "-W", "error", "-m", "questions.cli"]
PATIENCE = 40  # seconds; a machine shared with others is sometimes ten times slower than itself


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("QUESTIONS_")}
    return {**kept, "PYTHONPATH": str(ROOT), "QUESTIONS_CONFIG": os.devnull, **more}


async def run(*arguments, given="", cwd=ROOT, **variables):
    """Run `questions ARGUMENTS` to its end, without a terminal."""
    with trio.fail_after(PATIENCE):
        done = await trio.run_process(
            [*COMMAND, *map(str, arguments)],
            stdin=given.encode(),
            capture_stdout=True,
            capture_stderr=True,
            check=False,
            cwd=cwd,
            env=environment(**variables),
        )
    told = subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in told.stderr, told.stderr
    return told


def _caught_by(pid):
    """The signals that a process handles, as bits."""
    return int(Path(f"/proc/{pid}/status").read_text().partition("SigCgt:")[2].split()[0], 16)


class Kept:
    """A command that runs, and what it writes."""

    def __init__(self, process, errors):
        self.process = process
        self._errors = errors
        self._data = b""

    @property
    def errors(self):
        """What it has written to standard error so far."""
        return self._errors.read_text()

    async def line(self):
        """The next line of its output; empty at the end."""
        with trio.fail_after(PATIENCE):
            while b"\n" not in self._data:
                more = await self.process.stdout.receive_some()
                if not more:
                    return ""
                self._data += more
        line, _, self._data = self._data.partition(b"\n")
        return line.decode()

    async def event(self, name):
        """The next line, which is the JSON of an event of this name."""
        line = await self.line()
        assert line, self.errors
        event = json.loads(line)
        assert event["event"] == name, event
        return event

    async def line_with(self, words):
        """The first line from here on that has these words in it."""
        while line := await self.line():
            if words in line:
                return line
        raise AssertionError(f"ended without {words!r}: {self.errors}")

    async def error_with(self, words):
        """Wait until it has written this to standard error."""
        with trio.fail_after(PATIENCE):
            while words not in self.errors:  # noqa: ASYNC110  # of another process
                await trio.sleep(0.02)

    async def handles(self, number):
        """Wait until it has a handler of its own for a signal."""
        with trio.fail_after(PATIENCE):
            while not _caught_by(self.process.pid) >> (number - 1) & 1:  # noqa: ASYNC110  # of another process
                await trio.sleep(0.02)

    async def stop(self, number=signal.SIGTERM):
        """Send a signal, and return the exit code."""
        self.process.send_signal(number)
        return await self.end()

    async def end(self):
        """The exit code, once it has ended by itself."""
        with trio.fail_after(PATIENCE):
            code = await self.process.wait()
        assert "Traceback" not in self.errors, self.errors
        return code


@asynccontextmanager
async def kept(folder, *arguments, cwd=ROOT, **variables):
    """Keep `questions ARGUMENTS` running for the length of the block."""
    errors = folder / f"stderr-{len(list(folder.glob('stderr-*')))}"
    with errors.open("wb") as stderr:
        process: Any = await trio.lowlevel.open_process(
            [*COMMAND, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            cwd=cwd,
            env=environment(**variables),
        )
    try:
        yield Kept(process, errors)
    finally:
        with trio.CancelScope(shield=True):
            if process.poll() is None:
                process.kill()
            await process.wait()
            await process.stdout.aclose()
