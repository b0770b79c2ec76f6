"""The store of questions: an actor that lets them in, judges answers, and says how it stands.

What can happen is in `settlement`, who may do it in `authority`; here is when, and in which order (Q-ASK-3): every
event first applies the audience's current value, then what is due, then itself. All of it is plain: no await.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import outcome
from msgspec.structs import replace
from trio import current_time
from trio.lowlevel import Abort, Task, current_task, reschedule

from facets.errors import Unavailable
from facets.principal import Principal, Who

from .answers import own
from .board import Board
from .deadlines import Deadline, instant, time_limit
from .durable_port import Kept
from .endings import Ending, KeyName, ask_digest, digest_of
from .entry import Answer, Ask, Due, Entry, State, Supersede
from .errors import Expired, InvalidAsk, NoLiveAsker, NoLongerActive, StoreClosed, Superseded, UnknownQuestion
from .figures import describe, figures, violations
from .open_entries import IsAway, OpenEntries
from .pending import DurablePending, Pending, Waiter
from .policies import validate
from .redaction import Secret
from .request import AskRequest
from .scopes import Scope, scope_faults

__all__ = ["PendingQuestions"]


class PendingQuestions(OpenEntries):
    """All open questions of one host. Opened by the questions facet; closing it closes them (`StoreClosed`)."""

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
        question, policy = entry.ask.question, entry.ask.policy
        if principal not in entry.answers or policy.revisable:
            validate(policy, question, value)  # Q-TYPE-3: before anything changes
        if pending.audience is not None and not pending.audience.readable_now:
            raise Unavailable(f"the audience of {id}")
        if question.secret and not pending.waiters:
            raise NoLiveAsker(id)  # Q-KEY-4
        self._apply(pending, Answer(principal, value if question.secret else own(value.reveal())))

    # Durable questions: their values come from records, and nothing but that changes them

    def show(self, kept: Kept, saw: Callable[[str, Principal], None]) -> None:
        """Show a durable question as its record has it now, if that is newer than what is shown.

        `saw` is called with its id and whom it has been shown to.
        """
        id, state = kept.entry.ask.id, kept.entry.state
        pending = self._open.get(id)
        if isinstance(pending, DurablePending) and kept.version > pending.version:
            pending.note(kept.version, kept.seen)
            entry = replace(kept.entry, ask=pending.entry.ask)
            if state is not State.OPEN:
                self._settle(pending, entry)
            elif entry.answers != pending.entry.answers:  # else somebody was shown it, and that is all
                pending.swap(entry)
        elif pending is None and self._closed is None:
            if state is State.OPEN:
                self._take_in(kept, saw)
            else:
                self.endings.put(Ending(kept.entry, kept.seen), None, current_time())

    def _take_in(self, kept: Kept, saw: Callable[[str, Principal], None]) -> None:
        self._count += 1
        entry = replace(kept.entry, ask=replace(kept.entry.ask, number=self._count))
        pending = DurablePending(entry, self._environment, self.publishing.tally, ())
        pending.version, pending.recorded, pending.saw = kept.version, kept.seen, saw
        pending.is_seen = bool(kept.seen)
        self._open[entry.ask.id] = pending
        if self._room.counts:
            self._room.opened(entry)
        self.publishing.opened(pending)

    def wait_for(self, kept: Kept, waiter: Waiter) -> Pending | outcome.Outcome[Any]:
        """Have one more wait for a durable question that is shown; or its outcome, if it has ended."""
        if self._closed is not None:
            raise StoreClosed(self._closed)
        pending = self._open.get(kept.entry.ask.id)
        return self._outcome(kept.entry, kept.seen) if pending is None else self._attach(pending, waiter)

    def check_durable(self, request: AskRequest, asker: Principal, scope: Scope, replaced: Entry | None) -> None:
        """Refuse a durable question that is about to be opened, as `admit` would."""
        if self._closed is not None:
            raise StoreClosed(self._closed)
        self._room.check(len(self._open), asker, scope, request.members, replaced)

    def holds(self, id: str) -> bool:
        """Whether an open question has this id."""
        return id in self._open

    def judge(self, board: Board, id: str, value: Secret[Any]) -> Answer:
        """What somebody's answer to a durable question is to its record. Raises what refuses it here already."""
        pending = self._open.get(id)
        if pending is None or pending.entry.ask.scope != board.scope:
            raise self._late(board, id)
        self._logic.authority.authorize(board.principal, "answer", pending.entry, board.level)  # Q-AUTH-3
        ask = pending.entry.ask
        if board.principal not in pending.entry.answers or ask.policy.revisable:
            validate(ask.policy, ask.question, value)  # Q-TYPE-3
        return Answer(board.principal, own(value.reveal()))

    def _late(self, board: Board, id: str) -> Exception:
        """Why an answer to what is not open is refused (Q-SET-3)."""
        ending = self.endings.of_id(id, current_time())
        if ending is None or ending.entry.ask.scope != board.scope:
            return UnknownQuestion(id)
        entry = ending.entry
        self._logic.authority.authorize(board.principal, "answer", entry, board.level)
        by = tuple(self._who(given.by) for given in entry.answers)
        return NoLongerActive(entry.ask.id, entry.state.value, by, board.principal in entry.answers)

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
        """Close the open questions of a scope; durable ones stay open, and nobody waits for them here any more."""
        self.call(self._close_all, scope)

    def _close_all(self, scope: Scope) -> None:
        for pending in list(self._open.values()):
            if pending.entry.ask.scope != scope or pending.entry.ask.id not in self._open:
                continue
            if pending.durable:
                self._orphan(pending, StoreClosed("its scope is closed"))
            else:
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
