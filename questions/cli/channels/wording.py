"""How channels are told to people: a line for each thing, and nothing private in any."""

from __future__ import annotations

from collections.abc import Iterator

from questions.cli.durations import in_words
from questions.cli.lines import line_of

from .looking import ChannelSeen, Files, Served

__all__ = ["described_files", "described_store"]


def described_files(files: Files) -> Iterator[str]:
    """What stands in the folder."""
    if files.faults:
        yield line_of(f"{files.folder}: not configured, since it is at fault")
        yield from (f"  {line_of(fault)}" for fault in files.faults)
    elif files.configuration is None:
        yield line_of(f"{files.folder}: there is none; every audience is asked on the terminal and the web page alone")
    else:
        yield line_of(str(files.folder))
        yield line_of(f"  channels: {', '.join(files.channels) or 'none'}")
        yield from (line_of(f"  {name}: {', '.join(ids)}") for name, ids in files.configuration.audiences.items())


def described_store(served: Served) -> Iterator[str]:
    """What the store says."""
    if served.lease is None:
        yield "No gate server runs; nothing is shown in channels, and deadlines are not applied."
    else:
        yield from _server(served)
    for one in served.channels:
        yield line_of("  ".join(_fields(one)))
        for effect in one.stuck:
            code = f", {effect.error_code}" if effect.error_code else ""
            what = f"{effect.id}  {effect.purpose} of {effect.decision_id}: {effect.state.value}{code}"
            yield f"  {line_of(what)}, after {effect.attempts} {'attempt' if effect.attempts == 1 else 'attempts'}"
    if any(one.stuck for one in served.channels):
        yield "Look there, and say how to go on: questions channels recover EFFECT confirm|retry"


def _server(served: Served) -> Iterator[str]:
    assert served.lease is not None
    who = f"{served.lease.owner} serves, generation {served.lease.generation}"
    if (report := served.report) is None:
        yield line_of(f"{who}, without channels of a configuration")
    elif report.faults:
        instead = "with the one before" if report.is_configured else "without channels"
        yield line_of(f"{who}, {instead}, since its configuration is at fault")
        yield from (f"  {line_of(fault)}" for fault in report.faults)
    elif not report.is_configured:
        yield line_of(f"{who}; nothing is configured there")
    else:
        late = "" if report.reload >= served.asked else "; it has not reloaded it yet"
        yield line_of(f"{who}, with its configuration{late}")


def _fields(one: ChannelSeen) -> Iterator[str]:
    yield one.id
    yield f"{one.state} ({one.why})" if one.why else one.state
    if one.epoch is not None:
        yield f"{one.epoch}, revision {one.revision}"
    yield "nothing heard yet" if one.cursor_age_ms is None else f"heard {in_words(one.cursor_age_ms / 1000)} ago"
    yield ", ".join(f"{count} {state}" for state, count in one.effects.items() if count) or "nothing to do"
