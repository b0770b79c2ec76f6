"""`/metrics`: what Prometheus may know of a host. Numbers only: no names, ids, sessions or messages, in labels neither.

Needs the extra `metrics`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Protocol, cast

from websockets.http11 import Request, Response

from facets.errors import MissingExtra
from facets.host import Host
from facets.link.server import LinkServer
from facets.readable import Readable
from questions.entry import State
from questions.reports import Opened, Settled

from .replies import is_for, reply

if TYPE_CHECKING:
    from prometheus_client import Metric
    from prometheus_client.registry import Collector

__all__ = ["Metrics"]

_BUCKETS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600, 10_800, 43_200, 86_400)
"""Seconds: people take from one of them to a day."""

_OUTCOMES = [state.value for state in State if state is not State.OPEN]

_OPEN = {
    "open": ("questions_open", "Questions that are open"),
    "oldest_age": ("questions_oldest_age_seconds", "Age of the oldest open question; 0: none is open"),
    "orphaned": ("questions_orphaned", "Open questions that nobody waits for any more"),
    "never_shown": ("questions_never_shown", "Open questions that nobody has been shown"),
}
_LIMITS = ("open", "audience", "waiters", "open_per_asker", "open_per_scope", "open_per_person")
_NOW = {
    "connections": "Connections whose peer is known",
    "strangers": "Connections whose peer has not said yet who it is",
    "workers": "Sessions whose worker is connected",
    "workers_away": "Sessions whose worker is away",
}
_SO_FAR = {
    "accepted": "Connections that were taken",
    "received": "Messages that have come over links",
    "sent": "Messages that were sent over links",
}
_JOURNAL = {
    "lost": ("questions_lost_at_restart", "Live questions of hosts that were killed, found by this one"),
    "unwritten": ("questions_journal_unwritten", "Live questions that the journal had no room for"),
}


class Journaled(Protocol):
    """What writes down which live questions are open: a `Journal`."""

    def figures(self) -> Mapping[str, int]:
        """Its `lost` and `unwritten`."""


class Gated(Protocol):
    """What knows which requests of gates nobody is shown: a `GateStore`."""

    @property
    def undelivered(self) -> Readable[frozenset[str]]:
        """Their ids."""


class Metrics:
    """The metrics of one host, in a registry of their own. Lives as long as you like.

    Give `observe` to the facet (`observed(questions_facet, metrics.observe)`), the host and its servers to `watch`,
    and `answer` to a server's door. Raises `MissingExtra` without prometheus-client.
    """

    def __init__(self) -> None:
        try:
            import prometheus_client as prometheus  # noqa: PLC0415  # comes with an extra
        except ImportError:
            raise MissingExtra("/metrics", "prometheus-client", "metrics", "host.figures() and observe=...") from None
        self.registry = prometheus.CollectorRegistry()
        """For metrics of your own."""
        self._host: Host | None = None
        self._servers: Collection[LinkServer] = ()
        self._journal: Journaled | None = None
        self._gates: Gated | None = None
        given: dict[str, Any] = {"registry": self.registry}
        self._opened = prometheus.Counter("questions_opened", "Questions that were asked", **given)
        self._settled = prometheus.Counter(
            "questions_settled",
            "Questions that ended, by how; automatic: the deadline has answered",
            ["outcome", "automatic"],
            **given,
        )
        self._unseen = prometheus.Counter(
            "questions_settled_never_shown", "Questions that ended and that nobody had been shown", **given
        )
        self._seconds = prometheus.Histogram(
            "questions_time_to_answer_seconds",
            "From the ask to the answer that settled it; without those of deadlines",
            buckets=_BUCKETS,
            **given,
        )
        for outcome in _OUTCOMES:  # a rate is right from the first one on
            self._settled.labels(outcome, "false")
        self._settled.labels("answered", "true")
        prometheus.ProcessCollector(registry=self.registry)
        self.registry.register(cast("Collector", self))

    def observe(self, report: Opened | Settled) -> None:
        """Take a report of the questions facet."""
        if isinstance(report, Opened):
            self._opened.inc()
            return
        self._settled.labels(report.how, "true" if report.automatic else "false").inc()
        if not report.seen:
            self._unseen.inc()
        if report.how == "answered" and not report.automatic:
            self._seconds.observe(max(0.0, report.settled_at - report.opened_at))

    def watch(self, host: Host, *servers: LinkServer) -> None:
        """From now on read what stands open in this host, and what goes over these servers' links, at each scrape."""
        self._host, self._servers = host, servers

    def watch_journal(self, journal: Journaled) -> None:
        """From now on read what a journal of live questions has found, and what it has no room for, at each scrape."""
        self._journal = journal

    def watch_gates(self, gates: Gated) -> None:
        """From now on read at each scrape how many requests of gates nobody is shown; 0 where no gate server leads."""
        self._gates = gates

    def collect(self) -> Iterator[Metric]:
        """For the registry: what is read rather than counted. In the host's thread."""
        yield from _of_questions({} if self._host is None else self._host.figures())
        if self._journal is not None:
            yield from _of_a_journal(self._journal.figures())
        if self._gates is not None:
            yield from _of_gates(len(self._gates.undelivered.value))
        if self._servers:
            yield from _of_links(self._servers)

    def text(self, accept: str = "") -> tuple[bytes, str]:
        """Everything as Prometheus reads it, in the form that `accept` asks for, and the type of that."""
        from prometheus_client.exposition import choose_encoder  # noqa: PLC0415

        encoder, type = choose_encoder(accept)
        return encoder(self.registry), type

    def answer(self, request: Request) -> Response | None:
        """The reply to `/metrics`; None for any other path. Says the same to whoever asks."""
        if not is_for(request, "/metrics"):
            return None
        return reply(request, HTTPStatus.OK, *self.text(", ".join(request.headers.get_all("Accept"))))

    def answer_here(self, request: Request) -> Response | None:
        """As `answer`, and only what was not passed on by a proxy: for a server that only this machine can reach."""
        passed_on = any(name in request.headers for name in ("Forwarded", "X-Forwarded-For", "Via"))
        return None if passed_on else self.answer(request)


