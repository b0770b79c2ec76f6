"""Whether there is room for one more question: the fences and limits of a store, and what the limits count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

from facets.errors import Unavailable
from facets.principal import Principal

from .entry import Ask, Entry
from .errors import LimitExceeded
from .limits import Limits
from .scopes import Scope

__all__ = ["Room"]

K = TypeVar("K")


class Room:
    """What the open questions of one store take up. Lives as long as the store.

    Counts only what has a limit: where `counts` is false nobody need report anything to it.
    """

    def __init__(self, limits: Limits) -> None:
        self.fenced: set[Scope] = set()
        """The scopes in which nothing may be asked."""
        self.is_closed = False
        """Whether nothing may be asked anywhere any more."""
        self.refused: Counter[str] = Counter()
        """How many asks were refused, by the name of the limit."""
        self.bound(limits, ())

    def bound(self, limits: Limits, open: Iterable[Entry]) -> None:
        """Keep these limits from now on; `open` is what there is."""
        self._limits = limits
        self._by_person = limits.open_per_person is not None
        self.counts = self._by_person or limits.open_per_asker is not None or limits.open_per_scope is not None
        """Whether `opened`, `changed` and `ended` are to be called."""
        self._asked: dict[str, Mapping[Principal, None]] = {}
        self._per_person: Counter[Principal] = Counter()
        self._per_asker: Counter[Principal] = Counter()
        self._per_scope: Counter[Scope] = Counter()
        if self.counts:
            for entry in open:
                self.opened(entry)

    def check(
        self, open: int, asker: Principal, scope: Scope, members: Mapping[Principal, None], replaced: Entry | None
    ) -> None:
        """Refuse one more question, beside `open` others: `Unavailable`, or `LimitExceeded` where it is too many.

        `replaced`: the open question that the new one would take the place of (Q-KEY-2), if there is one.
        """
        if self.is_closed or scope in self.fenced:
            raise Unavailable(f"asking in {scope}")
        limits = self._limits
        if open - (replaced is not None) >= limits.open:
            self._refuse("open", "open questions", limits.open)
        if len(members) > limits.audience:
            self._refuse("audience", "members of an audience", limits.audience)
        if self.counts:
            self._check_counts(asker, scope, members, replaced)

    def _check_counts(
        self, asker: Principal, scope: Scope, members: Mapping[Principal, None], replaced: Entry | None
    ) -> None:
        limits = self._limits
        spare = 0 if replaced is None else 1
        if limits.open_per_asker is not None and self._per_asker[asker] - spare >= limits.open_per_asker:
            self._refuse("open_per_asker", f"open questions of {asker}", limits.open_per_asker)
        if limits.open_per_scope is not None and self._per_scope[scope] - spare >= limits.open_per_scope:
            self._refuse("open_per_scope", f"open questions in {scope}", limits.open_per_scope)
        if limits.open_per_person is not None:
            freed: Collection[Principal] = () if replaced is None else replaced.members
            for person in members:
                if self._per_person[person] - (person in freed) >= limits.open_per_person:
                    self._refuse("open_per_person", f"open questions asked of {person}", limits.open_per_person)

    def waiters(self, count: int) -> None:
        """Refuse one more waiter of a question that has `count` of them, if that would be too many."""
        if count >= self._limits.waiters:
            self._refuse("waiters", "waiters of one question", self._limits.waiters)

    def _refuse(self, name: str, what: str, limit: int) -> None:
        self.refused[name] += 1
        raise LimitExceeded(what, limit)

    def opened(self, entry: Entry) -> None:
        """A question was published."""
        ask = entry.ask
        self._per_asker[ask.asker.principal] += 1
        self._per_scope[ask.scope] += 1
        if self._by_person:
            self._asked[ask.id] = entry.members
            self._per_person.update(entry.members.keys())

    def changed(self, entry: Entry) -> None:
        """People have joined or left its audience. Who joins is counted and never refused: the question is open."""
        if self._by_person:
            before, now = self._asked[entry.ask.id], entry.members
            self._per_person.update(person for person in now if person not in before)
            _take(self._per_person, (person for person in before if person not in now))
            self._asked[entry.ask.id] = now

    def ended(self, ask: Ask) -> None:
        """A question has ended, however."""
        _take(self._per_asker, (ask.asker.principal,))
        _take(self._per_scope, (ask.scope,))
        if self._by_person:
            _take(self._per_person, self._asked.pop(ask.id))

    def miscounted(self, open: Iterable[Entry]) -> int:
        """In how many counts it differs from what is open; always 0."""
        if not self.counts:
            return 0
        afresh = Room(self._limits)
        afresh.bound(self._limits, open)
        return sum(
            (
                _differing(self._asked, afresh._asked),
                _differing(self._per_person, afresh._per_person),
                _differing(self._per_asker, afresh._per_asker),
                _differing(self._per_scope, afresh._per_scope),
            )
        )


def _differing(mine: Mapping[K, object], theirs: Mapping[K, object]) -> int:
    return sum(mine.get(key) != theirs.get(key) for key in {**mine, **theirs})


def _take(counts: Counter[K], those: Iterable[K]) -> None:
    for one in those:
        counts[one] -= 1
        if not counts[one]:
            del counts[one]  # so that what nobody asks any more takes no room either
