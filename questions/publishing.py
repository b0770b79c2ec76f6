"""Telling everybody whom a change concerns, and nobody else (Q-VIEW-3)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from trio import current_time

from facets.facet import Environment
from facets.keyed import KeyedCell
from facets.principal import Principal

from .board import Board, ClosedQuestions, Gone, put_on, take_all_off
from .config import QuestionsConfig
from .entry import Entry, State
from .figures import Tally
from .open_ask import OpenAsk
from .open_question import OpenQuestion
from .pending import FRESH, SENT, UNSEEN, Pending
from .place import Place
from .reports import Opened, Settled
from .scopes import Scope

__all__ = ["Publishing"]

_log = logging.getLogger("questions")


class Publishing:
    """The boards of one store, its part of `host.waiting`, and its reports.

    `after(function, *args)` calls what must not be called within a step.
    """

    def __init__(self, environment: Environment, after: Callable[..., None]) -> None:
        self._environment = environment
        self._config: QuestionsConfig = environment.config
        self._logic = environment.logic
        self._waiting = environment.waiting
        self._now = environment.now
        self._who = environment.who
        self._after = after
        self._places: dict[Scope, Place] = {}
        self.tally = Tally()

    # --- boards -------------------------------------------------------------------------------------------------

    def board(self, principal: Principal, scope: Scope) -> Board:
        """The board of a principal in a scope. Raises `Forbidden` for one who may not view it."""
        level = self.level(principal, scope)
        self._logic.authority.authorize(principal, "view", scope, level)
        place = self._place(scope)
        if principal not in place.boards:
            limits = self._config.limits
            closed = ClosedQuestions(limits, self._environment)
            place.boards[principal] = Board(principal, scope, level, self._show, self.peek, closed)
            self._fill(place, place.boards[principal])
        return place.boards[principal]

    def level(self, principal: Principal, scope: Scope) -> Any:
        """What of a scope a principal may view."""
        may_view = self._config.may_view or self._logic.authority.may_view
        return may_view(principal, scope)

    def forget(self, board: Board) -> None:
        """Nobody views this board any more."""
        place = self._place(board.scope)
        place.boards.pop(board.principal, None)
        place.overseers.pop(board.principal, None)
        self._tidy(board.scope, place)
        take_all_off(board, "released")

    def asking(self, asker: Principal, scope: Scope) -> KeyedCell[str, Pending, OpenAsk]:
        """What an asker is shown of its own open questions in a scope, from now on."""
        place = self._place(scope)
        if asker not in place.askers:
            place.askers[asker] = KeyedCell(lambda _, pending: pending.asked(current_time), order=_number)
            for id, pending in place.open.items():
                self._show_asker(place, id, pending)
        return place.askers[asker]

    def _show_asker(self, place: Place, id: str, pending: Pending) -> None:
        pending.asking = place.askers.get(pending.entry.ask.asker.principal, pending.asking)
        if pending.asking is not None:
            pending.asking.put(id, pending)

    def forget_asker(self, asker: Principal, scope: Scope) -> None:
        """It looks no more."""
        place = self._places.get(scope)
        if place is not None and (cell := place.askers.pop(asker, None)) is not None:
            for id, pending in cell.raw.items():
                pending.asking = None
                cell.drop(id, "released")
            self._tidy(scope, place)

    def renew(self) -> None:
        """The rules have changed: work out again who views what, and show everything afresh."""
        self._config = self._environment.config
        for place in self._places.values():
            place.overseers.clear()
            for board in place.boards.values():
                board.level = self.level(board.principal, board.scope)
                take_all_off(board, "renewed")
                self._fill(place, board)
                board.open.refresh()

    def shown(self) -> list[Pending]:
        """Every question that is on a board, once for each board."""
        boards = [board for place in self._places.values() for board in place.boards.values()]
        return [pending for board in boards for pending in board.open.raw.values()]

    def _place(self, scope: Scope) -> Place:
        place = self._places.get(scope)
        if place is None:
            place = self._places[scope] = Place()
        return place

    def _tidy(self, scope: Scope, place: Place) -> None:
        if place.is_empty:
            self._places.pop(scope, None)

    def _fill(self, place: Place, board: Board) -> None:
        shows = self._logic.authority.shows
        if board.level == "all":
            place.overseers[board.principal] = board
        for id, pending in place.open.items():
            if shows(board.principal, pending.entry, board.level):
                put_on(board, id, pending)

    def _show(self, board: Board, _: str, pending: Pending) -> OpenQuestion:
        if pending.boards[board] in (UNSEEN, SENT):
            pending.show(board, FRESH)
        else:
            pending.boards[board] = FRESH
        pending.fresh = True
        return self.peek(board, pending)

    def peek(self, board: Board, pending: Pending) -> OpenQuestion:
        """What a board shows of a question; nobody counts as having been shown it by that."""
        return self._logic.showing.show(pending.entry, board.principal, self._who, current_time)  # type: ignore[no-any-return]

    # --- what happened ------------------------------------------------------------------------------------------

    def opened(self, pending: Pending) -> None:
        """A question was published."""
        entry = pending.entry
        ask = entry.ask
        id, place = ask.id, self._place(ask.scope)
        place.open[id] = pending
        self.tally.unseen += not pending.is_seen
        if self._waiting.fed and pending.waiters:
            self._waiting.put(id, pending)
        if place.askers:
            self._show_asker(place, id, pending)
        if place.boards:
            pending.boards = boards = place.concerned(entry.members)
            for board in boards:
                board.open.put(id, pending)
        if self._config.observe is not None:
            self._after(self._config.observe, self._opened_report(entry))

    def joined(self, pending: Pending, principals: tuple[Principal, ...]) -> None:
        """Principals came into the audience of an open question."""
        id, boards = pending.entry.ask.id, self._place(pending.entry.ask.scope).boards
        for principal in principals:
            if principal in boards and principal in pending.entry.members:
                put_on(boards[principal], id, pending)

    def left(self, pending: Pending, principals: tuple[Principal, ...]) -> None:
        """Principals went out of it: it leaves their boards, unless they view everything."""
        entry = pending.entry
        id, boards = entry.ask.id, self._place(entry.ask.scope).boards
        for principal in principals:
            board = boards.get(principal)
            if board is not None and board.level != "all" and id in board.open:
                pending.take_off(board, "left")
                board.closed.add(Gone(entry.ask, entry.answers.by, "left", self._now()))

    def settled(self, pending: Pending, entry: Entry) -> None:
        """A question ended: it leaves every board in this step, with how it ended (Q-SET-6, Q-VIEW-4)."""
        ask, how, boards = entry.ask, entry.state._value_, pending.boards  # `.value` is a call
        id, place = ask.id, self._places[ask.scope]
        del place.open[id]
        self.tally.ended(pending)
        if self._waiting.fed:
            self._waiting.drop(id, how)
        if boards:
            gone = Gone(ask, entry.answers.by, how, self._now())
            for board in boards:
                board.open.drop(id, how)
                board.closed.add(gone)
        if pending.asking is not None:
            pending.asking.drop(id, how)
        elif not boards and place.is_empty:
            del self._places[ask.scope]
        if pending.durable and entry.state is State.CLOSED:  # at this host alone: its record is open
            return
        if self._config.observe is not None or _log.isEnabledFor(logging.INFO):
            self._report(self._settled_report(pending, entry))

    # --- reports ------------------------------------------------------------------------------------------------

    def _report(self, settled: Settled) -> None:
        if _log.isEnabledFor(logging.INFO):
            fields = _log_fields(settled)
            _log.info("question %s in %s: %s", settled.id, settled.scope, settled.how, extra=fields)
        if self._config.observe is not None:
            self._after(self._config.observe, settled)

    def _opened_report(self, entry: Entry) -> Opened:
        ask = entry.ask
        audience = tuple(map(self._who, entry.members))
        question = ask.question
        return Opened(
            ask.id, ask.scope, question.message, question.kind, ask.policy, ask.asker, audience, ask.key, ask.opened
        )

    def _settled_report(self, pending: Pending, entry: Entry) -> Settled:
        ask, who = entry.ask, self._who
        given = list(entry.answers)
        answers = () if ask.question.secret else tuple((who(one.by), one.answer) for one in given)
        return Settled(
            id=ask.id,
            scope=ask.scope,
            message=ask.question.message,
            kind=ask.question.kind,
            policy=ask.policy,
            asker=ask.asker,
            key=ask.key,
            secret=ask.question.secret,
            how=entry.state.value,
            by=tuple(who(one.by) for one in given),
            answers=answers,
            missing=tuple(map(who, entry.missing)),
            seen=tuple(map(who, pending.seen)),
            automatic=any(one.automatic for one in given),
            opened_at=ask.opened,
            settled_at=self._now(),
        )


def _log_fields(settled: Settled) -> dict[str, Any]:
    """What a record of a settlement has besides its words: no messages, and no answers."""
    return {
        "questions.event": "settled",
        "questions.id": settled.id,
        "questions.scope": str(settled.scope),
        "questions.kind": settled.kind,
        "questions.secret": settled.secret,
        "questions.asker": str(settled.asker.principal),
        "questions.how": settled.how,
        "questions.automatic": settled.automatic,
        "questions.by": [str(who.principal) for who in settled.by],
        "questions.seen": len(settled.seen),
        "questions.seconds": round(settled.settled_at - settled.opened_at, 3),
    }


def _number(pending: Pending) -> int:
    return pending.entry.ask.number
