"""What a type offers over links: what its declaration says, with the hints that it has, and what is wrong with one."""

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Raw

from facets import Cell, InvalidFacet, KeyedCell, KeyedReadable, Readable
from facets.errors import InvalidCall
from facets.link.conversion import make_converter
from facets.link.interface import Arrival, face, interface_of, remote
from tests.facets.link.desks import DESK, Desk, Glance, Paper

if TYPE_CHECKING:
    from decimal import Decimal

ARRIVAL = Arrival(1.0, 2.0, lambda: 2.0)


def declared(**options) -> Any:
    """The interface of a class of its own, so that no test sees another's."""

    class Thing:
        lamp: Readable[str]

        def sit(self, hours: int, where: str = "here", *, loud: bool = False) -> Paper:
            return Paper(where, hours)

    return remote("thing", Thing, **options)


def test_a_type_offers_what_was_declared():
    interface: Any = declared(methods=["sit"], readables=["lamp"], input=str)
    assert [interface_of(interface.kind)] == [interface]
    [only] = interface.faces
    assert (interface.name, interface.input, only.name, only.wrap) == ("thing", str, "object", None)
    assert (list(only.methods), list(only.readables)) == (["sit"], ["lamp"])
    sit = only.methods["sit"]
    assert [(one.name, one.hint, one.required) for one in sit.parameters] == [
        ("hours", int, True), ("where", str, False), ("loud", bool, False),
    ]  # fmt: skip
    assert (sit.returns, sit.again, list(sit.signature.parameters)) == (Paper, None, ["hours", "where", "loud"])


def test_a_subclass_offers_nothing_of_its_own():
    class Below(Desk):
        pass

    assert (interface_of(Below), interface_of(int)) == (None, None)


def test_a_served_object_has_the_first_face_that_it_fits():
    faces = [DESK.face_of(one) for one in (Glance(None, None), Desk(None, None), object())]
    assert [face and face.name for face in faces] == ["glance", "desk", None]


def test_what_there_is_not_is_told_cut_short():
    for find, path in ((DESK.face, "$.face"), (DESK.watchable, "$.readable")):
        with pytest.raises(InvalidCall) as caught:
            find("x" * 500)
        [fault] = caught.value.faults
        assert fault.startswith(path)
        assert len(fault) < 120


def test_readables_are_found_by_their_hints():
    class Screen:
        plain: Readable[int]
        cell: Cell[str]
        keyed: KeyedReadable[str, Paper]

        @property
        def worked_out(self) -> Readable[list[int]]:
            return Cell([1])

    [only] = remote("screen", Screen, readables=["plain", "cell", "keyed", "worked_out"]).faces
    found = {name: (one.keyed, one.value) for name, one in only.readables.items()}
    assert found == {
        "plain": (False, int), "cell": (False, str), "keyed": (True, Paper), "worked_out": (False, list[int]),
    }  # fmt: skip


# --- arguments ----------------------------------------------------------------------------------------------------


def arguments(given):
    return declared(methods=["sit"]).faces[0].methods["sit"].arguments(given, make_converter())


def test_arguments_are_given_by_name_and_defaults_stay_away():
    assert arguments({"hours": 2}) == {"hours": 2}
    assert arguments({"loud": True, "hours": 2, "where": "there"}) == {"hours": 2, "where": "there", "loud": True}


@pytest.mark.parametrize("given", [[], "x", 5, None, [["hours", 2]]])
def test_arguments_are_an_object(given):
    with pytest.raises(InvalidCall) as caught:
        arguments(given)
    assert caught.value.faults == ["$.args: an object with the arguments of sit by name"]


def test_every_fault_of_the_arguments_is_told():
    with pytest.raises(InvalidCall) as caught:
        arguments({"where": 5, "self": 1, "x" * 500: 1, "loud": "yes"})
    assert caught.value.faults == [
        "$.args.self: sit takes no such argument",
        f"$.args.{'x' * 50}: sit takes no such argument",
        "$.args.hours: is missing",
        "$.args.where: must be text",
        "$.args.loud: must be true or false",
    ]


# --- inputs and values --------------------------------------------------------------------------------------------


def test_an_input_is_structured():
    assert declared(input=tuple[int, ...]).structure_input([1, 2]) == (1, 2)
    assert declared().structure_input(None) is None


@pytest.mark.parametrize(
    ("hint", "given", "fault"),
    [
        (type(None), "x", "$.input: must be null"),
        (Paper, {"title": 1}, "$.input.title: must be text"),
        (list[int], [1], "$.input: is not what it must be"),
        (Any, {"a": 1}, "$.input: is not what it must be"),
    ],
)
def test_an_input_that_does_not_fit_or_names_no_object_is_refused(hint, given, fault):
    with pytest.raises(InvalidCall) as caught:
        declared(input=hint).structure_input(given)
    assert caught.value.faults == [fault]


def test_values_go_out_by_their_hints_and_what_is_encoded_stays():
    to_wire = DESK.to_wire(Paper)
    assert to_wire(Paper("a", 2)) == {"title": "a", "pages": 2}
    encoded = Raw(b"1")
    assert to_wire(encoded) is encoded


def test_values_come_in_by_their_hints_or_by_a_reader_of_ones_own():
    papers = DESK.watchable("papers")
    assert DESK.read(papers, {"title": "a"}, ARRIVAL) == Paper("a")
    with pytest.raises(InvalidCall) as caught:
        DESK.read(papers, {"pages": 1}, ARRIVAL)
    assert caught.value.faults == ["$.title: is missing"]
    own = declared(readables=["lamp"], readers={str: lambda given, arrival: (given, arrival.sent)})
    assert own.read(own.watchable("lamp"), 5, ARRIVAL) == (5, 1.0)


