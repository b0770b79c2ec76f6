"""Decisions that outlive the process: records in a store, with holders, deadlines and chains of escalation.

async with open_store("/var/lib/decisions") as store:
    decisions = store.decisions(Caller(Principal.program("run-1"), main=True))
    raised = await decisions.raise_decision("Deploy?", input="confirm", timeout_ms=60_000)
    ended = await decisions.wait(raised.id)
"""

from typing import TYPE_CHECKING

from facets.late import offered_late

if TYPE_CHECKING:
    from .asks import DurableAskStore, durable_asks
    from .backend import (
        Backend,
        Before,
        Below,
        Changes,
        Commit,
        Conflict,
        Feed,
        Found,
        GuardFailed,
        Index,
        Notice,
        Row,
        Scan,
        Table,
        TooLate,
        Unchanged,
        Write,
    )
    from .caller import Caller
    from .child_decisions import Child
    from .child_questions import ChildQuestions
    from .child_relay import ChildRelay
    from .decision import Answer, Decision, Escalation, Move, RaisedBy, Status, flat
    from .decisions import Decisions
    from .dialogs import CANCELLED, Dialog, Reply
    from .errors import (
        BadAnswer,
        BadArgument,
        ChangedConcurrently,
        CommitRefused,
        HeldByUser,
        NoNextHolder,
        NotHolder,
        NotOpen,
        ReservedKey,
        SelfAnswer,
        StoreUnavailable,
        TooManyOpen,
        UnknownDecision,
        Unreadable,
    )
    from .facet import DecisionsConfig, decisions_facet
    from .headless import HeadlessApprovals, open_headless_approvals
    from .journal import Journal, open_journal
    from .journal_lines import Lost
    from .limits import StoreLimits
    from .line_streams import stdio
    from .listening import Hint, Hints, Missed
    from .live import BlockingDecisions, LiveDecisions
    from .memory import MemoryBackend
    from .open_decision import ClosedDecision, OpenDecision
    from .opening import open_store
    from .owning import Owner, open_owner
    from .relaying import BlockedOn
    from .store import TABLES, Store, UnreadableRecord
else:
    __getattr__ = offered_late(
        __name__,
        "asks backend caller child_decisions child_questions child_relay decision decisions dialogs errors facet "
        "headless journal journal_lines limits line_streams listening live memory open_decision opening owning "
        "relaying store",
    )

__all__ = [
    "CANCELLED",
    "TABLES",
    "Answer",
    "Backend",
    "BadAnswer",
    "BadArgument",
    "Before",
    "Below",
    "BlockedOn",
    "BlockingDecisions",
    "Caller",
    "ChangedConcurrently",
    "Changes",
    "Child",
    "ChildQuestions",
    "ChildRelay",
    "ClosedDecision",
    "Commit",
    "CommitRefused",
    "Conflict",
    "Decision",
    "Decisions",
    "DecisionsConfig",
    "Dialog",
    "DurableAskStore",
    "Escalation",
    "Feed",
    "Found",
    "GuardFailed",
    "HeadlessApprovals",
    "HeldByUser",
    "Hint",
    "Hints",
    "Index",
    "Journal",
    "LiveDecisions",
    "Lost",
    "MemoryBackend",
    "Missed",
    "Move",
    "NoNextHolder",
    "NotHolder",
    "NotOpen",
    "Notice",
    "OpenDecision",
    "Owner",
    "RaisedBy",
    "Reply",
    "ReservedKey",
    "Row",
    "Scan",
    "SelfAnswer",
    "Status",
    "Store",
    "StoreLimits",
    "StoreUnavailable",
    "Table",
    "TooLate",
    "TooManyOpen",
    "Unchanged",
    "UnknownDecision",
    "Unreadable",
    "UnreadableRecord",
    "Write",
    "decisions_facet",
    "durable_asks",
    "flat",
    "open_headless_approvals",
    "open_journal",
    "open_owner",
    "open_store",
    "stdio",
]
