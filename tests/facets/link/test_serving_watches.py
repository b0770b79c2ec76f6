"""Watches of a peer, with a real host and a list for a socket: the newest value, when there is room for it."""

import pytest

from facets import Cell, KeyedCell
from facets.errors import InvalidCall
from tests.facets.link.desks import BOT, Paper, open_peer
from tests.rules import rule


async def test_a_watch_is_told_the_value_at_once_and_the_newest_after_each_step():
    async with open_peer() as peer:
        watch, [first] = peer.watching(peer.got(), "lamp")
        epoch = peer.epochs.of(peer.desk().lamp_cell)
        assert first == {"type": "snapshot", "id": watch, "epoch": epoch, "revision": 0, "value": "off", "now": 7.0}
        for value in ("on", "dim", "red"):
            peer.desk().lamp_cell.set(value)
        assert peer.read() == []
        [only] = await peer.later()
        assert (only["value"], only["revision"]) == ("red", 3)
        assert await peer.later() == []


@rule("Q-VIEW-2")
async def test_a_mapping_is_told_by_its_differences():
    async with open_peer() as peer:
        watch, [first] = peer.watching(peer.got(), "papers")
        assert (first["type"], first["value"], first["revision"]) == ("snapshot", {}, 0)
        papers = peer.desk().papers_on_it
        for title in "abc":
            papers.put(title, Paper(title))
        papers.drop("b", "shredded")
        [difference] = await peer.later()
        assert difference == {
            "type": "difference", "id": watch, "base": 0, "revision": 4, "now": 7.0,
            "put": {"a": {"title": "a", "pages": 1}, "c": {"title": "c", "pages": 1}},
        }  # fmt: skip
        papers.drop("a", "burnt")
        [difference] = await peer.later()
        assert (difference["base"], difference["revision"], difference["drop"]) == (4, 5, {"a": "burnt"})


async def test_what_came_and_went_between_two_flushes_is_not_told():
    async with open_peer() as peer:
        peer.watching(peer.got(), "papers")
        papers = peer.desk().papers_on_it
        papers.put("a", Paper("a"))
        papers.drop("a", "gone")
        assert await peer.later() == []
        papers.put("b", Paper("b"))
        [difference] = await peer.later()
        assert (difference["base"], difference["revision"], list(difference["put"])) == (0, 3, ["b"])


@rule("Q-VIEW-2")
async def test_a_peer_that_does_not_read_costs_one_newest_value():
    async with open_peer() as peer:
        desk = peer.got()
        peer.watching(desk, "lamp")
        peer.watching(desk, "papers")
        peer.is_ready = False
        for number in range(50):
            peer.desk().lamp_cell.set(str(number))
            peer.desk().papers_on_it.put("a", Paper("a", number))
            assert await peer.later() == []
        peer.is_ready = True
        peer.serving.flush()
        lamp, papers = sorted(peer.read(), key=lambda one: one["id"])
        assert (lamp["value"], papers["value"]) == ("49", {"a": {"title": "a", "pages": 49}})


async def test_calls_of_a_peer_that_does_not_read_are_answered_all_the_same():
    async with open_peer() as peer:
        desk = peer.got()
        peer.is_ready = False
        assert peer.called(desk, "large", size=1)[1][0]["value"] == "x"
        assert peer.watching(desk, "lamp")[1] == []


async def test_an_unwatched_readable_is_told_no_more_and_not_listened_to():
    async with open_peer() as peer:
        watch, _ = peer.watching(peer.got(), "lamp")
        peer.desk().lamp_cell.set("on")
        assert peer.say("unwatch", id=watch) == []
        assert (await peer.later(), peer.desk().lamp_cell._listeners) == ([], {})


@pytest.mark.parametrize(("readable", "code"), [("nothing", "invalid_call"), ("missing", "internal_error")])
async def test_what_cannot_be_watched_is_refused(readable, code):
    async with open_peer() as peer:
        id, [refused] = peer.watching(peer.got(), readable)
        assert (refused["type"], refused["id"], refused["code"], peer.session.watches) == ("refused", id, code, {})


async def test_what_another_face_has_is_forbidden():
    async with open_peer(BOT) as peer:
        glance = peer.got()
        assert peer.watching(glance, "papers")[1][0]["code"] == "forbidden"
        assert peer.called(glance, "wait", word="w")[1][0]["code"] == "forbidden"
        assert peer.watching(glance, "lamp")[1][0]["value"] == "off"


