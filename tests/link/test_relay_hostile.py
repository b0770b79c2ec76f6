"""A worker that means harm gets nowhere, and nobody but those who use its own session notices."""

import json
import tracemalloc
from contextlib import asynccontextmanager

import pytest

from tests.link.bystander import open_site
from tests.link.raw import Closed, dialled, greeted, wait_until
from tests.link.relays import greeted_worker

ANA = {"kind": "user", "id": "ana", "name": "ana"}
GOT = {"type": "got", "face": "viewer", "principal": ANA, "now": 0.0}


@asynccontextmanager
async def preyed_upon(**limits):
    """A site; a hostile worker of session s2, through which a user called ana has got an object and watches it."""
    async with open_preyed_upon(**limits) as (_, user, worker):
        yield user, worker


@asynccontextmanager
async def open_preyed_upon(**limits):
    async with (
        open_site(**limits) as site,
        greeted_worker(site.server, "s2") as worker,
        greeted(site.server, "user:ana") as user,
    ):
        user.object = user.new_id()
        await user.say({"type": "get", "id": user.object, "kind": "questions", "input": {"session": "s2"}})
        asked = await worker.until("get")
        assert asked["as"] == {"kind": "user", "id": "ana"}
        await worker.say({**GOT, "id": asked["id"]})
        await user.until("got", user.object)
        worker.object, worker.watch = asked["id"], await follow(user, worker, user.object)
        yield site, user, worker


async def follow(user, worker, object):
    watch = await user.watch(object)
    theirs = (await worker.until("watch"))["id"]
    snapshot = {"type": "snapshot", "id": theirs, "epoch": "e", "revision": 1, "value": {}, "now": 0.0}
    await worker.say(snapshot)
    await user.until("snapshot", watch)
    return theirs


async def is_gone(worker):
    """Whether the server has ended the connection; returns its last words."""
    heard = await worker.hear_all()
    assert isinstance(heard[-1], Closed)
    return next(one["code"] for one in heard if isinstance(one, dict) and one["type"] == "goodbye")


@pytest.mark.parametrize(
    ("token", "serves"),
    [("worker:s2", ["s1"]), ("worker:s2", ["s2", "s1"]), ("worker:s2", ["s2", "s2"]), ("user:ana", ["ana"])],
    ids=["anothers session", "anothers besides its own", "its own twice", "a user"],
)
async def test_only_the_one_session_of_its_token_can_be_announced(token, serves):
    async with open_site() as site, dialled(site.server) as peer:
        await peer.say({"type": "hello", "token": token, "serves": serves})
        assert (await peer.until("goodbye"))["code"] == "forbidden"
        assert not site.server.relay.describe()


async def test_a_worker_stamps_nobody():
    async with preyed_upon() as (_, worker):
        bob = {"kind": "user", "id": "bob"}
        await worker.say({"type": "get", "id": 1, "kind": "questions", "input": {"session": "s1"}, "as": bob})
        assert (await worker.until("refused", 1))["code"] == "forbidden"


async def test_an_object_given_on_behalf_of_somebody_else_ends_the_worker():
    async with preyed_upon() as (user, worker):
        bob = {"kind": "user", "id": "bob", "name": "Bob"}
        await worker.say({**GOT, "id": worker.object, "principal": bob})
        assert await is_gone(worker) == "forbidden"
        assert (await user.until("unavailable"))["why"]


async def test_a_user_for_whom_an_object_was_given_to_somebody_else_is_refused():
    async with preyed_upon() as (user, worker):
        id = user.new_id()
        await user.say({"type": "get", "id": id, "kind": "questions", "input": {"session": "s2"}})
        bob = {"kind": "user", "id": "bob", "name": "Bob"}
        await worker.say({**GOT, "id": (await worker.until("get"))["id"], "principal": bob})
        assert (await user.until("refused", id))["code"] == "unavailable"


