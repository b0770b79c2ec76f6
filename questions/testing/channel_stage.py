"""What the conformance suite of channels plays on: an adapter, its service, and the people who look at it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from functools import wraps
from typing import Literal, Protocol

import trio

from questions.gates.adapter import Adapter, Judged, Launch, OpenAdapter, Pressed, Update
from questions.gates.choices import Choices, ChoiceTerms, TextInput
from questions.gates.definition import GateDefinition, Place, make_request
from questions.gates.instants import milliseconds
from questions.gates.presentation import Paragraph, Presentation
from questions.gates.prompt import Prompt
from questions.gates.view import ChannelView, view_of

from .stage import PATIENCE, require

__all__ = ["ChannelCase", "ChannelPlay", "ChannelStage", "OpenChannelStage", "channel_case", "view"]

LONGEST_POLL = 4.0
"""Seconds that a look may take in which nothing happens: two, and two more for a slow machine."""


class ChannelStage(Protocol):
    """One profile of a channel, before a service of its own. Each case gets one of its own."""

    launch: Launch
    """What the adapter is launched with; at least one user and one chat, and a key."""
    open_adapter: OpenAdapter
    """The adapter."""
    brings_answers: bool
    """False for an adapter that only shows, since answers come in by another door."""

    def shown(self) -> Sequence[str]:
        """The texts that can be read in the channel now, oldest first, prompts and notices left out."""

    async def answer(self, view: ChannelView, choice: str, text: str | None = None, *, listed: bool = True) -> None:
        """Somebody answers as the channel has them do it; `listed`: one who may. Returns once they have done it all.

        The adapter is polled meanwhile.
        """

    def plan(self, fault: Literal["refuse", "lose"]) -> bool:
        """The next message is refused by the service, or is taken and nothing said of it. False: neither can happen."""


OpenChannelStage = Callable[[], AbstractAsyncContextManager[ChannelStage]]
"""Opens a stage for the length of a block."""

ChannelCase = Callable[[OpenChannelStage], Awaitable[None]]
"""One case: `await case(open_stage)` returns, or raises what is wrong. Its name and docstring say what it shows."""


class ChannelPlay:
    """A case under way."""

    def __init__(self, stage: ChannelStage, adapter: Adapter) -> None:
        self.stage = stage
        self.adapter = adapter
        self.cursor = stage.launch.cursor

    async def batch(self, *views: ChannelView, most: int | None = None) -> list[Update]:
        """The updates of one look, dealt with; none of them after the first `most`."""
        updates: list[Update] = []
        with trio.move_on_after(PATIENCE) as patience:
            async with aclosing(self.adapter.poll(self.cursor, views)) as batch:
                async for update in batch:
                    updates.append(update)
                    if update.answer is not None:
                        await self.adapter.answered(update.answer, Judged(accepted=True))
                    if len(updates) == most:
                        break
        require(not patience.cancelled_caught, "a batch must come to an end")
        return updates

    async def next_answer(self, *views: ChannelView) -> Pressed:
        """The next answer; the cursor stands behind it then, and what is behind that stays to be read."""
        with trio.move_on_after(PATIENCE):
            while True:
                for update in await self.batch(*views, most=1):
                    self.cursor = update.cursor
                    if update.answer is not None:
                        return update.answer
        raise AssertionError(f"an answer must be brought in {PATIENCE:g} s")

    async def answers_while(self, act: Awaitable[None], *views: ChannelView) -> list[Pressed]:
        """All answers that are brought until `act` is done, and one look more."""
        done = trio.Event()

        async def run() -> None:
            await act
            done.set()

        answers: list[Pressed] = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run)
            is_last = False
            while not is_last:
                is_last = done.is_set()
                updates = await self.batch(*views)
                answers += [update.answer for update in updates if update.answer is not None]
                self.cursor = updates[-1].cursor if updates else self.cursor
        return answers


def channel_case(play: Callable[[ChannelPlay], Awaitable[None]]) -> ChannelCase:
    """A case of a function that plays with an open adapter. What fails has a note with the case, and in time."""

    @wraps(play)
    async def run(open_stage: OpenChannelStage) -> None:
        try:
            async with open_stage() as stage, stage.open_adapter(stage.launch) as adapter:
                with trio.move_on_after(6 * PATIENCE) as patience:
                    await play(ChannelPlay(stage, adapter))
                require(not patience.cancelled_caught, f"it was to be over in {6 * PATIENCE:g} s, and was not")
        except Exception as error:
            error.add_note(f"{play.__name__}: {play.__doc__}")
            raise

    return run


def view(number: int = 1) -> ChannelView:
    """A request as a channel gets it: two choices, one of them with a text, and time until the year 2099."""
    choices = Choices(
        {
            "continue": ChoiceTerms("Go on"),
            "replan": ChoiceTerms("Plan again", TextInput("instructions", "What should change?")),
        }
    )
    presentation = Presentation("Nothing is deployed yet.", (Paragraph("It takes two minutes and can be undone."),))
    prompt = Prompt(
        f"Deploy number {number}?", {"s3cret": "subject"}, presentation, expires_at="2099-01-01T00:00:00.000Z"
    )
    definition: GateDefinition[None] = GateDefinition(choices, lambda _: prompt)
    request = make_request(
        definition,
        prompt,
        place=Place(f"run-{number}", "deploy", "approve", "attempt-1"),
        context=None,
        now=milliseconds("2026-01-01T00:00:00.000Z"),
    )
    return view_of(request)
