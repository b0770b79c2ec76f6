"""The errors of gates carry data, survive pickling and copying, and say what to do next."""

import copy
import pickle

import pytest

from facets import Forbidden
from questions.errors import Invalid, InvalidAnswer, QuestionError
from questions.gates import errors

CASES = [
    *(getattr(errors, name)(["$.a: one"]) for name in ("InvalidGate", "InvalidRequest", "InvalidResponse")),
    *(getattr(errors, name)(["$.a: one"]) for name in ("InvalidSubmission", "InvalidRecord", "InvalidApproval")),
    errors.IncompatibleState("a.v0", "a.v1"),
    *(
        getattr(errors, f"{part}Altered")("d", "x", "y")
        for part in ("Record", "Subject", "Presentation", "Request", "DecisionId", "Answer", "Resolution")
    ),
    errors.NotVerified("d", "none was given"),
    *(
        getattr(errors, name)("d")
        for name in ("Refusal", "Stale", "KeyReused", "DecisionAccepted", "NoDeadline", "NoDefault", "HasDefault")
    ),
    errors.EffectRefused("effect-1", "applied", "retry"),
    errors.DeadlinePassed("d", "2020-01-01T00:00:00.000Z"),
    errors.DecisionCancelled("d", "expired"),
    errors.NotDue("d", "2020-01-01T00:00:00.000Z"),
    errors.HumanRequired("d"),
    errors.SettledAlready("d", "human", "Chosen: Continue"),
]
every_error = pytest.mark.parametrize("error", CASES, ids=[error.code for error in CASES])


def test_every_class_has_a_case():
    assert {type(error).__name__ for error in CASES} == set(errors.__all__)


@every_error
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_survives_pickling_and_copying(error, again):
    twin = again(error)
    assert type(twin) is type(error)
    assert (vars(twin), str(twin), twin.code) == (vars(error), str(error), error.code)


@every_error
def test_there_is_one_root_and_a_text(error):
    assert isinstance(error, QuestionError)
    assert str(error)


def test_kinds_are_told_apart():
    assert [error.code for error in CASES if isinstance(error, Forbidden)] == ["human_required"]
    assert [error.code for error in CASES if isinstance(error, InvalidAnswer)] == ["invalid_response"]
    assert len([error for error in CASES if isinstance(error, Invalid)]) == 6


@every_error
def test_no_end_in_time_is_called_a_denial(error):
    assert not [word for word in ("denied", "denial", "declined", "rejected") if word in str(error)]