@pytest.mark.parametrize(
    "reply",
    [
        {"type": "returned", "id": 4_711, "value": 1},
        {"type": "refused", "id": 4_711, "code": "forbidden", "message": "no"},
        {"type": "cancelled", "id": 4_711},
        {"type": "snapshot", "id": 4_711, "epoch": "e", "revision": 1, "value": {"a": 1}, "now": 0.0},
        {"type": "difference", "id": 4_711, "base": 1, "revision": 2, "now": 0.0, "put": {"a": 1}},
        {"type": "unavailable", "id": 4_711, "why": "no"},
        {"type": "ended", "id": 4_711, "why": "no"},
        {"type": "got", "id": 4_711, "face": "asker", "principal": ANA, "now": 0.0},
        {"type": "pong", "id": 4_711},
        {"type": "welcome", "epoch": "e", "principal": ANA, "now": 0.0},
        {"type": "returned", "id": -1, "value": 1},
    ],
    ids=lambda reply: f"{reply['type']} {reply.get('id', '')}",
)
async def test_a_reply_to_what_was_not_asked_reaches_nobody(reply):
    async with preyed_upon() as (user, worker):
        await worker.say(reply)
        id = user.new_id()
        await user.say({"type": "ping", "id": id})
        assert (await user.hear())["type"] == "pong"


@pytest.mark.parametrize(
    "reply",
    [
        "no JSON",
        "[]",
        '{"type": "snapshot"}',
        {"type": "snapshot", "id": "watch", "epoch": "e", "revision": 2, "value": [1, 2], "now": 0.0},
        {"type": "snapshot", "id": "watch", "epoch": "e", "revision": 2, "value": "text", "now": 0.0},
        {"type": "snapshot", "id": "watch", "epoch": "e" * 300, "revision": 2, "value": {}, "now": 0.0},
        {"type": "snapshot", "id": "watch", "epoch": "e", "revision": 2**60, "value": {}, "now": 0.0},
        {"type": "difference", "id": "watch", "base": 1, "revision": 2**60, "now": 0.0},
        {"type": "got", "id": "object", "face": "no such face", "principal": ANA, "now": 0.0},
        {"type": "got", "id": "object", "face": "viewer", "principal": {**ANA, "kind": "\u202e"}, "now": 0.0},
        {"type": "goodbye", "code": "unauthenticated", "message": "ha"},
    ],
    ids=lambda reply: str(reply)[:40],
)
async def test_a_malformed_reply_ends_the_worker_and_users_hear_that_it_is_away(reply):
    async with preyed_upon() as (user, worker):
        own = {"watch": worker.watch, "object": worker.object}
        text = json.dumps({**reply, "id": own.get(str(reply.get("id")))}) if isinstance(reply, dict) else reply
        await worker.say(text)
        assert (await user.until("unavailable"))["why"]
        assert await is_gone(worker)


async def test_a_flood_of_replies_ends_the_worker():
    async with preyed_upon(replies=100) as (user, worker):
        await worker.say(*[{"type": "returned", "id": 4_711, "value": 1}] * 300)
        assert (await user.until("unavailable"))["why"]
        assert await is_gone(worker) == "link_limit_exceeded"


async def test_a_reply_that_is_too_long_ends_the_worker():
    async with preyed_upon(frame=10_000) as (user, worker):
        await worker.say({"type": "returned", "id": 4_711, "value": "x" * 20_000})
        assert (await user.until("unavailable"))["why"], "although the worker does not hang up"
        assert (await worker.hear_all())[-1] == Closed(1009)


async def test_a_worker_that_does_not_read_is_cut_off():
    async with open_preyed_upon(unasked=100_000, messages=100_000) as (site, user, _):
        call = {"type": "call", "object": user.object, "method": "answer", "args": {"id": "x" * 50_000, "value": 1}}
        for id in range(100, 500):
            await user.say({**call, "id": id})
        await wait_until(lambda: not any(one["connected"] for one in site.server.relay.describe()))
        assert (await user.until("refused"))["code"] in {"link_lost", "unavailable"}