def _of_questions(figures: Mapping[str, Any]) -> Iterator[Metric]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily  # noqa: PLC0415

    for figure, (name, words) in _OPEN.items():
        yield GaugeMetricFamily(name, words, value=figures.get(f"questions.{figure}") or 0)
    refused = CounterMetricFamily(
        "questions_limit_refusals", "Asks that were refused, by the limit that they met", labels=["limit"]
    )
    for limit in _LIMITS:
        refused.add_metric([limit], figures.get(f"questions.refused.{limit}", 0))
    yield refused


def _of_a_journal(figures: Mapping[str, int]) -> Iterator[Metric]:
    from prometheus_client.core import CounterMetricFamily  # noqa: PLC0415

    for figure, (name, words) in _JOURNAL.items():
        yield CounterMetricFamily(name, words, value=figures[figure])


def _of_gates(undelivered: int) -> Iterator[Metric]:
    from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415

    words = "Open requests of gates that nobody was shown within a second"
    yield GaugeMetricFamily("questions_gates_undelivered", words, value=undelivered)


def _of_links(servers: Collection[LinkServer]) -> Iterator[Metric]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily  # noqa: PLC0415

    figures = [server.figures() for server in servers]
    for name, words in _NOW.items():
        yield GaugeMetricFamily(f"facets_link_{name}", words, value=sum(one[name] for one in figures))
    for name, words in _SO_FAR.items():
        yield CounterMetricFamily(f"facets_link_{name}", words, value=sum(one[name] for one in figures))
    draining = any(server.is_draining for server in servers)
    yield GaugeMetricFamily("facets_link_draining", "1: it takes nothing new any more", value=int(draining))
    refused = CounterMetricFamily(
        "facets_link_refusals", "What was refused, and who was sent away, by code", labels=["code"]
    )
    for code in sorted({code for server in servers for code in server.traffic.refused}):
        refused.add_metric([code], sum(server.traffic.refused[code] for server in servers))
    yield refused
