"""The facet that serves live questions."""

from __future__ import annotations

from functools import partial

from facets.facet import Environment, Resource, facet, serve
from facets.principal import Principal

from .config import QuestionsConfig
from .durable_questions import DurableQuestions
from .errors import InvalidAsk
from .scopes import Scope, scope_faults
from .store import PendingQuestions
from .views import Asker, Questions, Viewer

__all__ = ["questions_facet"]

_STORE = "pending questions"
_DURABLE = "durable questions"


async def _open(environment: Environment) -> PendingQuestions:
    return PendingQuestions(environment)


async def _hand_over(old: PendingQuestions, _: Environment) -> PendingQuestions:
    return old  # what is pending is data, and its logic is looked up at each event


async def _close(store: PendingQuestions) -> None:
    store.call(store.close)


async def _begin(environment: Environment) -> DurableQuestions | None:
    if environment.config.durable is None:
        return None
    durable = DurableQuestions(environment, partial(environment.resource, _STORE), environment.config.durable)
    await durable.begin()
    return durable


def _make(environment: Environment, scope: Scope, principal: Principal) -> Asker | Viewer:
    if faults := scope_faults(scope):
        raise InvalidAsk(faults)
    authority = environment.logic.authority
    store, durable = partial(environment.resource, _STORE), partial(environment.resource, _DURABLE)
    if principal.kind in ("server", "worker"):
        authority.authorize(principal, "ask", scope)
        who, around = environment.who(principal), lambda: environment.config.around
        return Asker(store, durable, who, scope, environment.now, around)
    return Viewer(store, durable, store().publishing.board(principal, scope))


def _release(face: Asker | Viewer) -> None:
    face.release()


questions_facet = facet(
    "questions",
    resources=[Resource(_STORE, _open, replace=_hand_over, close=_close), Resource(_DURABLE, _begin)],
    serves=[serve(Questions, _make, release=_release)],
    logic=["questions.authority", "questions.settlement", "questions.showing"],
    config=QuestionsConfig(),
)
"""Serves `Questions`. For its settings see `QuestionsConfig`: `questions_facet.configured(linger=30, ...)`."""
