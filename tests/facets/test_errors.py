"""Errors carry data, survive pickling and copying, and have one code everywhere."""

import copy
import pickle

import pytest

from facets import errors

CASES = [
    (errors.FacetError(), "facet_error", ""),
    (errors.Forbidden("not yours"), "forbidden", "forbidden: not yours"),
    (errors.InvalidPrincipal(["$.id: text"]), "invalid_principal", "not a principal: $.id: text"),
    (errors.Unserved("Desk"), "unserved", "nothing here serves Desk; add its facet to open_host(facets=[...])"),
    (errors.InvalidFacet("f", ["a", "b"]), "invalid_facet", "facet or remote type 'f' cannot be used: a; b"),
    (errors.ReloadFailed("f", "why"), "reload_failed", "facet 'f' still runs its old code: why"),
    (
        errors.MissingExtra("Drawing", "rich", "terminal", "plain text"),
        "missing_extra",
        "Drawing needs the package 'rich', which is not installed",
    ),
    (errors.ActorBusy("till"), "actor_busy", "till is handling a message; post() to it"),
    (errors.InvalidToken(["$.name: text"]), "invalid_token", "no token was issued: $.name: text"),
    (errors.InvalidKeyFile("k", ["a", "b"]), "invalid_key_file", "key file k: a; b"),
    (errors.InvalidRevocations("r", ["a"]), "invalid_revocations", "list of revoked tokens r: a"),
    (errors.CannotRetire("k", "it signs"), "cannot_retire", "key 'k' was not retired: it signs"),
    (errors.Retryable(), "retryable", ""),
    (errors.Unavailable("the store"), "unavailable", "the store is unavailable now; try again"),
    (errors.Busy(("q1", "q2")), "busy", "still open: q1, q2; wait longer, or force it"),
    (errors.InvalidMessage(["$.id: x"]), "invalid_message", "not a message for this link: $.id: x"),
    (errors.InvalidCall(["$.args.id: is missing"]), "invalid_call", "$.args.id: is missing"),
    (errors.UnknownObject(7), "unknown_object", "no object 7 is held over this link; get it again"),
    (errors.Unauthenticated(), "unauthenticated", "the server did not accept the token"),
    (errors.InternalError(), "internal_error", "the other side failed with an internal error"),
    (errors.InsecureBind("0.0.0.0"), "insecure_bind", "0.0.0.0 can be reached by other machines"),
    (errors.InsecureDial("ws://far"), "insecure_dial", "ws://far leads over a network"),
    (errors.UntrustedServer("ws://far"), "untrusted_server", "who answers at ws://far has not proved"),
    (errors.RemoteError("odd", "an odd thing", {"a": 1}), "remote_error", "an odd thing (odd)"),
    (errors.LinkLimitExceeded("calls", 3), "link_limit_exceeded", "calls: the limit of 3 is reached"),
    (errors.GoingAway(), "going_away", "the server is going away; come back"),
    (errors.LinkLost("s1"), "link_lost", "lost the link to s1; the outcome is unknown"),
]
every_error = pytest.mark.parametrize(("error", "code", "text"), CASES, ids=[code for _, code, _ in CASES])


def test_every_class_has_a_case():
    assert {type(error).__name__ for error, _, _ in CASES} == set(errors.__all__)


@every_error
def test_code_is_the_name_in_snake_case_and_the_text_says_it_all(error, code, text):
    assert error.code == type(error).code == code
    assert str(error).startswith(text)


@every_error
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_error_survives_pickling_and_copying(error, code, text, again):
    twin = again(error)
    assert type(twin) is type(error)
    assert (vars(twin), str(twin), twin.code) == (vars(error), str(error), code)


@pytest.mark.parametrize("kind", [errors.Unavailable, errors.Busy, errors.LinkLost])
def test_what_may_be_repeated_is_retryable(kind):
    assert issubclass(kind, errors.Retryable)


@pytest.mark.parametrize("kind", [errors.Forbidden, errors.Unserved, errors.InvalidFacet, errors.ReloadFailed])
def test_what_will_fail_again_is_not_retryable(kind):
    assert not issubclass(kind, errors.Retryable)


def test_errors_are_told_apart_by_identity():
    """As exceptions are: two that say the same did not happen at once."""
    assert errors.Busy(("a",)) != errors.Busy(("a",))
