"""Telling everybody whom a change concerns, and nobody else (Q-VIEW-3)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import trio

from facets.facet import Environment
from facets.principal import Principal

from .board import Board, ClosedQuestions
from .config import QuestionsConfig
from .entry import Entry
from .open_question import OpenQuestion
from .pending import Pending
from .reports import ClosedQuestion, Opened, Settled
from .scopes import Scope

__all__ = ["Publishing"]

_log = logging.getLogger("questions")


class Publishing:
    """The boards of one store, its part of `host.waiting`, and its reports.

    `after(function, *args)` calls what must not be called within a step.
    """

    def __init__(self, environment: Environment, after: Callable[..., None]) -> None:
        self._environment = environment
        self._waiting = environment.waiting
        self._after = after
        self._boards: dict[Scope, dict[Principal, Board]] = {}
        self._overseers: dict[Scope, dict[Principal, Board]] = {}
        """Of those, the ones that show every question."""
        self._open: dict[Scope, dict[str, Pending]] = {}

    @property
    def _config(self) -> QuestionsConfig:
        config: QuestionsConfig = self._environment.config
        return config

    # --- boards -------------------------------------------------------------------------------------------------

    def board(self, principal: Principal, scope: Scope) -> Board:
        """The board of a principal in a scope. Raises `Forbidden` for one who may not view it."""
        level = self.level(principal, scope)
        self._environment.logic.authority.authorize(principal, "view", scope, level)
        boards = self._boards.setdefault(scope, {})
        if principal not in boards:
            limits = self._config.limits
            closed = ClosedQuestions(limits.closed, limits.closed_seconds, self._environment.now)
            boards[principal] = Board(principal, scope, level, self._show, closed)
            self._fill(boards[principal])
        return boards[principal]

    def level(self, principal: Principal, scope: Scope) -> Any:
        """What of a scope a principal may view."""
        may_view = self._config.may_view or self._environment.logic.authority.may_view
        return may_view(principal, scope)

    def forget(self, board: Board) -> None:
        """Nobody views this board any more."""
        for index in (self._boards, self._overseers):
            boards = index.get(board.scope, {})
            boards.pop(board.principal, None)
            if not boards:
                index.pop(board.scope, None)
        board.end("released")

    def renew(self) -> None:
        """The rules have changed: work out again who views what, and show everything afresh."""
        for boards in list(self._boards.values()):
            for board in list(boards.values()):
                board.level = self.level(board.principal, board.scope)
                board.end("renewed")
                self._overseers.get(board.scope, {}).pop(board.principal, None)
                self._fill(board)
                board.open.refresh()

    def _fill(self, board: Board) -> None:
        shows = self._environment.logic.authority.shows
        if board.level == "all":
            self._overseers.setdefault(board.scope, {})[board.principal] = board
        for id, pending in self._open.get(board.scope, {}).items():
            if shows(board.principal, pending.entry, board.level):
                board.open.put(id, pending)

    def _show(self, board: Board, pending: Pending) -> OpenQuestion:
        pending.cells[board.open] = None
        if board.principal not in pending.seen:
            pending.seen[board.principal] = None
            if self._waiting in pending.cells:
                self._waiting.touch(pending.entry.ask.id)
        who, now = self._environment.who, trio.current_time
        shown: OpenQuestion = self._environment.logic.showing.show(pending.entry, board.principal, who, now)
        return shown

    def _concerned(self, scope: Scope, principals: Mapping[Principal, Any]) -> Iterable[Board]:
        boards, overseers = self._boards.get(scope), self._overseers.get(scope)
        if not boards:
            return ()
        few, many = (boards, principals) if len(boards) < len(principals) else (principals, boards)
        concerned = [boards[principal] for principal in few if principal in many]
        if overseers:
            concerned += [board for principal, board in overseers.items() if principal not in principals]
        return concerned

    # --- what happened ------------------------------------------------------------------------------------------

    def opened(self, pending: Pending) -> None:
        """A question was published."""
        ask = pending.entry.ask
        id, scope = ask.id, ask.scope
        in_scope = self._open.get(scope)
        if in_scope is None:
            in_scope = self._open[scope] = {}
        in_scope[id] = pending
        self._waiting.put(id, pending)
        for board in self._concerned(scope, pending.entry.members):
            board.open.put(id, pending)
        if self._config.observe is not None:
            self._after(self._config.observe, self._opened_report(pending.entry))

    def joined(self, pending: Pending, principals: tuple[Principal, ...]) -> None:
        """Principals came into the audience of an open question."""
        id, scope = pending.entry.ask.id, pending.entry.ask.scope
        for principal in principals:
            board = self._boards.get(scope, {}).get(principal)
            if board is not None and principal in pending.entry.members:
                board.open.put(id, pending)

    def left(self, pending: Pending, principals: tuple[Principal, ...]) -> None:
        """Principals went out of it: it leaves their boards, unless they view everything."""
        entry = pending.entry
        for principal in principals:
            board = self._boards.get(entry.ask.scope, {}).get(principal)
            if board is not None and board.level != "all" and entry.ask.id in board.open:
                board.open.drop(entry.ask.id, "left")
                board.closed.add(self._closed_question(entry, "left"))

    def settled(self, pending: Pending, entry: Entry) -> None:
        """A question ended: it leaves every board in this step, with how it ended (Q-SET-6, Q-VIEW-4)."""
        id, scope, how = entry.ask.id, entry.ask.scope, entry.state.value
        in_scope = self._open[scope]
        del in_scope[id]
        if not in_scope:
            del self._open[scope]
        self._waiting.drop(id, how)
        closed = None
        for board in self._concerned(scope, entry.members):
            closed = closed or self._closed_question(entry, how)
            board.open.drop(id, how)
            board.closed.add(closed)
        if self._config.observe is not None or _log.isEnabledFor(logging.INFO):
            self._report(self._settled_report(pending, entry))

    def _closed_question(self, entry: Entry, how: str) -> ClosedQuestion:
        by = tuple([self._environment.who(given.by) for given in entry.answers])
        return ClosedQuestion(entry.ask.id, entry.ask.question.message, how, by, self._environment.now())

    # --- reports ------------------------------------------------------------------------------------------------

    def _report(self, settled: Settled) -> None:
        _log.info("question %s in %s: %s", settled.id, settled.scope, settled.how, extra={"questions.how": settled.how})
        if self._config.observe is not None:
            self._after(self._config.observe, settled)

    def _opened_report(self, entry: Entry) -> Opened:
        ask = entry.ask
        audience = tuple(map(self._environment.who, entry.members))
        kind = type(ask.question).__name__.lower()
        return Opened(
            ask.id, ask.scope, ask.question.message, kind, ask.policy, ask.asker, audience, ask.key, ask.opened
        )

    def _settled_report(self, pending: Pending, entry: Entry) -> Settled:
        ask, who = entry.ask, self._environment.who
        given = list(entry.answers)
        answers = () if ask.question.secret else tuple((who(one.by), one.answer) for one in given)
        return Settled(
            id=ask.id,
            scope=ask.scope,
            message=ask.question.message,
            kind=type(ask.question).__name__.lower(),
            policy=ask.policy,
            asker=ask.asker,
            how=entry.state.value,
            by=tuple(who(one.by) for one in given),
            answers=answers,
            missing=tuple(map(who, entry.missing)),
            seen=tuple(map(who, pending.seen)),
            automatic=any(one.automatic for one in given),
            opened_at=ask.opened,
            settled_at=self._environment.now(),
        )
