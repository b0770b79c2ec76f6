"""`Decisions`: what one caller can do with the decisions of a store."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import msgspec
import trio

from facets.calls import current_call

from .authority import may_see
from .backend import Scan
from .caller import Caller
from .decision import Decision, Option, Status
from .drafting import LONGEST_MS, check_id, draft
from .errors import BadArgument, NotOpen, UnknownDecision
from .holders import is_holder
from .listening import Hint, Hints, Missed
from .steps import Answering, Cancelling, Escalating, Event, step
from .swapping import has_happened
from .table import DECISIONS
from .texts import text_faults
from .tokens import new_token

if TYPE_CHECKING:
    from .store import Store

__all__ = ["Decisions"]

_LINKS = ("link", "web")
"""Surfaces from which not everything is seen: what comes over them was not let into the store itself."""
_MOST_LISTED = 200
_LONGEST_TOKEN = 200


class Decisions:
    """The decisions of a store, for one caller. Lives as long as the store is open.

    Deadlines that have passed are applied before anything is looked at or done; that alone may write. All methods can
    raise `StoreUnavailable`, which is no denial, and those that write `ChangedConcurrently`; both may be repeated. An
    act that is cancelled before it is written has not happened. What is returned is a value: nobody else sees a
    change of it. Over a link decisions are seen by their holder, their raiser and servers; to all others they are
    unknown.
    """

    def __init__(self, store: Store, caller: Caller) -> None:
        self._store = store
        self.caller = caller

    async def raise_decision(
        self,
        title: str,
        *,
        kind: str | None = None,
        body: str | None = None,
        options: Sequence[Option | Mapping[str, str]] | None = None,
        input: str | None = None,
        holder: str | None = None,
        deadline: int | None = None,
        timeout_ms: float | None = None,
        on_expire: str | None = None,
        default_option_id: str | None = None,
        escalation: Mapping[str, Any] | None = None,
        run_id: str | None = None,
        session_id: str | None = None,
        call: str | None = None,
    ) -> Decision:
        """Raise a decision; it is open, of version 1, and stays so when this program ends.

        `title`: 1 to 200 code points. `kind`: approval, question (default) or escalation, a label. `body`: up to 4,000.
        `options`: 1 to 12. `input`: text, confirm, select or editor; by default select with options, else text.
        `holder`: who has to act, user by default. `deadline` (epoch milliseconds) or `timeout_ms` (1,000 to
        2,592,000,000), not both; without them it is open for ever. `on_expire`: cancel (default), default, which is
        `default_option_id`, or escalate, with `escalation`: chain, hop_timeout_ms, on_final. `call`: instead of the
        caller's, which by default is that of `host.root()`.

        Raises `BadArgument` with every fault, and `TooManyOpen`; nothing is written then.
        """
        fields = {name: value for name, value in locals().items() if name != "self"}
        records = self._store.records
        now = await records.backend.now()
        decision = draft(fields, caller=self._acting(), id=f"dec_{new_token()}", now=now)
        await records.sweep(now)
        return await self._store.raising.put(decision)

    async def get(self, id: str) -> Decision:
        """The decision as it stands. Raises `BadArgument` for what cannot be an id, and `UnknownDecision`."""
        return self._seen(await self._store.records.current(check_id(id)))

    async def list(self, status: str = "open", holder: str | None = None, limit: int = 50) -> Sequence[Decision]:
        """Decisions of a status (or "all"), newest first, of the same instant by id.

        `holder`: of these, those that this one holds now. `limit`: at most so many, taken as 1 or 200 if it is outside
        of that. Raises `BadArgument`. What cannot be read is left out; see `store.unreadable`.
        """
        _check_listing(status, holder, limit)
        most = wanted = max(1, min(limit, _MOST_LISTED))
        records = self._store.records
        await records.sweep(await records.backend.now())
        while True:
            found = await records.backend.scan(_scan(status, holder, wanted))
            stand = await records.advance(found)
            listed = [stand[row.key] for row in found.rows if row.key in stand]
            listed = [one for one in listed if _fits(one, status, holder) and self._may_see(one)]
            if len(listed) >= most or len(found.rows) < wanted:
                return listed[:most]
            wanted *= 2  # some had to be left out

    async def answer(
        self, id: str, *, option: str | None = None, text: str | None = None, token: str | None = None
    ) -> Decision:
        """Answer a decision with one of its options, a text, or both; it has ended then, exactly once.

        `token`: 1 to 200 code points of the caller's own; answering again with it, after an outcome that was lost,
        gives what it has led to. Raises, in this order, `BadArgument`, `UnknownDecision`, `NotOpen`, `SelfAnswer`,
        `NotHolder` or `HeldByUser`, `BadAnswer`; nothing is changed then.
        """
        answering = Answering(option, text)
        if token is None:
            return await self._swap(id, answering)
        check_id(id)
        name = self._name(id, token)
        try:
            await self._swap(id, answering, name)
        except NotOpen:
            if not await has_happened(self._store.records.backend, name):
                raise
        return await self.get(id)

    async def escalate(self, id: str, reason: str | None = None) -> Decision:
        """Pass a decision on to its next holder, who gets the whole time of a hop. `reason`: up to 500 code points.

        Raises, in this order, `BadArgument`, `UnknownDecision`, `NotOpen`, `SelfAnswer`, `NotHolder` or `HeldByUser`,
        `NoNextHolder`; nothing is changed then.
        """
        return await self._swap(id, Escalating(reason))

    async def cancel(self, id: str) -> Decision:
        """Take a decision back: its raiser, its holder and people may. It has ended then, without an answer.

        Raises, in this order, `BadArgument`, `UnknownDecision`, `NotOpen`, `NotHolder` or `HeldByUser`; nothing is
        changed then.
        """
        return await self._swap(id, Cancelling())

    async def wait(self, id: str, timeout_ms: float | None = None) -> Decision:
        """The decision once it has ended; or as it stands after `timeout_ms` (0 to 2,592,000,000), also if it is open.

        0: look once. None: wait for as long as it takes, also while the store cannot be reached. Any number of waits
        for one decision costs one reader. Raises `BadArgument`, and `UnknownDecision` also for a decision that is
        dropped meanwhile; `StoreUnavailable` when the store is closed here, or cannot be reached when the time is over.
        Cancelling a wait leaves the decision as it is.
        """
        check_id(id)
        timeout = _seconds(timeout_ms)
        if timeout > 0:
            with trio.move_on_after(timeout):
                return await self._store.follower.ended(id, self._seen)
        return await self.get(id)

    def hints(self) -> Hints | VisibleHints:
        """What happens to decisions from now on: a `Hint` for each swap, and `Missed` where some are lost.

        Hints wake, and give nobody a right. Read the decision.
        """
        hints = self._store.follower.hints()
        return VisibleHints(hints, self) if self.caller.via in _LINKS else hints

    async def _swap(self, id: str, event: Event, token: str | None = None) -> Decision:
        def change(decision: Decision, now: int) -> Decision:
            return step(self._seen(decision), event, acting, now)

        acting = self._acting()
        return await self._store.records.swap(check_id(id), change, token)

    def _acting(self) -> Caller:
        """The caller in the call of the host that this runs in, if it names none; those over a link run elsewhere."""
        if self.caller.call is not None or self.caller.via != "program":
            return self.caller
        return attrs.evolve(self.caller, call=current_call())

    def _may_see(self, decision: Decision) -> bool:
        return self.caller.via not in _LINKS or may_see(self.caller, decision)

    def _seen(self, decision: Decision) -> Decision:
        if not self._may_see(decision):
            raise UnknownDecision(decision.id)
        return decision

    def _name(self, id: str, token: str) -> str:
        """The commit of a caller's token. A token is good for one answer of one caller, whatever others make theirs."""
        if faults := text_faults("$.token", token, 1, _LONGEST_TOKEN):
            raise BadArgument(faults)
        return hashlib.sha256(msgspec.json.encode([id, self.caller.participant_id, token])).hexdigest()


