"""Processes of a benchmark's own, told what to do by one JSON object a line."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio

_PATIENCE = 120.0  # seconds for any one reply


class Child:
    """A process that replies to each command with one line."""

    def __init__(self, process: trio.Process) -> None:
        self._process = process
        self._replies = b""
        self.pid = process.pid

    async def tell(self, do: str, **fields: Any) -> None:
        """Give a command, whose reply is then read with `hear`."""
        assert self._process.stdin is not None
        await self._process.stdin.send_all(json.dumps({"do": do, **fields}).encode() + b"\n")

    async def hear(self) -> dict[str, Any]:
        """The reply to the oldest command that has none."""
        assert self._process.stdout is not None
        with trio.fail_after(_PATIENCE):
            while b"\n" not in self._replies:
                data = await self._process.stdout.receive_some()
                if not data:
                    raise ChildProcessError(f"{self._process.args!r} has ended")
                self._replies += data
        line, _, self._replies = self._replies.partition(b"\n")
        reply: dict[str, Any] = json.loads(line)
        return reply

    async def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """Give a command and wait for the reply."""
        await self.tell(do, **fields)
        return await self.hear()


@asynccontextmanager
async def open_child(module: str, *arguments: str, package: str = "links") -> AsyncIterator[Child]:
    """A process that runs a module of one of our packages for the length of the block."""
    command = [sys.executable, "-m", f"benchmarks.{package}.{module}", *arguments]
    async with trio.open_nursery() as nursery:
        process = await nursery.start(_run, command)
        try:
            yield Child(process)
        finally:
            with trio.CancelScope(shield=True):
                await process.stdin.aclose()  # at its end the child ends by itself
                with trio.move_on_after(5):
                    await process.wait()
            nursery.cancel_scope.cancel()


async def _run(command: list[str], task_status: trio.TaskStatus[trio.Process]) -> None:
    await trio.run_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, check=False, task_status=task_status)
