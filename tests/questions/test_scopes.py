"""Scopes are typed: a session and an owner of the same name are two, and a bare string is none."""

import pickle

import pytest

from questions import InvalidAsk, OwnerScope, SessionScope
from questions.scopes import scope_faults
from tests.questions.samples import ANA, BO, paths


def test_scopes_are_equal_by_what_they_name():
    assert SessionScope("s1") == SessionScope("s1") != SessionScope("s2")
    assert OwnerScope(ANA) == OwnerScope(ANA) != OwnerScope(BO)
    assert len({SessionScope("user:ana"), OwnerScope(ANA)}) == 2


def test_scopes_say_what_they_are():
    assert str(SessionScope("s1")) == "session:s1"
    assert str(OwnerScope(ANA)) == "owner:user:ana"


@pytest.mark.parametrize("scope", [SessionScope("s1"), OwnerScope(ANA)])
def test_a_pickled_scope_is_the_same_and_finds_the_same(scope):
    found = {scope: "here"}
    assert found[pickle.loads(pickle.dumps(scope))] == "here"


def test_a_scope_cannot_be_changed():
    with pytest.raises(AttributeError):
        SessionScope("s1").session = "s2"  # type: ignore[misc]


@pytest.mark.parametrize("session", ["s", "0", "x" * 200, "日" * 200])
def test_a_session_has_1_to_200_code_points(session):
    assert SessionScope(session).session == session


@pytest.mark.parametrize("session", ["", "x" * 201, None, 7, b"s1", ["s1"], ANA])
def test_any_other_session_is_refused(session):
    with pytest.raises(InvalidAsk) as caught:
        SessionScope(session)
    assert caught.value.faults == ["$.scope.session: text of 1 to 200 code points, without control characters"]


@pytest.mark.parametrize("owner", ["ana", None, "user:ana", SessionScope("s1")])
def test_an_owner_that_is_no_principal_is_refused(owner):
    with pytest.raises(InvalidAsk) as caught:
        OwnerScope(owner)
    assert paths(caught.value) == ["$.scope.owner"]
    assert "Principal.user" in str(caught.value)


@pytest.mark.parametrize("scope", [SessionScope("s1"), OwnerScope(ANA)])
def test_the_two_scopes_have_no_faults(scope):
    assert scope_faults(scope) == []


@pytest.mark.parametrize("scope", ["s1", None, ANA, ("session", "s1"), SessionScope, {"session": "s1"}])
def test_nothing_else_is_a_scope(scope):
    [fault] = scope_faults(scope)
    assert fault.startswith("$.scope: a SessionScope or an OwnerScope")
