"""Human decisions in workflows: typed choices, one immutable digested request, and exactly one resolution.

    definition = GateDefinition(choices, request=lambda plan: Prompt("Go on?", plan, Presentation("A plan.")))
    request = make_request(definition, prompt, place=Place("run-1", "deploy", "approve", "attempt-1"), ...)
    outcome = step(Standing(request), Answer(submission), now)

All of it is pure: whoever stores a request gives the time, and writes what a step comes to.
"""

from typing import TYPE_CHECKING

from facets.late import offered_late

if TYPE_CHECKING:
    from .adapter import Adapter, Ended, Judged, Launch, MessageRef, OpenAdapter, Pressed, Report, Update, ended_words
    from .adapter_process import run_adapter
    from .asked import Asked
    from .choice_classes import Choice, OneOf, text_input
    from .choices import Choices, ChoiceTerms, TextInput
    from .deadlines import due_in_order
    from .definition import GateDefinition, Place, make_request
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
        Stale,
        SubjectAltered,
    )
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
    from .routing import Routes
    from .settled_records import read_attempt, read_resolution, write_attempt
    from .steps import Answer, Cancel, Event, Expire, Outcome, ProgramAnswer, Standing, State, Timeout, due_event, step
    from .submission import Attempt, Source, Submission
    from .verdicts import Accepted, Adopted, Cancelled, Conflict, Refused, Verdict
    from .view import ChannelView, read_view, view_of
else:
    __getattr__ = offered_late(
        __name__,
        "adapter adapter_process asked choice_classes choices deadlines definition document endings errors policy "
        "presentation presenter prompt receipt records request resolution responses routing settled_records steps "
        "submission verdicts view",
    )

__all__ = [
    "Accepted",
    "AcceptedDecision",
    "Adapter",
    "Adopted",
    "Answer",
    "AnswerAltered",
    "Asked",
    "Attempt",
    "Block",
    "Bullets",
    "Cancel",
    "Cancellation",
    "Cancelled",
    "ChannelView",
    "Choice",
    "ChoiceTerms",
    "Choices",
    "Conflict",
    "DeadlinePassed",
    "DecisionAccepted",
    "DecisionCancelled",
    "DecisionIdAltered",
    "Document",
    "EffectRefused",
    "Ended",
    "Event",
    "Expire",
    "Field",
    "Fields",
    "GateDefinition",
    "GivenText",
    "HasDefault",
    "HumanRequired",
    "IncompatibleState",
    "InvalidGate",
    "InvalidRecord",
    "InvalidRequest",
    "InvalidResponse",
    "InvalidSubmission",
    "Judged",
    "KeyReused",
    "Launch",
    "MessageRef",
    "NoDeadline",
    "NoDefault",
    "NotDue",
    "NotVerified",
    "OneOf",
    "OpenAdapter",
    "Outcome",
    "Paragraph",
    "Place",
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
    "Report",
    "Request",
    "RequestAltered",
    "Resolution",
    "ResolutionAltered",
    "Response",
    "Routes",
    "Section",
    "Source",
    "Stale",
    "Standing",
    "State",
    "SubjectAltered",
    "Submission",
    "TextInput",
    "Timeout",
    "TimeoutPolicy",
    "Update",
    "Verdict",
    "cause",
    "document",
    "due_event",
    "due_in_order",
    "ended_words",
    "ending",
    "make_request",
    "present_value",
    "read_attempt",
    "read_presentation",
    "read_request",
    "read_resolution",
    "read_response",
    "read_view",
    "receipt_of",
    "run_adapter",
    "step",
    "text_input",
    "verified",
    "view_of",
    "write_attempt",
    "write_request",
    "write_resolution",
]
