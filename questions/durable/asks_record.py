"""A durable question as it is stored: what was asked, who has answered what, and who has been shown it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import attrs
import msgspec
from trio import current_time

from facets.link.conversion import faults_of, plain
from facets.principal import Principal, Who
from questions.answers import Answers, Given, own
from questions.deadlines import Deadline
from questions.durable_port import Kept
from questions.entry import Ask, Entry, State
from questions.policies import Policy
from questions.question import Question
from questions.remote.wire import converter
from questions.scopes import Scope

from .asks_table import ASKS
from .backend import Column, Row, Write
from .errors import Unreadable

__all__ = ["Clocks", "Record", "name_of", "read_record", "written_record"]

_SCHEMA = 1


@attrs.frozen
class _Given:
    by: Principal
    answer: Any
    automatic: bool = False


@attrs.frozen
class _Form:
    """The record in JSON. Times are milliseconds since the epoch, by the store's clock."""

    schema: int
    id: str
    scope: Scope
    asker: Who
    on_behalf_of: Principal | None
    key: str
    digest: str
    question: Question[Any]
    policy: Policy
    audience: tuple[Principal, ...]
    default: Any
    opened: int
    deadline: int | None
    answers: tuple[_Given, ...]
    seen: tuple[Principal, ...]
    state: str
    ended: int | None


class Clocks(msgspec.Struct, frozen=True):
    """One moment on three clocks."""

    now: int
    """The store's, epoch milliseconds, which judges."""
    at: float
    """trio's."""
    epoch: float
    """The host's wall clock, which people are shown."""

    @classmethod
    def of(cls, now: int, epoch: float) -> Clocks:
        """This moment. Clocks that differ by less than half a second are the same, so that people see one time."""
        return cls(now, current_time(), now / 1000 + round(epoch - now / 1000))

    def deadline(self, instant: int) -> Deadline:
        """An instant of the store's clock on the others."""
        left = (instant - self.now) / 1000
        return Deadline(self.at + left, self.shown(instant))

    def shown(self, instant: int) -> float:
        """An instant of the store's clock as people are shown it."""
        return self.epoch + (instant - self.now) / 1000

    def instant(self, shown: float) -> float:
        """The other way round: milliseconds of the store's clock."""
        return self.now + (shown - self.epoch) * 1000


class Record(msgspec.Struct, frozen=True, eq=False):
    """A durable question, and what of its record an entry does not have. Times are of the store's clock."""

    entry: Entry
    version: int
    digest: str
    """What makes another ask the same (Q-KEY-1)."""
    opened: int
    deadline: int | None
    ended: int | None
    seen: tuple[Principal, ...] = ()

    @property
    def id(self) -> str:
        """Of the question, and the key of the record."""
        return self.entry.ask.id

    @property
    def is_open(self) -> bool:
        """Whether it has not ended."""
        return self.entry.state is State.OPEN

    @property
    def stands(self) -> bool:
        """Whether its key stands for it: while it is open, and as long as its result is kept (Q-KEY-4)."""
        return self.entry.state in (State.OPEN, State.ANSWERED, State.EXPIRED)

    def is_due(self, now: int) -> bool:
        """Whether its deadline has come (Q-SET-5)."""
        return self.is_open and self.deadline is not None and self.deadline <= now

    @property
    def kept(self) -> Kept:
        """As the host takes it."""
        return Kept(self.entry, self.version, self.seen)


def name_of(asker: Principal, scope: Scope, key: str) -> str:
    """What a key is found by: keys live in (scope, asker) (Q-KEY-1)."""
    return hashlib.sha256(msgspec.json.encode([str(scope), str(asker), key])).hexdigest()


