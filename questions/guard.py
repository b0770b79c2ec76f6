"""A guard before a tool: it runs only after somebody has allowed exactly this call."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, ParamSpec, TypeVar

import attrs

from facets.principal import Principal

from .audience import Audience
from .digest import digest
from .errors import DigestMismatch, InvalidAsk, NotApproved
from .grants import Grant, Grants
from .policies import Answered, Collected, First, Policy
from .question import Confirm, Option, Question, Select
from .views import Asker, Questions

__all__ = ["approval_required"]

P = ParamSpec("P")
R = TypeVar("R")

_ONCE, _SESSION, _DENY = "once", "session", "deny"
_FIRST = First()


def approval_required(
    asker: Asker | Questions | Callable[[], Asker | Questions],
    audience: Audience,
    policy: Policy = _FIRST,
    *,
    needs: Callable[..., bool] | None = None,
    grants: Grants | None = None,
    name: str | None = None,
    key: Callable[..., str] | None = None,
    timeout: float | timedelta | None = None,
    on_behalf_of: Principal | None = None,
) -> Callable[[Callable[P, Awaitable[R]]], Callable[P, Awaitable[R]]]:
    """Wrap an async tool function so that each call is asked about first, and runs at most once for each approval.

    `asker`: who asks, or a function that gives it at each call. `audience`, `policy`, `timeout`, `on_behalf_of`: as
    for `asker.ask`. `needs`: called with the tool's own arguments, once a call; only an exact `False` lets the call
    through without asking. `grants`: with it people may also allow the same call for the rest of the session.
    `name`: what the tool is called (its qualified name). `key`: makes the ask's key from the tool's arguments.

    The final arguments are shown as `details` and must be plain JSON data, for the approval is bound to their
    digest; if they are no longer the same when the tool is about to run, `DigestMismatch` is raised and a new ask is
    due. Raises `NotApproved` unless the answer is an explicit yes (for `Quorum` and `All`: all that were needed, and
    no other), `InvalidAsk` for arguments that are no plain data, and what `asker.ask` raises, `Expired` above all.
    In every such case the tool has not run. Cancelling the call withdraws the question.
    """

    def wrap(tool: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        terms = {"audience": audience, "policy": policy, "timeout": timeout, "on_behalf_of": on_behalf_of}
        called = name if name is not None else str(getattr(tool, "__qualname__", tool))
        guard = _Guard(tool, called, asker, terms, grants, key)

        @functools.wraps(tool)
        async def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            if needs is None or needs(*args, **kwargs) is not False:
                await guard.approve(args, kwargs)
            return await tool(*args, **kwargs)

        return guarded

    return wrap


@attrs.frozen
class _Guard:
    tool: Callable[..., Awaitable[Any]]
    name: str
    asker: Any
    terms: dict[str, Any]
    grants: Grants | None
    key: Callable[..., str] | None

    async def approve(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Return if this call may run now, in the step in which it was last compared; else raise."""
        asker = self.asker if hasattr(self.asker, "ask") else self.asker()
        approved, details = self._seal(args, kwargs)
        if self.grants is not None and self.grants.find(asker.scope, self.name, approved) is not None:
            return
        key = None if self.key is None else self.key(*args, **kwargs)
        result = await asker.ask(self._question(details), key=key, **self.terms)
        answers = _allowing(self.name, result, _SESSION if self.grants is not None else True)
        actual, _ = self._seal(args, kwargs)
        if actual != approved:
            raise DigestMismatch(approved, actual)
        if self.grants is not None and all(answer.answer == _SESSION for answer in answers):
            by = tuple(answer.by for answer in answers)
            self.grants.give(Grant(asker.scope, self.name, approved, by, asker.now()))

    def _seal(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, str]:
        bound = inspect.signature(self.tool).bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = {name: list(value) if type(value) is tuple else value for name, value in bound.arguments.items()}
        try:
            sealed = digest({"tool": self.name, "arguments": arguments})
        except Exception as error:
            fault = f"$.arguments: only plain JSON data can be approved ({type(error).__name__})"
            raise InvalidAsk([fault]) from error
        return sealed, json.dumps(arguments, ensure_ascii=False, indent=2)

    def _question(self, details: str) -> Question[Any]:
        message = f"Run {self.name}?"
        if self.grants is None:
            return Confirm(message, details=details)
        options = [
            Option(_ONCE, "Allow once"),
            Option(_SESSION, "Allow this very call for the session"),
            Option(_DENY, "Deny"),
        ]
        return Select(message, options, details=details)


def _allowing(tool: str, result: object, yes: str | bool) -> tuple[Answered[Any], ...]:
    """The answers, if they are an explicit yes; anything else is none: fail closed."""
    answers: tuple[Any, ...] = ()
    reached = True
    if type(result) is Answered:
        answers = (result,)
    elif type(result) is Collected:
        answers, reached = result.answers, result.ended == "reached"
    said = [answer.answer for answer in answers]
    allowing = {yes, _ONCE} if yes is not True else {True}
    if reached and said and all(type(one) is type(yes) and one in allowing for one in said):
        return answers
    denied = any(one is False or one == _DENY for one in said)
    how = "denied" if denied else "undecided"
    raise NotApproved(tool, how, tuple(answer.by for answer in answers))
