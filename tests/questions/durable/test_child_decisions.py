"""A dialog of a child as a decision, and back: only an answer is one."""

import pytest
from msgspec.structs import replace

from facets import Principal
from questions.durable.caller import Caller
from questions.durable.child_decisions import Child, decision_fields, reply_in
from questions.durable.decision import Answer, Status
from questions.durable.dialogs import CANCELLED, Reply, read_dialog
from questions.durable.drafting import draft
from questions.durable.steps import Answering, step
from tests.questions.durable.cases import ID, MAIN, T

CHILD = Child("run-1", "worker")


def dialog(method="select", **changes):
    found = read_dialog({"requestId": "1", "method": method, "title": "Pick", "options": ["Alpha", "Beta"], **changes})
    assert found
    return found


def decision(asked):
    return draft(decision_fields(CHILD, asked), caller=CHILD.caller, id=ID, now=T)


def answered(asked, option=None, text=None):
    return reply_in(asked, step(decision(asked), Answering(option, text), MAIN, T))


def test_a_choice_is_for_root_and_in_the_childs_name():  # case 114
    raised = decision(dialog())
    assert (raised.title, raised.holder, raised.kind, raised.on_expire) == (
        "worker: Pick",
        "root",
        "question",
        "cancel",
    )
    assert [(option.id, option.label) for option in raised.options or ()] == [("o1", "Alpha"), ("o2", "Beta")]
    assert (raised.raised_by.participant_id, raised.deadline) == ("run-1", T + 600_000)
    assert answered(dialog(), "o2") == Reply("Beta")


@pytest.mark.parametrize(
    ("method", "given", "reply"),
    [
        ("input", {"text": "Ada"}, Reply("Ada")),
        ("input", {"text": ""}, Reply("")),
        ("editor", {"text": "a\nb"}, Reply("a\nb")),
        ("confirm", {"option": "no"}, Reply(confirmed=False)),
        ("confirm", {"option": "yes"}, Reply(confirmed=True)),
    ],
)
def test_each_method_has_its_answer(method, given, reply):  # case 115
    assert answered(dialog(method), **given) == reply


@pytest.mark.parametrize("method", ["select", "confirm", "input", "editor"])
@pytest.mark.parametrize("status", [Status.CANCELLED, Status.EXPIRED, Status.OPEN])
def test_what_has_no_answer_is_cancelled(method, status):
    asked = dialog(method)
    by = Answer(option_id="yes", text="x", answered_by="ana", via="cli", at=T)
    assert reply_in(asked, replace(decision(asked), status=status, answer=by)) == CANCELLED
    assert reply_in(asked, replace(decision(asked), status=status)) == CANCELLED


@pytest.mark.parametrize("option", ["o3", "o0", "Beta", None])
def test_an_option_that_was_not_given_is_no_answer(option):
    by = Answer(option_id=option, answered_by="ana", via="cli", at=T)
    assert reply_in(dialog(), replace(decision(dialog()), status=Status.ANSWERED, answer=by)) == CANCELLED


def test_only_yes_means_yes():
    by = Answer(option_id="o1", answered_by="ana", via="cli", at=T)
    ended = replace(decision(dialog("confirm")), status=Status.ANSWERED, answer=by)
    assert reply_in(dialog("confirm"), ended) == Reply(confirmed=False)


def test_of_many_long_and_empty_options_the_full_text_comes_back():
    asked = dialog(options=["x" * 300, " ", *map(str, range(20))])
    labels = [option.label for option in decision(asked).options or ()]
    assert (len(labels), len(labels[0]), labels[1]) == (12, 200, "Option 2")
    assert (answered(asked, "o1"), answered(asked, "o2")) == (Reply("x" * 300), Reply(" "))


def test_long_texts_are_cut():
    raised = decision(dialog("editor", title="t" * 1_000, message="m" * 8_000))
    assert (len(raised.title), len(raised.body or "")) == (200, 4_000)


@pytest.mark.parametrize(("timeout", "deadline"), [(5, 1_000), (2_500, 2_500), (10**9, 86_400_000)])
def test_a_time_of_less_than_a_second_is_one_second(timeout, deadline):
    assert decision(dialog(timeout=timeout)).deadline == T + deadline


def test_a_child_is_a_call_of_its_own():
    raised = decision(dialog())
    assert raised.raised_by.call_id == "run-1"
    assert Caller(Principal.program("run-1"), call="run-1") == CHILD.caller
