"""The channel as a process of a gate server, before a real Bot API."""

import sys
from contextlib import asynccontextmanager

from questions.gates import Response
from questions.gates.channel_settings import Channel
from tests.questions.gates.bot_api import TOKEN, Dropped, Status, open_bot_api
from tests.questions.gates.cases import EXACT
from tests.questions.gates.channel_stage import asked, becomes, open_desk

TELEGRAM = "telegram:approval"


def channel(api, **changes):
    usual = {
        "id": TELEGRAM,
        "profile": "approval",
        "command": (sys.executable, "-m", "questions.gates.telegram"),
        "token": TOKEN,
        "allowed_user_ids": ("100",),
        "allowed_chat_ids": ("-200",),
        "options": {"base_url": api.url},
    }
    return Channel(**usual | changes)


@asynccontextmanager
async def stage(where, **changes):
    async with open_bot_api() as api, open_desk(where, channel(api, **changes)) as (gates, desk):
        yield api, gates, desk


async def test_a_request_is_shown_pressed_and_settled(tmp_path):  # cases 92 and 123
    async with stage(tmp_path) as (api, gates, _):
        decision = await asked(gates)
        await api.until(lambda: "Continue" in api.buttons(-200))
        api.press("Continue")
        resolution = await gates.ended(decision.decision_id)
        await becomes(gates, decision, "applied", "settle")
        [text] = api.texts(-200)
    assert (resolution.source.channel, resolution.source.actor_id) == (TELEGRAM, "100")
    assert text.endswith("Chosen: Continue")
    assert not api.buttons(-200)


async def test_a_press_before_a_restart_and_the_exact_reply_after_it(tmp_path):  # case 91
    async with open_bot_api() as api:
        async with open_desk(tmp_path, channel(api)) as (gates, _):
            decision = await asked(gates)
            await api.until(lambda: "Replan" in api.buttons(-200))
            api.press("Replan")
            # The cursor with the prompt in it has been stored when the process polls from there.
            await api.until(lambda: any(given["offset"] == 6 for given in api.called("getUpdates")))
        prompt = api.prompt()
        async with open_desk(tmp_path, channel(api)) as (gates, _):
            api.say(EXACT, to=prompt)
            resolution = await gates.ended(decision.decision_id)
            await becomes(gates, decision, "applied", "settle")
    assert resolution.response.input.text == EXACT
    assert (-200, prompt) not in api.messages


async def test_a_press_proves_that_a_message_in_doubt_has_arrived(tmp_path):
    async with stage(tmp_path) as (api, gates, _):
        api.fail("sendMessage", Dropped(done=True))
        decision = await asked(gates)
        await becomes(gates, decision, "ambiguous")
        api.press("Continue")
        resolution = await gates.ended(decision.decision_id)
        assert (await becomes(gates, decision, "applied")).attempts == 1
    assert resolution.response == Response("continue")
    assert len(api.called("sendMessage")) == 1


async def test_a_stranger_decides_nothing(tmp_path):  # case 95
    async with stage(tmp_path) as (api, gates, _):
        decision = await asked(gates)
        await api.until(lambda: "Continue" in api.buttons(-200))
        api.press("Continue", user=999)
        await api.until(lambda: api.acknowledged)
        assert (await gates.get(decision.decision_id)).resolution is None


async def test_a_token_that_is_refused_is_told_by_the_server(tmp_path, caplog):
    async with stage(tmp_path) as (api, gates, _):
        api.fail("getUpdates", *(Status(401) for _ in range(5)))
        await asked(gates)
        await api.until(lambda: "ended by itself (TokenRefused)" in caplog.text)
    assert TOKEN not in caplog.text
