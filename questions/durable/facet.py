"""The facet that serves the decisions of a store."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import attrs

from facets.errors import InvalidFacet
from facets.facet import Environment, Resource, facet, serve
from facets.principal import Principal

from .caller import Caller
from .desks import Desks
from .errors import BadArgument
from .live import LiveDecisions
from .store import Store

__all__ = ["DecisionsConfig", "decisions_facet"]

_DESKS = "desks"


def _nobody(_: Principal) -> bool:
    return False


@attrs.frozen
class DecisionsConfig:
    """The settings of the decisions facet."""

    store: Store | None = None
    """Whose decisions: an `open_store` whose block lasts longer than the host. Without it there is nothing to serve."""
    main: Callable[[Principal], bool] = _nobody
    """Which programs are the root of a session, as far as decisions go: they may answer what `root` holds."""


def _store(environment: Environment) -> Store:
    store: Store | None = environment.config.store
    if store is None:
        raise InvalidFacet("decisions", ["$.store: is needed; decisions_facet.configured(store=...), see open_store"])
    return store


async def _open(environment: Environment) -> Desks:
    return Desks(_store(environment), environment.who, environment.now)


def _make(environment: Environment, call: str | None, principal: Principal) -> LiveDecisions:
    if call is not None and not isinstance(call, str):
        raise BadArgument(["$.input: the call that it is for, or None"])
    caller = Caller(principal, principal.kind == "program" and environment.config.main(principal), call)
    return LiveDecisions(_store(environment), caller, partial(environment.resource, _DESKS))


decisions_facet = facet(
    "decisions",
    resources=[Resource(_DESKS, _open)],
    serves=[serve(LiveDecisions, _make, release=LiveDecisions.leave)],
    config=DecisionsConfig(),
)
"""Serves `LiveDecisions`. Needs a store: `decisions_facet.configured(store=store, main=...)`; see `DecisionsConfig`."""