def read_record(row: Row, clocks: Clocks) -> Record:
    """The question in a row. Raises `Unreadable`, also for one that belongs under another key."""
    try:
        form = converter.structure(msgspec.json.decode(row.value), _Form)
        state = State(form.state)
    except Exception as fault:
        raise Unreadable("; ".join(faults_of(fault))) from None
    if form.schema != _SCHEMA or form.id != row.key:
        raise Unreadable(f"it is a record of {form.id!r}, in form {form.schema}")
    if faults := list(_faults(form, state)):
        raise Unreadable("; ".join(faults))
    answers = Answers()
    for given in form.answers:
        answers = answers.plus(Given(given.by, own(given.answer), given.automatic))
    members = dict.fromkeys(form.audience)
    missing = sum(1 for member in members if member not in answers)
    entry = Entry(_ask(form, clocks), members, {}, answers, missing, state)
    return Record(entry, row.version, form.digest, form.opened, form.deadline, form.ended, form.seen)


def _faults(form: _Form, state: State) -> Iterator[str]:
    """What no host writes: records are of a file, or of a server, that others may have changed."""
    if form.question.secret:
        yield "$.question.secret: a secret is never stored"
    if form.on_behalf_of in form.audience:
        yield "$.audience: the program whose run asks is in it"  # Q-AUTH-4
    if len({given.by for given in form.answers}) < len(form.answers):
        yield "$.answers: somebody has answered twice"  # Q-POL-6
    for place, given in enumerate(form.answers):
        if not (given.automatic or given.by in form.audience):
            yield f"$.answers[{place}].by: not in the audience"
        if (given.automatic and given.answer != form.default) or form.policy.check(form.question, given.answer):
            yield f"$.answers[{place}].answer: no answer to this question"
    enough = {State.ANSWERED: bool(form.answers), State.EXPIRED: form.deadline is not None}
    if not enough.get(state, True) or (form.ended is None) != (state is State.OPEN):
        yield f"$.state: it cannot be {state.value}"


def _ask(form: _Form, clocks: Clocks) -> Ask:
    return Ask(
        form.id,
        0,
        form.scope,
        form.question,
        form.policy,
        form.asker,
        form.audience,
        form.key,
        None if form.deadline is None else clocks.deadline(form.deadline),
        form.default,
        form.on_behalf_of,
        clocks.shown(form.opened),
    )


def written_record(record: Record, *, stands: bool = True) -> Write:
    """The write that makes a record the version that it says it is. `stands` false: its key is another's now."""
    entry, ask = record.entry, record.entry.ask
    fields = {
        "schema": _SCHEMA,
        "id": ask.id,
        "scope": converter.unstructure(ask.scope, Scope),
        "asker": plain(ask.asker),
        "on_behalf_of": plain(ask.on_behalf_of),
        "key": ask.key,
        "digest": record.digest,
        "question": converter.unstructure(ask.question, Question),
        "policy": converter.unstructure(ask.policy, Policy),
        "audience": plain(list(entry.members)),
        "default": ask.default,
        "opened": record.opened,
        "deadline": record.deadline,
        "answers": [_given(one) for one in entry.answers],
        "seen": plain(list(record.seen)),
        "state": entry.state.value,
        "ended": record.ended,
    }
    value = msgspec.json.encode(fields).decode()
    return Write(ASKS, ask.id, record.version - 1, value, _columns(record, stands))


def _given(given: Given) -> dict[str, Any]:
    return {"by": plain(given.by), "answer": given.answer, "automatic": given.automatic}


def _columns(record: Record, stands: bool) -> dict[str, Column]:
    """What is open is found by who asked it where, and by its deadline; what has ended by when it did."""
    ask, is_open = record.entry.ask, record.is_open
    name = name_of(ask.asker.principal, ask.scope, ask.key or "") if stands and record.stands else None
    return {
        "open": 1 if is_open else None,
        "asker": str(ask.asker.principal) if is_open else None,
        "scope": str(ask.scope) if is_open else None,
        "opened": record.opened,
        "deadline": record.deadline if is_open else None,
        "name": name,
        "final": None if is_open else 1,
        "ended": record.ended,
    }
