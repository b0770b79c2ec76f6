"""Approvals when nobody is there: who finds that out and decides otherwise is a port, and a guard takes it."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import nullcontext
from typing import Literal, Protocol

import attrs

from facets.principal import Principal, Who
from facets.readable import Readable

from .audience import Audience, distinct
from .errors import NotApproved
from .scopes import Scope
from .work_clock import current_work_clock

__all__ = ["GuardedCall", "HeadlessApprover", "HeadlessRule", "HeadlessVerdict"]


@attrs.frozen
class GuardedCall:
    """A call of a tool that waits for an approval. `details`: its arguments as JSON, the whole of what is approved."""

    tool: str
    risk: str
    details: str
    reason: str | None
    scope: Scope
    on_behalf_of: Principal | None


@attrs.frozen
class HeadlessVerdict:
    """What came of asking without anybody there: only `approved` lets the call run, and lets it run once.

    `denied`: somebody said no. `undecided`: nobody said either. `why`: in words, for people and models. `by`: who.
    """

    how: Literal["approved", "denied", "undecided"]
    why: str = ""
    by: tuple[Who, ...] = ()

    @property
    def approved(self) -> bool:
        """Whether somebody said yes."""
        return self.how == "approved"


class HeadlessApprover(Protocol):
    """What gets approvals when nobody is there, such as `questions.durable.HeadlessApprovals`."""

    def is_headless(self, scope: Scope, members: Collection[Principal]) -> bool:
        """Whether none of these holds a view of the scope now that is not lingering."""

    async def decide(self, call: GuardedCall) -> HeadlessVerdict:
        """Have the call decided. Cancelled, it takes back what it has asked."""


@attrs.frozen
class HeadlessRule:
    """What a guard does when nobody is there. `mode`: decision asks the approver; everything else denies."""

    mode: str
    approver: HeadlessApprover | None
    risk: str
    reason: str | None

    def applies(self, scope: Scope, audience: Audience, on_behalf_of: Principal | None) -> bool:
        """Whether nobody who may answer is there to be asked. Raises `InvalidAsk` for an audience that is none."""
        if self.approver is None:  # nobody to tell who is there; a guard that wants decisions must not wait for ever
            return self.mode == "decision"
        members = distinct(audience.value if isinstance(audience, Readable) else audience)
        return self.approver.is_headless(scope, [one for one in members if one != on_behalf_of])

    async def approve(self, call: GuardedCall, *, alone: bool) -> None:
        """Return if the call is approved, else raise `NotApproved`. `alone`: whether one answer is enough."""
        verdict = self._refusal(alone) or await self._decided(call)
        if type(verdict) is not HeadlessVerdict:  # whatever it is, it is no approval
            verdict = HeadlessVerdict("undecided", "the approver gave no verdict")
        if not verdict.approved:
            raise NotApproved(call.tool, verdict.how, verdict.by, verdict.why)

    async def _decided(self, call: GuardedCall) -> HeadlessVerdict | None:
        if self.approver is None:
            return None
        clock = current_work_clock()
        with nullcontext() if clock is None else clock.paused():
            return await self.approver.decide(call)

    def _refusal(self, alone: bool) -> HeadlessVerdict | None:
        if self.mode != "decision":
            return HeadlessVerdict("undecided", "nobody is there to be asked")
        if self.approver is None:
            return HeadlessVerdict("undecided", "headless='decision' needs an approver, and there is none")
        if not alone:
            return HeadlessVerdict("undecided", "nobody is there, and a decision has one answer where more are wanted")
        return None