async def test_a_readable_that_cannot_be_read_is_unavailable_until_it_can(caplog):
    async with open_peer() as peer:
        watch, told = peer.watching(peer.got(), "doubled")
        away = {"type": "unavailable", "id": watch, "why": "it cannot be read now"}
        assert told == [away]
        peer.desk().lamp_cell.set("still no number")
        assert await peer.later() == []  # told once
        peer.desk().lamp_cell.set("4")
        [snapshot] = await peer.later()
        assert snapshot["value"] == 8
        peer.desk().lamp_cell.set("off")
        assert await peer.later() == [away]
        peer.desk().lamp_cell.set("4")
        assert [one["value"] for one in await peer.later()] == [8]
    assert "cannot be read" in caplog.text


async def test_a_value_that_json_has_no_words_for_disturbs_no_other_watch():
    async with open_peer() as peer:
        desk = peer.got()
        lamp, _ = peer.watching(desk, "lamp")
        papers, _ = peer.watching(desk, "papers")
        peer.desk().lamp_cell.set("\ud800")
        peer.desk().papers_on_it.put("a", Paper("\ud800"))
        assert sorted(one["id"] for one in await peer.later()) == [lamp, papers]
        peer.desk().papers_on_it.put("a", Paper("good"))
        [difference] = await peer.later()
        assert (difference["base"], difference["put"]) == (0, {"a": {"title": "good", "pages": 1}})
        peer.desk().lamp_cell.set("on")
        assert [one["value"] for one in await peer.later()] == ["on"]


# --- going on after a lost link -----------------------------------------------------------------------------------


async def resumed(peer, readable, **fields):
    """What a watch is told first that goes on from a revision of the given or the right epoch."""
    desk = peer.got()
    source = peer.desk().papers_on_it if readable == "papers" else peer.desk().lamp_cell
    [told] = peer.watching(desk, readable, **{"epoch": peer.epochs.of(source), **fields})[1]
    return told


async def test_a_mapping_goes_on_with_the_difference():
    async with open_peer() as peer:
        peer.got()
        for title in "ab":
            peer.desk().papers_on_it.put(title, Paper(title))
        told = await resumed(peer, "papers", revision=1)
        assert (told["type"], told["base"], told["revision"], list(told["put"])) == ("difference", 1, 2, ["b"])


async def test_a_watch_that_has_missed_nothing_is_told_that():
    async with open_peer() as peer:
        peer.got()
        peer.desk().papers_on_it.put("a", Paper("a"))
        told = await resumed(peer, "papers", revision=1)
        assert (told["type"], told["base"], told["revision"], "put" in told) == ("difference", 1, 1, False)
        assert (await resumed(peer, "lamp", revision=0))["type"] == "snapshot"


@pytest.mark.parametrize("fields", [{"epoch": "another", "revision": 1}, {"revision": -1}, {"revision": 77}])
async def test_another_epoch_and_a_revision_that_is_not_known_are_given_everything(fields):
    async with open_peer() as peer:
        peer.got()
        for title in "ab":
            peer.desk().papers_on_it.put(title, Paper(title))
        told = await resumed(peer, "papers", **fields)
        assert (told["type"], list(told["value"]), told["revision"]) == ("snapshot", ["a", "b"], 2)


# --- another object in its place ----------------------------------------------------------------------------------


class Instead:
    """An object that takes the place of another one."""

    face, who = "desk", None

    def __init__(self, **readables):
        self.readables = readables
        self.released = None

    def readable(self, name):
        if name not in self.readables:
            raise InvalidCall([f"$.readable: {name}"])
        return self.readables[name], None

    def release(self, lost):
        self.released = lost


async def test_watches_go_on_with_the_object_that_takes_the_place():
    async with open_peer() as peer:
        desk = peer.got()
        lamp, _ = peer.watching(desk, "lamp")
        papers, _ = peer.watching(desk, "papers")
        old = peer.desk()
        other: KeyedCell = KeyedCell(lambda _, raw: raw)
        other.put("new", {"title": "n"})
        peer.serving.replace(desk, Instead(lamp=Cell("theirs")))
        told = {one["id"]: one for one in await peer.later()}
        assert (told[lamp]["type"], told[lamp]["value"]) == ("snapshot", "theirs")
        assert told[lamp]["epoch"] != peer.epochs.of(old.lamp_cell)
        assert told[papers] == {"type": "ended", "id": papers, "why": "what it followed is there no more"}
        old.lamp_cell.set("on")
        assert (await peer.later(), peer.session.watches) == ([], {lamp: desk})


async def test_the_object_that_was_there_lingers():
    async with open_peer() as peer:
        desk = peer.got()
        [(_, old)] = peer.serving.held()
        instead = Instead()
        peer.serving.replace(desk, instead)
        assert (peer.serving.held(), old._ctx.lost) == ([(desk, instead)], True)
        peer.say("release", object=desk)
        assert instead.released is False
