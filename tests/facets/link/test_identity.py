"""An identity says where its token is good, and a principal can be written and read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facets import InvalidPrincipal, Principal
from facets.link.identity import Identity, is_scope, parse_principal

ANA, WORKER = Principal.user("ana"), Principal.worker("s1")


def identity(principal, *scopes):
    return Identity(principal, None, frozenset(scopes), "0" * 32, 0.0, 1.0)


@pytest.mark.parametrize(
    ("principal", "scopes", "places"),
    [
        (ANA, (), {"s1", "s2", None}),
        (ANA, ("session:s1",), {"s1"}),
        (ANA, ("session:s1", "session:s2"), {"s1", "s2"}),
        (ANA, ("owner",), {None}),
        (ANA, ("owner", "session:s1"), {"s1", None}),
        (Principal.guest("bo"), ("session:s3",), set()),
        (Principal.server("host"), (), {"s1", "s2", None}),
        (WORKER, (), {"s1"}),
        (WORKER, ("session:s1", "session:s2", "owner"), {"s1"}),
        (WORKER, ("session:s2",), set()),
    ],
)
def test_a_token_is_good_for_its_places_only(principal, scopes, places):
    one = identity(principal, *scopes)
    assert {place for place in ("s1", "s2", None) if one.covers(place)} == places


@pytest.mark.parametrize("session", ["owner", "session:s1", "", "S1", "s1 ", "s1/x"])
def test_a_session_is_taken_by_its_whole_name(session):
    """A session called `owner` is no owner, and none is another's beginning."""
    assert not identity(ANA, "session:s1", "owner").covers(session)


ids = st.text(st.characters(exclude_categories=["Cc", "Cs", "Cf"]), min_size=1, max_size=200)


@given(st.sampled_from(["user", "guest", "program", "worker", "server"]), ids)
def test_a_principal_can_be_read_back(kind, id):
    principal = Principal(kind, id)
    assert parse_principal(str(principal)) == principal


@pytest.mark.parametrize(
    "text", ["", "ana", "user", "user:", ":ana", "root:ana", "User:ana", "user:a\nb", "user:" + "a" * 201]
)
def test_what_is_no_principal_is_refused(text):
    with pytest.raises(InvalidPrincipal):
        parse_principal(text)


def test_a_token_in_the_place_of_a_principal_is_not_quoted():
    with pytest.raises(InvalidPrincipal) as refused:
        parse_principal("eyJ0.eyJp.nTA3")
    assert "eyJ" not in str(refused.value)


@pytest.mark.parametrize(
    ("scope", "good"),
    [
        ("owner", True),
        ("session:s1", True),
        ("session:a b:c", True),
        ("session:" + "a" * 200, True),
        ("session:" + "a" * 201, False),
        ("session:", False),
        ("session:a\x00", False),
        ("owner:user:ana", False),
        ("*", False),
        ("", False),
        (None, False),
    ],
)
def test_scopes_are_sessions_and_owner(scope, good):
    assert is_scope(scope) is good
