"""The facet that serves the open requests of a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import attrs

from facets.errors import InvalidFacet
from facets.facet import Environment, Resource, facet, serve
from facets.principal import Principal

from .admission import MayAnswer
from .gate_desks import GateDesks
from .live_gates import LiveGates
from .store import GateStore

__all__ = ["GatesConfig", "gates_facet"]

_DESKS = "desks"
_CHANNEL = "web"


def _everybody(_: Principal, _audience: str) -> bool:
    return True


def _local(_: str) -> Sequence[str]:
    return (_CHANNEL,)


@attrs.frozen
class GatesConfig:
    """The settings of the gates facet."""

    gates: GateStore | None = None
    """Whose requests: an `open_gates` whose block lasts longer than the host. Without it there is nothing to serve."""
    may_answer: MayAnswer = _everybody
    """Which users may answer what is asked of an audience; by default all whom the host lets in. Whoever is no user
    may not, whatever this says."""
    channels_of: Callable[[str], Sequence[str]] = _local
    """The channels of an audience, as `ConfiguredChannels.channels_of` knows them; by default `web` is one of each. Of
    an audience without it nothing is shown or answered on the page or over links."""


def _gates(environment: Environment) -> GateStore:
    gates: GateStore | None = environment.config.gates
    if gates is None:
        raise InvalidFacet("gates", ["$.gates: is needed; gates_facet.configured(gates=...), see open_gates"])
    return gates


def _may_answer(environment: Environment, principal: Principal, audience: str) -> bool:
    config: GatesConfig = environment.config
    return _CHANNEL in config.channels_of(audience) and config.may_answer(principal, audience)


async def _open(environment: Environment) -> GateDesks:
    return GateDesks(_gates(environment), environment.now)


def _make(environment: Environment, _: None, principal: Principal) -> LiveGates:
    may_answer = partial(_may_answer, environment)
    return LiveGates(_gates(environment), principal, may_answer, partial(environment.resource, _DESKS))


gates_facet = facet(
    "gates",
    resources=[Resource(_DESKS, _open)],
    serves=[serve(LiveGates, _make, release=LiveGates.leave)],
    config=GatesConfig(),
)
"""Serves `LiveGates`. Needs a store: `gates_facet.configured(gates=gates, may_answer=...)`; see `GatesConfig`."""
