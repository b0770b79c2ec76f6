"""Asking until there is an outcome."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any, TypeVar, overload

from facets.errors import Retryable
from facets.principal import Principal

from .audience import Audience, Present
from .deadlines import instant, time_faults
from .errors import InvalidAsk
from .policies import All, Answered, Collected, CustomPolicy, First, Policy, Quorum
from .question import Question
from .remote.objects import BlockingAsker, BlockingQuestions
from .request import AskRequest
from .views import Asker, Questions

__all__ = ["ask_again"]

A = TypeVar("A")
R = TypeVar("R")

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.05, 5.0  # seconds


@overload
async def ask_again(
    asker: Asker | Questions,
    question: Question[A],
    *,
    key: str,
    audience: Audience,
    policy: First = ...,
    timeout: float | timedelta | None = None,
    deadline: datetime | None = None,
    default: A | None = None,
    on_behalf_of: Principal | None = None,
    durable: bool = False,
) -> Answered[A]: ...


@overload
async def ask_again(
    asker: Asker | Questions,
    question: Question[A],
    *,
    key: str,
    audience: Audience,
    policy: Quorum | All,
    timeout: float | timedelta | None = None,
    deadline: datetime | None = None,
    default: None = None,
    on_behalf_of: Principal | None = None,
    durable: bool = False,
) -> Collected[A]: ...


@overload
async def ask_again(
    asker: Asker | Questions,
    question: Question[Any],
    *,
    key: str,
    audience: Audience,
    policy: CustomPolicy[R],
    timeout: float | timedelta | None = None,
    deadline: datetime | None = None,
    default: None = None,
    on_behalf_of: Principal | None = None,
    durable: bool = False,
) -> R: ...


@overload
def ask_again(
    asker: BlockingQuestions,
    question: Question[A],
    *,
    key: str,
    audience: Audience,
    policy: First = ...,
    timeout: float | timedelta | None = None,
    deadline: datetime | None = None,
    default: A | None = None,
    on_behalf_of: Principal | None = None,
    durable: bool = False,
) -> Answered[A]: ...


@overload
def ask_again(
    asker: BlockingQuestions,
    question: Question[A],
    *,
    key: str,
    audience: Audience,
    policy: Quorum | All,
    timeout: float | timedelta | None = None,
    deadline: datetime | None = None,
    default: None = None,
    on_behalf_of: Principal | None = None,
    durable: bool = False,
) -> Collected[A]: ...


@overload
def ask_again(
    asker: BlockingQuestions,
    question: Question[Any],
    *,
    key: str,
    audience: Audience,
    policy: CustomPolicy[R],
    timeout: float | timedelta | None = None,
    deadline: datetime | None = None,
    default: None = None,
    on_behalf_of: Principal | None = None,
    durable: bool = False,
) -> R: ...


def ask_again(
    asker: Any,
    question: Question[Any],
    *,
    key: str,
    audience: Audience,
    policy: Policy = First(),  # noqa: B008  # immutable
    timeout: float | timedelta | None = None,
    deadline: datetime | None = None,
    default: Any = None,
    on_behalf_of: Principal | None = None,
    durable: bool = False,
) -> Any:
    """Ask as `asker.ask` does, and ask again, with the same key, whenever that fails in a way that may be repeated.

    Pauses between the tries, 0.05 s doubled up to 5 s, with jitter. The deadline is that of the first try: time
    does not begin again. A try after the first one never supersedes a newer question with the same key; it raises
    `Superseded`. Raises all else that `ask` raises; what failed last once the deadline has passed, and when the
    asker's link has ended for good. Ends by the caller's cancellation, which withdraws the question, unless it is a
    durable one.

    For askers of this process and for those over a link, whose asks go on by themselves after a lost link: this asks
    again when the host has ended as well. With an asker of a plain script it blocks, as `ask` does there.
    """
    request = AskRequest(question, audience, policy, key, timeout, deadline, default, on_behalf_of, durable=durable)
    if isinstance(asker, BlockingAsker):
        return _ask_and_block(asker, request)
    return _ask(asker, request)


async def _ask(asker: Any, request: AskRequest) -> Any:
    tries = _Tries(asker, request)
    while True:
        try:
            return await asker.ask_as(request)
        except Retryable as error:
            pause = tries.pause_after(error)
        await asker.sleep(pause)


def _ask_and_block(asker: Any, request: AskRequest) -> Any:
    tries = _Tries(asker, request)
    while True:
        try:
            return asker.ask_as(request)
        except Retryable as error:
            pause = tries.pause_after(error)
        asker.sleep(pause)


class _Tries:
    """The tries of one ask: what is asked in the next one, and after how long. Raises `InvalidAsk` for a bad ask."""

    def __init__(self, asker: Any, request: AskRequest) -> None:
        if request.key is None:
            raise InvalidAsk(["$.key: needed, for the tries to be the same ask"])
        if not isinstance(request.audience, Present):
            request.check()
        elif faults := time_faults(request.timeout, request.deadline):  # the rest is for the host, which knows who is
            raise InvalidAsk(faults)  # present
        self._asker = asker
        self._request = request
        self._pause = _SHORTEST_PAUSE
        self._deadline = request.deadline
        if (timeout := request.timeout) is not None:
            seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
            self._deadline = instant(asker.now() + seconds)

    def pause_after(self, error: Retryable) -> float:
        """How many seconds to wait before the next try, which is made ready; raises what failed if there is none."""
        asker, request, deadline = self._asker, self._request, self._deadline
        if asker.is_over or (deadline is not None and asker.now() >= deadline.timestamp()):
            raise error  # nobody can have answered in time, and there is no store to say so
        # The first try had the timeout itself, which is more exact than an instant of the calendar.
        request.attach_only, request.timeout, request.deadline = True, None, deadline
        pause, self._pause = self._pause, min(self._pause * 2, _LONGEST_PAUSE)
        return pause * random.uniform(0.5, 1.0)
