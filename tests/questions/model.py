"""What the design says of live questions, as plainly as it can be put: lists, sets, and a number for the time.

Written from the rules, not from the code. Events are applied lazily, as Q-ASK-3 has it: before anything happens to a
question its audience's current value is applied, then what is due.
"""

import math
from typing import Any

import attrs

from facets import Principal
from questions import All, First, OwnerScope, Quorum, SessionScope

ANA, BO, CY = Principal.user("ana"), Principal.user("bo"), Principal.guest("cy")
RUN = Principal.program("run")
SERVER, WORKER = Principal.server("host"), Principal.worker("s")
PEOPLE = (ANA, BO, CY, RUN)
SESSION, OWNER = SessionScope("s"), OwnerScope(ANA)
VIEWS = (*((person, SESSION) for person in PEOPLE), (ANA, OWNER))
PRESENT = "present"

# Quarters of a second, so that only deadlines fall on the instants at which things happen.
LINGER, RETAIN, LINK_LINGER = 20.25, 40.25, 15.25


@attrs.define(eq=False)
class Pending:
    """A question, open or not."""

    ask: Any
    """What was asked: a `programs.Ask`."""
    members: list
    last: list
    """Its live audience's value when that was last applied."""
    deadline: float | None
    former: set = attrs.field(factory=set)
    answers: dict = attrs.field(factory=dict)
    waiters: set = attrs.field(factory=set)
    linger: float = math.inf
    seen: set = attrs.field(factory=set)
    glimpsed: set = attrs.field(factory=set)
    """Who may have read it in the step in which it ended, or may not have."""
    how: str = "open"
    ended: float | None = None
    id: str | None = None
    """What the store calls it."""

    @property
    def lingers_until(self):
        return math.inf if self.waiters else self.linger

    @property
    def missing(self):
        return {member for member in self.members if member not in self.answers}

    @property
    def enough(self):
        match self.ask.policy:
            case First():
                return bool(self.answers)
            case Quorum(count):
                return len(self.answers) >= count
        return bool(self.answers) and not self.missing


@attrs.define(eq=False)
class View:
    """Somebody's view of a scope, while it is held or lingers."""

    holders: set = attrs.field(factory=set)
    lingers_until: float | None = None
    closed: list = attrs.field(factory=list)
    """(question, how, when) of what left it."""


class Refused(Exception):
    """What the store is to raise: the name of the class, and how the question ended if it says so."""


