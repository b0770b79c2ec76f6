"""Spans of OpenTelemetry that show where a question's time goes: asked, shown, answered, and its asker going on.

One trace a question, under whatever span the asking task has: `questions.ask` for as long as a task waits; in it
`questions.presentation`, until somebody was first shown it; `questions.answer`, from then to the answer that settled
it, linked to the span of whoever answered; `questions.resumption`, until the task went on, linked to the answer.
No messages, answers or names in them. Needs the extra `tracing`; without it, or a provider, nothing is done.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

import attrs

from facets.facet import Facet
from facets.host import Host
from facets.nursery import open_serving_nursery
from questions.config import Around
from questions.reports import Opened, Settled

from .observing import observed

if TYPE_CHECKING:
    from opentelemetry.trace import Link, Span, SpanContext, TracerProvider

__all__ = ["Tracing"]


@attrs.define(eq=False)
class _Question:
    """What is known of a question that is open, or that somebody is about to go on from."""

    opened: int
    """Nanoseconds since the epoch, as all times of spans."""
    attributes: dict[str, Any]
    span: Span | None = None
    """Of the first task that waited for it."""
    waits: int = 0
    shown: int | None = None
    settled: int | None = None
    outcome: str = ""
    answer: SpanContext | None = None


class Tracing:
    """The spans of one host's questions. `provider`: of the spans; None: the one that the program has set.

    `traced(questions_facet)` is what to run, and `following(host)` notes who is shown what.
    """

    def __init__(self, provider: TracerProvider | None = None) -> None:
        self._questions: dict[str, _Question] = {}
        try:
            from opentelemetry import trace  # noqa: PLC0415  # comes with an extra
        except ImportError:
            self.is_on = False
            return
        set_here = provider if provider is not None else trace.get_tracer_provider()
        self.is_on = not isinstance(set_here, trace.ProxyTracerProvider)
        """Whether there is a provider that takes spans. Looked up once."""
        self._trace = trace
        self._tracer = trace.get_tracer("questions", tracer_provider=provider)

    def traced(self, facet: Facet) -> Facet:
        """The questions facet with spans; as it is, where there is nobody to take them."""
        if not self.is_on:
            return facet
        return observed(facet, self._note).configured(around=self._around_both(facet.config.around))

    def _around_both(self, own: Around | None) -> Around:
        if own is None:
            return self._around

        @contextmanager
        def around(id: str) -> Iterator[None]:
            with own(id), self._around(id):
                yield

        return around

    @asynccontextmanager
    async def following(self, host: Host) -> AsyncIterator[None]:
        """Note when questions of a host are first shown to somebody, for the length of the block."""
        if not self.is_on:
            yield
            return
        async with open_serving_nursery() as nursery:
            nursery.start_soon(self._follow, host)
            yield

    async def _follow(self, host: Host) -> None:
        async for difference in host.waiting.differences():
            for id, waiting in difference.put.items():
                if waiting.shown_to and (question := self._questions.get(id)) is not None:
                    self._first_shown(question)

    # --- what happens to a question -------------------------------------------------------------------------------

    def _note(self, report: Opened | Settled) -> None:
        if isinstance(report, Opened):
            self._questions[report.id] = _Question(time.time_ns(), _attributes(report))
        elif (question := self._questions.get(report.id)) is not None:
            self._settle(question, report)
            if not question.waits:
                del self._questions[report.id]

    @contextmanager
    def _around(self, id: str) -> Iterator[None]:
        """In a task that waits for question `id`."""
        now = time.time_ns()
        question = self._questions.setdefault(id, _Question(now, {"questions.id": id}))
        first = question.span
        links = [] if first is None else [self._link(first.get_span_context())]
        start = question.opened if first is None else now
        span = self._tracer.start_span("questions.ask", attributes=question.attributes, links=links, start_time=start)
        question.span = first or span
        question.waits += 1
        try:
            yield
        finally:
            question.waits -= 1
            self._go_on(question, span)
            if question.settled is not None and not question.waits:
                self._questions.pop(id, None)

    def _go_on(self, question: _Question, span: Span) -> None:
        """A task waits no more, after the question has ended or because it was given up or lost."""
        if question.settled is not None:
            links = [] if question.answer is None else [self._link(question.answer)]
            self._within(span, "questions.resumption", question.settled, time.time_ns(), links)
        span.set_attribute("questions.outcome", question.outcome or "left")
        span.end()

    def _first_shown(self, question: _Question) -> None:
        if question.shown is None and question.span is not None:
            question.shown = time.time_ns()
            self._within(question.span, "questions.presentation", question.opened, question.shown)

    def _settle(self, question: _Question, report: Settled) -> None:
        """In the task that has settled it: if somebody answered, in theirs."""
        if report.seen:
            self._first_shown(question)
        question.settled, question.outcome = time.time_ns(), "default" if report.automatic else report.how
        if report.how == "answered" and not report.automatic and question.span is not None:
            answerers = self._trace.get_current_span().get_span_context()
            links = [self._link(answerers)] if answerers.is_valid else []
            began = question.opened if question.shown is None else question.shown
            question.answer = self._within(question.span, "questions.answer", began, question.settled, links)

    def _within(self, span: Span, name: str, start: int, end: int, links: list[Link] | None = None) -> SpanContext:
        context = self._trace.set_span_in_context(span)
        inner = self._tracer.start_span(name, context=context, start_time=start, links=links)
        inner.end(end)
        return inner.get_span_context()

    def _link(self, to: SpanContext) -> Link:
        return self._trace.Link(to)


def _attributes(opened: Opened) -> dict[str, Any]:
    return {
        "questions.id": opened.id,
        "questions.scope": str(opened.scope),
        "questions.kind": opened.kind,
        "questions.policy": type(opened.policy).__name__,
        "questions.audience": len(opened.audience),
    }
