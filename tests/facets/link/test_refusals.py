"""Errors over a link and back: the same class, words and attributes; and nothing of what is not ours."""

import inspect
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import attrs
import msgspec
import pytest

import facets.errors
import questions.errors
from facets import FacetError, Forbidden, InternalError, Principal, RemoteError, Retryable, Who
from facets.link.messages import Refused, decode, encode
from facets.link.refusals import error_of, fault_of_frame, goodbye, refusal

BY_TYPE = {
    str: "ein Wort",
    int: 7,
    float: 2.5,
    bool: True,
    object: {"a": [1]},
    datetime: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    Sequence[str]: ("one", "two"),
    Sequence[Who]: (Who(Principal.user("ana"), "Ana"), Who(Principal.guest("eve"), "Eve")),
}
CLASSES = [
    kind
    for module in (facets.errors, questions.errors)
    for kind in vars(module).values()
    if inspect.isclass(kind) and issubclass(kind, FacetError) and kind.__module__ == module.__name__
]


def made(kind):
    """An error of a class with a value of the right type for each attribute."""
    if not attrs.has(kind):
        return kind("some words")
    hints = inspect.get_annotations(kind, eval_str=True)
    for base in reversed(kind.__mro__):
        hints |= inspect.get_annotations(base, eval_str=True)
    return kind(*(BY_TYPE[hints[field.name]] for field in attrs.fields(kind) if field.init))


def over_a_link(error):
    refused: Any = decode(encode(refusal(5, error)))
    return error_of(refused)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_each_error_of_ours_comes_out_as_it_went_in(kind):
    error = made(kind)
    back = over_a_link(error)
    assert (type(back), str(back)) == (kind, str(error))
    if attrs.has(kind):
        for field in attrs.fields(kind):
            assert getattr(back, field.name) == getattr(error, field.name)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_a_refusal_says_the_code_and_whether_to_ask_again(kind):
    refused = refusal(5, made(kind))
    code = refused.code if kind is not RemoteError else "remote_error"
    assert (refused.id, code, refused.retryable) == (5, kind.code, issubclass(kind, Retryable) or kind is RemoteError)


@pytest.mark.parametrize("error", [ValueError("hunter2"), KeyError("hunter2"), ExceptionGroup("hunter2", [OSError()])])
def test_of_errors_that_are_not_ours_nothing_is_told(error):
    refused = refusal(5, error)
    assert (refused.code, refused.data, refused.retryable) == ("internal_error", None, False)
    assert b"hunter2" not in encode(refused)
    assert type(over_a_link(error)) is facets.errors.InternalError


@pytest.mark.parametrize("retryable", [True, False])
def test_an_unknown_code_is_a_remote_error_with_all_that_was_told(retryable):
    error = error_of(Refused(5, "brand_new", "something new", {"x": 1}, retryable))
    assert isinstance(error, RemoteError)
    assert (error.name, error.message, error.data, error.retryable) == (
        "brand_new", "something new", {"x": 1}, retryable,
    )  # fmt: skip
    assert str(error) == "something new (brand_new)"


def test_a_remote_error_is_passed_on_as_it_came():
    first = Refused(5, "brand_new", "something new", {"x": 1}, True)
    assert encode(refusal(5, error_of(first))) == encode(first)


@pytest.mark.parametrize("data", [None, {}, [], "why", 5, {"other": 1}, {"why": 5}, {"why": None}])
def test_attributes_that_are_missing_or_wrong_leave_the_code_and_the_words(data):
    error = error_of(Refused(5, "forbidden", "forbidden: x", data))
    assert isinstance(error, RemoteError)
    assert (error.name, error.message, error.data) == ("forbidden", "forbidden: x", data)


def test_attributes_that_a_later_version_has_added_are_left_out():
    error = error_of(Refused(5, "forbidden", "forbidden: x", {"why": "x", "since": 5}))
    assert (type(error), str(error)) == (Forbidden, "forbidden: x")


