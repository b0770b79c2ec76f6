"""Who may ask, view and answer: one function for every door (Q-AUTH-3). Logic only; a reload re-imports it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from facets.errors import Forbidden
from facets.principal import Principal

from .entry import Entry
from .errors import NotInAudience, UnknownQuestion
from .scopes import OwnerScope, Scope, SessionScope

__all__ = ["Level", "MayView", "authorize", "may_answer", "may_ask", "may_view", "shows"]

Level = Literal["none", "own", "all"]
"""What of a scope one may view: nothing, the questions whose audience one is in, or every question."""

MayView = Callable[[Principal, Scope], Level]

_VIEWERS = frozenset({"user", "guest", "program"})


def may_ask(principal: Principal, scope: Scope) -> bool:
    """Servers ask anywhere, a worker in its own session, nobody else (Q-AUTH-1)."""
    if principal.kind == "worker":
        return scope == SessionScope(principal.id)
    return principal.kind == "server"


def may_view(principal: Principal, scope: Scope) -> Level:
    """The default rule: in a session everybody's own questions, in an owner's scope everything to the owner."""
    if principal.kind not in _VIEWERS:
        return "none"
    if isinstance(scope, OwnerScope):
        return "all" if principal == scope.owner else "none"
    return "own"


def may_answer(principal: Principal, entry: Entry) -> bool:
    """The audience says who may answer; a right to view implies nothing (Q-AUTH-2)."""
    return principal in entry.members and principal != entry.ask.on_behalf_of


def shows(principal: Principal, entry: Entry, level: Level) -> bool:
    """Whether a view of this level holds the question."""
    return level == "all" or (level == "own" and principal in entry.members)


def authorize(principal: Principal, act: str, subject: Any, level: Level = "none") -> None:
    """Return if `principal` may do it, else raise what says so.

    act, and its subject: `ask`, `ask secret` (for which it takes a server) and `view` a scope, `answer` an entry.
    `level` is what the principal may view. An act that is not known is forbidden.
    """
    _ACTS.get(act, _refuse)(principal, subject, level)


def _ask(principal: Principal, scope: Scope, _: Level) -> None:
    if not may_ask(principal, scope):
        raise Forbidden(f"{principal} may not ask in {scope}")


def _ask_secret(principal: Principal, scope: Scope, level: Level) -> None:
    _ask(principal, scope, level)
    if principal.kind != "server":
        raise Forbidden("only a server may ask for a secret")


def _view(principal: Principal, scope: Scope, level: Level) -> None:
    if level not in ("own", "all") or principal.kind not in _VIEWERS:
        raise Forbidden(f"{principal} may not view {scope}")


def _answer(principal: Principal, entry: Entry, level: Level) -> None:
    if may_answer(principal, entry):
        return
    if principal in entry.former or shows(principal, entry, level):
        raise NotInAudience(entry.ask.id)
    raise UnknownQuestion(entry.ask.id)


def _refuse(*_: object) -> None:
    raise Forbidden("there is no such right")


_ACTS: dict[str, Callable[[Principal, Any, Level], None]] = {
    "ask": _ask,
    "ask secret": _ask_secret,
    "view": _view,
    "answer": _answer,
}
