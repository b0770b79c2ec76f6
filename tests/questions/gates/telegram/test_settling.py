"""Showing how a request ended: nothing left to press, in every part and every chat, as often as it is asked for."""

import pytest

from questions.gates import Paragraph, Presentation, Response
from questions.gates.adapter import Ended
from questions.gates.telegram.rendering import parts_of
from tests.questions.gates.bot_api import Dropped, Held, Status
from tests.questions.gates.telegram.stage import VIEW, staged, view

LONG = view(presentation=Presentation("Review.", [Paragraph("\n".join(f"line {n} of the plan" for n in range(700)))]))
CHOSEN = Ended("accepted", Response("continue"), "human")
EDITS = ("editMessageText", "editMessageReplyMarkup")


def edits(stage):
    return [given for method in EDITS for given in stage.api.called(method)]


async def settled(stage, view=VIEW, ended=CHOSEN):
    return await stage.telegram.settle(view, ended, stage.shown)


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (CHOSEN, "Chosen: Continue"),
        (Ended("accepted", Response("continue"), "timeout"), "Automatic at the deadline"),
        (Ended("cancelled"), "Cancelled. Nothing was chosen."),
        (Ended("expired"), "Nothing was chosen."),
    ],
)
async def test_the_buttons_go_and_the_message_says_how_it_ended(ended, said):  # cases 108 and 148
    async with staged() as stage:
        await stage.present()
        assert (await settled(stage, ended=ended)).state == "confirmed"
        assert not stage.api.buttons(-200)
        [text] = stage.api.texts(-200)
        assert len(edits(stage)) == 1
    assert text.startswith(parts_of(VIEW)[0])
    assert said in text.removeprefix(parts_of(VIEW)[0])


async def test_all_parts_in_all_chats_are_closed():
    async with staged(-200, 7, allowed_chat_ids=("-200", "7")) as stage:
        await stage.present(LONG)
        assert (await settled(stage, LONG)).state == "confirmed"
        assert len(edits(stage)) == len(stage.shown) == 2 * len(parts_of(LONG))
        assert not stage.api.buttons(-200)
        assert not stage.api.buttons(7)


async def test_settling_again_changes_nothing_and_succeeds():  # case 110
    async with staged() as stage:
        await stage.present()
        reports = [await settled(stage), await settled(stage)]
    assert [one.state for one in reports] == ["confirmed", "confirmed"]


async def test_a_message_that_somebody_has_deleted_needs_no_closing():
    async with staged() as stage:
        await stage.present()
        stage.api.messages.clear()
        assert (await settled(stage)).state == "confirmed"


@pytest.mark.parametrize("fault", [Status(400), Status(500), Dropped(done=True), Dropped(done=False)])
async def test_an_edit_that_failed_or_is_in_doubt_may_be_done_again(fault):
    async with staged() as stage:
        await stage.present()
        stage.api.fail("editMessageText", fault)
        assert (await settled(stage)).state == "failed"
        assert (await settled(stage)).state == "confirmed"
        assert not stage.api.buttons(-200)


async def test_an_edit_without_a_reply_may_be_done_again():
    async with staged(patience=0.1) as stage:
        await stage.present()
        stage.api.fail("editMessageText", Held())
        assert (await settled(stage)).state == "failed"


async def test_one_chat_that_is_gone_does_not_keep_the_others_open():
    async with staged(-200, 7, allowed_chat_ids=("-200", "7")) as stage:
        await stage.present()
        stage.api.fail("editMessageText", Status(403))
        report = await settled(stage)
        assert (report.state, report.error_code) == ("failed", "http_403")
        assert not stage.api.buttons(7)


async def test_a_message_that_shows_something_else_only_loses_its_buttons():
    async with staged() as stage:
        await stage.present()
        other = view(presentation=Presentation("Laid out by another version."))
        assert (await settled(stage, other)).state == "confirmed"
        assert stage.api.texts(-200) == list(parts_of(VIEW))
        assert not stage.api.buttons(-200)


async def prompted(stage):
    await stage.present()
    stage.api.press("Replan")
    await stage.poll()
    return stage.api.prompt()


async def test_what_asks_for_a_text_is_deleted():
    async with staged() as stage:
        place = -200, await prompted(stage)
        await settled(stage)
        assert place not in stage.api.messages
        stage.api.say("smaller", to=place[1])  # from an app that still shows it
        assert await stage.poll(view(title="Another plan")) == []
        assert stage.cursor == "7"


async def test_it_is_deleted_after_a_restart_too_and_once():
    async with staged() as stage:
        place = -200, await prompted(stage)
        async with stage.running():
            await settled(stage)
            assert place not in stage.api.messages
            stage.api.say("hello")
            await stage.poll(view(title="Another plan"))
        assert len(stage.api.called("deleteMessage")) == 1
        assert stage.cursor == "7"


async def test_prompts_of_requests_that_are_still_open_stay():
    async with staged() as stage:
        place = -200, await prompted(stage)
        await settled(stage, view(title="Another plan"))
        assert place in stage.api.messages


async def test_a_prompt_that_cannot_be_deleted_does_no_harm():
    async with staged() as stage:
        await prompted(stage)
        stage.api.fail("deleteMessage", Status(400, "Bad Request: message can't be deleted for everyone"))
        assert (await settled(stage)).state == "confirmed"
