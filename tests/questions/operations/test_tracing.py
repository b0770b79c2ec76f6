"""Spans of one question: asked, shown, answered, gone on from; in one trace, linked, and without what was said."""

import builtins
from contextlib import asynccontextmanager, suppress

import trio
import trio.testing
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from facets import Cell, open_host
from facets.nursery import open_serving_nursery
from questions import Confirm, Expired, Questions, Quorum, Text, questions_facet
from questions.operations import Tracing
from questions.testing.stage import ANA, BO
from tests.link.raw import wait_until
from tests.link.stages import SCOPE

GO = Confirm("Go-canary?")


class Traced:
    """A traced host, who asks and answers there, and the spans that have ended."""

    def __init__(self, host, nursery, asker, viewer, tracer, exporter, tracing):
        self.host, self.nursery, self.asker, self.viewer = host, nursery, asker, viewer
        self.tracer, self.tracing = tracer, tracing
        self._exporter = exporter

    async def ask(self, question=GO, audience=(ANA,), **options):
        """Begin to ask, within a span of the asker's own."""
        before = len(self.host.waiting.value)
        scope = trio.CancelScope()
        self.nursery.start_soon(self._ask, scope, question, audience, options)
        await wait_until(lambda: len(self.host.waiting.value) > before or options.get("joins"))
        return scope

    async def _ask(self, scope, question, audience, options):
        options.pop("joins", None)
        with self.tracer.start_as_current_span("work"), scope, suppress(Expired):
            await self.asker.ask(question, audience=audience, **options)

    async def answer(self, value=True):
        """Answer what is open, within a span of the answerer's own."""
        for id in self.viewer.open.value:
            await trio.testing.wait_all_tasks_blocked()  # what was shown is noted
            with self.tracer.start_as_current_span("request"):
                await self.viewer.answer(id, value)

    async def spans(self, count):
        """Spans by name, once so many have ended."""
        await wait_until(lambda: len(self._exporter.get_finished_spans()) >= count)
        return {span.name: span for span in self._exporter.get_finished_spans()}

    @property
    def all_spans(self):
        return self._exporter.get_finished_spans()


@asynccontextmanager
async def opened(**settings):
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracing = Tracing(provider)
    async with (
        open_host([tracing.traced(questions_facet.configured(**settings))]) as host,
        tracing.following(host),
        host.root() as ctx,
        host.root(principal=ANA) as hers,
        open_serving_nursery() as nursery,
    ):
        asker, viewer = await ctx.get(Questions, SCOPE), await hers.get(Questions, SCOPE)
        yield Traced(host, nursery, asker, viewer, provider.get_tracer("test"), exporter, tracing)
        nursery.cancel_scope.cancel()
    assert not tracing._questions, "nothing is remembered of what has ended"


def linked(span):
    return [link.context.span_id for link in span.links]


async def test_ask_presentation_answer_and_resumption_are_one_trace_linked_to_who_answered():
    async with opened() as traced:
        await traced.ask()
        await traced.answer()
        spans = await traced.spans(6)
    work, ask, request = spans["work"], spans["questions.ask"], spans["request"]
    assert (ask.parent.span_id, ask.context.trace_id) == (work.context.span_id, work.context.trace_id)
    inner = [spans[f"questions.{name}"] for name in ("presentation", "answer", "resumption")]
    assert [span.parent.span_id for span in inner] == [ask.context.span_id] * 3
    assert {span.context.trace_id for span in inner} == {work.context.trace_id} != {request.context.trace_id}
    presentation, answer, resumption = inner
    assert (linked(presentation), linked(answer)) == ([], [request.context.span_id])
    assert linked(resumption) == [answer.context.span_id]
    assert ask.start_time == presentation.start_time <= presentation.end_time == answer.start_time
    assert answer.start_time <= answer.end_time == resumption.start_time <= resumption.end_time <= ask.end_time


async def test_what_it_was_is_said_by_ids_and_kinds_and_never_by_messages_answers_or_names():
    async with opened() as traced:
        await traced.ask(Text("Code-canary?", secret=True, details="details-canary"), key="key-canary")
        await traced.answer("answer-canary")
        ask = (await traced.spans(6))["questions.ask"]
        everything = "".join(span.to_json() for span in traced.all_spans)
    assert ask.attributes["questions.id"].startswith("q_")
    assert {name: value for name, value in ask.attributes.items() if name != "questions.id"} == {
        "questions.scope": "session:s1",
        "questions.kind": "text",
        "questions.policy": "First",
        "questions.audience": 1,
        "questions.outcome": "answered",
    }
    assert "canary" not in everything


