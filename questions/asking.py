"""Asking until there is an outcome."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any, TypeVar, overload

import trio

from facets.errors import Retryable
from facets.principal import Principal

from .audience import Audience, Present
from .deadlines import instant, time_faults
from .errors import InvalidAsk
from .policies import All, Answered, Collected, First, Policy, Quorum
from .question import Question
from .request import AskRequest
from .views import Asker, Questions

__all__ = ["ask_again"]

A = TypeVar("A")

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
) -> Collected[A]: ...


async def ask_again(
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
) -> Any:
    """Ask as `asker.ask` does, and ask again, with the same key, whenever that fails in a way that may be repeated.

    Pauses between the tries, 0.05 s doubled up to 5 s, with jitter. The deadline is that of the first try: time
    does not begin again. A try after the first one never supersedes a newer question with the same key; it raises
    `Superseded`. Raises all else that `ask` raises, and once the deadline has passed what failed last. Ends by the
    caller's cancellation, which withdraws the question.

    For askers of this process, and on trio for those over a link: these go on by themselves after a lost link, and
    this asks again when the host has failed as well.
    """
    if key is None:
        raise InvalidAsk(["$.key: needed, for the tries to be the same ask"])
    request = AskRequest(question, audience, policy, key, timeout, deadline, default, on_behalf_of)
    if not isinstance(audience, Present):
        request.check()
    elif faults := time_faults(timeout, deadline):  # the rest is for the host to check, which knows who is present
        raise InvalidAsk(faults)
    if timeout is not None:
        seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
        deadline = instant(asker.now() + seconds)
    pause = _SHORTEST_PAUSE
    while True:
        try:
            return await asker.ask_as(request)
        except Retryable:
            if deadline is not None and asker.now() >= deadline.timestamp():
                raise  # nobody can have answered in time, and there is no store to say so
            # The first try had the timeout itself, which is more exact than an instant of the calendar.
            request.attach_only, request.timeout, request.deadline = True, None, deadline
        await trio.sleep(pause * random.uniform(0.5, 1.0))
        pause = min(pause * 2, _LONGEST_PAUSE)