class Model:
    def __init__(self):
        self.now = 0.0
        self.cells = {"team": (ANA, BO), "crew": ()}
        self.questions = []
        self.kept = {}
        self.fenced = set()
        self.views = {}
        self.outcomes = {}
        """waiter -> what it got: an exception's class name, or a question whose result it has."""

    # --- reading ------------------------------------------------------------------------------------------------

    @property
    def open(self):
        return [pending for pending in self.questions if pending.how == "open"]

    def audience(self, name):
        if name != PRESENT:
            return list(dict.fromkeys(self.cells[name]))
        views = self.views.items()
        return [who for (who, scope), view in views if scope == SESSION and who.kind != "program" and view.holders]

    def shows(self, who, scope, pending):
        return pending.ask.scope == scope and (scope == OWNER or who in pending.members)

    def shown(self, who, scope):
        return [pending for pending in self.open if self.shows(who, scope, pending)]

    def look(self, who, scope):
        for pending in self.shown(who, scope):
            pending.seen.add(who)

    # --- asking -------------------------------------------------------------------------------------------------

    def ask(self, ask, waiter):
        members = self._members(ask)
        before = self._before(ask)
        if before is not None and before.ask.same_as(ask):
            if before.how == "open":
                before.waiters.add(waiter)
            else:
                self.outcomes[waiter] = before
            return
        self._refuse_if(before is not None and ask.attach, "Superseded")
        pending = Pending(ask, members, list(members), self.now + ask.timeout if ask.timeout else None)
        if pending.deadline is not None and pending.deadline <= self.now:  # unpublished
            pending.how = "answered" if ask.default is not None else "expired"
            self.outcomes[waiter] = pending
            return
        self._refuse_if(ask.scope in self.fenced, "Unavailable")
        self._refuse_if(ask.policy == All("snapshot") and not members, "InvalidAsk")
        if before is not None and before.how == "open":
            self._end(before, "superseded")
        pending.waiters.add(waiter)
        self.questions.append(pending)

    def _before(self, ask):
        """What its key stands for: an open question, or a kept result."""
        for pending in self.open:
            if ask.key is not None and pending.ask.name == ask.name:
                return pending
        kept, at = self.kept.get(ask.name, (None, 0))
        return kept if ask.key is not None and self.now < at + RETAIN else None

    def _members(self, ask):
        members = self.audience(ask.audience) if ask.live else list(dict.fromkeys(ask.audience))
        members = [who for who in members if who != ask.behalf]
        if not ask.live:
            self._refuse_if(not members, "InvalidAsk")
            self._refuse_if(isinstance(ask.policy, Quorum) and ask.policy.count > len(members), "InvalidPolicy")
        self._refuse_if(ask.question.secret and ask.asker == WORKER, "Forbidden")
        return members

    def _refuse_if(self, refused, name, how=None):
        if refused:
            raise Refused(name, how)

    def cancel(self, waiter):
        for pending in self.open:
            if waiter in pending.waiters:
                self._bring_up_to_date(pending)
                if pending.how == "open":
                    pending.waiters.remove(waiter)
                    self.outcomes[waiter] = "Cancelled"
                    if not pending.waiters:
                        self._end(pending, "withdrawn")

    # --- answering ----------------------------------------------------------------------------------------------

    def answer(self, who, scope, pending, value, valid):
        self._refuse_if((who, scope) not in self.views, "Unavailable")
        self._refuse_if(pending is None, "UnknownQuestion")
        if pending.how == "open":
            self._bring_up_to_date(pending)
        remembered = pending.how == "open" or self.now < pending.ended + RETAIN
        self._refuse_if(pending.ask.scope != scope or not remembered, "UnknownQuestion")
        if who not in pending.members:
            known = who in pending.former or self.shows(who, scope, pending)
            self._refuse_if(True, "NotInAudience" if known else "UnknownQuestion")
        self._refuse_if(pending.how != "open", "NoLongerActive", pending.how)
        mine = who in pending.answers
        self._refuse_if(not mine and not valid, "InvalidAnswer")
        self._refuse_if(pending.ask.question.secret and not pending.waiters, "NoLiveAsker")
        self._refuse_if(mine, "NoLongerActive", "already_answered")
        pending.answers[who] = value
        self._end_if_enough(pending)

    # --- events -------------------------------------------------------------------------------------------------

    def settle(self):
        """What brings everything up to date when nothing else happens any more."""
        for name in (*self.cells, PRESENT):
            self._refresh(name)
        for pending in self.open:
            if pending.lingers_until < (pending.deadline or math.inf) and self.now >= pending.lingers_until:
                self._end(pending, "withdrawn")
            else:
                self._lapse(pending)
        for view, held in list(self.views.items()):
            if held.lingers_until is not None and self.now >= held.lingers_until:
                del self.views[view]

    def _bring_up_to_date(self, pending):
        if pending.ask.live and pending.ask.policy != All("snapshot"):
            self._refresh(pending.ask.audience)
        if pending.how == "open":
            self._lapse(pending)

    def _refresh(self, name):
        current = self.audience(name)
        for pending in self.open:
            if pending.ask.audience == name and pending.ask.policy != All("snapshot"):
                last, pending.last = pending.last, current
                self._join(pending, [who for who in current if who not in last and who != pending.ask.behalf])
                self._leave(pending, [who for who in last if who not in current])

    def _join(self, pending, joined):
        pending.members += [who for who in joined if who not in pending.members]
        pending.former -= set(joined)
        pending.glimpsed |= set(joined)

    def _leave(self, pending, left):
        gone = [who for who in left if who in pending.members]
        for who in gone:
            pending.members.remove(who)
            pending.former.add(who)
            if pending.ask.scope == SESSION and (who, SESSION) in self.views:
                self.views[who, SESSION].closed.append((pending, "left", self.now))
        if gone:
            self._end_if_enough(pending)

    def _lapse(self, pending):
        if pending.deadline is None or self.now < pending.deadline:
            return
        self._end(pending, "answered" if pending.ask.default is not None else "expired")

    def _end_if_enough(self, pending):
        if pending.enough:
            self._end(pending, "answered")

    def _end(self, pending, how):
        pending.how = how
        pending.ended = self.now
        wrong = {"superseded": "Superseded", "closed": "StoreClosed"}
        self.outcomes.update(dict.fromkeys(pending.waiters, wrong.get(how, pending)))
        pending.waiters = set()
        for (who, scope), view in self.views.items():
            if self.shows(who, scope, pending):
                view.closed.append((pending, how, self.now))
        if how in ("answered", "expired") and not (pending.ask.question.secret and pending.answers):
            self.kept[pending.ask.name] = pending, self.now
        else:
            self.kept.pop(pending.ask.name, None)

    # --- the host -----------------------------------------------------------------------------------------------

    def join(self, view, device):
        held = self.views.setdefault(view, View())
        held.holders.add(device)
        held.lingers_until = None

    def leave(self, view, device, lost=False):
        held = self.views.get(view)
        if held is None or device not in held.holders:
            return
        held.holders.remove(device)
        if not held.holders and lost:
            held.lingers_until = self.now + LINK_LINGER
        elif not held.holders:
            del self.views[view]

    def crash(self):
        for pending in self.open:
            kept_secret = pending.ask.question.secret and pending.answers  # Q-KEY-4: meant for who waited then
            if pending.ask.key is None or kept_secret:
                self._end(pending, "closed")
            elif pending.waiters:
                self.outcomes.update(dict.fromkeys(pending.waiters, "StoreClosed"))
                pending.waiters, pending.linger = set(), self.now + LINGER

    def fence(self, scope, force):
        busy = [pending for pending in self.open if pending.ask.scope == scope]
        self._refuse_if(busy and not force, "Busy")
        for pending in busy:
            self._end(pending, "closed")
        self.fenced.add(scope)
