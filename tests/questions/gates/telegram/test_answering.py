"""Answers out of chats: presses, replies and `/answer`, from listed people alone, and nothing that is not certain."""

import pytest

from questions.gates import Choices, ChoiceTerms, GivenText, Response, TextInput
from questions.gates.adapter import Judged
from questions.gates.instants import iso
from tests.questions.gates.bot_api import TOKEN, Dropped, Status
from tests.questions.gates.cases import DEADLINE, EXACT
from tests.questions.gates.telegram.stage import VIEW, staged, view

OTHER = view(title="Another plan")


def texts_after(stage, count=1):
    """What the bot has said besides the request."""
    return stage.api.texts(-200)[count:]


async def prompted(stage):
    """The message that asks for a text, after a press on Replan."""
    await stage.present()
    stage.api.press("Replan")
    assert await stage.poll() == []
    return stage.api.prompt()


async def test_a_press_on_a_plain_choice_is_an_answer():  # case 92
    async with staged() as stage:
        await stage.present()
        stage.api.press("Continue", query="77")
        [answer] = await stage.poll()
        assert stage.api.acknowledged == ["Received."]
    assert (answer.actor_id, answer.chat_id, answer.response) == ("100", "-200", Response("continue"))
    assert (answer.decision_id, answer.request_digest) == (VIEW.decision_id, VIEW.request_digest)
    assert (answer.event_id, answer.idempotency_key) == ("77", "telegram:approval:-200:77")


async def test_a_press_is_acknowledged_before_anything_slow():
    async with staged() as stage:
        await stage.present()
        stage.api.press("Replan")
        await stage.poll()
        methods = [method for method, _ in stage.api.calls]
        assert methods.index("answerCallbackQuery") < methods.index("sendMessage", 1)
        assert stage.api.acknowledged == ["Reply to the message that asks for your text."]


async def test_a_press_counts_even_if_it_cannot_be_acknowledged():
    async with staged() as stage:
        await stage.present()
        stage.api.press("Continue")
        stage.api.fail("answerCallbackQuery", Dropped(done=False))
        assert len(await stage.poll()) == 1


async def test_a_choice_with_a_text_asks_for_it_and_takes_it_exactly():  # case 91
    async with staged() as stage:
        prompt = await prompted(stage)
        asked = stage.api.called("sendMessage")[1]
        assert asked["reply_markup"] == {"force_reply": True, "selective": True}
        assert asked["entities"] == [{"type": "text_mention", "offset": 0, "length": 3, "user": {"id": 100}}]
        stage.api.say(EXACT, to=prompt)
        [answer] = await stage.poll()
        assert TOKEN not in str(stage.api.calls)
    assert answer.response == Response("replan", GivenText("instructions", EXACT))
    assert answer.request_digest == VIEW.request_digest


async def test_a_press_before_a_restart_and_the_reply_after_it():
    async with staged() as stage:
        prompt = await prompted(stage)
        async with stage.running(token="100200300:ANewTokenOfTheBot"):
            pass
        async with stage.running():
            stage.api.say("smaller", to=prompt)
            assert len(await stage.poll()) == 1


async def test_a_new_token_keeps_old_buttons_alive():
    async with staged() as stage:
        await stage.present()
        before = stage.api.buttons(-200)
        async with stage.running(token="100200300:ANewTokenOfTheBot"):
            stage.shown = ()
            stage.api.fail("sendMessage", Status(401))
            await stage.present()
        sent = stage.api.called("sendMessage")[-1]["reply_markup"]["inline_keyboard"]
    assert [row[0]["callback_data"] for row in sent] == [data for _, data in before.values()]


async def test_somebody_else_may_reply_to_a_prompt():
    async with staged() as stage:
        stage.api.say("smaller", user=101, to=await prompted(stage))
        [answer] = await stage.poll()
    assert answer.actor_id == "101"


@pytest.mark.parametrize("offset", [-1, 1])
async def test_a_reply_to_any_other_message_is_no_answer(offset):
    async with staged() as stage:
        stage.api.say("smaller", to=await prompted(stage) + offset)
        assert await stage.poll() == []


async def test_a_reply_in_another_chat_to_a_message_of_that_number_is_no_answer():
    async with staged(-200, -300, allowed_chat_ids=("-200", "-300")) as stage:
        stage.api.say("smaller", chat=-300, to=await prompted(stage))
        assert await stage.poll() == []


async def test_a_text_that_does_not_fit_is_refused_with_its_reason_and_may_be_sent_again():
    short = view(choices=Choices({"replan": ChoiceTerms("Replan", TextInput("why", "Why?", 5, 9))}))
    async with staged() as stage:
        await stage.present(short)
        stage.api.press("Replan")
        await stage.poll(short)
        stage.api.say("no", to=stage.api.prompt())
        assert await stage.poll(short) == []
        assert "2 code points, and at least 5 are needed" in texts_after(stage)[-1]
        stage.api.say("better", to=stage.api.prompt())
        assert len(await stage.poll(short)) == 1


