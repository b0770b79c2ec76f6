"""A secret answer over links: in the frame of who gives it, in the frame of the asker, and nowhere else."""

import json
import logging

from tests.link.raw import RawPeer, greeted
from tests.link.tokens import open_guarded
from tests.rules import rule

CANARY = "hunter2-canary"
PEOPLE = ("user:ana", "user:bo", "guest:cy")


def question(**more):
    audience = [{"kind": "user", "id": "ana"}, {"kind": "user", "id": "bo"}]
    return {"question": {"kind": "text", "message": "The code?", "secret": True}, "audience": audience, **more}


async def follow(peer: RawPeer):
    """Watch all that there is; returns the object."""
    object = await peer.get()
    for readable in ("open", "closed"):
        await peer.watch(object, readable)
        await peer.until("snapshot")
    return object


async def heard_of_the_end(peer: RawPeer):
    """All that is said to somebody, until the question has left what is open and has come to what has closed."""
    heard = [await peer.hear()]
    while [one["type"] for one in heard].count("difference") < 2:
        heard.append(await peer.hear())
    return json.dumps(heard)


@rule("Q-SEC-1")
async def test_a_secret_crosses_to_its_asker_and_to_nobody_else(tmp_path, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    async with open_guarded(tmp_path) as guarded:
        server = guarded.server
        async with (
            greeted(server, guarded.token("server:host")) as asker,
            greeted(server, guarded.token("user:ana")) as ana,
            greeted(server, guarded.token("user:bo")) as bo,
        ):
            asking, its, _ = await asker.get(), await follow(ana), await follow(bo)
            call = {"type": "call", "object": asking, "method": "ask", "args": question(key="k")}
            await asker.say({**call, "id": asker.new_id()})
            (id,) = (await ana.until("difference"))["put"]
            args = {"id": id, "value": CANARY}
            await ana.say({"type": "call", "id": ana.new_id(), "object": its, "method": "answer", "args": args})
            assert (await asker.until("returned"))["value"]["answer"] == CANARY
            assert CANARY not in await heard_of_the_end(ana) + await heard_of_the_end(bo)
            await asker.say({**call, "id": asker.new_id()})  # with the same key: it is asked afresh, and was not kept
            assert list((await ana.until("difference"))["put"]) != [id]
            assert CANARY not in json.dumps(server.host.describe()) + json.dumps(server.describe())
    assert CANARY not in caplog.text + "".join(capfd.readouterr())


@rule("Q-SEC-1")
async def test_a_refusal_does_not_quote_what_was_sent(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    wrong = [
        {"id": "q_0123456789_1", "value": CANARY},
        {"id": CANARY, "value": CANARY},
        {"id": 7, "value": CANARY},
        {"id": "q_0123456789_1", "value": {"nested": [CANARY]}},
        {"value": CANARY},
        {"id": "q_0123456789_1", "value": CANARY, "more": CANARY},
    ]
    async with open_guarded(tmp_path) as guarded, greeted(guarded.server, guarded.token("user:ana")) as ana:
        object = await ana.get()
        for args in [*wrong, CANARY, [CANARY]]:
            call = {"type": "call", "id": ana.new_id(), "object": object, "method": "answer", "args": args}
            await ana.say(call)
            assert CANARY not in json.dumps(await ana.until("refused"))
    assert CANARY not in caplog.text


async def test_tokens_are_in_no_log_and_in_no_description(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    async with open_guarded(tmp_path) as guarded:
        tokens = [guarded.token(one) for one in PEOPLE]
        for token in tokens:
            async with greeted(guarded.server, token):
                described = json.dumps(guarded.server.describe()) + repr(vars(guarded.server.authenticator))
                assert not [one for one in tokens if one in described]
    assert not [one for one in tokens if one in caplog.text or one.split(".")[2] in caplog.text]
