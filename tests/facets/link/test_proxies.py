"""What a remote object looks like to a program: how calls are bound, and what results and values are made of."""

import json

import pytest
from msgspec import Raw

from facets.errors import InvalidCall
from facets.link.interface import face, remote
from facets.link.mirror import KeyedMirror, ValueMirror
from facets.link.proxies import bind, mirror_of, reader_of, result_of
from tests.facets.link.desks import DESK, SECRET, Desk, Paper
from tests.rules import rule

METHODS = DESK.face("desk").methods
LAMP = reader_of(DESK, DESK.watchable("lamp"), lambda: 0.0)


def bound(method, *args, **named):
    return json.loads(bind(DESK, METHODS[method], args, named, 5.0).args)


def test_arguments_are_bound_by_the_signature_and_sent_by_name():
    paper = {"title": "t", "pages": 1}
    assert bound("add", Paper("t")) == {"paper": paper}
    assert bound("add", Paper("t"), 2, note="n") == {"paper": paper, "times": 2, "note": "n"}


@pytest.mark.parametrize(("args", "named"), [((), {}), ((1, 2, 3, 4), {}), ((1,), {"other": 1}), ((1,), {"paper": 1})])
def test_arguments_that_a_method_does_not_take_are_a_type_error(args, named):
    with pytest.raises(TypeError):
        bind(DESK, METHODS["add"], args, named, 5.0)


@rule("Q-SEC-1")
def test_what_is_bound_shows_no_argument():
    assert SECRET not in repr(bind(DESK, METHODS["broken"], (SECRET,), {}, 5.0))


def test_a_call_is_made_again_only_as_its_face_says():
    assert bind(DESK, METHODS["add"], (Paper("t"),), {}, 5.0).again is None
    again = {"add": lambda args, began: {**args, "times": began} if args.get("times") else None}
    method = face("again", Desk, methods=["add"], again=again).methods["add"]
    assert bind(DESK, method, (Paper("t"),), {}, 5.0).again is None
    repeated = bind(DESK, method, (Paper("t"), 2), {}, 5.0).again
    assert repeated is not None
    assert json.loads(repeated(99.0))["times"] == 5.0


def test_results_are_made_by_their_hints():
    assert result_of(DESK, METHODS["add"], Raw(b'[{"title":"t"}]')) == [Paper("t")]
    assert result_of(DESK, METHODS["forbidden"], Raw(b"null")) is None


def test_a_result_that_does_not_fit_tells_every_fault():
    with pytest.raises(InvalidCall) as caught:
        result_of(DESK, METHODS["add"], Raw(b'[{"title":1},{}]'))
    assert caught.value.faults == ["$.value[0].title: must be text", "$.value[1].title: is missing"]


@pytest.mark.parametrize("value", [b'"\\ud800"', b"[" * 100_000 + b"]" * 100_000, b"nothing"])
def test_what_is_no_json_that_can_be_read_is_one_fault(value):
    for read in (lambda: result_of(DESK, METHODS["add"], Raw(value)), lambda: LAMP(Raw(value), 1.0)):
        with pytest.raises(InvalidCall, match="is not JSON that can be read"):
            read()


def test_mirrors_are_of_the_kind_and_in_the_order_of_what_they_show():
    assert isinstance(mirror_of(DESK.watchable("lamp")), ValueMirror)
    ordered = face("desk", Desk, readables=["papers"], order={"papers": lambda paper: paper.pages})
    mirror = mirror_of(ordered.readables["papers"])
    assert isinstance(mirror, KeyedMirror)
    mirror.replace({"b": Paper("b", 2), "a": Paper("a", 1)})
    assert list(mirror.value) == ["a", "b"]


def test_values_are_read_with_the_moment_of_their_arrival():
    interface = remote("desk again", type("Again", (Desk,), {}), readables=["lamp"], readers={str: lambda *all: all})
    given, arrival = reader_of(interface, interface.watchable("lamp"), lambda: 8.0)(Raw(b'"on"'), 100.0)
    assert (given, arrival.sent, arrival.at, arrival.clock()) == ("on", 100.0, 8.0, 8.0)
