"""The command `inbox`: connects, and runs the app on the same event loop."""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from facets.errors import Forbidden, InvalidCall, MissingExtra
from facets.link.asyncio import Link, open_link
from facets.link.mirror import unavailability_of
from questions.cli.bad_command import BadCommand, Unreachable
from questions.cli.codes import DONE
from questions.cli.connecting import CONNECTING, Server, add_link_options, server_of, told_faults, views_of, why_lost
from questions.cli.inbox.pile import DECISIONS, GATES, Closed, Open, Place
from questions.cli.list import by_age
from questions.durable.live import LiveDecisions
from questions.durable.open_decision import OpenDecision
from questions.gates.digests import hashed
from questions.gates.live_gates import LiveGates
from questions.gates.open_gate import OpenGate
from questions.redaction import Secret
from questions.scopes import Scope
from questions.views import Viewer

if TYPE_CHECKING:
    from .app import Inbox

__all__ = ["add_inbox"]

T = TypeVar("T")

_EXAMPLES = f"""\
examples:
  questions inbox --token-file ana.token
  questions inbox --token-file ana.token --session build-7 --session build-8
  ssh -t server questions inbox                            it needs a terminal, and no more than that

Up and Down choose a question. y or n answers a yes or no. For a choice or a secret press Enter, then point or type,
then Enter again; for a text Enter, then lines of it, then Ctrl+S or F2. e passes a decision on to its next holder.
A key counts only once the question has been in view for half a second, so that none that was pressed before answers it.

{CONNECTING}
exit codes: 0 quit, 2 bad usage or no terminal, 5 unreachable or token not accepted (any more), 70 internal error,
            130 ended by a signal
"""


def add_inbox(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `inbox` to the parser of `questions`."""
    parser = commands.add_parser(
        "inbox",
        description="Show what is open for you on a server, live, and answer in place.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_link_options(parser)
    parser.set_defaults(run=run_inbox, on_interrupt="")


def run_inbox(options: argparse.Namespace) -> int:
    """Show the inbox until it is left; returns the exit code. Raises `MissingExtra`, and what is at fault."""
    try:
        from . import app  # noqa: F401, PLC0415  # it needs a library that only the inbox needs
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("facets", "questions"):
            raise
        raise MissingExtra("The inbox", "textual", "inbox", "questions list and questions answer") from None
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") in ("dumb", "unknown"):
        raise BadCommand(
            "The inbox needs a terminal that can be drawn on. `questions list` and `questions answer` do not."
        )
    asyncio.run(_run(server_of(options)))
    return DONE


async def _run(server: Server) -> None:
    from .app import Inbox  # noqa: PLC0415  # as above

    with told_faults(server.url):
        async with open_link(server.url, server.token, tls=server.tls, insecure=True, patience=server.wait) as link:
            views: dict[Scope, Viewer] = await views_of(link, server.sessions)
            watched = _Watched(link, views, await _served(link, LiveDecisions), await _served(link, LiveGates))
            who = str(link.principal)
            inbox = Inbox(
                who,
                server.url,
                watched.send,
                watched.feed,
                pass_on=watched.pass_on,
                with_sessions=len(server.sessions) > 1,
            )
            signals: list[int] = []
            for number in (signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(number, _leave, inbox, signals, number)
            await inbox.run_async(mouse=False)
            if signals:
                raise KeyboardInterrupt
            if inbox.failure is not None:
                raise inbox.failure
            if watched.refused:
                raise Unreachable(f"{server.url}: {watched.refused}")


def _leave(inbox: Inbox, signals: list[int], number: int) -> None:
    """A signal asks to end: the terminal is as it was before, then."""
    signals.append(number)
    inbox.exit()


async def _served(link: Link, kind: type[T]) -> T | None:
    """What the server's store holds of a kind; None if it serves none, or none to this one."""
    with suppress(InvalidCall, Forbidden):
        return await link.get(kind)
    return None


class _Watched:
    """What there is to see over one link, for the inbox."""

    def __init__(
        self, link: Link, views: Mapping[Scope, Viewer], decisions: LiveDecisions | None, gates: LiveGates | None
    ) -> None:
        self._link = link
        self._views = views
        self._decisions = decisions
        self._gates = gates
        self._token = secrets.token_urlsafe()
        """By which an answer that is sent again is known again."""
        self.refused = ""
        """Why the server lets one in no more; empty: it does."""

    async def send(self, question: Open, value: Secret[Any]) -> None:
        """Answer."""
        if isinstance(question, OpenDecision):
            assert self._decisions is not None
            await self._decisions.answer(question.id, token=self._token, **question.answer_of(value.reveal()))
        elif isinstance(question, OpenGate):
            assert self._gates is not None
            act = f"{self._token}:{hashed(value.reveal().as_json())}"
            await self._gates.answer(question.id, question.request_digest, value.reveal(), act)
        else:
            await self._views[question.scope].answer(question.id, value.reveal())

    async def pass_on(self, decision: OpenDecision, reason: str) -> None:
        """Pass a decision on."""
        assert self._decisions is not None
        await self._decisions.escalate(decision.id, reason or None)

    async def feed(self, inbox: Inbox) -> None:
        """Tell the inbox whatever changes."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._follow_link(inbox))
            for scope, viewer in self._views.items():
                tasks.create_task(self._follow(inbox, viewer.open))
                tasks.create_task(self._follow(inbox, viewer.closed))
                tasks.create_task(self._follow_place(inbox, scope, viewer))
            for place, stored in ((DECISIONS, self._decisions), (GATES, self._gates)):
                if stored is not None:
                    tasks.create_task(self._follow(inbox, stored.open))
                    tasks.create_task(self._follow(inbox, stored.closed))
                    tasks.create_task(self._follow_place(inbox, place, stored))

    async def _follow(self, inbox: Inbox, readable: Any) -> None:
        async for _ in readable.changes():
            opened: list[Open] = [one for viewer in self._views.values() for one in viewer.open.value.values()]
            closed: dict[str, Closed] = {one.id: one for viewer in self._views.values() for one in viewer.closed.value}
            if self._decisions is not None:
                opened += self._decisions.open.value.values()
                closed |= self._decisions.closed.value
            if self._gates is not None:
                opened += self._gates.open.value.values()
                closed |= self._gates.closed.value
            inbox.look(by_age(opened), closed)

    async def _follow_link(self, inbox: Inbox) -> None:
        async for state in self._link.state.changes():
            if state == "refused":
                self.refused = why_lost(self._link)
                inbox.exit()
            inbox.tell_trouble(None, "" if state == "connected" else f"no connection, {why_lost(self._link)}")

    async def _follow_place(self, inbox: Inbox, place: Place, viewer: Viewer | LiveDecisions | LiveGates) -> None:
        async for why in unavailability_of(viewer.open).changes():
            is_away = bool(why) and self._link.state.value == "connected"
            inbox.tell_trouble(place, f"{place}: {why}" if is_away else "")
