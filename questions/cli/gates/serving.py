"""`questions gates serve`: a gate server as a process of its own."""

from __future__ import annotations

import argparse
import json
import math
import signal
import ssl
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import trio

from facets.errors import Retryable
from questions.cli.codes import DONE, INTERRUPTED
from questions.cli.decisions.wording import of_options
from questions.cli.durations import in_words
from questions.cli.lines import line_of
from questions.cli.live_line import LiveLine, is_screen
from questions.cli.serve_http import confirming_pages, open_port, tls_of_port
from questions.cli.settings import channels_folder
from questions.durable.errors import BadArgument
from questions.durable.postgres_address import is_address
from questions.gates.configured import ConfiguredChannels
from questions.gates.opening import open_gates
from questions.gates.server import GateServer
from questions.gates.store import GateStore

__all__ = ["run_serve"]

_TICK = 0.5
"""Seconds between two looks of the live line."""


def run_serve(root: str, options: argparse.Namespace) -> int:
    """Serve until told to stop; returns the exit code. Raises `FacetError`."""
    tls = tls_of_port(options)  # first: a server that led for a moment would have others wait for it
    return trio.run(_serve, root if is_address(root) else Path(root), _Told(options.json), tls, options)


class _Told:
    """What is told while it serves: events on standard output, and a live line where that is a terminal."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._line = LiveLine(sys.stdout) if is_screen(sys.stdout) and not as_json else None
        self.leads = False

    def event(self, event: str, words: str, **more: Any) -> None:
        """Something has happened."""
        if self._line is not None:
            self._line.end()
        print(json.dumps({"event": event, **more}) if self._as_json else line_of(words), flush=True)

    async def lead(self, server: GateServer) -> None:
        """As long as this one leads."""
        self.leads, generation = True, server.lease().lease.generation
        words = f"{server.owner} leads: deadlines of gates are applied here."
        self.event("leads", words, name=server.owner, generation=generation)
        try:
            await trio.sleep_forever()
        finally:
            self.leads = False
            self.event("waits", f"{server.owner} does not lead any more.", name=server.owner)

    async def count_down(self, gates: GateStore) -> None:
        """Keep the live line, if there is one."""
        if self._line is None:
            return
        try:
            while True:
                with suppress(Retryable):
                    self._line.write(await self._standing(gates))
                await trio.sleep(_TICK)
        finally:
            self._line.end()

    async def _standing(self, gates: GateStore) -> str:
        role = "Leads" if self.leads else "Waits for another server to end"
        due, rest = await gates.due()
        coming = "" if due or math.isinf(rest) else f", the next deadline in {in_words(rest)}"
        return f"{role}; {len(await gates.open_ids())} open{coming}."


async def _serve(where: str | Path, told: _Told, tls: ssl.SSLContext | None, options: argparse.Namespace) -> int:
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        try:
            channels = ConfiguredChannels(channels_folder(options.channels))
            async with (
                open_gates(
                    where,
                    host=options.name,
                    lease_ms=options.lease_ms,
                    audiences=channels.audiences,
                    works=[told.lead, channels.work],
                ) as gates,
                channels.following(gates),
                open_port(confirming_pages(gates, channels), tls, options) as http,
                trio.open_nursery() as nursery,
            ):
                if http is not None:
                    told.event("listening", f"HTTP on {http.url}.", http=http.url)
                nursery.start_soon(told.count_down, gates)
                number = await anext(signals)
                nursery.cancel_scope.cancel()
        except BadArgument as refused:
            raise BadArgument([*map(of_options, refused.faults)]) from None
    print("Stopped: decisions stay as they are.", file=sys.stderr)
    return INTERRUPTED if number == signal.SIGINT else DONE
