"""What the conformance suite plays on: a stage that somebody else builds, and what a case does there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from functools import wraps
from typing import Any, Protocol

import outcome
import trio

from facets.nursery import open_serving_nursery
from facets.principal import Principal
from questions.open_question import OpenQuestion
from questions.question import Confirm, Question

from .asking import Asking

__all__ = ["ANA", "BO", "CY", "DEPLOY", "PATIENCE", "OpenStage", "Play", "QuestionCase", "Stage", "case", "require"]

ANA, BO, CY = (Principal.user(name) for name in ("ana", "bo", "cy"))
"""Who views and answers in the cases."""

DEPLOY = Confirm("Deploy?")

PATIENCE = 10.0
"""Seconds for which a case waits for what has to happen."""


class Stage(Protocol):
    """One scope of a running broker, reached by whatever is being tested. Each case gets one of its own."""

    second: float
    """How long the cases' second lasts: 1.0 in virtual time; as little as is reliable, 0.1 or so, in real time."""
    overseer: Principal | None
    """Somebody who may view every question of the scope (`may_view` says `"all"`); None if there is nobody."""

    async def asker(self) -> Any:
        """Something with `ask`, `asking` and `principal` of an `Asker`: of the same principal at each call."""

    async def viewer(self, principal: Principal) -> Any:
        """Something with the `open`, `closed` and `answer` of a `Viewer`: at each call another window, if it can."""

    async def quiet(self) -> None:
        """Return once everything that is under way has arrived everywhere."""


OpenStage = Callable[[], AbstractAsyncContextManager[Stage]]
"""Opens a stage for the length of a block."""

QuestionCase = Callable[[OpenStage], Awaitable[None]]
"""One case: `await case(open_stage)` returns, or raises what is wrong. Its name and docstring say what it shows."""


def require(condition: bool, words: str) -> None:
    """Fail with plain words; unlike `assert` not left out by `python -O`."""
    if not condition:
        raise AssertionError(words)


class Play:
    """A case under way: asks in tasks of their own, and people who look."""

    def __init__(self, stage: Stage, nursery: trio.Nursery) -> None:
        self.stage = stage
        self._nursery = nursery

    async def viewers(self, *principals: Principal) -> list[Any]:
        """A viewer for each of these."""
        return [await self.stage.viewer(principal) for principal in principals]

    async def ask(self, question: Question[Any], *audience: Principal, **options: Any) -> Asking:
        """Begin to ask; returns once the ask has had time to arrive."""
        asker, asking = await self.stage.asker(), Asking()
        self._nursery.start_soon(asking.run, lambda: asker.ask(question, audience=list(audience), **options))
        await self.stage.quiet()
        return asking

    async def sees(self, viewer: Any, *messages: str) -> list[OpenQuestion]:
        """The viewer's open questions, once they are exactly these, oldest first."""
        await self.until(viewer.open, lambda value: _messages(value) == list(messages), f"to see {list(messages)}")
        return list(viewer.open.value.values())

    async def until(self, readable: Any, there: Callable[[Any], bool], what: str) -> None:
        """Follow a readable until something is so."""
        value: Any = "nothing"
        with trio.move_on_after(PATIENCE):
            async for value in readable.changes():
                if there(value):
                    return
        raise AssertionError(f"waited {PATIENCE:g} s {what}, but the last that was seen is {value!r}")

    async def end(self, asking: Asking) -> Any:
        """What the asker got: a result, or an error as a value."""
        with trio.move_on_after(PATIENCE):
            await asking.done.wait()
        if not isinstance(asking.outcome, outcome.Value | outcome.Error):
            raise AssertionError(f"waited {PATIENCE:g} s for the ask to end, and it still waits")
        return asking.outcome.value if isinstance(asking.outcome, outcome.Value) else asking.outcome.error


@contextmanager
def refused(kind: type[Exception], what: str) -> Iterator[list[Any]]:
    """The block must be refused with an error of this kind, which is then in the list."""
    caught: list[Any] = []
    try:
        yield caught
    except kind as error:
        caught.append(error)
        return
    except Exception as error:
        raise AssertionError(f"{what} must be refused with {kind.__name__}, not with {error!r}") from error
    raise AssertionError(f"{what} must be refused with {kind.__name__}, but it was accepted")


def case(play: Callable[[Play], Awaitable[None]]) -> QuestionCase:
    """Make a case of what is played on a stage."""

    @wraps(play)
    async def run(open_stage: OpenStage) -> None:
        try:
            async with open_stage() as stage, open_serving_nursery() as nursery:
                await play(Play(stage, nursery))
        except Exception as error:
            error.add_note(f"{play.__name__}: {play.__doc__}")
            raise

    del run.__wrapped__  # what it takes is a way to open stages
    return run


def _messages(value: Any) -> list[str]:
    return [question.message for question in value.values()]
