"""Nobody reaches what is another's: their questions, their calls, their objects; and what was released is gone."""

from tests.link.bystander import BOB, INNOCENT, open_site
from tests.link.raw import greeted


def answer(peer, object, question, value=True):
    args = {"id": question, "value": value}
    return {"type": "call", "id": peer.new_id(), "object": object, "method": "answer", "args": args}


async def test_an_id_of_another_persons_question_is_as_one_that_never_was():
    async with open_site() as site, greeted(site.server, "user:alice") as peer:
        question = await site.ask(BOB)
        object = await peer.get()
        other = question[:-1] + ("0" if question[-1] != "0" else "1")
        await peer.say(answer(peer, object, question), answer(peer, object, other))
        theirs, never = [await peer.until("refused") for _ in range(2)]
        assert (theirs["code"], never["code"]) == ("unknown_question", "unknown_question")
        assert str(theirs | {"id": 0}).replace(question, other) == str(never | {"id": 0})


async def test_another_persons_questions_are_in_no_frame():
    async with open_site() as site, greeted(site.server, "user:alice") as peer:
        watch = await peer.watch(await peer.get())
        assert (await peer.until("snapshot", watch))["value"] == {}
        await site.ask(BOB, message="For Bob alone")
        await peer.say({"type": "ping", "id": peer.new_id()})
        assert (await peer.hear())["type"] == "pong"


async def test_ids_of_one_connection_mean_nothing_on_another():
    async with (
        open_site() as site,
        greeted(site.server, "server:host") as asker,
        greeted(site.server, "user:alice") as peer,
    ):
        object = await asker.get()
        args = {"question": {"kind": "confirm", "message": "Go?"}, "audience": [{"kind": "user", "id": "bob"}]}
        call = asker.new_id()
        await asker.say({"type": "call", "id": call, "object": object, "method": "ask", "args": args})
        async for waiting in site.host.waiting.changes():
            if waiting:
                break
        await peer.say(
            {"type": "cancel", "id": call},
            {"type": "release", "object": object},
            {"type": "call", "id": 5, "object": object, "method": "ask", "args": args},
            {"type": "ping", "id": 9},
        )
        refused = [await peer.until("refused") for _ in range(2)]
        assert [one["code"] for one in refused] == ["unknown_object"] * 2
        await peer.until("pong", 9)
        await asker.say({"type": "cancel", "id": call})
        await asker.until("cancelled", call)


async def test_what_was_released_is_gone_and_others_keep_theirs():
    async with open_site() as site, greeted(site.server, "user:alice") as peer:
        object, other = await peer.get(), await peer.get("s2")
        watch = await peer.watch(object)
        await peer.until("snapshot", watch)
        await peer.say(
            {"type": "release", "object": object},
            answer(peer, object, "q"),
            {"type": "watch", "id": peer.new_id(), "object": object, "readable": "open"},
            {"type": "release", "object": object},
            answer(peer, other, "q"),
        )
        refused = [await peer.until("refused") for _ in range(4)]
        assert [one["code"] for one in refused] == ["unknown_object"] * 3 + ["unknown_question"]


async def test_a_released_asker_withdraws_what_it_had_asked():
    async with open_site() as site, greeted(site.server, "server:host") as asker:
        object = await asker.get()
        audience = [{"kind": "user", "id": INNOCENT.id}]
        args = {"question": {"kind": "confirm", "message": "Go?"}, "audience": audience, "key": "k"}
        await asker.say({"type": "call", "id": asker.new_id(), "object": object, "method": "ask", "args": args})
        (question,) = (await site._next_difference())["put"]
        await asker.say({"type": "release", "object": object})
        assert question in (await site._next_difference())["drop"]
