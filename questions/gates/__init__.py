"""Human decisions in workflows: typed choices, one immutable digested request, and exactly one resolution.

    definition = GateDefinition(choices, request=lambda plan: Prompt("Go on?", plan, Presentation("A plan.")))
    request = make_request(definition, prompt, place=Place("run-1", "deploy", "approve", "attempt-1"), ...)
    outcome = step(Standing(request), Answer(submission), now)

All of that is pure: whoever stores a request gives the time, and writes what a step comes to. `open_gates` does:

    approve: Gate[Continue | Stop] = Gate(Continue, Stop, request=lambda plan: Prompt("Go on?", plan, ...))

    async with open_gates("/var/lib/gates") as gates:
        run = await gates.start_run("run-1", "deploy", plan)
        chosen = await approve.decide(run, "approve", "attempt-1", plan)
"""

from typing import TYPE_CHECKING

from facets.late import offered_late

if TYPE_CHECKING:
    from .adapter import Adapter, Ended, Judged, Launch, MessageRef, OpenAdapter, Pressed, Report, Update, ended_words
    from .adapter_process import run_adapter
    from .approval import (
        PLAN_CHOICES,
        ApprovalMode,
        ApprovalPolicy,
        ApprovalProvenance,
        Continue,
        PlanApproval,
        PlanChoice,
        PlanReview,
        Replan,
        Stop,
        plan_digest,
        read_policy,
        read_review,
    )
    from .approving import Planner, agree_on_plan, approve_plan
    from .asked import Asked
    from .channel_settings import Channel
    from .channels import ChannelDesk, ChannelStatus, confirm_effect, retry_effect
    from .choice_classes import Choice, OneOf, text_input
    from .choices import Choices, ChoiceTerms, TextInput
    from .deadlines import due_in_order
    from .definition import GateDefinition, Place, make_request
    from .delivery import Undelivered, delivered
    from .document import Document, document
    from .endings import ending
    from .errors import (
        AnswerAltered,
        DeadlinePassed,
        DecisionAccepted,
        DecisionCancelled,
        DecisionIdAltered,
        EffectRefused,
        HasDefault,
        HumanRequired,
        IncompatibleState,
        InvalidApproval,
        InvalidGate,
        InvalidRecord,
        InvalidRequest,
        InvalidResponse,
        InvalidSubmission,
        KeyReused,
        NoDeadline,
        NoDefault,
        NotDue,
        NotVerified,
        PresentationAltered,
        RecordAltered,
        Refusal,
        RequestAltered,
        ResolutionAltered,
        SettledAlready,
        Stale,
        SubjectAltered,
    )
    from .gate import Gate
    from .gate_limits import GateLimits
    from .gate_run import GateRun
    from .gates_facet import GatesConfig, gates_facet
    from .lease import HeldLease, Lease
    from .live_gates import BlockingGates, LiveGates
    from .open_gate import ClosedGate, OpenGate
    from .opening import open_gates
    from .pieces import Piece
    from .planning import PlanApproved, PlanBlocked, Planning, PlanOutcome, PlanStopped
    from .policy import TimeoutPolicy
    from .presentation import (
        Block,
        Bullets,
        Field,
        Fields,
        Paragraph,
        Preformatted,
        Presentation,
        Section,
        read_presentation,
    )
    from .presenter import present_value
    from .prompt import Prompt
    from .receipt import Receipt, receipt_of, verified
    from .records import read_request, write_request
    from .request import Request
    from .resolution import AcceptedDecision, Cancellation, Provenance, Reason, Resolution, cause, write_resolution
    from .responses import GivenText, Response, read_response
    from .resuming import Handler
    from .routing import Routes
    from .run_store import Resumption
    from .runs import AttemptState, Run, RunAttempt, RunState
    from .server import GateServer, Work
    from .settled_records import read_attempt, read_resolution, write_attempt
    from .steps import Answer, Cancel, Event, Expire, Outcome, ProgramAnswer, Standing, State, Timeout, due_event, step
    from .store import GateStore
    from .store_errors import (
        Differs,
        GateCancelled,
        GateExpired,
        InvalidRun,
        LeaseLost,
        NotChosen,
        NotWaiting,
        ResumedElsewhere,
        RunEnded,
        StillWaiting,
        TooManyRequests,
        TooManyRuns,
        UnknownAttempt,
        UnknownRun,
    )
    from .submission import Attempt, Source, Submission
    from .tables import GATE_TABLES
    from .verdicts import Accepted, Adopted, Cancelled, Conflict, Refused, Verdict
    from .view import ChannelView, read_view, view_of