# --- what is wrong with a declaration -----------------------------------------------------------------------------


class Bad:
    """One of every kind."""

    attribute = 5
    unhinted = Cell(1)
    three: KeyedCell[str, int, int]
    by_number: KeyedReadable[int, str]
    no_readable: int
    of_nothing: Readable[complex]

    def no_hint(self, x, y: int) -> None: ...

    def no_return(self, x: int):
        pass

    def positional(self, x: int, /) -> None: ...

    def many(self, *x: int) -> None: ...

    def named(self, **x: int) -> None: ...

    def generator(self) -> Iterator[int]:
        yield 1

    async def async_generator(self) -> AsyncIterator[int]:
        yield 1

    def unresolved(self, x: "Decimal") -> None: ...

    def of_complex(self, x: complex, y: list[complex]) -> complex:
        return x

    @staticmethod
    def static(x: int) -> None: ...

    @property
    def prop(self) -> Readable[int]:
        return Cell(1)

    @property
    def unhinted_prop(self):
        return Cell(1)


def faults_of(**options):
    with pytest.raises(InvalidFacet) as caught:
        remote("bad", Bad, **options)
    assert caught.value.name == "bad"
    assert interface_of(Bad) is None
    return list(caught.value.faults)


@pytest.mark.parametrize(
    ("method", "fault"),
    [
        ("nothing", "$.methods.nothing: Bad has no such method"),
        ("attribute", "$.methods.attribute: Bad has no such method"),
        ("static", "$.methods.static: Bad has no such method"),
        ("prop", "$.methods.prop: Bad has no such method"),
        ("no_hint", "$.methods.no_hint.x: needs a type hint that can be resolved"),
        ("no_return", "$.methods.no_return: needs the type hint of what it returns, and one that can be resolved"),
        ("positional", "$.methods.positional.x: must be one argument that can be given by its name"),
        ("many", "$.methods.many.x: must be one argument that can be given by its name"),
        ("named", "$.methods.named.x: must be one argument that can be given by its name"),
        ("generator", "$.methods.generator: must return one result, and is a generator; offer a readable instead"),
        (
            "async_generator",
            "$.methods.async_generator: must return one result, and is a generator; offer a readable instead",
        ),
    ],
)
def test_a_method_that_cannot_be_offered_is_a_fault(method, fault):
    assert faults_of(methods=[method]) == [fault]


def test_a_hint_that_cannot_be_resolved_is_a_fault():
    assert "$.methods.unresolved.x: needs a type hint that can be resolved" in faults_of(methods=["unresolved"])


def test_a_type_that_nothing_can_be_made_of_is_a_fault_unless_there_is_a_hook():
    faults = faults_of(methods=["of_complex"], readables=["of_nothing"], input=complex)
    assert [fault.split(":")[0] for fault in faults] == [
        "$.input", "$.methods.of_complex.x", "$.methods.of_complex.y", "$.methods.of_complex", "$.readables.of_nothing",
    ]  # fmt: skip

    class Good:
        def of_complex(self, x: complex) -> complex:
            return x

    converter = make_converter()
    converter.register_structure_hook(complex, lambda value, _: complex(value))
    assert remote("good", Good, methods=["of_complex"], converter=converter).kind is Good


@pytest.mark.parametrize(
    "readable", ["nothing", "unhinted", "three", "by_number", "no_readable", "unhinted_prop", "many"]
)
def test_a_readable_needs_the_hint_of_one(readable):
    assert faults_of(readables=[readable]) == [
        f"$.readables.{readable}: needs the type hint Readable[T] or KeyedReadable[str, T]"
    ]


def test_every_fault_is_told_at_once():
    assert len(faults_of(methods=["nothing", "many"], readables=["nothing"])) == 3


@pytest.mark.parametrize("name", ["", "x" * 201])
def test_a_name_can_be_told_in_a_message(name):
    with pytest.raises(InvalidFacet) as caught:
        remote(name, Bad, methods=["nothing"])
    assert caught.value.faults == ["$.name: 1 to 200 code points", "$.methods.nothing: Bad has no such method"]


def test_faces_have_names_of_their_own_and_everything_is_in_them():
    one, two = face("same", Desk, methods=["odd"]), face("same", Glance)
    assert faults_of(faces=[one, two], methods=["no_hint"]) == [
        "$.faces: declare methods and readables in the faces, or without any",
        "$.faces: two are called 'same'",
    ]


def test_a_face_tells_its_own_faults():
    with pytest.raises(InvalidFacet) as caught:
        face("", Bad, methods=["nothing"], again={"other": lambda *_: None}, order={"another": id})
    assert caught.value.faults == [
        "$.methods.nothing: Bad has no such method",
        "$.name: must not be empty",
        "$.again.other: is not among the methods",
        "$.order.another: is not among the readables",
    ]


def test_a_face_may_offer_what_stands_for_an_object():
    class Shown:
        def odd(self) -> int:
            return 5

    made = face("shown", Desk, methods=["odd"], hints=Shown, wrap=lambda desk, ctx: Shown())
    assert (made.kind, made.methods["odd"].returns) == (Desk, int)


def test_what_belongs_to_no_session_says_so():
    assert DESK.place(None) is None
    assert declared(place=lambda input: input).place("s1") == "s1"
