"""Who writes what has changed and when; and objects that are given later."""

from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from facets import Unavailable, Who
from facets.link.serving import Flusher
from tests.facets.link.desks import ANA, open_peer


class Link:
    def __init__(self, flushed):
        self.flushed = flushed

    def flush(self):
        self.flushed.append(self)


@pytest.fixture
async def flusher(nursery):
    flusher: Any = Flusher()
    nursery.start_soon(flusher.run)
    await wait_all_tasks_blocked()
    return flusher


async def test_links_are_flushed_in_a_later_step_in_the_order_of_their_changes(flusher):
    flushed: list = []
    links = [Link(flushed) for _ in range(3)]
    for link in links:
        flusher.add(link)
    assert flushed == []
    await wait_all_tasks_blocked()
    assert flushed == links


async def test_what_is_added_while_others_are_flushed_is_flushed_too(flusher):
    flushed: list = []
    late = Link(flushed)

    class Early(Link):
        def flush(self):
            super().flush()
            flusher.add(late)

    early = Early(flushed)
    flusher.add(early)
    await wait_all_tasks_blocked()
    assert flushed == [early, late]


async def test_many_links_leave_other_tasks_their_turn(flusher, nursery):
    flushed: list = []
    when = []

    async def other():
        for _ in range(3):
            await trio.lowlevel.checkpoint()
            when.append(len(flushed))

    for _ in range(200):
        flusher.add(Link(flushed))
    nursery.start_soon(other)
    await wait_all_tasks_blocked()
    assert (len(flushed), when[0] < 200) == (200, True)


async def test_a_flusher_that_is_cancelled_can_be_added_to():
    flusher: Any = Flusher()
    with trio.move_on_after(0):
        await flusher.run()
    flusher.add(Link([]))


# --- objects that are given later ---------------------------------------------------------------------------------


class Later:
    """An object of a worker's, which says only later what it is."""

    face, who = "", Who(ANA, "Ana")

    def __init__(self, error=None):
        self.gate = trio.Event()
        self.released = None
        self._error = error

    def now(self):
        return 5.0

    async def ready(self):
        await self.gate.wait()
        if self._error is not None:
            raise self._error
        self.face = "desk"

    def release(self, lost):
        self.released = lost


def peer_with(peer, later):
    peer.serving._resolve = lambda get: later
    return peer.new("get", kind="desk")


async def test_an_object_is_got_once_it_is_known_what_it_is():
    async with open_peer() as peer:
        later = Later()
        id, replies = peer_with(peer, later)
        assert (replies, await peer.later()) == ([], [])
        later.gate.set()
        [got] = await peer.later()
        assert (got["type"], got["id"], got["face"], got["now"]) == ("got", id, "desk", 5.0)


@pytest.mark.parametrize(
    ("error", "code"), [(Unavailable("its worker"), "unavailable"), (ValueError("x"), "internal_error")]
)
async def test_an_object_that_is_refused_later_is_not_held(error, code):
    async with open_peer() as peer:
        later = Later(error)
        id, _ = peer_with(peer, later)
        later.gate.set()
        [refused] = await peer.later()
        assert (refused["id"], refused["code"], peer.serving.held(), peer.session.objects) == (id, code, [], set())


@pytest.mark.parametrize("error", [None, Unavailable("its worker")])
async def test_an_object_that_was_released_meanwhile_is_told_of_no_more(error):
    async with open_peer() as peer:
        later = Later(error)
        id, _ = peer_with(peer, later)
        assert peer.say("release", object=id) == []
        assert later.released is False
        later.gate.set()
        assert await peer.later() == []