async def test_a_question_that_nobody_is_shown_or_answers_has_neither_span():
    async with opened() as traced:
        await traced.ask(audience=[BO], timeout=0.05)
        spans = await traced.spans(3)
        assert set(spans) == {"work", "questions.ask", "questions.resumption"}
        assert spans["questions.ask"].attributes["questions.outcome"] == "expired"
        assert linked(spans["questions.resumption"]) == []


async def test_a_deadline_that_answers_is_no_answer_of_anybodys():
    async with opened() as traced:
        await traced.ask(audience=[BO], timeout=0.05, default=False)
        spans = await traced.spans(3)
        assert spans["questions.ask"].attributes["questions.outcome"] == "default"
        assert "questions.answer" not in spans


async def test_one_that_was_shown_and_answered_in_one_step_was_shown_all_the_same():
    async with opened() as traced:
        await traced.ask()
        (id,) = traced.viewer.open.value
        await traced.viewer.answer(id, True)
        spans = await traced.spans(5)
        assert {"questions.presentation", "questions.answer"} <= set(spans)
        assert linked(spans["questions.answer"]) == [], "nobody had a span"


async def test_a_withdrawn_question_ends_its_span_as_that():
    async with opened() as traced:
        (await traced.ask()).cancel()
        spans = await traced.spans(3)
        assert spans["questions.ask"].attributes["questions.outcome"] == "withdrawn"


async def test_who_joins_by_a_key_has_a_span_of_its_own_linked_to_the_first():
    async with opened() as traced:
        await traced.ask(key="k")
        await traced.ask(key="k", joins=True)
        await trio.testing.wait_all_tasks_blocked()
        await traced.answer()
        await traced.spans(9)
        first, second = sorted(
            (span for span in traced.all_spans if span.name == "questions.ask"), key=lambda span: span.start_time
        )
        assert (linked(first), linked(second)) == ([], [first.context.span_id])
        assert first.context.trace_id != second.context.trace_id
        going_on = [span for span in traced.all_spans if span.name == "questions.resumption"]
        assert {span.parent.span_id for span in going_on} == {first.context.span_id, second.context.span_id}


async def test_one_of_two_that_is_cancelled_has_left_and_the_other_is_answered():
    async with opened() as traced:
        await traced.ask(key="k")
        scope = await traced.ask(key="k", joins=True)
        await trio.testing.wait_all_tasks_blocked()
        scope.cancel()
        await traced.spans(2)
        await traced.answer()
        await traced.spans(8)
        outcomes = [span.attributes.get("questions.outcome") for span in traced.all_spans]
        assert sorted(filter(None, outcomes)) == ["answered", "left"]


async def test_a_quorum_of_a_live_audience_has_the_answer_that_settled_it():
    async with opened() as traced:
        await traced.ask(audience=Cell((ANA, BO)), policy=Quorum(1))
        await traced.answer()
        spans = await traced.spans(6)
        assert spans["questions.ask"].attributes["questions.policy"] == "Quorum"
        assert linked(spans["questions.answer"]) == [spans["request"].context.span_id]


async def test_an_own_observer_and_an_own_wait_go_on_beside_it():
    notes: list = []

    class Own:
        def __enter__(self):
            notes.append("waits")

        def __exit__(self, *_):
            notes.append("goes on")

    async with opened(observe=lambda report: notes.append(type(report).__name__), around=lambda id: Own()) as traced:
        await traced.ask()
        await traced.answer()
        await traced.spans(6)
    assert notes == ["Opened", "waits", "Settled", "goes on"]


async def test_without_a_provider_nothing_is_done():
    tracing = Tracing()
    assert not tracing.is_on
    assert tracing.traced(questions_facet) is questions_facet
    async with open_host([questions_facet]) as host, tracing.following(host):
        assert not host.waiting.fed, "and nobody has looked"


def test_without_the_package_nothing_is_done(monkeypatch):
    found = builtins.__import__

    def missing(name, *args, **options):
        if name.startswith("opentelemetry"):
            raise ImportError(name)
        return found(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", missing)
    tracing = Tracing()
    assert not tracing.is_on
    assert tracing.traced(questions_facet) is questions_facet


async def test_questions_at_once_each_have_their_own_trace():
    count = 50
    async with opened() as traced:
        for _ in range(count):
            await traced.ask()
        await traced.answer()
        await traced.spans(6 * count)
        asks = [span for span in traced.all_spans if span.name == "questions.ask"]
        answers = [span for span in traced.all_spans if span.name == "questions.answer"]
        assert len({span.context.trace_id for span in asks}) == count
        assert {span.parent.span_id for span in answers} == {span.context.span_id for span in asks}
