"""How questions, policies, results and open questions are written in JSON. See `docs/wire.md`.

The structs say the form, and the schema is generated from them; what comes in is structured strictly, by the classes
of the program, so that what these refuse is refused here too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Literal

import attrs
import msgspec
from cattrs import AttributeValidationNote, Converter

from facets.errors import FacetError
from facets.link.conversion import Misfit, faults_of, make_converter, plain, register_hooks
from facets.link.interface import Arrival
from facets.link.messages import Named
from facets.link.refusals import fault_of_frame
from facets.principal import Principal, Who
from facets.readable import Readable
from questions.answers import Answers, Given
from questions.audience import Present, distinct
from questions.deadlines import Deadline
from questions.entry import Ask, Entry
from questions.errors import InvalidAsk, InvalidPolicy
from questions.open_ask import OpenAsk
from questions.open_question import OpenQuestion
from questions.policies import All, Answered, Collected, First, ForeignPolicy, Policy, Quorum
from questions.question import Confirm, Question, Select, Text
from questions.redaction import HIDDEN
from questions.reports import ClosedQuestion
from questions.rooms.policy import Mechanism
from questions.rooms.tallied import Tallied
from questions.scopes import OwnerScope, Scope, SessionScope

__all__ = [
    "ASKED",
    "AUDIENCE",
    "NOTHING",
    "RESULT",
    "TIMEOUT",
    "ShownAsk",
    "ShownQuestion",
    "converter",
    "number_of",
    "place_of",
    "read_open_ask",
    "read_open_question",
    "shown",
]


class ShownAsk(msgspec.Struct, frozen=True, gc=False):
    """An open question as its asker is shown it: who has answered, and not what. Times are epoch seconds."""

    id: str
    key: str | None
    """What its asker calls it."""
    message: str
    answered: list[Named]
    waiting_for: list[Named]
    seen: list[Named]
    """Who has been shown it."""
    asked_at: float
    deadline: float | None


class ShownQuestion(msgspec.Struct, frozen=True, gc=False):
    """An open question as a viewer is shown it. Times are epoch seconds; `deadline` less the frame's `now` is left."""

    id: str
    number: int
    """Counts the questions of a store; the order in which they are shown."""
    scope: dict[str, Any]
    question: dict[str, Any]
    asker: Named
    on_behalf_of: Named | None
    policy: dict[str, Any]
    asked_at: float
    deadline: float | None
    default: Any
    """What the deadline will answer; null: nothing."""
    answered: list[Named]
    waiting_for: list[Named]
    may_answer: bool
    answered_by_me: bool


_QUESTIONS: dict[str, type[Question[Any]]] = {"text": Text, "select": Select, "confirm": Confirm}
_POLICIES: dict[str, type[Policy]] = {"first": First, "quorum": Quorum, "all": All, "mechanism": Mechanism}
_POLICY_KINDS = {policy: kind for kind, policy in _POLICIES.items()}
_ENDS = ("reached", "deadline")
_ANSWERED = {"by": Who, "answer": Any, "automatic": bool, "secret": bool}
_SEVERAL = tuple[Answered[Any], ...]
_OTHERS = {"missing": tuple[Who, ...], "seen": tuple[Who, ...], "ended": Literal[_ENDS]}
_COLLECTED = {"answers": _SEVERAL, **_OTHERS}
_VOTE = {"id": str, "mechanism": str, "params": dict, "options": tuple[str, ...], "eligible": int}
_TALLIED = {**_VOTE, "ballots": _SEVERAL, **_OTHERS}
_CLOSED = {"id": str, "message": str, "how": str, "by": tuple[Who, ...], "at": float}


AUDIENCE: Any = tuple[Principal, ...] | Present
"""Who may answer, as it can go over a link."""
TIMEOUT: Any = float | timedelta | None
"""Seconds on the wire."""
RESULT: Any = Answered[Any] | Collected[Any] | Tallied
"""What an ask returns."""
ASKED: Any = str | None
"""The id of a question, looked up at once or in a store."""
NOTHING: Any = None
"""What an answer returns: at once, or when it is committed."""


SHOWN_POLICY: Any = Policy | None
"""Of an open question, as it is read."""


