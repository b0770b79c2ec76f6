"""The objects of a host as links hold them: whose they are, what of them is there, and when they are let go."""

import attrs
import pytest
from msgspec import Raw

from facets import Forbidden, facet, open_host, serve
from facets.errors import InvalidCall
from facets.link.interface import face, remote
from facets.link.offered import HostObjects, LocalObject, builtins_of, is_waiting
from tests.facets.link.desks import ANA, BOT, DESK, EVE, Desk, make_desk
from tests.rules import rule


@pytest.fixture
async def host():
    async with open_host([facet("desks", serves=[serve(Desk, make_desk)])], names={ANA: "Ana"}) as host:
        yield host


def got(host, principal=ANA, input=None):
    return HostObjects(host).get(DESK, principal, input, "s1", b"null")


async def test_an_object_says_whose_it_is_and_where_it_belongs(host):
    held = got(host)
    assert (held.face, held.who.principal, held.who.name, held.place, held.input) == ("desk", ANA, "Ana", "s1", b"null")
    assert await held.ready() is None
    assert held.now() == pytest.approx(host.now(), abs=60)


async def test_principals_get_the_face_that_is_theirs(host):
    assert (got(host, ANA).face, got(host, BOT).face) == ("desk", "glance")


@rule("Q-AUTH-1")
async def test_who_gets_an_object_without_a_face_gets_nothing_and_holds_nothing(host):
    with pytest.raises(Forbidden, match="guest:eve"):
        got(host, EVE)
    assert not host.references(Desk).value


@rule("Q-AUTH-1")
async def test_what_another_face_has_is_forbidden_and_what_none_has_is_unknown(host):
    glance = got(host, BOT)
    with pytest.raises(Forbidden):
        glance.call("wait", Raw(b"{}"))
    with pytest.raises(Forbidden):
        glance.readable("papers")
    for name in ("make", "__class__", "is_open", "lamp_cell"):
        with pytest.raises(InvalidCall):
            glance.call(name, Raw(b"{}"))
        with pytest.raises(InvalidCall):
            glance.readable(name)


async def test_results_are_what_frames_carry(host):
    held = got(host)
    assert held.call("add", Raw(b'{"paper":{"title":"t"}}')) == [{"title": "t", "pages": 1}]
    waiting = held.call("broken_later", Raw(b'{"word":"w"}'))
    assert (is_waiting(waiting), is_waiting(5)) == (True, False)
    with pytest.raises(ValueError, match="broken"):
        await waiting


async def test_an_object_that_cannot_be_wrapped_is_let_go(host):
    class Thing(Desk):
        pass

    def wrap(thing, ctx):
        raise OSError("no room")

    interface = remote("thing", Thing, faces=[face("thing", Desk, wrap=wrap)])
    with pytest.raises(OSError, match="no room"):
        LocalObject(host, attrs.evolve(interface, kind=Desk), ANA, None, None, b"null")
    assert not host.references(Desk).value


@pytest.mark.parametrize("lost", [True, False])
async def test_it_lingers_if_its_link_is_lost(host, lost):
    held = got(host)
    held.release(lost)
    assert [one.lingering for one in host.references(Desk).value.values()] == ([True] if lost else [])


async def test_only_what_is_declared_and_served_is_offered(host):
    objects = HostObjects(host)
    assert objects.interface("desk") is DESK
    for name in ("Desk", "questions", "", "x" * 300):
        with pytest.raises(InvalidCall) as caught:
            objects.interface(name)
        assert len(str(caught.value)) < 120


async def test_a_type_that_is_declared_again_takes_the_place_of_the_old_one():
    def again():
        class Thing(Desk):
            pass

        return remote("thing", Thing, methods=["odd"])

    old, new = again(), again()
    facets = [facet(name, serves=[serve(one.kind, make_desk)]) for name, one in (("old", old), ("new", new))]
    async with open_host(facets) as host:
        assert HostObjects(host).interface("thing") is new


@pytest.mark.parametrize("raw", [b"[" * 100_000 + b"]" * 100_000, b'"\\ud800"', b"1e999"])
def test_what_is_no_json_that_can_be_read_is_refused(raw):
    with pytest.raises(InvalidCall) as caught:
        builtins_of(Raw(raw), "$.args")
    assert caught.value.faults == ["$.args: is not JSON that can be read"]