def test_a_goodbye_is_an_error_too():
    said = goodbye(facets.errors.LinkLimitExceeded("connections of one principal", 5))
    assert (said.code, said.retryable) == ("link_limit_exceeded", True)
    error = error_of(said)
    assert isinstance(error, RemoteError)
    assert (error.name, error.retryable) == ("link_limit_exceeded", True)
    assert type(error_of(goodbye(facets.errors.Unauthenticated()))) is facets.errors.Unauthenticated


@attrs.define(eq=False, slots=False, str=False)
class OutOfStock(FacetError):
    """An error of a user's own, whose attribute may be anything."""

    item: Any

    def __str__(self):
        return f"no {type(self.item).__name__} left"


class PlainWords(FacetError):
    """One without attributes, and with words of its own."""

    def __init__(self, *words):
        super().__init__(" and ".join(words))


def test_errors_of_a_users_own_come_out_as_they_went_in():
    error = over_a_link(OutOfStock({"size": 5}))
    assert (type(error), error.item) == (OutOfStock, {"size": 5})
    assert (type(over_a_link(PlainWords("a", "b"))), str(over_a_link(PlainWords("a", "b")))) == (PlainWords, "a and b")


class Counted(FacetError):
    """One whose words are not what it is made of."""

    def __init__(self, count):
        super().__init__(f"{count} too many")


def test_an_error_that_its_words_do_not_make_is_a_remote_error():
    error = over_a_link(Counted(5))
    assert isinstance(error, RemoteError)
    assert (error.name, error.message) == ("counted", "5 too many")


@pytest.mark.parametrize("item", [object(), "\ud800", {1: object()}])
def test_an_attribute_that_json_has_no_words_for_is_left_out(item):
    refused = refusal(5, OutOfStock(item))
    assert (refused.code, refused.data) == ("out_of_stock", None)
    error = over_a_link(OutOfStock(item))
    assert isinstance(error, RemoteError)
    assert error.message == f"no {type(item).__name__} left"


def test_lone_surrogates_in_words_are_written_as_their_escapes():
    assert json.loads(encode(refusal(5, PlainWords("\ud800!"))))["message"] == "\\ud800!"


class Impostor(Forbidden):
    """A class of a user's own whose code is that of one of ours."""


Impostor.code = "not_in_audience"


def test_no_class_takes_the_place_of_one_that_was_there_before():
    error = over_a_link(questions.errors.NotInAudience("id-1"))
    assert type(error) is questions.errors.NotInAudience


@pytest.mark.parametrize(
    ("frame", "fault"),
    [
        ('{"type":"get","id":"hunter2","kind":"k"}', "$.id: Expected `int`, got `str`"),
        ('{"type":"get","id":1}', "$: Object missing required field `kind`"),
        ('{"type":"call","id":1,"object":0,"method":"m"}', "$.object: Expected `int` >= 1"),
        ('{"type":"get","id":1,"kind":"k","as":{"kind":"user","id":""}}', "$.as: "),
        ("no JSON", "$: JSON is malformed"),
        ("", "$: "),
        ("[" * 100_000, "$: "),
    ],
)
def test_a_frame_that_is_no_message_is_told_its_fault_and_path(frame, fault):
    with pytest.raises(msgspec.DecodeError) as caught:
        decode(frame)
    [told] = fault_of_frame(caught.value).faults
    assert told.startswith(fault)
    assert "hunter2" not in told


@attrs.define(eq=False, slots=False, str=False)
class Talkative(FacetError):
    """An error of a facet's own, with more to say than a frame holds."""

    what: str

    def __str__(self):
        return self.what * 2


def test_a_refusal_fits_into_any_frame():
    refused = refusal(7, Talkative("x" * 5_000_000))
    assert (refused.code, refused.data) == ("talkative", None)
    assert len(encode(refused)) < 20_000


class Mute(FacetError):
    """An error of a facet's own with a fault in it."""

    def __str__(self):
        return self.there_is_no_such_attribute  # type: ignore[attr-defined]


def test_an_error_that_cannot_say_what_it_is_is_an_internal_one():
    assert refusal(7, Mute()) == refusal(7, InternalError())
