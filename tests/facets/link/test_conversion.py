"""From JSON values to the types of a program, strictly; and what is wrong with those that do not fit."""

import enum
from collections import deque
from collections.abc import Mapping, MutableSequence, MutableSet, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, TypedDict, TypeVar

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facets import Forbidden, InvalidPrincipal, Principal, Who
from facets.errors import InvalidCall
from facets.link.conversion import Misfit, faults_of, is_known, make_converter, plain

CONVERTER = make_converter()
ANA = Principal.user("ana")


class Colour(enum.Enum):
    RED = "red"


class Shape(enum.StrEnum):
    ROUND = "round"


class Size(enum.IntEnum):
    LARGE = 3


class Rate(float, enum.Enum):
    HALF = 0.5


class Name(str):
    __slots__ = ()


class Typed(TypedDict):
    a: int


class Unresolved:
    x: "Nowhere"  # type: ignore[name-defined]  # noqa: F821


@attrs.frozen
class Point:
    x: int
    y: int = 0


@attrs.frozen
class Drawing:
    name: str
    points: tuple[Point, ...] = ()
    by: Principal | None = None


FITS = [
    (str, "text", "text"), (bool, True, True), (int, 5, 5), (int, 2**70, 2**70), (float, 1, 1.0), (float, 1.5, 1.5),
    (type(None), None, None), (Any, {"a": [1]}, {"a": [1]}), (dict, {"a": 1}, {"a": 1}),
    (str | None, None, None), (str | None, "a", "a"), (bytes, "YWI=", b"ab"),
    (list[int], [1, 2], [1, 2]), (tuple[int, ...], [1, 2], (1, 2)), (Sequence[int], [1, 2], (1, 2)), (list, [1], [1]),
    (tuple, [1, "a"], (1, "a")), (tuple[int, str], [1, "a"], (1, "a")), (set[int], [1, 2], {1, 2}),
    (frozenset[str], ["a"], frozenset({"a"})), (list[list[int]], [[1], []], [[1], []]),
    (dict[str, int], {"a": 1}, {"a": 1}), (Mapping[str, int], {"a": 1}, {"a": 1}),
    (Literal["a", 1], 1, 1), (Colour, "red", Colour.RED), (Literal[Colour.RED], "red", Colour.RED),
    (Principal, {"kind": "user", "id": "ana"}, ANA),
    (Who, {"kind": "user", "id": "ana", "name": "Ana"}, Who(ANA, "Ana")),
    (datetime, 0, datetime(1970, 1, 1, tzinfo=UTC)), (datetime, 1.5, datetime(1970, 1, 1, 0, 0, 1, 500_000, UTC)),
    (Shape, "round", Shape.ROUND), (Size, 3, Size.LARGE), (Rate, 0.5, Rate.HALF), (Name, "n", Name("n")),
    (Typed, {"a": 1}, {"a": 1}), (deque[int], [1], deque([1])), (MutableSequence[int], [1], [1]),
    (Point, {"x": 1}, Point(1)), (Drawing, {"name": "n", "points": [{"x": 1, "y": 2}]}, Drawing("n", (Point(1, 2),))),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value", "made"), FITS)
def test_what_fits_is_taken(kind, value, made):
    found = CONVERTER.structure(value, kind)
    assert (found, type(found)) == (made, type(made))


MISFITS = [
    (str, 1), (str, True), (str, None), (str, ["a"]), (bool, 1), (bool, 0), (bool, "true"), (bool, None),
    (int, "1"), (int, 1.0), (int, True), (int, None), (float, "1"), (float, True), (float, None), (float, 10**400),
    (type(None), 0), (type(None), "null"), (dict, ["ab"]), (dict, "ab"), (str | None, 1), (int | None, "1"),
    (bytes, 5), (bytes, 10**12), (bytes, "not base64!"), (bytes, ["YWI="]), (bytes, "Y WI="),
    (list[int], "12"), (tuple[int, ...], {"a": 1}), (Sequence[str], "ab"), (list, "ab"), (tuple, "ab"),
    (tuple[str, str], "ab"), (tuple[int, str], [1]), (tuple[int, str], [1, "a", 2]), (set[str], "ab"),
    (set[int], {"1": 2}),
    (frozenset[str], "ab"), (set[list[int]], [[1]]), (dict[str, int], [["a", 1]]), (dict[str, int], {"a": "1"}),
    (dict[int, str], {"1": "a"}), (Literal[1], True), (Literal[1], 1.0), (Literal["a"], "b"), (Colour, "blue"),
    (Colour, ["red"]),
    (Principal, "user:ana"), (Principal, {"kind": "king", "id": "ana"}), (Principal, {"kind": "user"}),
    (Principal, {"kind": "user", "id": "ana", "admin": True}), (Principal, {"kind": "user", "id": 5}),
    (Principal, {"kind": ["user"], "id": "ana"}), (Who, {"kind": "user", "id": "ana"}),
    (Who, {"kind": "user", "id": "ana", "name": 5}), (datetime, "2026-01-01"), (datetime, True), (datetime, 1e18),
    (datetime, -1e18),
    (datetime, 10**400), (Point, [1]), (Point, "x"), (Point, None), (Point, {}), (Point, {"x": "1"}),
    (Point, {"x": 1, "z": 2}),
    (Shape, "square"), (Shape, 1), (Size, 4), (Size, True), (Size, 3.0), (Rate, 0.7), (Rate, "0.5"), (Name, 5),
    (Typed, {"a": "x"}), (Typed, {}), (Typed, []), (deque[str], "ab"), (MutableSequence[str], "ab"),
    (MutableSet[str], "ab"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), MISFITS)
def test_nothing_is_taken_for_another_type(kind, value):
    with pytest.raises(Exception) as caught:  # noqa: PT011  # of whatever kind: what is told of it counts
        CONVERTER.structure(value, kind)
    faults = list(faults_of(caught.value))
    assert faults
    assert all(fault.startswith("$") and ": " in fault for fault in faults)


def faults(value, kind, path="$"):
    """What is told of a value that does not fit; nothing of one that does."""
    try:
        CONVERTER.structure(value, kind)
    except Exception as error:
        return sorted(faults_of(error, path))
    return []


def test_every_fault_is_told_with_its_path():
    given = {
        "points": [{"x": "1"}, {"y": 2}, "p", {"x": 1, "z": 1}],
        "by": {"kind": "king", "id": ""},
        "colour": "red",
    }
    assert faults(given, Drawing, "$.args.drawing") == [
        "$.args.drawing.by.id: 1 to 200 code points, not 0",
        "$.args.drawing.by.kind: one of guest, program, server, user, worker, not 'king'",
        "$.args.drawing.colour: there is no such field",
        "$.args.drawing.name: is missing",
        "$.args.drawing.points[0].x: must be a whole number",
        "$.args.drawing.points[1].x: is missing",
        "$.args.drawing.points[2]: is not what it must be",
        "$.args.drawing.points[3].z: there is no such field",
    ]


def test_members_of_objects_are_named_by_their_keys_cut_short():
    assert faults({"a" * 1000: "x"}, dict[str, int]) == [f"$[{'a' * 50}]: must be a whole number"]


def test_a_field_that_there_is_not_is_named_cut_short():
    assert faults({"x": 1, "z" * 1000: 1}, Point) == [f"$.{'z' * 50}: there is no such field"]


def test_an_error_of_ours_tells_its_faults_below_the_path():
    assert list(faults_of(InvalidCall(["$.x: bad", "$: all bad"]), "$.a")) == ["$.a.x: bad", "$.a: all bad"]
    assert list(faults_of(Forbidden("x"), "$.a")) == ["$.a: is not what it must be"]


SECRET = "hunter2"


@pytest.mark.parametrize("kind", [kind for kind, _ in MISFITS])
@given(wrap=st.sampled_from([lambda v: v, lambda v: [v], lambda v: {"x": v}, lambda v: {"kind": "user", "id": [v]}]))
def test_no_fault_quotes_a_value(kind, wrap):
    assert SECRET not in "".join(faults(wrap(SECRET), kind))


def test_a_principals_kind_is_no_secret_and_is_quoted():
    assert faults({"kind": "king", "id": "x"}, Principal)[0].endswith("not 'king'")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(), st.lists))
