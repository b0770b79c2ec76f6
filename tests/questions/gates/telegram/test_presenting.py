"""Showing a request in chats: every part once, and what is in doubt is not sent again."""

import pytest

from questions.gates import Choices, ChoiceTerms, Paragraph, Presentation
from questions.gates.adapter import MessageRef
from questions.gates.telegram.delivery import content_digest
from questions.gates.telegram.rendering import parts_of
from tests.questions.gates.bot_api import Delivered, Dropped, Held, Odd, Status, closed_port
from tests.questions.gates.telegram.stage import VIEW, staged, view

LONG = view(presentation=Presentation("Review.", [Paragraph("\n".join(f"line {n} of the plan" for n in range(700)))]))
NO_ID = Odd(b'{"ok": true, "result": {}}')


def sends(stage):
    return len(stage.api.called("sendMessage"))


async def test_what_is_sent_are_the_parts_and_only_the_last_has_buttons():  # case 89
    async with staged() as stage:
        report = await stage.present(LONG)
        sent = stage.api.called("sendMessage")
    assert report.state == "confirmed"
    assert [one["text"] for one in sent] == list(parts_of(LONG))
    assert ["reply_markup" in one for one in sent] == [False] * (len(sent) - 1) + [True]
    assert [one.part_index for one in report.messages] == list(range(len(sent)))
    assert {one.content_digest for one in report.messages} == set(map(content_digest, parts_of(LONG)))


async def test_a_row_for_each_choice_and_no_token_or_name_in_it():
    async with staged() as stage:
        await stage.present()
        rows = stage.api.called("sendMessage")[0]["reply_markup"]["inline_keyboard"]
    assert [[button["text"] for button in row] for row in rows] == [["Continue"], ["Replan"]]
    assert not [row for row in rows if "continue" in row[0]["callback_data"] or "replan" in row[0]["callback_data"]]


async def test_buttons_of_long_ids_and_labels_fit_into_64_bytes():  # R58
    choices = {letter * 64: ChoiceTerms(f"Согласовать вариант {letter}") for letter in "abcdefghijkl"}
    async with staged() as stage:
        report = await stage.present(view(choices=Choices(choices)))
        data = [data for _, data in stage.api.buttons(-200).values()]
    assert report.state == "confirmed"
    assert len(data) == len(set(data)) == 12
    assert max(len(one.encode()) for one in data) <= 64


async def test_what_was_shown_is_not_sent_again():  # case 90
    async with staged() as stage:
        first, second = await stage.present(), await stage.present()
        assert sends(stage) == 1
    assert first == second


async def test_every_listed_chat_gets_it_in_one_order():
    async with staged(-200, 7, allowed_chat_ids=("7", "-200", "7")) as stage:
        report = await stage.present()
    assert [(one.chat_id, one.recipient_index) for one in report.messages] == [("-200", 0), ("7", 1)]


async def test_a_refused_send_has_failed_and_is_tried_again():  # case 98
    async with staged() as stage:
        stage.api.fail("sendMessage", Status(400))
        assert (await stage.present()).state == "failed"
        assert (await stage.present()).state == "confirmed"
        assert sends(stage) == 2


async def test_a_failed_part_stops_its_chat_and_the_next_attempt_sends_what_is_missing():
    async with staged(-200, 7, allowed_chat_ids=("-200", "7")) as stage:
        stage.api.fail("sendMessage", Delivered(), Status(403))
        first = await stage.present(LONG)
        assert (first.state, first.error_code) == ("failed", "http_403")
        assert stage.api.texts(-200) == [parts_of(LONG)[0]]
        assert stage.api.texts(7) == list(parts_of(LONG))
        assert (await stage.present(LONG)).state == "confirmed"
        assert stage.api.texts(-200) == stage.api.texts(7) == list(parts_of(LONG))


@pytest.mark.parametrize("fault", [Dropped(done=True), Dropped(done=False), NO_ID])
async def test_a_send_that_nobody_knows_about_is_in_doubt(fault):  # cases 100 and 102
    async with staged() as stage:
        stage.api.fail("sendMessage", fault)
        report = await stage.present()
        assert (report.state, report.messages) == ("unknown", ())
        assert sends(stage) == 1


async def test_after_a_part_in_doubt_nobody_gets_the_buttons():
    async with staged(-200, 7, allowed_chat_ids=("-200", "7")) as stage:
        stage.api.fail("sendMessage", NO_ID)
        report = await stage.present(LONG)
        assert report.state == "unknown"
        assert not stage.api.buttons(-200)
        assert {one.chat_id for one in report.messages} == {"7"}  # these have provably not been sent before


async def test_without_a_connection_it_has_failed_and_can_be_tried_again():  # case 146
    async with staged(options={"base_url": await closed_port()}) as stage:
        report = await stage.present()
    assert (report.state, report.error_code) == ("failed", "no_connection")


async def test_a_reply_that_does_not_come_leaves_it_in_doubt():  # case 146
    async with staged(patience=0.1) as stage:
        stage.api.fail("sendMessage", Held())
        assert (await stage.present()).state == "unknown"


@pytest.mark.parametrize("changed", [{"content_digest": content_digest("other")}, {"chat_id": "8"}, {"part_index": 3}])
async def test_evidence_that_does_not_fit_stops_it(changed):
    fields = {"chat_id": "-200", "message_id": "17", "recipient_index": 0, "part_index": 0}
    shown = MessageRef(**{**fields, "content_digest": content_digest(parts_of(VIEW)[0]), **changed})
    async with staged() as stage:
        report = await stage.telegram.present(VIEW, "attempt-2", [shown])
        assert (report.state, report.error_code) == ("unknown", "evidence_mismatch")
        assert sends(stage) == 0


async def test_what_takes_too_many_messages_is_not_sent_at_all():
    async with staged() as stage:
        report = await stage.present(view(presentation=Presentation("x", [Paragraph("😀" * 16_000) for _ in range(3)])))
        assert (report.state, report.error_code) == ("failed", "too_many_parts")
        assert sends(stage) == 0


async def test_it_slows_down_as_it_is_told():
    async with staged() as stage:
        stage.api.fail("sendMessage", Status(429, retry_after=11))
        assert (await stage.present()).state == "confirmed"
    assert stage.pauses == [11]


async def test_what_is_not_displayed_is_not_sent():  # case 87
    hidden = view(subject={"privateMachineField": "not-for-display"})
    async with staged() as stage:
        await stage.present(hidden)
        sent = str(stage.api.calls)
    assert "What should change?" in sent
    assert not [word for word in ("privateMachineField", "not-for-display") if word in sent]