async def test_a_get_that_is_never_answered_is_refused_after_a_while(monkeypatch):
    monkeypatch.setattr("facets.link.relayed._PATIENCE", 0.1)
    async with preyed_upon() as (user, worker):
        id = user.new_id()
        await user.say({"type": "get", "id": id, "kind": "questions", "input": {"session": "s2"}})
        asked = await worker.until("get")
        assert (await user.until("refused", id))["code"] == "unavailable"
        assert (await worker.until("release"))["object"] == asked["id"]


async def test_a_worker_that_is_asked_and_says_nothing_is_missed(monkeypatch):
    monkeypatch.setattr("facets.link.owner._SILENCE", 0.2)
    async with preyed_upon() as (user, worker):
        await user.say({"type": "call", "id": 99, "object": user.object, "method": "answer", "args": {}})
        assert (await user.until("unavailable"))["why"]
        assert await is_gone(worker) == "link_lost"


async def test_a_call_that_is_never_answered_can_be_given_up(monkeypatch):
    monkeypatch.setattr("facets.link.awaiting.PATIENCE", 0.1)
    async with preyed_upon() as (user, worker):
        await user.say({"type": "call", "id": 99, "object": user.object, "method": "answer", "args": {}})
        await worker.until("call")
        await user.say({"type": "cancel", "id": 99})
        await worker.until("cancel")
        await user.until("cancelled", 99)


async def test_a_cancellation_that_nobody_asked_for_is_a_refusal():
    async with preyed_upon() as (user, worker):
        await user.say({"type": "call", "id": 99, "object": user.object, "method": "answer", "args": {}})
        await worker.say({"type": "cancelled", "id": (await worker.until("call"))["id"]})
        await user.until("refused", 99)


@pytest.mark.parametrize(("key", "value"), [("", "x" * 100), ("k" * 100, "")], ids=["values", "keys"])
async def test_more_than_a_mirror_holds_ends_the_worker(monkeypatch, key, value):
    monkeypatch.setattr("facets.link.relayed._MOST_BYTES", 1_000)
    async with preyed_upon() as (_, worker):
        put = {f"{key}{number}": value for number in range(20)}
        await worker.say({"type": "difference", "id": worker.watch, "base": 1, "revision": 2, "now": 0.0, "put": put})
        assert await is_gone(worker) == "link_limit_exceeded"


async def test_what_was_dropped_takes_no_memory_though_it_came_with_what_stays():
    async with preyed_upon() as (user, worker):
        tracemalloc.start()
        for revision in range(2, 22):
            put = {f"stays {revision}": 1, "goes": "x" * 500_000}
            step = {"type": "difference", "id": worker.watch, "base": revision - 1, "revision": revision, "now": 0.0}
            await worker.say({**step, "put": put})
            while f"stays {revision}" not in (await user.until("difference"))["put"]:
                pass
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert held < 5_000_000


async def test_one_principal_cannot_take_all_the_room_at_a_worker(monkeypatch):
    monkeypatch.setattr("facets.link.relayed._MOST_HELD", 2)
    async with preyed_upon() as (user, worker):  # which holds one of them
        held = user.new_id()
        for id, face in ((held, "got"), (user.new_id(), "refused")):
            await user.say({"type": "get", "id": id, "kind": "questions", "input": {"session": "s2"}})
            if face == "got":
                await worker.say({**GOT, "id": (await worker.until("get"))["id"]})
            assert (await user.until(face, id)).get("code") in {None, "link_limit_exceeded"}
        await user.say({"type": "release", "object": held})
        await worker.until("release")
        await user.say({"type": "get", "id": user.new_id(), "kind": "questions", "input": {"session": "s2"}})
        await worker.until("get")
