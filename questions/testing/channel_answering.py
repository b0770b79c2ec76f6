"""Cases of channels: what people answer, brought once, exactly, and by nobody else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps

import trio

from questions.gates.adapter import Judged, Pressed
from questions.gates.responses import GivenText, Response
from questions.gates.view import ChannelView

from .channel_showing import presented
from .channel_stage import LONGEST_POLL, ChannelCase, ChannelPlay, channel_case, view
from .stage import require

__all__ = ["ANSWERING_IN_CHANNELS"]

EXACT = "  use the smaller one\nkeep this "


def answering(play_it: Callable[[ChannelPlay], Awaitable[None]]) -> ChannelCase:
    """A case for adapters that bring answers; the request is shown first."""

    @wraps(play_it)
    async def run(play: ChannelPlay) -> None:
        if play.stage.brings_answers:
            await presented(play)
            await play_it(play)

    return channel_case(run)


async def answered(play: ChannelPlay, choice: str = "continue", text: str | None = None) -> Pressed:
    """The answer of one person, once they are done with it and it is brought."""
    answers = await play.answers_while(play.stage.answer(view(), choice, text), view())
    require(len(answers) == 1, f"one answer must be brought, and there are {len(answers)}")
    return answers[0]


def fits(answer: Pressed, one: ChannelView, response: Response, play: ChannelPlay) -> None:
    """Whether it is an answer to that request, by somebody who may."""
    launch = play.stage.launch
    ids = answer.decision_id, answer.request_digest
    require(ids == (one.decision_id, one.request_digest), "an answer must name its request")
    require(answer.response == response, f"the response must be {response}, not {answer.response}")
    require(answer.actor_id in launch.allowed_user_ids, "an answer must name who has given it")
    require(answer.chat_id in launch.allowed_chat_ids, "an answer must name where it was given")
    key = answer.idempotency_key
    require(launch.profile in key and answer.chat_id in key, "a key must have the profile and the chat in it")
    require(all(0 < len(text) <= 500 for text in (key, answer.event_id)), "ids have 1 to 500 code points")


@answering
async def a_choice_is_brought_once(play: ChannelPlay) -> None:
    """With its request, its choice, who it was, and a cursor behind which it is not brought again."""
    fits(await answered(play), view(), Response("continue"), play)
    require(not await play.batch(view()), "what was dealt with must not be brought again")


@answering
async def a_text_is_brought_exactly(play: ChannelPlay) -> None:
    """Blanks and line ends at both ends are part of it."""
    answer = await answered(play, "replan", EXACT)
    fits(answer, view(), Response("replan", GivenText("instructions", EXACT)), play)


@answering
async def what_was_not_dealt_with_is_brought_again_as_the_same(play: ChannelPlay) -> None:
    """A batch that is given up at an answer begins with it the next time, under the same key."""
    await play.stage.answer(view(), "continue")
    before = play.cursor
    first = await play.next_answer(view())
    play.cursor = before
    again = await play.next_answer(view())
    require(again == first, "the same act must be brought as the same answer")


@answering
async def giving_up_a_batch_loses_nothing(play: ChannelPlay) -> None:
    """What comes after the update at which it was given up is brought by the next look."""
    for _ in range(2):
        await play.stage.answer(view(), "continue")
    first, second = await play.next_answer(view()), await play.next_answer(view())
    require(first.idempotency_key != second.idempotency_key, "two acts must have two keys")


@answering
async def who_is_not_listed_answers_nothing(play: ChannelPlay) -> None:
    """The act of somebody else is left out, and the cursor moves on behind it."""
    act = play.stage.answer(view(), "continue", listed=False)
    require(not await play.answers_while(act, view()), "who is not listed must not count")
    fits(await answered(play), view(), Response("continue"), play)


@answering
async def what_cannot_be_answered_any_more_is_left_out(play: ChannelPlay) -> None:
    """A button of a request that is not offered brings no answer, to none of the others either."""
    other = view(2)
    require(not await play.answers_while(play.stage.answer(view(), "continue"), other), "it is not open any more")


@answering
async def buttons_outlive_the_process(play: ChannelPlay) -> None:
    """Another process of the same profile brings answers to what an earlier one has shown."""
    async with play.stage.open_adapter(play.stage.launch) as adapter:
        play.adapter = adapter
        fits(await answered(play), view(), Response("continue"), play)


@channel_case
async def a_look_ends_when_nothing_happens(play: ChannelPlay) -> None:
    """Within two seconds and a bit, since nothing can be shown meanwhile."""
    began = trio.current_time()
    await play.batch(view())
    require(trio.current_time() - began < LONGEST_POLL, "a look must not hold up what is to be shown")


@answering
async def a_refusal_can_be_told(play: ChannelPlay) -> None:
    """Whatever refused an answer, the adapter goes on."""
    answer = await answered(play)
    for code in ("conflict", "deadline_passed", "decision_cancelled", "forbidden", "given_up", "stale"):
        await play.adapter.answered(answer, Judged(accepted=False, error=code))
    await play.batch(view())


ANSWERING_IN_CHANNELS = (
    a_choice_is_brought_once,
    a_text_is_brought_exactly,
    what_was_not_dealt_with_is_brought_again_as_the_same,
    giving_up_a_batch_loses_nothing,
    who_is_not_listed_answers_nothing,
    what_cannot_be_answered_any_more_is_left_out,
    buttons_outlive_the_process,
    a_look_ends_when_nothing_happens,
    a_refusal_can_be_told,
)
