"""What a store reports: everything that happened, as plain data, and no secret."""

import pytest

from questions import All, ClosedQuestion, Confirm, Opened, Quorum, SessionScope, Settled, Text
from questions.testing import EPOCH, open_rig
from tests.questions.samples import ANA, BO, HOST
from tests.rules import rule


async def reports_of(question, answer=True, **options):
    """The reports of a question to Ana and Bo, whom Ana sees and answers after five seconds."""
    async with open_rig() as rig:
        ana, _ = await rig.people("ana", "bo")
        asking = rig.ask(question, audience=[ANA, BO], timeout=60, **options)
        if answer is not None:
            rig.at(5, ana.answer, answer)
        await rig.until(61)
        assert asking.outcome is not None
    return rig.reports


def principals(whos):
    return [one.principal for one in whos]


async def test_a_question_is_reported_when_it_opens(autojump_clock):
    opened, _ = await reports_of(Confirm("Deploy?"), policy=Quorum(1), key="k")
    assert isinstance(opened, Opened)
    assert (opened.scope, opened.message, opened.kind) == (SessionScope("s1"), "Deploy?", "confirm")
    assert (opened.policy, opened.key, opened.at) == (Quorum(1), "k", EPOCH)
    assert principals(opened.audience) == [ANA, BO]
    assert opened.asker.principal.kind == HOST.kind


async def test_a_question_is_reported_when_it_ends(autojump_clock):
    opened, settled = await reports_of(Text("Name?"), policy=All(), answer="")
    assert isinstance(settled, Settled)
    assert (settled.id, settled.scope, settled.asker) == (opened.id, opened.scope, opened.asker)
    assert (settled.message, settled.kind, settled.policy) == ("Name?", "text", All())
    assert (settled.how, settled.automatic) == ("expired", False)
    assert [(who.principal, answer) for who, answer in settled.answers] == [(ANA, "")]
    assert [principals(settled.by), principals(settled.missing), principals(settled.seen)] == [[ANA], [BO], [ANA]]
    assert (settled.opened_at, settled.settled_at) == (EPOCH, EPOCH + 60)


@rule("Q-ASK-2")
@pytest.mark.parametrize(("answer", "automatic"), [(None, True), (True, False)])
async def test_it_says_whether_the_deadline_answered(answer, automatic, autojump_clock):
    _, settled = await reports_of(Confirm("Deploy?"), answer=answer, default=False)
    assert (settled.how, settled.automatic) == ("answered", automatic)
    assert [given for _, given in settled.answers] == [answer or False]


@rule("Q-SEC-1")
async def test_a_secret_is_in_no_report_and_its_giver_is(autojump_clock):
    reports = await reports_of(Text("Code?", secret=True), answer="hunter2-Ω")
    assert "hunter2" not in repr(reports)
    assert (reports[1].answers, principals(reports[1].by)) == ((), [ANA])


async def test_a_timeout_is_never_reported_as_a_denial(autojump_clock):
    _, settled = await reports_of(Confirm("Deploy?"), answer=None)
    assert (settled.how, settled.answers) == ("expired", ())
    assert "denied" not in repr(settled).lower()


@rule("Q-VIEW-4")
def test_a_closed_question_has_no_place_for_an_answer():
    assert ClosedQuestion("q", "Go?", "answered", (), 0.0) == ClosedQuestion(
        id="q", message="Go?", how="answered", by=(), at=0.0
    )
