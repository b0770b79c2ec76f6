"""What is configured, what runs and what is in doubt, out of the files and the store. Nothing private is in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from questions.gates.channel_reports import ChannelReport, ReportedChannel, read_report, reload_asked
from questions.gates.channel_settings import read_saved
from questions.gates.config import Configuration
from questions.gates.config_errors import InvalidChannels
from questions.gates.config_files import channels_in, load_configuration
from questions.gates.lease import LEASE, Lease, lease_of
from questions.gates.outbox import Effect, EffectState
from questions.gates.store import GateStore
from questions.gates.tables import CHANNELS, EFFECTS, GATE_SERVER

__all__ = ["ChannelSeen", "Files", "Served", "as_told", "look_at_files", "look_at_store"]

_MOST = 1_000
_COUNTED = (EffectState.PENDING, EffectState.APPLYING, EffectState.AMBIGUOUS, EffectState.REJECTED)


@attrs.frozen
class Files:
    """A configuration as it stands in its folder. `configuration` None: there is none, or it has `faults`."""

    folder: Path
    configuration: Configuration | None = None
    channels: tuple[str, ...] = ()
    """The ids of those that are processes."""
    faults: tuple[str, ...] = ()


@attrs.frozen
class ChannelSeen:
    """One channel of a store. `cursor_age_ms`: since its service has last told of anything; None: it never has."""

    id: str
    state: str
    why: str
    epoch: str | None
    revision: int
    cursor_age_ms: int | None
    effects: Mapping[str, int]
    stuck: Sequence[Effect]
    """What waits for an operator."""


@attrs.frozen
class Served:
    """What a store says. `lease` None: nobody serves it now. `report`: of who serves it; None: it has said nothing."""

    lease: Lease | None
    report: ChannelReport | None
    asked: int
    """The newest demand to read the configuration again."""
    channels: Sequence[ChannelSeen]


def look_at_files(folder: Path) -> Files:
    """Read a configuration, with the secrets that it names, and keep none of them."""
    try:
        found = load_configuration(folder)
        return Files(folder, found, tuple(one.id for one in channels_in(found)) if found else ())
    except InvalidChannels as error:
        return Files(folder, faults=tuple(error.faults))


async def look_at_store(gates: GateStore) -> Served:
    """What a store says of its channels."""
    found = await gates.stored.backend.get(GATE_SERVER, [LEASE])
    held = lease_of(found.rows[0] if found.rows else None)
    lease = held.lease if held is not None and held.lease.is_live(found.now) else None
    report = await read_report(gates)
    if report is not None and (lease is None or (report.owner, report.generation) != (lease.owner, lease.generation)):
        report = None
    reported = {} if report is None else {one.id: one for one in report.channels}
    saved = [row.key for row in await gates.stored.rows(CHANNELS, "name", (), _MOST)]
    seen = [await _seen(gates, id, reported.get(id), found.now) for id in dict.fromkeys([*reported, *saved])]
    return Served(lease, report, await reload_asked(gates), seen)


async def _seen(gates: GateStore, id: str, told: ReportedChannel | None, now: int) -> ChannelSeen:
    row = await gates.channel(id)
    saved = None if row is None else read_saved(row.value)
    counts = {one.value: await gates.stored.backend.count(EFFECTS, "channel", (id, one.value)) for one in _COUNTED}
    stuck = [found.value for found in await gates.effects_of(id, EffectState.AMBIGUOUS.value)]
    rejected = [found.value for found in await gates.effects_of(id, EffectState.REJECTED.value)]
    return ChannelSeen(
        id=id,
        state="not running" if told is None else told.state,
        why="" if told is None else told.why,
        epoch=None if saved is None else saved.epoch,
        revision=0 if row is None else row.version,
        cursor_age_ms=None if saved is None or saved.at is None else max(now - saved.at, 0),
        effects=counts,
        stuck=[*stuck, *(one for one in rejected if not one.tries_left)],
    )


def as_told(files: Files, served: Served | None) -> dict[str, Any]:
    """All of it, for JSON."""
    configuration = files.configuration
    told: dict[str, Any] = {
        "folder": str(files.folder),
        "configured": configuration is not None,
        "faults": files.faults,
        "audiences": {} if configuration is None else configuration.audiences,
        "profiles": files.channels,
    }
    if served is None:
        return told
    return {**told, "server": _server(served), "channels": [_channel(one) for one in served.channels]}


def _server(served: Served) -> dict[str, Any] | None:
    if served.lease is None:
        return None
    told: dict[str, Any] = {"name": served.lease.owner, "generation": served.lease.generation}
    reload = {"asked": served.asked, "taken": None if served.report is None else served.report.reload}
    if served.report is None:
        return {**told, "configured": False, "faults": [], "reload": reload}
    return {**told, "configured": served.report.is_configured, "faults": served.report.faults, "reload": reload}


def _channel(one: ChannelSeen) -> dict[str, Any]:
    return {
        "id": one.id,
        "state": one.state,
        "why": one.why,
        "epoch": one.epoch,
        "revision": one.revision,
        "cursorAgeMs": one.cursor_age_ms,
        "effects": one.effects,
        "stuck": [_effect(effect) for effect in one.stuck],
    }


def _effect(effect: Effect) -> dict[str, Any]:
    return {
        "id": effect.id,
        "decisionId": effect.decision_id,
        "purpose": effect.purpose,
        "state": effect.state.value,
        "attempts": effect.attempts,
        "errorCode": effect.error_code,
    }
