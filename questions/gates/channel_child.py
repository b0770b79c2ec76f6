"""The process of a channel as its server has it: launched, listened to, fenced, and ended within a bound."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress

import attrs
import trio

from facets.nursery import open_serving_nursery
from questions.visible import visible

from .adapter import Launch
from .channel_frames import LONGEST_REPORT, frames_from
from .channel_lines import read_said, write_launch, write_reply
from .channel_messages import Body, Command, Exiting, Ready, Reply, Said
from .errors import InvalidRecord
from .forms import LONGEST_NAME

__all__ = ["ChildEnded", "Hear", "Told", "run_child"]

_PATIENCE = 120.0
"""Seconds that a process may take for one command."""
_GRACE = 2.0
"""Seconds that a process has to end once its input has."""
_PASSED_ON = (
    "HOME LANG LC_ALL LC_CTYPE PATH PYTHONPATH SSL_CERT_DIR SSL_CERT_FILE SYSTEMROOT TEMP TMP TMPDIR TZ VIRTUAL_ENV"
).split()
"""What a process gets of the environment: nothing that could be a secret."""


@attrs.frozen
class Told:
    """What a server answers. `revision`: of the channel, after what was heard."""

    accepted: bool
    revision: int
    command: Command | None = None
    error: str | None = None


Hear = Callable[[Body], Awaitable[Told]]
"""Takes in what the process says, and gives the next command, when there is one."""


@attrs.frozen
class ChildEnded:
    """How a process has ended: by itself with a status, or because it broke the rules: `why`, without any secret."""

    status: int | None
    why: str


async def run_child(
    command: Sequence[str], launch: Launch, revision: int, hear: Hear, *, patience: float = _PATIENCE
) -> ChildEnded:
    """Run one process until it ends. `revision`: of the channel now. `patience`: seconds for one command.

    Cancelled, or when it breaks the rules, its input ends; what is still there two seconds later is killed. What it
    writes to its standard error goes nowhere, since it may hold secrets. Raises `OSError` if it cannot be started.
    """
    process = await trio.lowlevel.open_process(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(os.environ),
        start_new_session=True,  # the Ctrl-C of a terminal is for the server alone, which ends it in its own way
    )
    try:
        async with open_serving_nursery() as nursery:
            nursery.start_soon(_hang_up, process)
            why = await _Talk(process, launch, revision, hear, patience).run()
    finally:
        with trio.CancelScope(shield=True):
            await _end(process)
    return ChildEnded(process.returncode, why)


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    return {name: given[name] for name in _PASSED_ON if name in given}


async def _hang_up(process: trio.Process) -> None:
    """Stop listening soon after it has ended: what it has started may hold the pipe open."""
    assert process.stdout is not None
    await process.wait()
    await trio.sleep(_GRACE)
    await process.stdout.aclose()


async def _end(process: trio.Process) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    await process.stdin.aclose()
    await process.stdout.aclose()
    with trio.move_on_after(_GRACE):
        await process.wait()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)  # with what it has started
    await process.wait()


class _Talk:
    """What is said with one process: strictly one line of it, one of ours."""

    def __init__(self, process: trio.Process, launch: Launch, revision: int, hear: Hear, patience: float) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._send = process.stdin
        self._receive = process.stdout
        self._launch = launch
        self._revision = revision
        self._hear = hear
        self._patience = patience
        self._last: tuple[Said, bytes] | None = None

    async def run(self) -> str:
        try:
            await self._tell(write_launch(self._launch))
            return await self._listen()
        except InvalidRecord as error:
            # A name that it has made up is told, and may be what it was launched with.
            return f"it said what is no message: {error}".replace(visible(self._launch.token[:LONGEST_NAME]), "...")
        except trio.TooSlowError:
            return f"it took more than {self._patience:g} seconds for a command"
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return "it has ended"

    async def _tell(self, line: bytes) -> None:
        with trio.fail_after(self._patience):
            await self._send.send_all(line)

    async def _listen(self) -> str:
        async with aclosing(frames_from(self._receive, LONGEST_REPORT)) as frames:
            while True:
                with trio.fail_after(self._patience):
                    frame = await anext(frames, None)
                if frame is None:
                    return "it has ended"
                said = read_said(frame)
                line = await self._answer(said)
                await self._tell(line)
                if isinstance(said.body, Exiting):
                    return f"it has ended by itself ({said.body.error_code or 'as it was told'})"

    async def _answer(self, said: Said) -> bytes:
        if self._last is not None and said == self._last[0]:
            return self._last[1]  # it has not heard the answer
        if error := self._fence(said):
            reply = Reply(said.head.sequence, accepted=False, revision=self._revision, error=error)
            await self._tell(write_reply(reply))
            raise InvalidRecord([f"$: {error}"])
        told = await self._hear(said.body)
        self._revision = told.revision
        line = write_reply(Reply(said.head.sequence, told.accepted, told.revision, told.command, told.error))
        self._last = said, line
        return line

    def _fence(self, said: Said) -> str | None:
        """The code of why it does not count, if it does not."""
        head, before = said.head, 0 if self._last is None else self._last[0].head.sequence
        if (head.epoch, head.profile) != (self._launch.epoch, self._launch.profile):
            return "another_epoch"
        if self._last is not None and head.message_id == self._last[0].head.message_id and head.sequence == before:
            return "same_id_other_content"
        if head.sequence != before + 1:
            return "out_of_sequence"
        is_first = self._last is None and isinstance(said.body, Ready | Exiting)
        return None if head.revision == (0 if is_first else self._revision) else "another_revision"
