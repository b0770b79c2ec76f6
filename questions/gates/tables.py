"""The tables of gates, and what their rows are found by."""

from __future__ import annotations

from questions.durable.backend import Index, Table

__all__ = [
    "CHANNELS",
    "EFFECTS",
    "GATE_SERVER",
    "GATE_TABLES",
    "REQUESTS",
    "RESOLUTIONS",
    "RUNS",
    "RUN_ATTEMPTS",
    "SUBMISSIONS",
]

RUNS = Table(
    "gate_runs",
    {"state": str, "started": int, "final": int, "ended": int},
    (
        Index("all", (), "started", descending=True, counted=True),
        Index("state", ("state",), "started", descending=True, counted=True),
        Index("final", ("final",), "ended"),
    ),
)
"""Keys are the ids of runs. `final` is 1 once it has ended."""

RUN_ATTEMPTS = Table(
    "gate_run_attempts",
    {"run": str, "state": str, "entered": int, "ready": str, "owned": str},
    (
        Index("run", ("run",), "entered", counted=True),
        Index("state", ("run", "state"), "entered", counted=True),
        Index("ready", ("ready",), "entered"),
        Index("owned", ("owned",), "entered"),
    ),
)
"""Keys are `run/attempt`. `ready`: the workflow, once a parked one can go on; `owned`: the workflow, while it does."""

REQUESTS = Table(
    "gate_requests",
    {"state": str, "created": int, "deadline": int, "run": str},
    (
        Index("all", (), "created", descending=True, counted=True),
        Index("state", ("state",), "created", descending=True, counted=True),
        Index("due", ("state",), "deadline"),
        Index("run", ("run",), "created"),
    ),
)
"""Keys are the ids of decisions. The value is never changed; `state` is open, accepted or cancelled."""

RESOLUTIONS = Table("gate_resolutions", {"cause": str, "at": int}, (Index("cause", ("cause",), "at"),))
"""Keys are the ids of decisions: one row, written once."""

SUBMISSIONS = Table(
    "gate_submissions", {"decision": str, "at": int}, (Index("decision", ("decision",), "at", counted=True),)
)
"""Keys are the ids of submissions (`Submission.attempt_id`). Refused ones are there, too."""

EFFECTS = Table(
    "gate_effects",
    {"decision": str, "channel": str, "state": str, "at": int},
    (
        Index("decision", ("decision",), "at"),
        Index("channel", ("channel", "state"), "at", counted=True),
        Index("state", ("state",), "at", counted=True),
    ),
)
"""Keys are the ids of effects: what is to happen at channels, and which messages are there for it. Private."""

CHANNELS = Table("gate_channels", {"name": str}, (Index("name", (), "name"),))
"""Keys are the ids of channels: how far each has been read. Private."""

GATE_SERVER = Table("gate_server", {})
"""One row, the lease: which gate server applies deadlines."""

GATE_TABLES = (
    RUNS,
    RUN_ATTEMPTS,
    REQUESTS,
    RESOLUTIONS,
    SUBMISSIONS,
    EFFECTS,
    CHANNELS,
    GATE_SERVER,
)
"""What an engine has to have tables for beside those of decisions."""
