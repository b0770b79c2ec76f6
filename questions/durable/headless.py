"""Approvals when nobody is there: a decision for whoever comes later, which serves this host and this call alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from facets.calls import current_call
from facets.host import Host
from facets.principal import Principal, Who
from questions.errors import QuestionError
from questions.headless import GuardedCall, HeadlessVerdict
from questions.scopes import Scope, SessionScope
from questions.views import Questions
from questions.visible import visible

from .caller import Caller
from .decision import Decision, Status
from .drafting import LONGEST_BODY, LONGEST_TITLE
from .errors import BadArgument
from .owning import Owner, open_owner
from .store import Store

__all__ = ["HeadlessApprovals", "open_headless_approvals"]

_SHORTEST_MS, _LONGEST_MS = 1_000, 86_400_000  # one second, one day
_APPROVE, _DENY = "approve", "deny"
_VIEWERS = ("user", "guest", "program")


class HeadlessApprovals:
    """Gets approvals as decisions: `approval_required(..., headless="decision", approver=approvals)`.

    Made by `open_headless_approvals`, lives as long as that block. A decision of it is held by `user`, so that any
    person who may answer decisions of the store may approve. It never outlives its call: a cancelled one takes it back,
    and so does the next start of a host that was killed. Nobody is remembered as having allowed anything.
    """

    def __init__(self, host: Host, owner: Owner, timeout_ms: int) -> None:
        self._host = host
        self._owner = owner
        self._timeout_ms = timeout_ms

    def is_headless(self, scope: Scope, members: Collection[Principal]) -> bool:
        """Whether none of these holds a view of the scope now that is not lingering."""
        held = self._host.references(Questions, scope).value.values()
        present = {one.principal for one in held if not one.lingering and one.principal.kind in _VIEWERS}
        return present.isdisjoint(members)

    async def decide(self, call: GuardedCall) -> HeadlessVerdict:
        """For guards: have a guarded call decided. What cannot be shown as a whole is not approved by anybody."""
        described = visible(call.details)
        if len(_body(described, call.reason)) > LONGEST_BODY:
            why = f"its arguments and the reason do not fit into a decision, which holds {LONGEST_BODY} characters"
            return HeadlessVerdict("undecided", why)
        return await self.approve(
            call.tool,
            risk=call.risk,
            description=described,
            reason=call.reason,
            scope=call.scope,
            on_behalf_of=call.on_behalf_of,
        )

    async def approve(
        self,
        action: str,
        *,
        risk: str,
        description: str,
        reason: str | None = None,
        scope: Scope | None = None,
        on_behalf_of: Principal | None = None,
    ) -> HeadlessVerdict:
        """Ask whether `action` may be done, and wait until it is decided or the time is over.

        `risk`: what it does, in a word: write, execute. `description` and `reason` are shown, 4,000 code points in all;
        more is cut. `scope`: where it is done, written down if it is a session. `on_behalf_of`: the run that wants it.

        Only a verdict that is `approved` lets it be done, once; whatever else happens, a store that is full or cannot
        be reached among it, is another verdict, and a time that is over no denial. Cancelled, it takes the decision
        back; an answer that came in the same moment is lost then.
        """
        fields = {
            "kind": "approval",
            "title": _cut(visible(f"{action} requests {risk} access"), LONGEST_TITLE),
            "body": _cut(_body(description, reason), LONGEST_BODY),
            "options": [{"id": _APPROVE, "label": "Approve once"}, {"id": _DENY, "label": "Deny"}],
            "timeout_ms": self._timeout_ms,
            "run_id": None if on_behalf_of is None else on_behalf_of.id,
            "session_id": scope.session if isinstance(scope, SessionScope) else None,
        }
        caller = Caller(self._owner.caller.principal, call=current_call())
        async with self._host.root() as ctx:
            with ctx.calling(f"approval of {action}", scope):
                try:
                    return self._verdict(await self._owner.outcome(caller, fields))
                except QuestionError as error:
                    return HeadlessVerdict("undecided", str(error))

    def _verdict(self, decision: Decision) -> HeadlessVerdict:
        answer = decision.answer
        if decision.status is Status.ANSWERED and answer is not None:
            by: tuple[Who, ...] = (self._host.who(Principal.user(answer.answered_by)),)
            if answer.option_id in (_APPROVE, _DENY):
                return HeadlessVerdict("approved" if answer.option_id == _APPROVE else "denied", answer.text or "", by)
        if decision.status is Status.EXPIRED:
            return HeadlessVerdict("undecided", f"nobody had answered decision {decision.id} in time")
        return HeadlessVerdict("undecided", f"decision {decision.id} was {decision.status.value}")


@asynccontextmanager
async def open_headless_approvals(
    host: Host, store: Store, *, timeout_ms: int = 300_000, lease_ms: int = 10_000
) -> AsyncIterator[HeadlessApprovals]:
    """Get approvals for a host as decisions of a store, for the block.

    `timeout_ms`: how long each may take, 1,000 to 86,400,000. `lease_ms`: see `open_owner`. When it begins, what
    earlier lives of this host have left open is cancelled, once their leases are over. Raises as `open_owner` does.
    """
    if type(timeout_ms) is not int or not _SHORTEST_MS <= timeout_ms <= _LONGEST_MS:
        raise BadArgument([f"$.timeout_ms: a whole number of milliseconds from {_SHORTEST_MS} to {_LONGEST_MS}"])
    async with open_owner(store, host.principal, lease_ms=lease_ms) as owner:
        yield HeadlessApprovals(host, owner, timeout_ms)


def _body(description: str, reason: str | None) -> str:
    return description if reason is None else f"{description}\n\n{reason}"


def _cut(text: str, most: int) -> str:
    text = text.encode(errors="replace").decode()  # lone surrogates cannot be stored
    return text if len(text) <= most else f"{text[: most - 1]}…"