def _make_converter() -> Converter:
    made = make_converter()
    structure: dict[Any, Callable[[Any], Any]] = {
        Question: lambda value: _tagged(made, value, _QUESTIONS),
        Question[Any]: lambda value: _tagged(made, value, _QUESTIONS),
        Policy: lambda value: _tagged(made, value, _POLICIES),
        SHOWN_POLICY: _read_policy,
        Scope: lambda value: _scope(made, value),
        AUDIENCE: lambda value: _audience(made, value),
        TIMEOUT: lambda value: made.structure(value, float | None),  # type: ignore[arg-type]
        RESULT: lambda value: _result(made, value),
        Answered[Any]: lambda value: Answered(**_fields(made, value, _ANSWERED)),
        ClosedQuestion: lambda value: ClosedQuestion(**_fields(made, value, _CLOSED)),
        Literal["live", "snapshot"]: lambda value: value,  # All itself is strict
    }
    unstructure: dict[Any, Callable[[Any], Any]] = {
        **dict.fromkeys([*_QUESTIONS.values(), Question, Question[Any]], _question),
        **dict.fromkeys([*_POLICIES.values(), Policy], _policy),
        Scope: _scope_to_wire,
        AUDIENCE: _audience_to_wire,
        RESULT: _result_to_wire,
        ClosedQuestion: _closed_to_wire,
        OpenAsk: _open_ask_to_wire,
        TIMEOUT: lambda value: value.total_seconds() if isinstance(value, timedelta) else value,
    }
    register_hooks(made, structure, unstructure)
    return made


def _tagged(made: Converter, value: Any, kinds: dict[str, Any]) -> Any:
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in kinds:
        raise Misfit(f'must be an object whose "kind" is one of {", ".join(kinds)}')
    return made.structure({name: field for name, field in value.items() if name != "kind"}, kinds[kind])


def _scope(made: Converter, value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"session"}:
        return SessionScope(made.structure(value["session"], str))
    if isinstance(value, dict) and value.keys() == {"owner"}:
        return OwnerScope(made.structure(value["owner"], Principal))
    raise Misfit('must be {"session": ...} or {"owner": ...}')


def _audience(made: Converter, value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"present"}:
        return Present(made.structure(value["present"], tuple[str, ...]))
    return made.structure(value, tuple[Principal, ...])


def _result(made: Converter, value: Any) -> Any:
    if isinstance(value, dict) and "answers" in value:
        return Collected(**_fields(made, value, _COLLECTED))
    if isinstance(value, dict) and "ballots" in value:
        return Tallied(**_fields(made, value, _TALLIED))  # it counts them again
    return made.structure(value, Answered[Any])


def _fields(made: Converter, value: Any, hints: Mapping[str, Any]) -> dict[str, Any]:
    """These fields of an object; others are for later versions."""
    if not isinstance(value, dict):
        raise Misfit("must be an object")
    found: dict[str, Any] = {}
    faults: list[Exception] = []
    for name, hint in hints.items():
        try:
            found[name] = made.structure(value[name], hint)
        except Exception as error:
            error.add_note(AttributeValidationNote("", name, hint))
            faults.append(error)
    if faults:
        raise ExceptionGroup("fields of an object", faults)
    return found


def _question(question: Question[Any]) -> dict[str, Any]:
    fields = attrs.asdict(question)
    fields["details"] = _as_unicode(question.details)
    return {"kind": question.kind, **fields}


def _as_unicode(text: str) -> str:
    """JSON has no lone surrogates; each is written as its escape, which is how it is shown anyway."""
    return text.encode("utf-8", "backslashreplace").decode()


def _policy(policy: Policy) -> dict[str, Any]:
    kind = _POLICY_KINDS.get(type(policy))
    if kind is None:
        raise InvalidPolicy([f"$.policy: a {type(policy).__name__} cannot go over a link"])
    return {"kind": kind, **msgspec.to_builtins(policy)}


def _shown_policy(policy: Policy) -> dict[str, Any]:
    """One that no link knows is shown by its name: who answers needs no more, as its host judges."""
    if type(policy) in _POLICY_KINDS:
        return _policy(policy)
    return {"kind": "foreign", "name": policy.name if isinstance(policy, ForeignPolicy) else type(policy).__name__}


def _read_policy(value: Any) -> Policy:
    """Of a question that is shown; of a kind that is not known here, maybe since the host is newer, its name."""
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind in _POLICIES:
        read: Policy = converter.structure(value, Policy)
        return read
    return ForeignPolicy(str(value.get("name", kind))[:200])


def _scope_to_wire(scope: Scope) -> dict[str, Any]:
    return {"session": scope.session} if isinstance(scope, SessionScope) else {"owner": plain(scope.owner)}


def _audience_to_wire(audience: Any) -> Any:
    if isinstance(audience, Present):
        return {"present": list(audience.kinds)}
    if isinstance(audience, Readable):
        raise InvalidAsk(["$.audience: a readable cannot go over a link; Present() is everyone who is there"])
    return plain(list(distinct(audience)))


def _answered_to_wire(one: Answered[Any]) -> dict[str, Any]:
    return {"by": plain(one.by), "answer": one.answer, "automatic": one.automatic, "secret": one.secret}


def _result_to_wire(result: Any) -> dict[str, Any]:
    if isinstance(result, Answered):
        return _answered_to_wire(result)
    others = {"missing": plain(result.missing), "seen": plain(result.seen), "ended": result.ended}
    if isinstance(result, Tallied):
        vote = {name: plain(getattr(result, name)) for name in _VOTE}
        return {**vote, "ballots": [_answered_to_wire(one) for one in result.ballots], **others}
    return {"answers": [_answered_to_wire(one) for one in result.answers], **others}


