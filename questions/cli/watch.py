"""`questions watch`: what is open, and each change of it, as the principal of a token sees it."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping

import trio

from facets.link.client import Link
from facets.link.mirror import KeyedMirror
from questions.open_question import OpenQuestion
from questions.reports import ClosedQuestion
from questions.scopes import Scope
from questions.views import Viewer

from .codes import DONE
from .connecting import CONNECTING, Server, Unreachable, add_link_options, open_views, server_of, why_lost
from .list import open_now
from .watch_lines import HumanLines, JsonLines, Lines

__all__ = ["add_watch"]

_ENDINGS_COME_WITHIN = 1.0
"""Seconds to wait for how a question has ended, which may come in the next frame."""

_EXAMPLES = f"""\
examples:
  questions watch --token-file alice.token              a line for each change, until Ctrl-C
  questions watch --token-file alice.token --session build-7 --json
  questions watch --token-file alice.token --once       what is open now, and no more

{CONNECTING}
Besides the sessions it shows what is asked of you in no session, such as login codes.

exit codes: 0 shown (--once), 2 bad usage, 5 unreachable or token not accepted, 70 internal error, 130 ended by Ctrl-C
"""


def add_watch(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `watch` to the parser of `questions`."""
    parser = commands.add_parser(
        "watch",
        description="Print what is open on a server, as far as your token lets you see it, and a line for each change.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_link_options(parser)
    parser.add_argument("--once", action="store_true", help="print what is open now, and end")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    parser.set_defaults(run=run_watch, on_interrupt="")


def run_watch(options: argparse.Namespace) -> int:
    """Watch until interrupted, or once; returns the exit code. Raises `FacetError` for what is at fault."""
    server = server_of(options)
    lines: Lines = JsonLines(sys.stdout) if options.json else HumanLines(sys.stdout)
    trio.run(_once if options.once else _watch, server, lines)
    return DONE


async def _once(server: Server, lines: Lines) -> None:
    for question in await open_now(server):
        lines.question("opened", question)


async def _watch(server: Server, lines: Lines) -> None:
    async with open_views(server) as (link, views), trio.open_nursery() as nursery:
        lines.connected(server.url, link.principal)
        for scope, viewer in views.items():
            nursery.start_soon(_follow, scope, viewer, lines)
            nursery.start_soon(_follow_availability, link, scope, viewer, lines)
        await _follow_link(link, lines)


async def _follow(scope: Scope, viewer: Viewer, lines: Lines) -> None:
    _ = viewer.closed  # followed from here on, so that it is known how what goes has ended
    known: dict[str, OpenQuestion] = {}
    async for difference in viewer.open.differences():
        dropped = dict(difference.drop)
        if difference.whole:
            dropped |= {id: "unknown" for id in known if id not in difference.put}
        gone = [known.pop(id) for id in dropped if id in known]
        endings = await _endings(viewer, {question.id: dropped[question.id] for question in gone})
        for question in gone:
            unknown = ClosedQuestion(question.id, question.message, dropped[question.id], (), time.time())
            lines.gone(scope, endings.get(question.id, unknown))
        for id, question in difference.put.items():
            lines.question("changed" if id in known else "opened", question)
            known[id] = question


async def _endings(viewer: Viewer, reasons: Mapping[str, str]) -> dict[str, ClosedQuestion]:
    """How these have ended, as far as it comes to be known soon. Who left an audience may have been in it before."""
    found: dict[str, ClosedQuestion] = {}
    if reasons:
        with trio.move_on_after(_ENDINGS_COME_WITHIN):
            async for closed in viewer.closed.changes():
                found = {one.id: one for one in closed if reasons.get(one.id) in (one.how, "unknown")}
                if found.keys() == reasons.keys():
                    break
    return found


async def _follow_link(link: Link, lines: Lines) -> None:
    """Tell when the connection is lost and back; ends with `Unreachable` once it is refused."""
    was = "connected"
    async for state in link.state.changes():
        if state == "refused":
            raise Unreachable(f"{link.url}: {why_lost(link)}")
        if state != was:
            is_back = state == "connected"
            lines.link("back" if is_back else "lost", link.url, None if is_back else why_lost(link))
        was = state


async def _follow_availability(link: Link, scope: Scope, viewer: Viewer, lines: Lines) -> None:
    """Tell when the worker of a session is away, and when it is back; that the link is lost is told as such."""
    if not isinstance(viewer.open, KeyedMirror):
        return
    is_away = False
    async for why in viewer.open.unavailability.changes():
        if why and link.state.value == "connected" and not is_away:
            is_away = True
            lines.scope("unavailable", scope, why)
        elif why is None and is_away:
            is_away = False
            lines.scope("available", scope, None)
