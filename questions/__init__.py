"""Questions that running work asks of people, and goes on with exactly one answer.

    asker = await ctx.get(Questions, SessionScope("s1"))
    result = await asker.ask(Confirm("Deploy?"), audience=[ana, bo], policy=First(), timeout=300)

`docs/` has a tutorial; `facets` is the host container that this runs in.
"""

from typing import TYPE_CHECKING

from facets.errors import FacetError, Forbidden, LinkLost, Retryable, Unavailable
from facets.late import offered_late

from .digest import canonical_json, digest
from .visible import visible
from .work_clock import WorkClock, current_work_clock, work_clock

if TYPE_CHECKING:
    from .asking import ask_again
    from .audience import Audience, Present
    from .config import QuestionsConfig
    from .entry import State
    from .errors import (
        DigestMismatch,
        Expired,
        IllegalTransition,
        Invalid,
        InvalidAnswer,
        InvalidAsk,
        InvalidPolicy,
        InvalidQuestion,
        LimitExceeded,
        NoDurableStore,
        NoLiveAsker,
        NoLongerActive,
        NotApproved,
        NotInAudience,
        QuestionError,
        StoreClosed,
        Superseded,
        UnknownQuestion,
        Withdrawn,
        WorkTimeExceeded,
    )
    from .facet import questions_facet
    from .grants import Grant, Grants
    from .guard import approval_required
    from .headless import GuardedCall, HeadlessApprover, HeadlessVerdict
    from .limits import Limits
    from .open_ask import OpenAsk
    from .open_question import OpenQuestion
    from .policies import All, Answered, Collected, CustomPolicy, First, ForeignPolicy, Policy, Quorum
    from .question import Confirm, Option, Question, Select, Text
    from .racing import Winner, first_of
    from .redaction import Secret, redact
    from .remote.faces import QUESTIONS
    from .remote.objects import BlockingQuestions
    from .reports import ClosedQuestion, Opened, Settled
    from .scopes import OwnerScope, Scope, SessionScope
    from .to_answer import BlockingQuestionsToAnswer, QuestionsToAnswer
    from .views import Asker, Questions, Viewer
else:
    __getattr__ = offered_late(
        __name__,
        (
            "asking audience config entry errors facet grants guard headless limits open_ask open_question policies "
            "question racing redaction remote.faces remote.objects reports scopes to_answer views"
        ),
    )

__all__ = [
    "QUESTIONS",
    "All",
    "Answered",
    "Asker",
    "Audience",
    "BlockingQuestions",
    "BlockingQuestionsToAnswer",
    "ClosedQuestion",
    "Collected",
    "Confirm",
    "CustomPolicy",
    "DigestMismatch",
    "Expired",
    "FacetError",
    "First",
    "Forbidden",
    "ForeignPolicy",
    "Grant",
    "Grants",
    "GuardedCall",
    "HeadlessApprover",
    "HeadlessVerdict",
    "IllegalTransition",
    "Invalid",
    "InvalidAnswer",
    "InvalidAsk",
    "InvalidPolicy",
    "InvalidQuestion",
    "LimitExceeded",
    "Limits",
    "LinkLost",
    "NoDurableStore",
    "NoLiveAsker",
    "NoLongerActive",
    "NotApproved",
    "NotInAudience",
    "OpenAsk",
    "OpenQuestion",
    "Opened",
    "Option",
    "OwnerScope",
    "Policy",
    "Present",
    "Question",
    "QuestionError",
    "Questions",
    "QuestionsConfig",
    "QuestionsToAnswer",
    "Quorum",
    "Retryable",
    "Scope",
    "Secret",
    "Select",
    "SessionScope",
    "Settled",
    "State",
    "StoreClosed",
    "Superseded",
    "Text",
    "Unavailable",
    "UnknownQuestion",
    "Viewer",
    "Winner",
    "Withdrawn",
    "WorkClock",
    "WorkTimeExceeded",
    "approval_required",
    "ask_again",
    "canonical_json",
    "current_work_clock",
    "digest",
    "first_of",
    "questions_facet",
    "redact",
    "visible",
    "work_clock",
]
