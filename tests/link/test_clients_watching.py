"""What clients make of what they are told of the readables that they follow."""

import trio

from facets import Principal
from questions import Questions, SessionScope
from tests.link.clients import coming_back, every_client
from tests.link.raw import PATIENCE
from tests.link.relays import drop, sees, until
from tests.link.scripted import NOW, open_script
from tests.link.stages import SCOPE, open_stage_over_links
from tests.link.test_clients_lost import begin

ANA = Principal.user("ana")
BO = Principal.user("bo")


def shown(number):
    """An open question as a frame carries it."""
    asker = {"kind": "server", "id": "host", "name": "host"}
    return {
        "id": f"q_0123456789_{number}",
        "number": number,
        "scope": {"session": "s1"},
        "question": {"kind": "confirm", "message": f"{number}?"},
        "asker": asker,
        "on_behalf_of": None,
        "policy": {"kind": "first"},
        "asked_at": NOW,
        "deadline": NOW + 60,
        "default": None,
        "answered": [],
        "waiting_for": [{"kind": "user", "id": "x", "name": "X"}],
        "may_answer": True,
        "answered_by_me": False,
    }


def put(*numbers):
    return {shown(number)["id"]: shown(number) for number in numbers}


def snapshot(watch, revision, *numbers, epoch="o1"):
    value = put(*numbers)
    return {"type": "snapshot", "id": watch["id"], "epoch": epoch, "revision": revision, "value": value}


def difference(watch, base, revision, *numbers, drop=()):
    gone = {shown(number)["id"]: "answered" for number in drop}
    changed = {"put": put(*numbers), "drop": gone}
    return {"type": "difference", "id": watch["id"], "base": base, "revision": revision, **changed}


async def follow(script, link):
    """A viewer that has been told of question 1; the conversation, and the watch."""
    talk, viewer = await script.next(), await link.get(Questions, SCOPE)
    _ = viewer.open
    watch = await talk.hear("watch")
    await talk.say(snapshot(watch, 5, 1))
    await sees(viewer, "1?")
    return talk, viewer, watch


@every_client
async def test_followers_are_given_nothing_before_something_has_come(open_link):
    async with open_script("viewer") as script, open_link(script.url, "t") as link:
        talk, viewer = await script.next(), await link.get(Questions, SCOPE)
        assert viewer.open.unavailable == ""
        watch = await talk.hear("watch")
        await talk.say(snapshot(watch, 5, 1))
        (first,) = (await anext(viewer.open.changes())).values()
        assert (first.message, viewer.open.unavailable) == ("1?", None)
        assert 0 < first.remaining <= 60


@every_client
async def test_it_goes_on_from_its_revision_after_a_lost_link(open_link):
    async with open_script("viewer") as script, open_link(script.url, "t") as link:
        talk, viewer, _ = await follow(script, link)
        assert viewer.open.value
        await talk.cut()
        talk = await script.next()
        watch = await talk.hear("watch")
        assert (watch["epoch"], watch["revision"]) == ("o1", 5)
        await talk.say(difference(watch, 5, 7, 2))
        await sees(viewer, "1?", "2?")


@every_client
async def test_a_snapshot_after_a_lost_link_replaces_what_was_there(open_link):
    async with open_script("viewer") as script, open_link(script.url, "t") as link:
        talk, viewer, _ = await follow(script, link)
        differences = viewer.open.differences()
        await anext(differences)
        await talk.cut()
        talk = await script.next()
        await talk.say(snapshot(await talk.hear("watch"), 1, 2, epoch="o2"))
        change = await anext(differences)
        assert (list(change.put), list(change.drop), change.whole) == ([*put(2)], [*put(1)], False)
        await sees(viewer, "2?")


@every_client
async def test_a_gap_in_the_revisions_has_everything_sent_anew(open_link):
    async with open_script("viewer") as script, open_link(script.url, "t") as link:
        talk, viewer, watch = await follow(script, link)
        await talk.say(difference(watch, 6, 7, 3))
        assert (await talk.hear("unwatch"))["id"] == watch["id"]
        anew = await talk.hear("watch")
        assert (anew.get("epoch", ""), anew.get("revision", -1)) == ("", -1)
        await sees(viewer, "1?")
        await talk.say(snapshot(anew, 7, 2, 3))
        await sees(viewer, "2?", "3?")


