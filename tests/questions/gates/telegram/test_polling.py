"""Taking updates: each once, none lost, and none that holds up the others."""

from contextlib import aclosing

import pytest
import trio

from questions.gates.telegram.errors import AnotherPoller, CallFailed, TokenRefused
from tests.questions.gates.bot_api import Dropped, Odd, Status, closed_port
from tests.questions.gates.telegram.stage import VIEW, staged


def offsets(stage):
    return [given["offset"] for given in stage.api.called("getUpdates")]


async def test_an_update_that_was_dealt_with_moves_the_cursor():  # case 105
    async with staged() as stage:
        stage.api.arrive({"update_id": 5})
        await stage.poll()
        assert stage.cursor == "6"
        stage.api.say("hello")
        await stage.poll()
    assert offsets(stage) == [0, 6]
    assert {tuple(one["allowed_updates"]) for one in stage.api.called("getUpdates")} == {("callback_query", "message")}


async def test_a_poll_waits_for_something_to_happen():
    async with staged() as stage, trio.open_nursery() as nursery:
        await stage.present()
        nursery.start_soon(press_when_polled, stage.api)
        assert len(await stage.poll()) == 1


async def press_when_polled(api):
    while not api.called("getUpdates"):
        await trio.lowlevel.checkpoint()
    api.press("Continue")


@pytest.mark.parametrize(
    "update",
    [
        {},
        {"callback_query": {}},
        {"callback_query": {"id": "1", "from": {"id": 100}, "data": "qg:x"}},
        {"message": {}},
        {"message": {"message_id": 1, "chat": {"id": -200}, "from": {"id": 100}}},
        {"message": {"message_id": 1, "chat": {"id": -200}, "text": "yes"}},
        {"message": {"message_id": 1, "chat": {"id": -200}, "from": {"id": 100}, "text": 7}},
        {"message": {"message_id": 1, "chat": "x", "from": None, "text": "yes"}},
        None,
        "update",
    ],
)
async def test_what_is_no_answer_is_passed_over_and_what_comes_after_it_is_not(update):  # case 94
    async with staged() as stage:
        await stage.present()
        stage.api.arrive(update)
        stage.api.press("Continue")
        assert len(await stage.poll()) == 1
        assert len(stage.api.called("sendMessage")) == 1


async def test_an_update_that_is_delivered_again_after_a_restart_does_nothing():  # R58
    async with staged() as stage:
        number = stage.api.say("yes")
        await stage.poll()
        async with stage.running():
            stage.api.fail("getUpdates", Odd(b'{"ok": true, "result": [' + again(number) + b"]}"))
            assert await stage.poll() == []
        assert len(stage.api.called("sendMessage")) == 1


def again(number):
    return b'{"update_id": %d, "message": {"message_id": 1, "chat": {"id": -200}, "text": "yes"}}' % number


async def test_each_update_has_its_own_cursor_and_a_refused_one_loses_no_other():
    async with staged() as stage:
        await stage.present()
        stage.api.press("Continue", query="1")
        stage.api.press("Continue", query="2")
        async with aclosing(stage.telegram.poll("", [VIEW])) as updates:
            first = await anext(updates)
        stage.cursor = first.cursor
        [second] = await stage.poll()
    assert (first.answer.event_id, second.event_id) == ("1", "2")
    assert (first.cursor, stage.cursor) == ("6", "7")


async def test_a_press_that_cannot_be_dealt_with_now_is_dealt_with_next_time():  # case 140
    async with staged() as stage:
        await stage.present()
        stage.api.press("Replan")
        stage.api.say("yes")
        stage.api.fail("sendMessage", Dropped(done=False))
        await stage.poll()
        assert stage.cursor == ""
        await stage.poll()
    assert stage.cursor.startswith("7;-200/")


async def test_a_press_that_never_can_be_dealt_with_does_not_block_the_others(caplog):
    async with staged() as stage:
        await stage.present()
        stage.api.press("Replan")
        stage.api.press("Continue", query="2")
        stage.api.fail("sendMessage", *(Status(500) for _ in range(3)))
        assert [await stage.poll() for _ in range(2)] == [[], []]
        assert len(await stage.poll()) == 1
    assert "gave up on update 5 after 3 tries" in caplog.text
    assert not [private for private in ("-200", "100200300") if private in caplog.text]


async def test_a_prompt_that_the_chat_refuses_is_given_up_at_once():
    async with staged() as stage:
        await stage.present()
        stage.api.press("Replan")
        stage.api.fail("sendMessage", Status(403))
        await stage.poll()
    assert stage.cursor == "6"


@pytest.mark.parametrize(
    ("fault", "error"),
    [(Status(409), AnotherPoller), (Status(401), TokenRefused), (Status(502, body=b""), CallFailed)],
)
async def test_a_server_is_told_when_there_are_no_updates_for_a_while(fault, error):
    async with staged() as stage:
        stage.api.fail("getUpdates", *[fault] * 5)
        for _ in range(4):
            assert await stage.poll() == []
        with pytest.raises(error):
            await stage.poll()
    assert stage.pauses == [1.0] * 4


async def test_an_outage_that_ends_is_forgotten():
    async with staged() as stage:
        for _ in range(2):
            stage.api.fail("getUpdates", *[Dropped(done=False)] * 4)
            for _ in range(4):
                await stage.poll()
            stage.api.say("hello")
            await stage.poll()


async def test_without_a_network_it_says_nothing_and_keeps_its_place():
    async with staged(options={"base_url": await closed_port()}) as stage:
        assert await stage.poll() == []
    assert (stage.cursor, stage.pauses) == ("", [1.0])


async def test_of_two_pollers_one_is_sent_away_and_goes_on_when_the_other_ends():  # case 106
    async with staged() as stage, trio.open_nursery() as nursery:
        await stage.present()
        nursery.start_soon(stage.poll)
        while not stage.api.called("getUpdates"):
            await trio.lowlevel.checkpoint()
        async with stage.running():  # a second program for the same bot
            stage.api.press("Continue")
            assert len(await stage.poll()) == 1


async def test_a_long_batch_ends_before_its_server_loses_patience(monkeypatch):
    monkeypatch.setattr("questions.gates.telegram.delivery._LONGEST_COMMAND", -1.0)
    async with staged() as stage:
        for _ in range(3):
            stage.api.say("hello")
        await stage.poll()
    assert stage.cursor == "6"
