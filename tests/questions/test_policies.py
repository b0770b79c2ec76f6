"""Policies and results are data; a bad policy is refused, and a result is never taken for a truth value."""

import pickle
import re

import pytest
from rich.pretty import pretty_repr

from facets import Principal, Who
from questions import All, Answered, Collected, First, InvalidPolicy, Quorum
from questions.redaction import HIDDEN
from tests.questions.samples import ANA, BO, who
from tests.rules import rule


def collected(*answers, ended="reached"):
    given = [Answered(Who(Principal.user(f"u{place}"), "U"), answer) for place, answer in enumerate(answers)]
    return Collected(tuple(given), (), (), ended)


@rule("Q-POL-1")
def test_policies_are_equal_by_what_they_say():
    assert First() == First()
    assert Quorum(2) == Quorum(2) != Quorum(3)
    assert All() == All("live") == All(join="live") != All("snapshot")
    assert pickle.loads(pickle.dumps(Quorum(2))) == Quorum(2)


@pytest.mark.parametrize("count", [1, 2, 2**53 - 1])
def test_a_quorum_counts_from_one(count):
    assert Quorum(count).count == count


@rule("Q-POL-4")
@pytest.mark.parametrize("count", [0, -1, 2**53, True, 1.0, "2", None, [1]])
def test_any_other_quorum_is_refused(count):
    with pytest.raises(InvalidPolicy) as caught:
        Quorum(count)
    assert caught.value.faults == ["$.count: a whole number from 1, below 2**53"]


@pytest.mark.parametrize("join", ["", "Live", None, True, ["live"]])
def test_all_is_live_or_a_snapshot(join):
    with pytest.raises(InvalidPolicy) as caught:
        All(join)
    assert caught.value.faults == ['$.join: "live" or "snapshot"']


def test_an_answered_is_by_a_person_unless_it_says_otherwise():
    assert Answered(who(ANA), False).automatic is False
    assert Answered(who(ANA), False) == Answered(who(ANA), False, automatic=False, secret=False)
    assert Answered(who(ANA), False) != Answered(who(BO), False)


@pytest.mark.parametrize("given", [First(), Quorum(2), All(), Answered(who(ANA), True), collected(True)])
def test_policies_and_results_cannot_be_changed(given):
    for name in ("count", "join", "answer", "ended"):
        with pytest.raises(AttributeError):
            setattr(given, name, "snapshot")


def test_an_answered_shows_who_and_what():
    ana = Who(ANA, "Ana")
    assert repr(Answered(ana, "red")) == f"Answered(by={ana!r}, answer='red')"
    assert repr(Answered(ana, "red", True)) == f"Answered(by={ana!r}, answer='red', automatic=True)"


@rule("Q-SEC-1")
def test_a_secret_answer_is_there_and_is_not_shown():
    answered = Answered(Who(ANA, "Ana"), "hunter2-Ω", secret=True)
    assert answered.answer == "hunter2-Ω"
    shown = f"{answered} {answered!r} {Collected((answered,), (), (), 'reached')!r}"
    assert "hunter2" not in shown
    assert HIDDEN in repr(answered)


@rule("Q-SEC-1")
def test_rich_shows_no_secret_either():
    """It reads the fields of what it prints, in tracebacks with locals too."""
    given = Collected((Answered(who(ANA), "hunter2-Ω", secret=True), Answered(who(BO), "red", True)), (), (), "reached")
    shown = pretty_repr(given, expand_all=True)
    assert "hunter2" not in shown
    assert re.findall(r"answer='(.*)'", shown) == [HIDDEN, "red"]
    assert [pretty_repr(one, max_width=300) for one in given.answers] == [repr(one) for one in given.answers]


@rule("Q-SEC-1")
def test_rich_is_given_the_fields_that_repr_shows():
    """Asked directly: rich falls back to repr when this fails, and nobody would notice."""
    ana = who(ANA)
    assert Answered(ana, "red").__rich_repr__() == [("by", ana), ("answer", "red")]
    assert Answered(ana, "red", True).__rich_repr__() == [("by", ana), ("answer", "red"), ("automatic", True)]
    assert Answered(ana, "hunter2-Ω", secret=True).__rich_repr__() == [("by", ana), ("answer", HIDDEN)]


@rule("Q-TYPE-1")
@pytest.mark.parametrize("result", [collected(True), collected(), collected(True, ended="deadline")])
def test_a_collected_has_no_truth_value(result):
    with pytest.raises(TypeError, match=r"^a Collected is neither true nor false; ask collected.unanimous"):
        bool(result)


@rule("Q-TYPE-1")
@pytest.mark.parametrize(
    ("result", "value", "unanimous"),
    [
        (collected(True), True, True),
        (collected(True, True, True), True, True),
        (collected(False, False), False, True),
        (collected("", ""), "", True),
        (collected("0"), "0", True),
        (collected(True, False), True, False),
        (collected(False, True), True, False),
        (collected(True), False, False),
        (collected(), True, False),
        (collected(True, True, ended="deadline"), True, False),
        (collected(ended="deadline"), True, False),
        (collected(True, True), 1, False),
        (collected(1, 1), True, False),
        (collected(False), 0, False),
        (collected(True), "True", False),
    ],
)
def test_unanimous_is_reached_by_somebody_and_all_agree(result, value, unanimous):
    assert result.unanimous(value) is unanimous