class VisibleHints:
    """Hints for a caller over a link: only of decisions that the caller may see. May simply be dropped."""

    def __init__(self, hints: Hints, decisions: Decisions) -> None:
        self._hints = hints
        self._decisions = decisions

    def __aiter__(self) -> VisibleHints:
        return self

    async def __anext__(self) -> Hint | Missed:
        while True:
            hint = await anext(self._hints)
            if isinstance(hint, Missed) or await self._is_visible(hint.id):
                return hint

    async def _is_visible(self, id: str) -> bool:
        try:
            await self._decisions.get(id)
        except (UnknownDecision, BadArgument):
            return False
        return True


def _scan(status: str, holder: str | None, limit: int) -> Scan:
    if holder is None:
        return Scan(DECISIONS, "all", (), limit) if status == "all" else Scan(DECISIONS, "status", (status,), limit)
    if status == "all":
        return Scan(DECISIONS, "holder", (holder,), limit)
    return Scan(DECISIONS, "holder_status", (holder, status), limit)


def _fits(decision: Decision, status: str, holder: str | None) -> bool:
    """Whether it still is what was looked for: a deadline may have passed between finding and reading."""
    return status in ("all", decision.status.value) and holder in (None, decision.holder)


def _check_listing(status: object, holder: object, limit: object) -> None:
    statuses = [*(one.value for one in Status), "all"]
    faults = [] if status in statuses else [f"$.status: one of {', '.join(statuses)}"]
    if holder is not None and not is_holder(holder):
        faults.append("$.holder: user, root, or supervisor: and the id of a participant")
    if type(limit) is not int:
        faults.append("$.limit: a whole number")
    if faults:
        raise BadArgument(faults)


def _seconds(timeout_ms: object) -> float:
    if timeout_ms is None:
        return math.inf
    if isinstance(timeout_ms, int | float) and not isinstance(timeout_ms, bool) and 0 <= timeout_ms <= LONGEST_MS:
        return timeout_ms / 1000
    raise BadArgument([f"$.timeout_ms: a number of milliseconds from 0 to {LONGEST_MS}"])