async def typed(stage, text, **where):
    """The answers that `/answer` brings. CODE stands for the code that the prompt shows."""
    await prompted(stage)
    code = stage.api.texts(-200)[-1].split("/answer ")[1].split()[0]
    stage.api.say(text.replace("CODE", code).replace("code", code.lower()), **where)
    return await stage.poll()


@pytest.mark.parametrize("given", ["/answer CODE ", "/answer code ", "/answer@gate_bot CODE ", "/answer CODE\n"])
async def test_a_text_may_also_be_sent_with_the_code(given):
    async with staged() as stage:
        [answer] = await typed(stage, given + EXACT)
    assert answer.response == Response("replan", GivenText("instructions", EXACT))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("/answer", "Send /answer, the code"),
        ("/answer CODE", "Send /answer, the code"),
        ("/answer WRONG234AB smaller", "Nothing that is open has this code."),
    ],
)
async def test_a_code_that_is_wrong_or_alone_is_no_answer(given, said):
    async with staged() as stage:
        assert await typed(stage, given) == []
        assert said in texts_after(stage)[-1]


async def test_a_code_of_one_chat_is_none_in_another():
    async with staged(-200, -300, allowed_chat_ids=("-200", "-300")) as stage:
        assert await typed(stage, "/answer CODE smaller", chat=-300) == []


@pytest.mark.parametrize("where", [{"user": 999}, {"chat": -999}])
async def test_who_is_not_listed_cannot_press(where):  # case 95
    async with staged() as stage:
        await stage.present()
        _, data = stage.api.buttons(-200)["Continue"]
        stage.api.press("Continue", data=data, **where)
        assert await stage.poll() == []
        assert stage.api.acknowledged == ["You may not answer here. Nothing was chosen."]


@pytest.mark.parametrize("where", [{"user": 999}, {"chat": -999}])
async def test_who_is_not_listed_is_not_even_talked_to(where):
    async with staged() as stage:
        assert await typed(stage, "/answer CODE smaller", **where) == []
        assert len(texts_after(stage)) == 1


@pytest.mark.parametrize("data", ["1", "qg:" + "A" * 32, "", "Ω"])
async def test_a_button_that_is_not_ours_is_no_answer(data):  # case 94
    async with staged() as stage:
        stage.api.press("Continue", data=data)
        assert await stage.poll() == []
        assert stage.api.acknowledged == ["This is not open any more. Nothing was chosen."]


async def test_an_old_button_does_not_answer_a_new_request():
    async with staged() as stage:
        await stage.present()
        stage.api.press("Continue")
        assert await stage.poll(OTHER) == []


@pytest.mark.parametrize(("now", "answers"), [(DEADLINE - 1, 1), (DEADLINE, 0)])
async def test_a_press_at_the_deadline_is_too_late(now, answers):  # case 97
    expiring = view(expires_at=iso(DEADLINE))
    async with staged(now=now) as stage:
        await stage.present(expiring)
        stage.api.press("Continue")
        assert len(await stage.poll(expiring)) == answers
        assert stage.api.acknowledged[0].startswith("Received" if answers else "This is not open any more")


@pytest.mark.parametrize("text", ["yes", "Continue", "1 ok", " YES "])
@pytest.mark.parametrize("chat", [-200, 100])
async def test_a_bare_yes_settles_nothing_and_is_asked_back(text, chat):  # R58
    async with staged(-200, 100, allowed_chat_ids=("-200", "100")) as stage:
        stage.api.say(text, chat=chat)
        assert await stage.poll(VIEW, OTHER) == []
        said = "".join(stage.api.texts(chat))
    if text != "1 ok" or chat > 0:
        assert "Nothing was chosen" in said
        assert "Approve plan" in said
        assert "Another plan" in said


async def test_people_in_a_group_may_talk_to_each_other():
    async with staged() as stage:
        stage.api.say("shall we have lunch")
        stage.api.say("/start")
        assert await stage.poll() == []
        assert stage.api.texts(-200) == []


async def test_a_late_reply_to_a_prompt_is_harmless():
    async with staged() as stage:
        prompt = await prompted(stage)
        stage.api.say("smaller", to=prompt)
        assert await stage.poll(OTHER) == []


async def test_one_press_that_comes_twice_with_two_numbers_is_quiet():
    async with staged() as stage:
        await stage.present()
        stage.api.press("Continue", query="1")
        stage.api.press("Continue", query="2")
        first, second = await stage.poll()  # which a server takes for one choice, made twice
        assert first.response == second.response
        assert texts_after(stage) == []


@pytest.mark.parametrize(("error", "said"), [("conflict", "Another answer was first."), ("other", "It was refused.")])
async def test_who_was_refused_is_told_why(error, said):
    async with staged() as stage:
        await stage.present()
        stage.api.press("Continue")
        await stage.poll(judged=Judged(accepted=False, error=error))
        assert texts_after(stage) == [f"{said} Your answer was not counted."]


async def test_who_cannot_be_told_why_does_not_stop_anything():
    async with staged() as stage:
        stage.api.fail("sendMessage", Status(403))
        stage.api.say("yes")
        assert await stage.poll() == []
        assert stage.cursor == "6"