@every_client
async def test_what_cannot_be_read_is_left_out_and_everything_is_sent_anew(open_link, caplog):
    async with open_script("viewer") as script, open_link(script.url, "t") as link:
        talk, viewer, watch = await follow(script, link)
        unreadable = {
            "type": "difference",
            "id": watch["id"],
            "base": 5,
            "revision": 6,
            "put": {"q": {"id": "hunter2"}},
        }
        await talk.say("hunter2", '{"type": "hunter2"}', unreadable)
        assert "cannot be read" in await until(viewer.open.unavailability, lambda why: why)
        await sees(viewer, "1?")
        await talk.say(difference(watch, 6, 7, 2))
        await talk.say(snapshot(await talk.hear("watch"), 7, 2))
        await sees(viewer, "2?")
        assert viewer.open.unavailable is None
    assert "hunter2" not in caplog.text


@every_client
async def test_what_is_out_of_reach_says_so_and_comes_back(open_link):
    async with open_script("viewer") as script, open_link(script.url, "t") as link:
        talk, viewer, watch = await follow(script, link)
        await talk.say({"type": "unavailable", "id": watch["id"], "why": "its worker is away"})
        assert await until(viewer.open.unavailability, bool) == "its worker is away"
        await sees(viewer, "1?")
        await talk.say(difference(watch, 5, 5))
        assert await until(viewer.open.unavailability, lambda why: not why) is None


@every_client
async def test_a_follower_that_stays_away_gets_the_newest_value_and_no_queue(open_link):
    async with open_script("viewer") as script, open_link(script.url, "t") as link:
        talk, viewer, watch = await follow(script, link)
        changes, differences = viewer.open.changes(), viewer.open.differences()
        await anext(changes), await anext(differences)
        await talk.say(*(difference(watch, 5 + step, 6 + step, 2 + step) for step in range(20)))
        await sees(viewer, *(f"{number}?" for number in range(1, 22)))
        assert len(await anext(changes)) == 21
        assert len((await anext(differences)).put) == 20
        with trio.move_on_after(0.05) as waiting:
            await anext(changes)
        assert waiting.cancelled_caught, "there was nothing more to give"


@every_client
async def test_it_goes_through_what_is_to_be_answered(open_link):
    async with open_stage_over_links(open_link=open_link) as stage, trio.open_nursery() as nursery:
        viewer, asker = await stage.viewer(ANA), await stage.asker()
        assert (viewer.principal, viewer.scope, asker.scope) == (ANA, SCOPE, SCOPE)
        asked = [begin(nursery, asker, f"{number}?") for number in range(3)]
        turns = viewer.to_answer()
        for _ in range(3):
            with trio.fail_after(PATIENCE):
                question = await anext(turns)
            await viewer.answer(question.id, question.message == "1?")
        assert sorted([(await asking.wait()).answer for asking in asked]) == [False, False, True]


@every_client
async def test_one_connection_carries_many_objects(open_link):
    async with open_stage_over_links(open_link=open_link) as stage, trio.open_nursery() as nursery:
        scopes = [SessionScope(f"s{number}") for number in range(10)]
        async with open_link(stage.server.url, "server:host") as its, open_link(stage.server.url, "user:ana") as link:
            askers = [await its.get(Questions, scope) for scope in scopes]
            viewers = [await link.get(Questions, scope) for scope in scopes]
            for asker in askers:
                begin(nursery, asker, f"{asker.scope.session}?")
            for viewer in viewers:
                await sees(viewer, f"{viewer.scope.session}?")
            assert len(stage.server.peers) == 2
            await drop(stage.server, ANA)
            for viewer in viewers:
                await sees(viewer, f"{viewer.scope.session}?")
            nursery.cancel_scope.cancel()


@every_client
async def test_what_is_released_is_let_go_at_the_other_side(open_link):
    async with open_script("viewer") as script, open_link(script.url, "t") as link:
        talk, viewer, watch = await follow(script, link)
        viewer.release()
        assert (await talk.hear("release"))["object"] == watch["object"]
        async with coming_back(link):
            await talk.cut()
        await link.get(Questions, SCOPE)
        assert script.gets == 2, "what was released is not got again"