def test_whatever_comes_is_made_or_refused_and_what_is_made_is_of_the_type(value):
    for kind in (str, bool, int, bytes, dict, list):
        try:
            assert type(CONVERTER.structure(value, kind)) is kind
        except Misfit:
            assert kind is bytes or type(value) is not kind


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Who(ANA, "Ana"), {"kind": "user", "id": "ana", "name": "Ana"}),
        (ANA, {"kind": "user", "id": "ana"}),
        (datetime(1970, 1, 1, 0, 1, tzinfo=UTC), 60.0),
        ((Who(ANA, "Ana"), 1), [{"kind": "user", "id": "ana", "name": "Ana"}, 1]),
        ([datetime(1970, 1, 1, tzinfo=UTC)], [0.0]),
        (Point(1), {"x": 1, "y": 0}),
        ("text", "text"),
        (None, None),
    ],
)
def test_plain_values_are_what_frames_carry(value, expected):
    assert plain(value) == expected


@pytest.mark.parametrize(
    "value", [Who(ANA, "Ana"), ANA, datetime(2026, 1, 1, tzinfo=UTC), Drawing("n", (Point(1),), ANA)]
)
def test_what_is_written_is_read_as_it_was(value):
    assert CONVERTER.structure(CONVERTER.unstructure(value), type(value)) == value


class Unknown:
    pass


@pytest.mark.parametrize(
    ("kind", "known"),
    [(int, True), (Any, True), (list[Point], True), (dict[str, int], True), (str | None, True), (tuple, True),
     (Unknown, False), (int | str, False), (list[Unknown], False), (tuple[int, Unknown], False), (complex, False),
     (TypeVar("T"), False), (attrs.define(Unresolved), False), (dict[str, complex], False), (Shape, True)],
)  # fmt: skip
def test_what_it_can_make_is_known_beforehand(kind, known):
    assert is_known(CONVERTER, kind) is known


def test_hooks_of_a_converter_are_its_own():
    made = make_converter()
    made.register_structure_hook(Unknown, lambda value, _: Unknown())
    assert (is_known(made, Unknown), is_known(CONVERTER, Unknown)) == (True, False)


def test_an_invalid_principal_keeps_its_error():
    with pytest.raises(InvalidPrincipal):
        CONVERTER.structure({"kind": "user", "id": ""}, Principal)
