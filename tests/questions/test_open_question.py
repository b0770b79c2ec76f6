"""An open question tells one viewer what is known, works names and times out when read, and holds no answer."""

from datetime import timedelta

import pytest
from rich.pretty import pretty_repr

from questions import All, Confirm, OpenQuestion, Quorum, Secret, SessionScope, Text
from questions.answers import Answers
from questions.deadlines import instant
from questions.entry import Answer
from questions.showing import show
from tests.questions.samples import ANA, BO, CY, HOST, NOON, RUN, after, an_entry, who
from tests.rules import rule

GO = Confirm("Deploy?", details="rm -rf build")


def shown(entry, viewer=ANA, now=20.0):
    return show(entry, viewer, who, lambda: now)


@rule("Q-VIEW-1")
def test_it_says_what_was_asked():
    entry = an_entry(ANA, question=GO, policy=Quorum(2), on_behalf_of=RUN)
    seen = shown(entry)
    assert (seen.id, seen.scope, seen.question, seen.policy) == ("q_1", SessionScope("s1"), GO, Quorum(2))
    assert (seen.asker, seen.asker.name, seen.on_behalf_of) == (who(HOST), "Host", who(RUN))
    assert seen.asked_at == instant(NOON)
    assert shown(an_entry(ANA)).on_behalf_of is None


@rule("Q-VIEW-1")
def test_it_says_until_when_on_the_clock_that_judges():
    assert shown(an_entry(ANA), now=20.0).remaining == 40.0
    assert shown(an_entry(ANA), now=61.0).remaining == 0.0
    assert shown(an_entry(ANA)).deadline == instant(NOON) + timedelta(seconds=60)


def test_without_a_deadline_there_is_neither_a_time_nor_a_remainder():
    endless = shown(an_entry(ANA, deadline=None))
    assert (endless.deadline, endless.remaining) == (None, None)


@rule("Q-ASK-2")
def test_what_the_deadline_will_answer_is_shown_in_advance():
    assert shown(an_entry(ANA, default=False)).default is False
    assert shown(an_entry(ANA)).default is None


@rule("Q-VIEW-1")
def test_it_says_who_has_answered_in_order_and_who_is_waited_for():
    seen = shown(after(an_entry(ANA, BO, CY, policy=All()), Answer(CY, True), Answer(ANA, False)))
    assert (seen.answered, seen.waiting_for) == ((who(CY), who(ANA)), (who(BO),))
    assert [one.name for one in seen.answered + seen.waiting_for] == ["Cy", "Ana", "Bo"]


@rule("Q-VIEW-1", "Q-SEC-1")
@pytest.mark.parametrize("question", [Text("Code?", secret=True), Text("Name?")])
def test_it_never_shows_an_answer(question):
    value = Secret("hunter2") if question.secret else "hunter2"
    seen = shown(after(an_entry(ANA, BO, question=question, policy=All()), Answer(ANA, value)))
    public = [getattr(seen, name) for name in dir(OpenQuestion) if not name.startswith("_")]
    assert "hunter2" not in f"{seen!r} {seen} {public}"
    assert not [part for part in public if isinstance(part, Answers)]


@rule("Q-VIEW-1")
def test_time_alone_changes_no_value_and_an_answer_does():
    entry = an_entry(ANA, BO, policy=All())
    assert shown(entry, now=1.0) == shown(entry, now=50.0)
    assert shown(entry) != shown(after(entry, Answer(BO, True)))
    assert shown(entry, ANA) != shown(entry, CY)
    assert [shown(entry) == other for other in (entry, None, "q_1")] == [False] * 3


@rule("Q-VIEW-1")
def test_equal_and_unequal_never_hold_both():
    """An open question that has not changed must not count as a change."""
    entry = an_entry(ANA)
    assert (shown(entry) == shown(entry), shown(entry) != shown(entry)) == (True, False)
    assert hash(shown(entry, now=1.0)) == hash(shown(entry, now=50.0))
    assert (shown(entry) == shown(an_entry(ANA)), shown(entry) != shown(an_entry(ANA))) == (False, True)


def test_it_cannot_be_changed():
    with pytest.raises(AttributeError):
        shown(an_entry(ANA)).may_answer = True


def test_its_text_names_question_and_scope():
    assert repr(shown(an_entry(ANA))) == "OpenQuestion(id='q_1', message='Deploy?', scope=session:s1)"


@rule("Q-SEC-1")
def test_rich_shows_what_repr_shows_and_no_answer():
    """It would else read the fields, and with them the entry."""
    seen = shown(after(an_entry(ANA, BO, policy=All()), Answer(ANA, "hunter2-Ω")))
    assert pretty_repr(seen, max_width=300) == "OpenQuestion(id='q_1', message='Deploy?', scope='session:s1')"
    assert list(seen.__rich_repr__()) == [("id", "q_1"), ("message", "Deploy?"), ("scope", "session:s1")]