else:
    __getattr__ = offered_late(
        __name__,
        "adapter adapter_process approval approving asked channel_settings channels choice_classes choices "
        "deadlines definition delivery document endings errors gate gate_limits gate_run gates_facet lease "
        "live_gates open_gate opening pieces planning policy presentation presenter prompt receipt records "
        "request resolution responses resuming routing run_store runs server settled_records steps store "
        "store_errors submission tables verdicts view",
    )

__all__ = [
    "GATE_TABLES",
    "PLAN_CHOICES",
    "Accepted",
    "AcceptedDecision",
    "Adapter",
    "Adopted",
    "Answer",
    "AnswerAltered",
    "ApprovalMode",
    "ApprovalPolicy",
    "ApprovalProvenance",
    "Asked",
    "Attempt",
    "AttemptState",
    "Block",
    "BlockingGates",
    "Bullets",
    "Cancel",
    "Cancellation",
    "Cancelled",
    "Channel",
    "ChannelDesk",
    "ChannelStatus",
    "ChannelView",
    "Choice",
    "ChoiceTerms",
    "Choices",
    "ClosedGate",
    "Conflict",
    "Continue",
    "DeadlinePassed",
    "DecisionAccepted",
    "DecisionCancelled",
    "DecisionIdAltered",
    "Differs",
    "Document",
    "EffectRefused",
    "Ended",
    "Event",
    "Expire",
    "Field",
    "Fields",
    "Gate",
    "GateCancelled",
    "GateDefinition",
    "GateExpired",
    "GateLimits",
    "GateRun",
    "GateServer",
    "GateStore",
    "GatesConfig",
    "GivenText",
    "Handler",
    "HasDefault",
    "HeldLease",
    "HumanRequired",
    "IncompatibleState",
    "InvalidApproval",
    "InvalidGate",
    "InvalidRecord",
    "InvalidRequest",
    "InvalidResponse",
    "InvalidRun",
    "InvalidSubmission",
    "Judged",
    "KeyReused",
    "Launch",
    "Lease",
    "LeaseLost",
    "LiveGates",
    "MessageRef",
    "NoDeadline",
    "NoDefault",
    "NotChosen",
    "NotDue",
    "NotVerified",
    "NotWaiting",
    "OneOf",
    "OpenAdapter",
    "OpenGate",
    "Outcome",
    "Paragraph",
    "Piece",
    "Place",
    "PlanApproval",
    "PlanApproved",
    "PlanBlocked",
    "PlanChoice",
    "PlanOutcome",
    "PlanReview",
    "PlanStopped",
    "Planner",
    "Planning",
    "Preformatted",
    "Presentation",
    "PresentationAltered",
    "Pressed",
    "ProgramAnswer",
    "Prompt",
    "Provenance",
    "Reason",
    "Receipt",
    "RecordAltered",
    "Refusal",
    "Refused",
    "Replan",
    "Report",
    "Request",
    "RequestAltered",
    "Resolution",
    "ResolutionAltered",
    "Response",
    "ResumedElsewhere",
    "Resumption",
    "Routes",
    "Run",
    "RunAttempt",
    "RunEnded",
    "RunState",
    "Section",
    "SettledAlready",
    "Source",
    "Stale",
    "Standing",
    "State",
    "StillWaiting",
    "Stop",
    "SubjectAltered",
    "Submission",
    "TextInput",
    "Timeout",
    "TimeoutPolicy",
    "TooManyRequests",
    "TooManyRuns",
    "Undelivered",
    "UnknownAttempt",
    "UnknownRun",
    "Update",
    "Verdict",
    "Work",
    "agree_on_plan",
    "approve_plan",
    "cause",
    "confirm_effect",
    "delivered",
    "document",
    "due_event",
    "due_in_order",
    "ended_words",
    "ending",
    "gates_facet",
    "make_request",
    "open_gates",
    "plan_digest",
    "present_value",
    "read_attempt",
    "read_policy",
    "read_presentation",
    "read_request",
    "read_resolution",
    "read_response",
    "read_review",
    "read_view",
    "receipt_of",
    "retry_effect",
    "run_adapter",
    "step",
    "text_input",
    "verified",
    "view_of",
    "write_attempt",
    "write_request",
    "write_resolution",
]
