"""Errors carry data, survive pickling and copying, and say what to do next; a timeout is never a denial."""

import copy
import pickle

import pytest

from facets import FacetError, Forbidden, Principal, Retryable, Who
from questions import errors
from questions.deadlines import instant
from tests.questions.samples import NOON
from tests.rules import rule

ANA, BO = (Who(Principal.user(name.lower()), name) for name in ("Ana", "Bo"))
WHEN = instant(NOON)

CASES = [
    (errors.QuestionError(), "question_error", ""),
    (errors.Invalid(["$.a: one", "$.b: two"]), "invalid", "$.a: one; $.b: two"),
    (errors.InvalidQuestion(["$.message: none"]), "invalid_question", "$.message: none"),
    (errors.InvalidAnswer(["$.answer: must be text"]), "invalid_answer", "$.answer: must be text"),
    (errors.InvalidPolicy(["$.count: 0"]), "invalid_policy", "$.count: 0"),
    (errors.InvalidAsk(["$.key: too long"]), "invalid_ask", "$.key: too long"),
    (errors.UnknownQuestion("q\n"), "unknown_question", "there is no question 'q\\n' here; look at what is open now"),
    (
        errors.NotInAudience("q"),
        "not_in_audience",
        "question 'q' is not yours to answer: only the audience of a question may answer it",
    ),
    (
        errors.NoLongerActive("q", "answered", (ANA, BO), False),
        "no_longer_active",
        "question 'q' was answered (by Ana, Bo); your answer was not counted",
    ),
    (
        errors.NoLiveAsker("q"),
        "no_live_asker",
        "the asker of 'q' is away, and a secret is not kept for it; answer again when it is back",
    ),
    (
        errors.Expired((ANA,), (), WHEN),
        "expired",
        "nobody had answered by 2027-01-15T08:00:00+00:00: never shown to anyone; "
        "nothing was decided, ask again or go on without",
    ),
    (
        errors.Superseded("q"),
        "superseded",
        "question 'q' was replaced by a different one with the same key; give each question its own key",
    ),
    (
        errors.StoreClosed("it crashed"),
        "store_closed",
        "the question store is gone (it crashed); nothing was decided, ask again with the same key",
    ),
    (
        errors.LimitExceeded("open questions", 3),
        "limit_exceeded",
        "open questions: the limit of 3 is reached; have fewer of them, or raise it in Limits",
    ),
    (errors.Withdrawn("q"), "withdrawn", "question 'q' was withdrawn by its asker; nothing was decided"),
    (errors.NotApproved("rm", "denied", (ANA, BO)), "not_approved", "rm was not run: denied by Ana, Bo"),
    (
        errors.WorkTimeExceeded(60.0),
        "work_time_exceeded",
        "the budget of 60 s of work is spent; time waiting for people does not count",
    ),
    (
        errors.DigestMismatch("sha256:1", "sha256:2"),
        "digest_mismatch",
        "approved was sha256:1, and this is sha256:2; ask again with what is to be done now",
    ),
    (
        errors.NoDurableStore(),
        "no_durable_store",
        "this host has no durable store; configure one: questions_facet.configured(durable=...)",
    ),
    (errors.IllegalTransition("closed", "Due"), "illegal_transition", "no step leads from closed by Due"),
]
every_error = pytest.mark.parametrize(("error", "code", "text"), CASES, ids=[code for _, code, _ in CASES])


def test_every_class_has_a_case():
    assert {type(error).__name__ for error, _, _ in CASES} == set(errors.__all__)


@every_error
def test_code_is_the_name_in_snake_case_and_the_text_says_it_all(error, code, text):
    assert error.code == type(error).code == code
    assert str(error) == text


@every_error
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_error_survives_pickling_and_copying(error, code, text, again):
    twin = again(error)
    assert type(twin) is type(error)
    assert (vars(twin), str(twin), twin.code) == (vars(error), text, code)


@every_error
def test_everything_is_caught_by_one_root(error, code, text):
    assert isinstance(error, errors.QuestionError | FacetError)


@every_error
def test_only_a_store_that_went_away_may_be_asked_again_as_it_is(error, code, text):
    assert isinstance(error, Retryable) == (code == "store_closed")


@rule("Q-AUTH-2")
def test_not_in_the_audience_is_forbidden_too():
    assert [code for error, code, _ in CASES if isinstance(error, Forbidden)] == ["not_in_audience"]


def test_all_bad_input_is_caught_as_invalid():
    found = {code for error, code, _ in CASES if isinstance(error, errors.Invalid)}
    assert found == {"invalid", "invalid_question", "invalid_answer", "invalid_policy", "invalid_ask"}


@rule("Q-SET-3")
@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("answered", "was answered (by Ana)"),
        ("expired", "ran out of time"),
        ("withdrawn", "was withdrawn by its asker"),
        ("superseded", "was replaced by another question"),
        ("closed", "was closed with its host"),
        ("already_answered", "already has your answer"),
        ("eaten", "eaten"),
    ],
)
def test_a_late_answer_is_told_how_the_question_ended(how, words):
    assert str(errors.NoLongerActive("q", how, (ANA,), True)) == f"question 'q' {words}; your answer was not counted"


def test_nobody_is_named_when_it_is_not_told_who_has_answered():
    assert "(by" not in str(errors.NoLongerActive("q", "answered", (), False))


@rule("Q-POL-5")
def test_nobody_saw_it_and_nobody_answered_are_told_apart():
    assert errors.Expired((ANA,), (), WHEN).reason == "never shown to anyone"
    assert errors.Expired((ANA,), (ANA, BO), WHEN).reason == "seen by Ana, Bo, answered by nobody"


@pytest.mark.parametrize("word", ["denied", "denial", "deny", "reject", "refus"])
@pytest.mark.parametrize("seen", [(), (ANA,)], ids=["unseen", "seen"])
def test_a_timeout_is_never_called_a_denial(word, seen):
    expired = errors.Expired((ANA,), seen, WHEN)
    late = errors.NoLongerActive("q", "expired", (), False)
    assert word not in f"{expired} {expired!r} {expired.reason} {late}".lower()
