"""Reports of what happens, to those who observe a store, and what an observer can do."""

import logging
from typing import Any

import pytest

from facets import open_host
from facets.nursery import open_serving_nursery
from questions import (
    All,
    Answered,
    Confirm,
    First,
    NoLongerActive,
    Opened,
    Quorum,
    SessionScope,
    Settled,
    Text,
    questions_facet,
)
from questions.testing import EPOCH, Rig, open_rig
from tests.questions.steps import DEPLOY, assert_nothing_is_left, endings, names, opened, said, team
from tests.rules import rule


def on(kind, do):
    """An observer that does something once, at the first report of a kind."""
    done: list[object] = []

    def observe(report):
        if isinstance(report, kind) and not done:
            done.append(report)
            do(report)

    return observe


async def test_opening_is_reported_with_what_was_asked(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        await rig.until(3)
        _, id = await opened(rig, audience=[ana, bo, ana], policy=Quorum(2), key="k")
        [report] = rig.reports
        assert isinstance(report, Opened)
        assert (report.id, report.scope, report.message, report.kind) == (id, rig.scope, "Deploy?", "confirm")
        assert (report.policy, names(report.audience), report.key) == (Quorum(2), ["ana", "bo"], "k")
        assert (report.asker.principal, report.at) == (rig.host.principal, EPOCH + 3)


async def test_settling_is_reported_with_how_by_whom_and_who_was_missing(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        asking, id = await opened(rig, audience=[ana, bo, cy], policy=All(), timeout=60)
        said(bo, False, id)
        cy.see()
        await asking.wait()
        [report] = rig.settled
        assert (report.id, report.how, report.automatic) == (id, "expired", False)
        assert (names(report.by), names(report.missing), names(report.seen)) == (["bo"], ["ana", "cy"], ["cy"])
        assert [(who.name, answer) for who, answer in report.answers] == [("bo", False)]
        assert (report.opened_at, report.settled_at) == (EPOCH, EPOCH + 60)


@rule("Q-SEC-1")
async def test_reports_of_secret_questions_hold_no_answers(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, Text("Code?", secret=True), audience=[ana])
        said(ana, "hunter2")
        [report] = rig.settled
        assert (names(report.by), report.answers) == (["ana"], ())
        assert "hunter2" not in repr(rig.reports)


@rule("Q-SET-2")
async def test_every_question_is_reported_opened_once_and_settled_once(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        for key in (None, "k", "k", "l"):
            await opened(rig, audience=[ana, bo], key=key, timeout=60)
        said(ana, True)
        said(bo, True)
        await rig.until(60)
        opened_ids = [report.id for report in rig.reports if isinstance(report, Opened)]
        settled_ids = [report.id for report in rig.settled]
        assert sorted(opened_ids) == sorted(settled_ids)
        assert len(set(opened_ids)) == 3


async def test_one_line_is_logged_for_each_settlement_and_it_says_how(autojump_clock, caplog):
    caplog.set_level(logging.INFO, logger="questions")
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, id = await opened(rig, audience=[ana], timeout=60)
        await rig.until(60)
        assert [record.getMessage() for record in caplog.records] == [f"question {id} in session:s1: expired"]


async def test_an_observer_that_raises_is_logged_and_hurts_nobody(autojump_clock, caplog):
    async with open_rig(observe=lambda report: 1 / 0) as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana])
        assert said(ana, True, id) is None
        assert (await asking.wait()).answer is True
        assert len(rig.reports) == 2
        assert caplog.text.count("ZeroDivisionError") == 2


async def test_an_observer_may_answer_what_has_just_been_asked(autojump_clock):
    """The asker's task has not even begun to wait then."""
    people: list[Any] = []
    async with open_rig(observe=on(Opened, lambda report: said(people[0], True, report.id))) as rig:
        people += await rig.people("ana")
        asking = rig.ask(DEPLOY, audience=people)
        assert isinstance(await asking.wait(), Answered)
        assert [type(report) for report in rig.reports] == [Opened, Settled]
        assert_nothing_is_left(rig)


@rule("Q-ASK-3")
async def test_an_answer_out_of_the_publication_beats_a_cancellation_that_follows(autojump_clock):
    people: list[Any] = []
    askings: list[Any] = []

    def answer_and_cancel(report):
        assert said(people[0], True, report.id) is None
        askings[0].cancel()

    async with open_rig(observe=on(Opened, answer_and_cancel)) as rig:
        people += await rig.people("ana")
        askings.append(rig.ask(DEPLOY, audience=people))
        await rig.quiet()
        assert ((await askings[0].wait()).answer, askings[0].cancelled) == (True, False)
        assert endings(rig) == ["answered"]


@rule("Q-SET-2")
async def test_an_observer_that_answers_a_settled_question_is_refused_like_anybody(autojump_clock):
    people: list[Any] = []
    refusals: list[Any] = []
    observe = on(Settled, lambda report: refusals.append(said(people[1], False, report.id)))
    async with open_rig(observe=observe) as rig:
        people += await rig.people("ana", "bo")
        asking, id = await opened(rig, audience=people)
        said(people[0], True, id)
        assert (await asking.wait()).answer is True
        assert [type(refusal) for refusal in refusals] == [NoLongerActive]


@rule("Q-SET-2")
async def test_an_observer_that_cancels_the_asker_of_a_settled_question_comes_too_late(autojump_clock):
    askings: list[Any] = []
    async with open_rig(observe=on(Settled, lambda report: askings[0].cancel())) as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana])
        askings.append(asking)
        said(ana, True, id)
        assert (await asking.wait()).answer is True


