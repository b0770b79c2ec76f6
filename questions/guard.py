"""A guard before a tool: it runs only after somebody has allowed exactly this call."""

from __future__ import annotations

import functools
import inspect
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, ParamSpec, TypeVar

import attrs

from facets.principal import Principal

from .audience import Audience
from .digest import digest
from .errors import DigestMismatch, InvalidAsk, NotApproved
from .grants import Grant, Grants
from .headless import GuardedCall, HeadlessApprover, HeadlessRule
from .policies import Answered, Collected, First, Policy
from .question import Confirm, Option, Question, Select
from .scopes import Scope
from .views import Asker, Questions

__all__ = ["approval_required"]

P = ParamSpec("P")
R = TypeVar("R")

_ONCE, _SESSION, _DENY = "once", "session", "deny"
_MOST_USED = 10_000  # keys whose approval has been used; far more than results that a store keeps for keys
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
    headless: str = "deny",
    approver: HeadlessApprover | None = None,
    risk: str = "execute",
    reason: str | None = None,
) -> Callable[[Callable[P, Awaitable[R]]], Callable[P, Awaitable[R]]]:
    """Wrap an async tool function so that each call is asked about first, and runs at most once for each approval.

    `asker`: who asks, or a function that gives it at each call. `audience`, `policy`, `timeout`, `on_behalf_of`: as
    for `asker.ask`. `needs`: called with the tool's own arguments, once a call; only an exact `False` lets the call
    through without asking. `grants`: with it people may also allow the same call for the rest of the session.
    `name`: what the tool is called (its qualified name). `key`: makes the ask's key from the tool's arguments, so
    that a call whose ask was interrupted joins it again; an approval that a call has run on is used up, and the next
    call with its key asks anew, as `key/2`.

    The final arguments are shown as `details` and must be plain JSON data, for the approval is bound to their
    digest; if they are no longer the same when the tool is about to run, `DigestMismatch` is raised and a new ask is
    due. Raises `NotApproved` unless the answer is an explicit yes (for `Quorum` and `All`: all that were needed, and
    no other), `InvalidAsk` for arguments that are no plain data, `InvalidQuestion` for more than 64 KiB of them, and
    what `asker.ask` raises, `Expired` above all.
    In every such case the tool has not run. Cancelling the call withdraws the question.

    `approver`: tells whether anybody of the audience is there to be asked; without one the question waits for whoever
    comes. If nobody is, `headless="decision"` has the approver decide, with `risk` and `reason` in its words, and
    anything else does not run the call: `NotApproved` at once. A decision has one answer, and so is none for `Quorum`
    and `All`; it gives no grant.
    """

    def wrap(tool: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        terms = {"audience": audience, "policy": policy, "timeout": timeout, "on_behalf_of": on_behalf_of}
        called = name if name is not None else str(getattr(tool, "__qualname__", tool))
        rule = HeadlessRule(headless, approver, risk, reason)
        guard = _Guard(inspect.signature(tool), called, asker, terms, grants, key, rule)

        @functools.wraps(tool)
        async def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            if needs is None or needs(*args, **kwargs) is not False:
                await guard.approve(args, kwargs)
            return await tool(*args, **kwargs)

        return guarded

    return wrap


class _UsedKeys:
    """The keys of approvals that a call has run on. Stores keep results for keys: one must not be run on twice."""

    def __init__(self) -> None:
        self._used: OrderedDict[tuple[Scope, Principal, str], None] = OrderedDict()

    def fresh(self, asker: Any, key: str) -> str:
        """The key to ask with: itself, or the first of `key/2`, `key/3`... whose approval is not used."""
        number, fresh = 1, key
        while (asker.scope, asker.principal, fresh) in self._used:
            number += 1
            fresh = f"{key}/{number}"
        return fresh

    def use(self, asker: Any, key: str) -> bool:
        """Use up what was approved; False if another call has, which waited for the same question."""
        name = (asker.scope, asker.principal, key)
        if name in self._used:
            return False
        self._used[name] = None
        while len(self._used) > _MOST_USED:
            self._used.popitem(last=False)
        return True


@attrs.frozen
class _Guard:
    signature: inspect.Signature
    name: str
    asker: Any
    terms: dict[str, Any]
    grants: Grants | None
    key: Callable[..., str] | None
    headless: HeadlessRule
    used: _UsedKeys = attrs.field(factory=_UsedKeys)

    async def approve(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Return if this call may run now, in the step in which it was last compared; else raise."""
        asker = self.asker if hasattr(self.asker, "ask") else self.asker()
        name = None if self.key is None else self.key(*args, **kwargs)
        while True:
            approved, details = self._seal(args, kwargs)
            if self.grants is not None and self.grants.find(asker.scope, self.name, approved) is not None:
                return
            if self.headless.applies(asker.scope, self.terms["audience"], self.terms["on_behalf_of"]):
                await self._approve_headless(asker.scope, details)
                self._check_unchanged(approved, args, kwargs)
                return
            key = self.used.fresh(asker, name) if isinstance(name, str) else name  # the ask refuses what is no key
            result = await asker.ask(self._question(details), key=key, **self.terms)
            answers = self._allowing(result)
            if isinstance(key, str) and not self.used.use(asker, key):
                continue
            self._check_unchanged(approved, args, kwargs)
            if self.grants is not None and all(answer.answer == _SESSION for answer in answers):
                by = tuple(answer.by for answer in answers)
                self.grants.give(Grant(asker.scope, self.name, approved, by, asker.now()))
            return

    async def _approve_headless(self, scope: Scope, details: str) -> None:
        rule = self.headless
        call = GuardedCall(self.name, rule.risk, details, rule.reason, scope, self.terms["on_behalf_of"])
        await rule.approve(call, alone=isinstance(self.terms["policy"], First))

    def _check_unchanged(self, approved: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        actual, _ = self._seal(args, kwargs)
        if actual != approved:
            raise DigestMismatch(approved, actual)

    def _seal(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, str]:
        bound = self.signature.bind(*args, **kwargs)
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

    def _allowing(self, result: object) -> tuple[Answered[Any], ...]:
        """The answers, if they are an explicit yes of as many as the policy wants; anything else is none."""
        alone = isinstance(self.terms["policy"], First)
        answers: Any = ()
        reached = False
        if alone and type(result) is Answered:
            answers, reached = (result,), True
        elif not alone and type(result) is Collected:
            answers, reached = result.answers, result.ended == "reached"
        given = tuple(one for one in answers if type(one) is Answered) if isinstance(answers, tuple) else ()
        yes: tuple[object, ...] = (True,) if self.grants is None else (_ONCE, _SESSION)
        allowing = [not one.automatic and _is_one_of(one.answer, yes) for one in given]
        if reached and given and len(given) == len(answers) and all(allowing):
            return given
        denied = any(_is_one_of(one.answer, (False, _DENY)) for one in given)
        raise NotApproved(self.name, "denied" if denied else "undecided", tuple(one.by for one in given))


def _is_one_of(answer: object, values: tuple[object, ...]) -> bool:
    """Whether it is exactly one of them, in type too: 1 is not True."""
    return any(type(answer) is type(value) and answer == value for value in values)
