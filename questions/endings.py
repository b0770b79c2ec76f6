"""How questions ended, for those who come late: late answers, and askers that were away."""

from __future__ import annotations

import re
from typing import Any

import attrs
import msgspec

from facets.principal import Principal

from .answers import Answers, Given
from .digest import digest
from .entry import Ask, Entry, State
from .limits import Limits
from .policies import Policy
from .question import Question
from .redaction import HIDDEN
from .retained import Retained
from .scopes import Scope

__all__ = ["NO_ID", "Ending", "Endings", "KeyName", "ask_digest", "digest_of", "looked_up"]

NO_ID = "(not an id)"
_ID = re.compile(r"(?:q|ask)_\w{1,80}", re.ASCII)

KeyName = tuple[Scope, Principal, str]
"""Keys live in (scope, asker) (Q-KEY-1)."""

_KEPT = (State.ANSWERED, State.EXPIRED)


class Ending(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A settled entry, and who had been shown it."""

    entry: Entry
    seen: tuple[Principal, ...]


class Endings:
    """The endings of one store; bounded in time and number (Q-SET-3, Q-KEY-4). Secret answers are not in it."""

    def __init__(self, seconds: float, most_endings: int, most_results: int) -> None:
        self._by_id: Retained[str, Ending] = Retained(seconds, most_endings)
        self._by_key: Retained[KeyName, Ending] = Retained(seconds, most_results)

    def bound(self, seconds: float, limits: Limits) -> None:
        """Keep what comes from now on within other bounds."""
        self._by_id.seconds = self._by_key.seconds = seconds
        self._by_id.most, self._by_key.most = limits.endings, limits.results

    def put(self, ending: Ending, key: KeyName | None, now: float) -> None:
        """Remember an ending; for its key too, if it is a result that stands."""
        ask = ending.entry.ask
        if key is not None:
            self._put_result(ending, key, now)
        self._by_id.put(ask.id, _without_answers(ending) if ask.question.secret else ending, now)

    def _put_result(self, ending: Ending, key: KeyName, now: float) -> None:
        entry = ending.entry
        if entry.state in _KEPT and not (entry.ask.question.secret and entry.answers):
            self._by_key.put(key, ending, now)
        else:
            self._by_key.pop(key)

    def of_id(self, id: str, now: float) -> Ending | None:
        """How the question ended, if that is remembered."""
        return self._by_id.get(id, now)

    def of_key(self, key: KeyName, now: float) -> Ending | None:
        """The result that is kept for a key."""
        return self._by_key.get(key, now)

    def id_of(self, key: KeyName, now: float) -> str | None:
        """The id of the last question that has ended with a key. Looks through all that are remembered."""
        if (kept := self.of_key(key, now)) is not None:
            return kept.entry.ask.id
        for ending in self._by_id.newest(now):
            ask = ending.entry.ask
            if (ask.scope, ask.asker.principal, ask.key) == key:
                return ask.id
        return None

    def describe(self) -> dict[str, int]:
        """How many are remembered."""
        return {"endings": len(self._by_id), "results": len(self._by_key)}


def _without_answers(ending: Ending) -> Ending:
    answers = Answers()
    for given in ending.entry.answers:
        answers = answers.plus(Given(given.by, HIDDEN, given.automatic))
    return Ending(msgspec.structs.replace(ending.entry, answers=answers), ending.seen)


def digest_of(question: Question[Any], policy: Policy, fixed: tuple[Principal, ...] | None) -> str:
    """What makes two asks the same (Q-KEY-1): question, policy, and the sorted, distinct fixed audience."""
    audience = None if fixed is None else [[who.kind, who.id] for who in sorted(set(fixed))]
    asked = attrs.asdict(question)
    return digest(
        {
            "question": [type(question).__name__, asked | {"details": _raw(question.details)}],
            "policy": [type(policy).__name__, attrs.asdict(policy)],  # type: ignore[arg-type]  # an ask takes no others
            "audience": audience,
        }
    )


def _raw(details: str) -> str | list[str]:
    try:
        details.encode()
    except UnicodeEncodeError:  # lone surrogates, which canonical JSON cannot carry
        return [details.encode("utf-8", "surrogatepass").hex()]
    return details


def ask_digest(ask: Ask) -> str:
    """The digest of what was asked."""
    return digest_of(ask.question, ask.policy, ask.fixed)


def looked_up(id: object) -> str:
    """An id as it may be quoted: one that does not look like an id may be an answer in the wrong place (Q-SEC-1)."""
    return id if isinstance(id, str) and _ID.fullmatch(id) else NO_ID
