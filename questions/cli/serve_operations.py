"""What `questions serve` does for whoever runs it: health, metrics, logs, traces, limits, and an end in good order."""

from __future__ import annotations

import argparse
import logging
import math
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import attrs
import trio

from facets.errors import MissingExtra
from facets.facet import Facet
from facets.host import Host
from facets.link.loopback import is_loopback
from facets.link.server import LinkServer
from questions.limits import Limits
from questions.operations import Answer, Metrics, Tracing, answer_health, first_answer, logging_to, observed
from questions.operations.metrics import Journaled

__all__ = ["Operations", "add_operations", "drain", "logged"]

_log = logging.getLogger("questions")
_LIMITS = tuple(field.name.replace("_", "-") for field in attrs.fields(Limits) if field.name != "closed_seconds")


def add_operations(parser: argparse.ArgumentParser) -> None:
    """Add the options of whoever runs the server."""
    group = parser.add_argument_group("to run it for others")
    add = group.add_argument
    add("--log-format", choices=("text", "json"), help="log what happens on standard error; text: as --verbose does")
    add(
        "--metrics",
        action=argparse.BooleanOptionalAction,
        help="/metrics for Prometheus; default: only where this machine alone can ask, and no proxy in between",
    )
    add("--drain", type=_seconds, default=2.0, metavar="SECONDS", help="for answers, after SIGTERM; default: 2")
    add("--limit", type=_limit, action="append", metavar="NAME=N", help=f"{', '.join(_LIMITS)}; see Limits")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError("a number of seconds, 0 or more")
    return seconds


def _limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if name not in _LIMITS or not (number.isascii() and number.isdecimal()) or len(number) > 9 or not int(number):
        raise argparse.ArgumentTypeError(f"one of {', '.join(_LIMITS)}, and a number from 1: open-per-person=20")
    return name.replace("-", "_"), int(number)


@contextmanager
def logged(options: argparse.Namespace) -> Iterator[None]:
    """Log as the options say, for the length of the block."""
    if options.log_format is None and not options.verbose:
        yield
        return
    with logging_to(sys.stderr, options.log_format or "text"):
        yield


class Operations:
    """What there is beside the server itself. Raises `MissingExtra` for metrics that were asked for and cannot be."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._limits: dict[str, Any] = dict(options.limit or ())
        self._tracing = Tracing()
        self._metrics = _metrics_of(options)
        self._answers_all = options.metrics is True

    def facets(self, facets: Sequence[Facet]) -> tuple[Facet, ...]:
        """The same, and that of the questions with what has to be known of them."""
        return tuple(self._operated(one) if one.name == "questions" else one for one in facets)

    def _operated(self, facet: Facet) -> Facet:
        if self._limits:
            facet = facet.configured(limits=attrs.evolve(facet.config.limits, **self._limits))
        if self._metrics is not None:
            facet = observed(facet, self._metrics.observe)
        return self._tracing.traced(facet)

    def watch_journal(self, journal: Journaled) -> None:
        """Count what the journal of live questions finds to be lost."""
        if self._metrics is not None:
            self._metrics.watch_journal(journal)

    @asynccontextmanager
    async def running(self, host: Host, server: LinkServer) -> AsyncIterator[None]:
        """For the length of the block plain requests are answered, and spans made."""
        server.door.answer = first_answer(answer_health(server), self._answer_metrics(host, server), server.door.answer)
        async with self._tracing.following(host):
            yield

    def _answer_metrics(self, host: Host, server: LinkServer) -> Answer | None:
        if self._metrics is None:
            return None
        self._metrics.watch(host, server)
        return self._metrics.answer if self._answers_all else self._metrics.answer_here


def _metrics_of(options: argparse.Namespace) -> Metrics | None:
    if options.metrics is False or (options.metrics is None and not is_loopback(options.bind)):
        return None
    try:
        return Metrics()
    except MissingExtra:
        if options.metrics:
            raise
        return None


async def drain(server: LinkServer, seconds: float, signals: AsyncIterator[int]) -> None:
    """Take nothing new, and wait for what is open, so many seconds at most; less, if another signal comes."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_cut_short, signals, nursery.cancel_scope)
        _log.info("draining for up to %g s", seconds, extra={"questions.event": "draining"})
        left = await server.drain(seconds)
        _log.info("%d still open", len(left), extra={"questions.event": "drained", "questions.open": len(left)})
        nursery.cancel_scope.cancel()


async def _cut_short(signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
    await anext(signals)
    scope.cancel()
