"""`questions gates answer`: the way of a person at a terminal, and of nobody else."""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from facets.errors import MissingExtra
from questions.cli.bad_command import BadCommand
from questions.cli.codes import DONE, STILL_OPEN, WITHDRAWN
from questions.cli.decisions.wording import as_json
from questions.cli.machine_user import machine_user
from questions.gates.endings import ending
from questions.gates.resolution import AcceptedDecision, Resolution
from questions.gates.responses import Response
from questions.gates.steps import Standing
from questions.gates.submission import Source, Submission
from questions.gates.verdicts import Verdict
from questions.gates.view import ChannelView, view_of
from questions.visible import visible

from .beside import Beside, open_beside
from .wording import flat

if TYPE_CHECKING:
    from .dialog import GateDialog, Left

__all__ = ["CHANNEL", "Person", "run_answer"]

CHANNEL = "terminal"
"""What this channel is called in the source of an answer."""


def run_answer(root: str, options: argparse.Namespace) -> int:
    """Let the person at this terminal choose; returns the exit code. Raises `FacetError` for what is at fault."""
    try:
        from . import dialog  # noqa: PLC0415  # it needs a library that only dialogs need
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("facets", "questions"):
            raise
        raise MissingExtra("Answering at a gate", "textual", "inbox", "another channel of the gate") from None
    is_there = all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    if not is_there or os.environ.get("TERM", "dumb") in ("dumb", "unknown"):
        raise BadCommand(
            "A gate is answered by a person at a terminal that can be drawn on: no pipe, no file. Nothing was answered."
        )
    standing, left = asyncio.run(_answered(root, options.id))
    if left.how is dialog.How.INTERRUPTED:
        _say_what_was_typed(left)
        raise KeyboardInterrupt
    ended = Standing(standing.request, left.resolution)
    if options.json:
        print(as_json({"outcome": left.how.value, **flat(ended)}))
    else:
        _tell(ended, left)
    _say_what_was_typed(left)
    return {dialog.How.ANSWERED: DONE, dialog.How.ELSEWHERE: WITHDRAWN}.get(left.how, STILL_OPEN)


def _tell(ended: Standing, left: Left) -> None:
    if ended.resolution is None:
        what = left.how.value.capitalize()
        print(f"{what}. Nothing was answered, and the decision stays open.", file=sys.stderr)
        return
    told = ending(ended.request, ended.resolution)
    print(told if left.how == "answered" else f"{left.how.value.capitalize()}. {told}")


def _say_what_was_typed(left: Left) -> None:
    """Nobody has to type it again."""
    if left.typed:
        lines = "".join(f"  | {line}\n" for line in visible(left.typed).split("\n"))
        print(f"What you had typed was not given:\n{lines}", end="", file=sys.stderr)


async def _answered(root: str, id: str) -> tuple[Standing, Left]:
    from .dialog import GateDialog, How, Left  # noqa: PLC0415  # as above

    async with open_beside(root) as beside:
        standing = await beside.call(beside.gates.get, id)
        if standing.resolution is not None:
            return standing, Left(How.ELSEWHERE, standing.resolution)
        view = view_of(standing.request)
        now = await _clock(beside)
        person = Person(beside, view)
        dialog = GateDialog(view, now, person.submit, person.follow)
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, dialog.action_interrupt)
        left = await dialog.run_async(mouse=False)
        if dialog.failure is not None:
            raise dialog.failure
        assert left is not None, "every way out of it says how it was left"
        return standing, left


async def _clock(beside: Beside) -> Callable[[], float]:
    """The store's clock, which deadlines are judged by, as it goes on from now; in epoch milliseconds."""
    began = time.monotonic() * 1000
    ahead = await beside.call(beside.gates.store.backend.now) - began
    return lambda: time.monotonic() * 1000 + ahead


class Person:
    """Who sits at this terminal: the user of the machine, as the system knows them. Lives for one dialog."""

    def __init__(self, beside: Beside, view: ChannelView) -> None:
        self._beside = beside
        self._view = view
        self._acts: dict[Response, str] = {}
        """What was given, and the name of that act: given again, it is the same act."""

    async def submit(self, response: Response) -> Verdict:
        """Give a response. Raises what `GateStore.submit` does."""
        act = self._acts.setdefault(response, secrets.token_urlsafe())
        source = Source(CHANNEL, str(machine_user()), act)
        ids = self._view.decision_id, self._view.request_digest
        submission = Submission(*ids, response, source, f"{CHANNEL}:{act}")
        return await self._beside.call(self._beside.gates.submit, submission)

    async def follow(self, dialog: GateDialog) -> None:
        """Tell the dialog how the decision has ended, once it has, wherever that was."""
        resolution = await self._beside.call(self._beside.gates.ended, self._view.decision_id)
        dialog.settled(resolution, by_this=self._is_mine(resolution))

    def _is_mine(self, resolution: Resolution) -> bool:
        keys = [f"{CHANNEL}:{act}" for act in self._acts.values()]
        return isinstance(resolution, AcceptedDecision) and resolution.idempotency_key in keys