def _closed_to_wire(closed: ClosedQuestion) -> dict[str, Any]:
    return {"id": closed.id, "message": closed.message, "how": closed.how, "by": plain(closed.by), "at": closed.at}


def _open_ask_to_wire(ask: OpenAsk) -> ShownAsk:
    deadline = ask.deadline
    return ShownAsk(
        id=ask.id,
        key=ask.key,
        message=ask.message,
        answered=[_named(who) for who in ask.answered],
        waiting_for=[_named(who) for who in ask.waiting_for],
        seen=[_named(who) for who in ask.seen],
        asked_at=ask.opened,
        deadline=None if deadline is None else deadline.timestamp(),
    )


converter = _make_converter()
"""What structures and writes everything of questions."""


def place_of(scope: Scope) -> str | None:
    """The session whose worker holds the questions of a scope; None: the server does."""
    return scope.session if isinstance(scope, SessionScope) else None


def shown(question: OpenQuestion, number: int) -> ShownQuestion:
    """An open question as it is written."""
    deadline, program = question.deadline, question.on_behalf_of
    return ShownQuestion(
        id=question.id,
        number=number,
        scope=_scope_to_wire(question.scope),
        question=_question(question.question),
        asker=_named(question.asker),
        on_behalf_of=None if program is None else _named(program),
        policy=_shown_policy(question.policy),
        asked_at=question.asked_at.timestamp(),
        deadline=None if deadline is None else deadline.timestamp(),
        default=question.default,
        answered=[_named(who) for who in question.answered],
        waiting_for=[_named(who) for who in question.waiting_for],
        may_answer=question.may_answer,
        answered_by_me=question.answered_by_me,
    )


def _named(who: Who) -> Named:
    return Named(who.principal.kind, who.principal.id, who.name)


def number_of(question: OpenQuestion) -> int:
    """What open questions are ordered by: which was asked first."""
    return question._entry.ask.number


def read_open_ask(given: Any, arrival: Arrival) -> OpenAsk:
    """An asker's open question as it has come. Raises `InvalidAsk` with the fault."""
    try:
        shown = msgspec.convert(given, ShownAsk)
        answered, missing, seen = (
            tuple(Who(Principal(one.kind, one.id), one.name) for one in some)  # type: ignore[arg-type]  # it checks
            for some in (shown.answered, shown.waiting_for, shown.seen)
        )
    except msgspec.ValidationError as error:
        raise InvalidAsk(fault_of_frame(error).faults) from None
    except FacetError as error:
        raise InvalidAsk(list(faults_of(error))) from None
    limit = _deadline(shown.deadline, arrival)
    return OpenAsk(shown.id, shown.key, shown.message, answered, missing, seen, shown.asked_at, limit, arrival.clock)


def read_open_question(given: Any, arrival: Arrival) -> OpenQuestion:
    """An open question as it has come, with its deadline on this process's clock. Raises `InvalidAsk` with the fault.

    It is the same as one of this process: an entry is made anew of what is known, with no answers in it.
    """
    try:
        return _open_question(msgspec.convert(given, ShownQuestion), arrival)
    except msgspec.ValidationError as error:
        raise InvalidAsk(fault_of_frame(error).faults) from None
    except (FacetError, ExceptionGroup) as error:
        raise InvalidAsk(list(faults_of(error))) from None


_SHOWN = {
    "scope": Scope,
    "question": Question,
    "policy": SHOWN_POLICY,
    "asked_at": datetime,
    "deadline": datetime | None,
}


def _open_question(shown: ShownQuestion, arrival: Arrival) -> OpenQuestion:
    read = _fields(converter, msgspec.structs.asdict(shown), _SHOWN)
    names: dict[Principal, Who] = {}

    def known(named: Named) -> Principal:
        principal = Principal(named.kind, named.id)  # type: ignore[arg-type]  # it checks
        names[principal] = Who(principal, named.name)
        return principal

    answered, missing = [known(one) for one in shown.answered], [known(one) for one in shown.waiting_for]
    answers = Answers()
    for principal in answered:
        answers = answers.plus(Given(principal, HIDDEN))
    ask = Ask(
        shown.id,
        shown.number,
        read["scope"],
        read["question"],
        read["policy"],
        names[known(shown.asker)],
        None,
        None,
        _deadline(shown.deadline, arrival),
        shown.default,
        None if shown.on_behalf_of is None else known(shown.on_behalf_of),
        shown.asked_at,
    )
    members = dict.fromkeys([*answered, *missing])
    entry = Entry(ask, members, {}, answers, len(missing))
    question = ask.question
    return OpenQuestion(entry, question, shown.may_answer, shown.answered_by_me, names.__getitem__, arrival.clock)


def _deadline(epoch: float | None, arrival: Arrival) -> Deadline | None:
    if epoch is None:
        return None
    return Deadline(arrival.at + epoch - arrival.sent, epoch)
