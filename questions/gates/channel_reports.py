"""Two rows by which a gate server and operators understand each other: read the configuration again, and what runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from questions.durable.backend import Row

from .kept import read_kept, write_kept
from .lease import HeldLease
from .pieces import Piece, put
from .store import GateStore
from .tables import GATE_SERVER
from .writing import by_rounds

__all__ = ["RELOAD", "ChannelReport", "ReportedChannel", "ask_to_reload", "read_report", "reload_asked", "write_report"]

RELOAD, _REPORT = "reload", "channels"
"""Keys beside the lease."""
_SCHEMA, _RELOAD_SCHEMA = "questions.gate-channels.v1", "questions.gate-reload.v1"


@attrs.frozen
class ReportedChannel:
    """A channel that a gate server runs. See `ChannelStatus`."""

    id: str
    state: str
    why: str = ""


@attrs.frozen(kw_only=True)
class ChannelReport:
    """What a gate server says of its channels. `owner`, `generation`: of its lease; it counts while that is held.

    `reload`: the newest demand to read the configuration again that it has met. `is_configured`: whether what is there
    was taken; `faults` say why not.
    """

    owner: str
    generation: int
    reload: int
    is_configured: bool
    faults: tuple[str, ...] = ()
    audiences: Mapping[str, Sequence[str]] = attrs.field(factory=dict)
    channels: tuple[ReportedChannel, ...] = ()


@attrs.frozen
class _Reload:
    """Its version is all that there is to know."""


async def ask_to_reload(gates: GateStore) -> int:
    """Have all who serve these gates read their configuration again: the number of the demand, one more each time."""

    async def once() -> int:
        version = await reload_asked(gates)
        await gates.record(put(GATE_SERVER, RELOAD, version, write_kept(_RELOAD_SCHEMA, _Reload()), kind="reload"))
        return version + 1

    return await by_rounds(once, RELOAD)


async def reload_asked(gates: GateStore) -> int:
    """The number of the newest demand; 0 if there was none."""
    row = await gates.stored.row(GATE_SERVER, RELOAD)
    return 0 if row is None else row.version


async def read_report(gates: GateStore) -> ChannelReport | None:
    """The newest report, whoever has made it. Raises `IncompatibleState` and `InvalidRecord`."""
    row = await gates.stored.row(GATE_SERVER, _REPORT)
    return None if row is None else _read(row)


async def write_report(gates: GateStore, report: ChannelReport, held: HeldLease) -> None:
    """Write it, if it says anything new. Raises `Conflict` if the lease was renewed, or lost, meanwhile."""
    row = await gates.stored.row(GATE_SERVER, _REPORT)
    if row is None or _read(row) != report:
        version = 0 if row is None else row.version
        piece = put(GATE_SERVER, _REPORT, version, write_kept(_SCHEMA, report), kind="channels.reported")
        await gates.record(piece + Piece(guards=held.guards))


def _read(row: Row) -> ChannelReport:
    return read_kept(row.value, _SCHEMA, ChannelReport)
