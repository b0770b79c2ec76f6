"""What one caller sees of the open decisions of a store, live."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

import attrs
import trio

from facets.errors import FacetError, InvalidPrincipal
from facets.keyed import KeyedCell
from facets.principal import Principal, Who
from facets.readable import Cell
from questions.deadlines import Deadline

from .authority import authorize_cancelling, authorize_judging, may_see
from .caller import Caller
from .decision import Decision, Status
from .holders import supervised_by
from .kept_up import KeptUp
from .open_decision import ClosedDecision, OpenDecision, plainly

__all__ = ["Desk", "Kept"]

_MOST_CLOSED = 100
_KINDS = ("user", "server", "worker")


@attrs.define(eq=False)
class Kept:
    """An open decision as it was read. `ahead`: seconds of the clock of this host before that of the store then."""

    decision: Decision
    ahead: float
    names: dict[str, str] | None = attrs.field(default=None)
    """How this host calls who stands in it, once somebody was shown it."""
    written: dict[Hashable, Any] = attrs.field(factory=dict)
    """What a surface has made of it, once for all who are shown the same."""


class Desk:
    """What somebody sees, in `open`, and what has left it of late, in `closed`. Made by `Desks`, until it is left."""

    def __init__(
        self,
        caller: Caller,
        who: Callable[[Principal], Who],
        clock: Callable[[], float],
        unavailability: Cell[str | None],
    ) -> None:
        self.caller = caller
        self._who = who
        self._clock = clock
        self.open: KeptUp[Kept, OpenDecision] = KeptUp(self._show, unavailability, _age)
        self.closed: KeyedCell[str, ClosedDecision, ClosedDecision] = KeyedCell(lambda _, closed: closed)

    def change(self, id: str, kept: Kept | None, decision: Decision | None) -> None:
        """A decision is open as `kept`, or (None) is so no more; `decision`: as it was read, if it is there at all."""
        if kept is not None and may_see(self.caller, kept.decision):
            self.open.put(id, kept)
        elif (before := self.open.raw_of(id)) is not None:
            closed = self._closed(before.decision, decision)
            self.closed.drop(id, "old")
            self.closed.put(id, closed)
            if len(self.closed) > _MOST_CLOSED and (oldest := self.closed.oldest) is not None:
                self.closed.drop(oldest, "old")
            self.open.drop(id, closed.how)

    def _closed(self, before: Decision, decision: Decision | None) -> ClosedDecision:
        """How it has left: what becomes of it elsewhere is not told to who may not see it any more."""
        if decision is None:
            return ClosedDecision(before.id, plainly(before.title), "gone", None, None, None, self._clock())
        return _closed(decision if may_see(self.caller, decision) else before, self._clock())

    def close(self) -> None:
        """Nobody looks on any more."""
        self.open.close()

    def _show(self, _: str, kept: Kept) -> OpenDecision:
        decision = kept.decision
        can_judge, deadline = self._may(authorize_judging, decision), None
        if decision.deadline is not None:
            epoch = decision.deadline / 1000 + kept.ahead
            deadline = Deadline(trio.current_time() + epoch - self._clock(), epoch)
        return OpenDecision(
            decision,
            can_judge,
            can_judge and decision.next_holder is not None,
            self._may(authorize_cancelling, decision),
            self._names(kept),
            deadline,
            trio.current_time,
            kept.written,
        )

    def _names(self, kept: Kept) -> dict[str, str]:
        if kept.names is None:
            named = {one: self._who(principal).name for one, principal in _principals(kept.decision)}
            kept.names = {one: name for one, name in named.items() if name != (supervised_by(one) or one)}
        return kept.names

    def _may(self, authorize: Callable[[Caller, Decision], None], decision: Decision) -> bool:
        try:
            authorize(self.caller, decision)
        except FacetError:
            return False
        return True


def _age(kept: Kept) -> tuple[int, str]:
    return kept.decision.created_at, kept.decision.id


def _closed(decision: Decision, now: float) -> ClosedDecision:
    """How it has ended; that it has gone on to somebody else, if it is open as far as is to be seen here."""
    title, answer = plainly(decision.title), decision.answer
    if decision.status is Status.OPEN:
        return ClosedDecision(decision.id, title, "moved", None, None, None, now)
    how = decision.status.value
    if answer is None:
        return ClosedDecision(decision.id, title, how, None, None, None, now)
    label = next((plainly(one.label) for one in decision.options or () if one.id == answer.option_id), None)
    return ClosedDecision(decision.id, title, how, answer.answered_by, answer.via, label, now)


def _principals(decision: Decision) -> Iterator[tuple[str, Principal]]:
    """The holders and participants in a record that are somebody, as they stand there."""
    chain = () if decision.escalation is None else decision.escalation.chain
    history = decision.history or ()
    holders = {decision.holder, *chain, *(move.holder for move in history)}
    participants = {decision.raised_by.participant_id, *(move.by for move in history if move.by is not None)}
    for one, id in [(one, supervised_by(one)) for one in holders] + [(one, one) for one in participants]:
        if id is not None and (principal := _principal(id)) is not None:
            yield one, principal


def _principal(participant: str) -> Principal | None:
    kind, colon, id = participant.partition(":")
    try:
        return Principal(kind, id) if colon and kind in _KINDS else Principal.program(participant)  # type: ignore[arg-type]
    except InvalidPrincipal:
        return None
