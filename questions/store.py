"""The store of live questions: an actor that swaps entries, wakes waiters, and publishes.

What can happen is in `settlement`, who may do it in `authority`; here is when, and in which order (Q-ASK-3): every
event first applies the audience's current value, then what is due, then itself. All of it is plain: no await.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from typing import Any, Literal

import attrs
import msgspec
import outcome
from trio import current_time
from trio.lowlevel import Abort, Task, current_task, reschedule

from facets.actor import Actor
from facets.errors import Unavailable
from facets.facet import Environment
from facets.principal import Principal, Who

from .audience import LiveAudience
from .audiences import LiveAudiences
from .board import Board
from .config import QuestionsConfig
from .deadlines import Deadline, instant, time_limit
from .endings import Ending, Endings, KeyName, ask_digest, digest_of
from .entry import Answer, Ask, Close, Due, Entry, Event, Joined, Left, State, Supersede, Withdraw
from .errors import Expired, InvalidAsk, NoLiveAsker, NoLongerActive, StoreClosed, Superseded, UnknownQuestion
from .figures import describe, figures, violations
from .pending import Pending, Waiter
from .publishing import Publishing
from .question import validate
from .redaction import Secret
from .request import AskRequest
from .room import Room
from .scopes import Scope, scope_faults
from .timers import Timers

__all__ = ["PendingQuestions"]

_log = logging.getLogger("questions")
_OPEN = State.OPEN
IsAway = Callable[[], bool] | None


class PendingQuestions(Actor):
    """All open questions of one host. Opened by the questions facet; closing it closes them (`StoreClosed`)."""

    def __init__(self, environment: Environment) -> None:
        super().__init__("pending questions")
        self._environment = environment
        self._logic = environment.logic
        self._now = environment.now
        self._who = environment.who
        self._config: QuestionsConfig = environment.config
        self._epoch = secrets.token_hex(5)  # Q-SET-4: no id is used again, across restarts too
        self._count = 0
        self._open: dict[str, Pending] = {}
        self._keys: dict[KeyName, Pending] = {}
        self._timers: Timers[tuple[str, Literal["deadline", "linger"]]] = Timers()
        self._audiences = LiveAudiences(self.wake)
        limits = self._config.limits
        self._room = Room(limits)
        self.endings = Endings(self._config.retain, limits.endings, limits.results)
        self.publishing = Publishing(environment, self.after)
        """Who is shown what."""
        self._closed: str | None = None
        environment.waiting.add_source(lambda: self._open)

    def admit(self, request: AskRequest, asker: Who, scope: Scope) -> Pending | outcome.Outcome[Any]:
        """Open a question with the current task as its waiter, or join the one that has its key.

        Returns what to wait for, or the outcome if it is known already.
        """
        if self._closed is not None:
            raise StoreClosed(self._closed)
        act = "ask secret" if request.question.secret else "ask"
        self._logic.authority.authorize(asker.principal, act, scope)  # Q-AUTH-1
        key = None if request.key is None else (scope, asker.principal, request.key)
        if key is not None and (known := self._known(request, key)) is not None:
            return known
        limit = None
        if request.timeout is not None or request.deadline is not None:
            now = current_time()
            limit = time_limit(request.timeout, request.deadline, now, self._now())
            if limit is not None and limit.due(now):
                return self._too_late(request, asker, scope, limit)
        replaced = None if key is None else self._keys.get(key)
        old = None if replaced is None else replaced.entry
        # Before anything is closed for what would then be refused
        self._room.check(len(self._open), asker.principal, scope, request.members, old)
        if request.snapshot:
            request.check_size()
        if replaced is not None:
            self._apply(replaced, Supersede())  # Q-KEY-2
        return self._publish(request, asker, scope, limit)

    def _known(self, request: AskRequest, key: KeyName) -> Pending | outcome.Outcome[Any] | None:
        if (pending := self._keys.get(key)) is not None:
            self._bring_up_to_date(pending)
        known = self._keys.get(key) or self.endings.of_key(key, current_time())
        if known is None:
            return None
        asked = digest_of(request.question, request.policy, request.fixed)
        if asked == ask_digest(known.entry.ask):  # Q-KEY-1, Q-KEY-4
            if isinstance(known, Pending):
                return self._attach(known, request.waiter or current_task())
            return self._outcome(known.entry, known.seen)
        if request.attach_only:
            raise Superseded(known.entry.ask.id)
        return None

    def _attach(self, pending: Pending, waiter: Waiter) -> Pending:
        self._room.waiters(len(pending.waiters))
        pending.attach(waiter)
        self._timers.cancel(pending.linger)
        return pending

    def _too_late(self, request: AskRequest, asker: Who, scope: Scope, limit: Deadline) -> outcome.Outcome[Any]:
        """Its deadline had passed before it was asked (Q-KEY-1): unpublished."""
        if request.default is None:
            missing = tuple(map(self._who, request.members))
            return outcome.Error(Expired(missing, (), instant(limit.epoch)))
        entry = Entry.opened(self._ask(request, asker, scope, limit), request.members)
        return self._outcome(self._logic.settlement.step(entry, Due()), ())

    def _ask(self, request: AskRequest, asker: Who, scope: Scope, limit: Deadline | None) -> Ask:
        self._count = number = self._count + 1
        return Ask(
            f"q_{self._epoch}_{number}",
            number,
            scope,
            request.question,
            request.policy,
            asker,
            request.fixed,
            request.key,
            limit,
            request.default,
            request.on_behalf_of,
            self._now(),
        )

    def _publish(self, request: AskRequest, asker: Who, scope: Scope, limit: Deadline | None) -> Pending:
        ask = self._ask(request, asker, scope, limit)
        entry = Entry.opened(ask, request.members)
        # Q-SET-1: the waiter is there before anybody is told
        waiters = (request.waiter or current_task(),)
        pending = Pending(entry, self._environment, self.publishing.tally, waiters)
        if request.live:  # first of all: it raises if the audience cannot be read any more
            pending.audience = self._audiences.follow(request.audience, ask.id)  # type: ignore[arg-type]
        self._open[ask.id] = pending
        if self._room.counts:
            self._room.opened(entry)
        if ask.key is not None:
            self._keys[(scope, asker.principal, ask.key)] = pending
        if limit is not None:
            self._arm(pending, limit.at, "deadline")
        if pending.audience is not None:
            self._refresh(pending.audience)
        self.publishing.opened(pending)
        return pending

    def _arm(self, pending: Pending, at: float, what: Literal["deadline", "linger"]) -> int:
        number = self._timers.arm(at, (pending.entry.ask.id, what))
        pending.timers += (number,)
        self.alarm(at)
        return number

    def abort(self, pending: Pending, task: Task, is_away: IsAway, raise_cancel: Any) -> Abort:
        """`task` is cancelled while it waits. What has come before wins: then the cancellation fails (Q-ASK-3)."""
        if self.busy:  # a handler has cancelled it: after the handler, then
            self.post(self._abort_later, pending, task, is_away, raise_cancel)
            return Abort.FAILED
        gone = self.call(self.leave, pending, task, is_away)
        return Abort.SUCCEEDED if gone else Abort.FAILED

    def _abort_later(self, pending: Pending, task: Task, is_away: IsAway, raise_cancel: Any) -> None:
        if self.leave(pending, task, is_away):
            reschedule(task, outcome.capture(raise_cancel))

    def _wake(self, waiter: Waiter, result: outcome.Outcome[Any]) -> None:
        if type(waiter) is Task:
            reschedule(waiter, result)
        else:  # somebody's own code, which may call this store again
            self.after(waiter, result)

    def leave(self, pending: Pending, waiter: Waiter, is_away: IsAway) -> bool:
        """Take one waiter away, and with the last one the question (Q-KEY-5); False if it has its result already."""
        self._bring_up_to_date(pending)
        if waiter not in pending.waiters:
            return False
        pending.detach(waiter)
        if not pending.waiters:
            if is_away is not None and is_away() and pending.is_kept:
                self._let_linger(pending)
            else:
                self._apply_surely(pending, Withdraw())  # Q-SET-6; an abort function must not raise
        return True

    def answer(self, board: Board, id: str, value: Secret[Any]) -> None:
        """Somebody answers. What refuses it leaves the question as it was."""
        pending = self._open.get(id)
        if pending is not None and pending.moves:
            self._bring_up_to_date(pending)
            pending = self._open.get(id)
        if pending is None or pending.entry.ask.scope != board.scope:
            raise self._late(board, id)
        entry, principal = pending.entry, board.principal
        self._logic.authority.authorize(principal, "answer", entry, board.level)  # Q-AUTH-3
        question = entry.ask.question
        if principal not in entry.answers:
            validate(question, value)  # Q-TYPE-3: before anything changes
        if pending.audience is not None and not pending.audience.readable_now:
            raise Unavailable(f"the audience of {id}")
        if question.secret and not pending.waiters:
            raise NoLiveAsker(id)  # Q-KEY-4
        self._apply(pending, Answer(principal, value if question.secret else value.reveal()))

    def _late(self, board: Board, id: str) -> Exception:
        """Why an answer to what is not open is refused (Q-SET-3)."""
        ending = self.endings.of_id(id, current_time())
        if ending is None or ending.entry.ask.scope != board.scope:
            return UnknownQuestion(id)
        entry = ending.entry
        self._logic.authority.authorize(board.principal, "answer", entry, board.level)
        by = tuple(self._who(given.by) for given in entry.answers)
        return NoLongerActive(entry.ask.id, entry.state.value, by, board.principal in entry.answers)

    def _bring_up_to_date(self, pending: Pending) -> None:
        """Q-ASK-3: the audience's current value, then what is due."""
        if pending.audience is not None:
            self._refresh(pending.audience)
        deadline = pending.entry.ask.deadline
        if deadline is not None and pending.entry.ask.id in self._open and deadline.due(current_time()):
            self._apply_surely(pending, Due())

    def _refresh(self, audience: LiveAudience) -> None:
        change = audience.refresh()
        if change is None:
            return
        joined, left = change
        for id in list(audience.open):
            if joined:
                self._apply_surely(self._open[id], Joined(joined))
            if left and id in self._open:
                self._apply_surely(self._open[id], Left(left))

    def _apply(self, pending: Pending, event: Event) -> None:
        """The one place where entries are swapped."""
        entry: Entry = self._logic.settlement.step(pending.entry, event)
        if entry.state is not _OPEN:
            self._settle(pending, entry, event)
            return
        pending.swap(entry)
        if self._room.counts:
            self._room.changed(entry)
        if isinstance(event, Joined):
            self.publishing.joined(pending, event.principals)
        elif isinstance(event, Left):
            self.publishing.left(pending, event.principals)

    def _settle(self, pending: Pending, entry: Entry, event: Event | None = None) -> None:
        """Take the entry out, wake its waiters, tell the boards: once, with nothing in between (Q-SET-2)."""
        ask = entry.ask
        del self._open[ask.id]
        if self._room.counts:
            self._room.ended(ask)
        key = None
        if ask.key is not None:
            key = (ask.scope, ask.asker.principal, ask.key)
            del self._keys[key]
        for number in pending.timers:
            self._timers.cancel(number)
        if pending.audience is not None:
            self._audiences.leave(pending.audience, ask.id)
        if isinstance(event, Left):
            self.publishing.left(pending, event.principals)
        pending.entry = entry
        seen = pending.seen
        self.endings.put(Ending(entry, seen), key, current_time())
        waiters = pending.detach_all()
        for waiter in waiters:
            self._wake(waiter, self._outcome(entry, seen))
        self.publishing.settled(pending, entry)

    def _outcome(self, entry: Entry, seen: tuple[Principal, ...]) -> outcome.Outcome[Any]:
        try:
            result = self._logic.settlement.result(entry, seen, self._who)
        except Exception:  # of new code; who waits must not wait for ever
            _log.exception("question %s: its result cannot be made", entry.ask.id)
            result = StoreClosed("its result cannot be made")
        return outcome.Error(result) if isinstance(result, Exception) else outcome.Value(result)

    def tick(self) -> float:
        """Apply what changed audiences and passed deadlines bring."""
        for audience in self._audiences.changed():
            self._refresh(audience)
        while (due := self._timers.pop_due(current_time())) is not None:
            id, what = due
            pending = self._open.get(id)
            if pending is not None and (what == "deadline" or not pending.waiters):
                self._apply_surely(pending, Due() if what == "deadline" else Withdraw())
        return self._timers.nearest()

    def _apply_surely(self, pending: Pending, event: Event) -> None:
        """As `_apply`, but a question whose logic fails is closed, rather than failing all the others with it."""
        try:
            self._apply(pending, event)
        except Exception:
            _log.exception("question %s cannot be settled and is closed", pending.entry.ask.id)
            if pending.entry.ask.id in self._open:
                self._cut_off(pending)

    def _cut_off(self, pending: Pending) -> None:
        """Close a question without asking its logic, which may be what has failed."""
        self._settle(pending, msgspec.structs.replace(pending.entry, state=State.CLOSED))

    def failed(self, error: Exception) -> None:  # noqa: ARG002  # it may quote an answer, and is not passed on
        """Q-KEY-3: a crash is no denial. Waiters get `StoreClosed`; keyed questions stay for a re-ask."""
        for pending in list(self._open.values()):
            if pending.is_kept:
                self._orphan(pending, StoreClosed("it crashed and was started again"))
            else:
                self._cut_off(pending)

    def _orphan(self, pending: Pending, error: StoreClosed) -> None:
        waiters = pending.detach_all()
        for waiter in waiters:
            self._wake(waiter, outcome.Error(attrs.evolve(error)))
        if waiters:  # without any it lingers already
            self._let_linger(pending)

    def _let_linger(self, pending: Pending) -> None:
        if self._config.linger != float("inf"):
            pending.linger = self._arm(pending, current_time() + self._config.linger, "linger")

    def close(self) -> None:
        """Close every open question; later asks get `StoreClosed`. Again does nothing."""
        self._closed = "its host has closed"
        for pending in list(self._open.values()):
            self._close_one(pending)

    def _close_one(self, pending: Pending) -> None:
        try:
            self._bring_up_to_date(pending)
        except Exception:
            _log.exception("question %s: its last events are lost", pending.entry.ask.id)
        if pending.entry.ask.id in self._open:
            self._apply_surely(pending, Close())

    def fence(self, scope: Scope) -> None:
        """Take no new questions in a scope (Q-FAC-3). Raises `InvalidAsk` for what is no scope."""
        if faults := scope_faults(scope):
            raise InvalidAsk(faults)
        self._room.fenced.add(scope)

    def unfence(self, scope: Scope) -> None:
        """Take them again."""
        self._room.fenced.discard(scope)

    def wind_down(self) -> None:
        """Take no new questions anywhere any more; what is open goes on."""
        self._room.is_closed = True

    def close_scope(self, scope: Scope) -> None:
        """Close the open questions of a scope."""
        self.call(self._close_all, scope)

    def _close_all(self, scope: Scope) -> None:
        for pending in list(self._open.values()):
            if pending.entry.ask.scope == scope and pending.entry.ask.id in self._open:
                self._close_one(pending)

    def renew(self) -> None:
        """After a reload: show everything by the new rules. Touches no waiter (Q-KEY-3)."""
        self._config = self._environment.config
        self._room.bound(self._config.limits, (pending.entry for pending in self._open.values()))
        self.endings.bound(self._config.retain, self._config.limits)
        self.publishing.renew()

    def check(self) -> dict[str, int]:
        """What must never be; every figure reads 0. For tests and metrics."""
        found = violations(self._open, self.publishing.tally, [*self._keys.values(), *self.publishing.shown()])
        return {**found, "miscounted": self._room.miscounted(pending.entry for pending in self._open.values())}

    def figures(self) -> dict[str, Any]:
        """How it stands, for metrics: see `figures`, and how many asks each limit has refused."""
        refused = {f"refused.{limit}": count for limit, count in self._room.refused.items()}
        return {**figures(self._open.values(), self.publishing.tally, self._now()), **refused}

    def describe(self) -> dict[str, Any]:
        """The store's state as plain data. No answers in it."""
        fenced = sorted(map(str, self._room.fenced))
        described = describe(self._open, self.publishing.tally, self._timers.armed(), current_time(), self._now())
        return {**described, "live_audiences": len(self._audiences), "fenced": fenced, **self.endings.describe()}