async def test_an_observer_may_ask_again_out_of_a_settlement(autojump_clock):
    rigs: list[Any] = []
    observe = on(Settled, lambda report: rigs[0].ask(Confirm("And now?"), audience=rigs[0].present))
    async with open_rig(observe=observe) as rig:
        rigs.append(rig)
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana])
        said(ana, True)
        await rig.quiet()
        assert [one.question.message for one in ana.see()] == ["And now?"]


async def test_a_chain_of_answers_out_of_reports_is_not_a_stack(autojump_clock):
    """Each settlement answers the next question: a thousand of them within one another would overflow."""
    people: list[Any] = []
    ids: list[Any] = []

    def answer_the_next(report):
        if isinstance(report, Settled) and ids:
            said(people[0], True, ids.pop())

    async with open_rig(observe=answer_the_next) as rig:
        people += await rig.people("ana")
        for _ in range(1500):
            rig.ask(DEPLOY, audience=people)
        await rig.quiet()
        ids += [report.id for report in rig.reports]
        said(people[0], True, ids.pop())
        assert endings(rig) == ["answered"] * 1500


async def test_reports_come_in_the_order_of_what_happened(autojump_clock):
    people: list[Any] = []
    ids: list[Any] = []
    observe = on(Settled, lambda report: said(people[0], True, ids[1]))
    async with open_rig(observe=observe) as rig:
        people += await rig.people("ana")
        ids += [(await opened(rig, audience=people))[1] for _ in range(2)]
        said(people[0], True, ids[0])
        assert [report.id for report in rig.settled] == ids


@rule("Q-SET-6", "Q-VIEW-4")
async def test_a_report_comes_when_the_views_have_changed_already(autojump_clock):
    people: list[Any] = []
    counts: list[Any] = []
    observe = on(Settled, lambda report: counts.append((len(people[0].see()), len(people[0].viewer.closed.value))))
    async with open_rig(observe=observe) as rig:
        people += await rig.people("ana")
        await opened(rig, audience=people)
        people[0].see()
        said(people[0], True)
        assert counts == [(0, 1)]


async def test_joining_and_leaving_are_no_reports(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana)
        await opened(rig, audience=audience)
        audience.set((ana.principal, bo.principal))
        await rig.quiet()
        assert len(rig.reports) == 1


@pytest.mark.parametrize("policy", [First(), All()])
async def test_a_store_of_several_scopes_reports_all_of_them(autojump_clock, policy):
    async with open_rig() as rig:
        ana = rig.person("ana")
        for session in ("s1", "s2"):
            scope = SessionScope(session)
            await opened(rig, audience=[ana], policy=policy, asker=await rig.asker(scope=scope))
        assert [report.scope for report in rig.reports] == [SessionScope("s1"), SessionScope("s2")]


async def test_without_an_observer_what_has_ended_is_in_the_log(autojump_clock, caplog):
    caplog.set_level(logging.INFO, "questions")
    async with open_host([questions_facet]) as host, open_serving_nursery() as nursery:
        rig = Rig(host, nursery, SessionScope("s1"), [])
        (ana,) = await rig.people("ana")
        asking = rig.ask(DEPLOY, [ana])
        await rig.quiet()
        await ana.answer(True)
        assert (await asking.wait()).answer is True
    assert [record.getMessage().split(": ")[-1] for record in caplog.records if record.name == "questions"] == [
        "answered"
    ]
