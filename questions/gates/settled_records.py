"""Reading how decisions ended, and what was submitted: what is stored is checked against its request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import AnswerAltered, InvalidRecord, InvalidSubmission, ResolutionAltered
from .forms import field_faults, object_faults
from .instants import instant_faults, iso, milliseconds
from .records import checked_record, read_record
from .request import Request
from .resolution import RESOLUTION, AcceptedDecision, Cancellation, Resolution, accepted, cancelled
from .responses import Response, read_response, response_faults
from .submission import Attempt, Source, Submission
from .values import write_json

__all__ = ["ATTEMPT", "read_attempt", "read_resolution", "write_attempt"]

ATTEMPT = "questions.human-decision-attempt.v1"

_DECISION = (
    "decisionId requestDigest subjectDigest presentationDigest revision response provenance acceptedAt answerDigest"
).split()
_CANCELLATION = "decisionId requestDigest cancelledAt reason".split()
_ATTEMPT = tuple("schema decisionId requestDigest response source idempotencyKey at outcome".split())
_HUMAN = ("source", "idempotencyKey")


def read_resolution(text: str, request: Request) -> Resolution:
    """The resolution that is stored as `text` for this request.

    Raises `IncompatibleState`, `InvalidRecord` with every fault, `ResolutionAltered` if it is another request's, and
    `AnswerAltered`. What is stored is left as it is.
    """
    record = checked_record(read_record(text), RESOLUTION, ("schema", "outcome"), ("decision", "cancellation"))
    if record["outcome"] not in ("accepted", "cancelled"):
        raise InvalidRecord(["$.outcome: accepted or cancelled"])
    name = "decision" if record["outcome"] == "accepted" else "cancellation"
    faults = field_faults("$", record, ("schema", "outcome", name), ()) or object_faults(f"$.{name}", record[name])
    if faults:
        raise InvalidRecord(faults)
    if name == "decision":
        return _read_decision(record[name], request)
    return _read_cancellation(record[name], request)


def write_attempt(attempt: Attempt) -> str:
    """An attempt as it is stored: JSON."""
    submission = attempt.submission
    fields = {
        "decisionId": submission.decision_id,
        "requestDigest": submission.request_digest,
        "response": submission.response.as_json(),
        "source": submission.source.as_json(),
        "idempotencyKey": submission.idempotency_key,
        "at": iso(attempt.at),
        "outcome": attempt.outcome,
    }
    return write_json({"schema": ATTEMPT, **fields})


def read_attempt(text: str, request: Request) -> Attempt:
    """The attempt that is stored as `text` for this request. Raises as `read_resolution` does."""
    record = checked_record(read_record(text), ATTEMPT, _ATTEMPT)
    faults = instant_faults("$.at", record["at"]) + _source_faults("$.source", record["source"])
    faults += response_faults("$.response", request.choices, record["response"])
    if not isinstance(record["outcome"], str):
        faults.append("$.outcome: must be text")
    if faults:
        raise InvalidRecord(faults)
    _belongs(record, request, ("requestDigest",))
    submission = _submission(record, read_response(request.choices, record["response"]))
    return Attempt(submission, milliseconds(record["at"]), record["outcome"])


def _read_decision(given: Mapping[str, Any], request: Request) -> AcceptedDecision:
    path = "$.decision"
    faults = field_faults(path, given, _DECISION, _HUMAN) + _provenance_faults(path, given)
    faults += instant_faults(f"{path}.acceptedAt", given.get("acceptedAt"))
    faults += response_faults(f"{path}.response", request.choices, given.get("response"))
    if faults:
        raise InvalidRecord(faults)
    _belongs(given, request, ("requestDigest", "subjectDigest", "presentationDigest", "revision"))
    response, at = read_response(request.choices, given["response"]), milliseconds(given["acceptedAt"])
    is_human = given["provenance"] == "human"
    # A timeout can only have chosen what the request says.
    by = _submission(given, response) if is_human else request.default_response or response
    decision = accepted(request, by, at)
    if decision.answer_digest != given["answerDigest"] or decision.response != response:
        raise AnswerAltered(request.decision_id, str(given["answerDigest"])[:80], decision.answer_digest)
    return decision


def _provenance_faults(path: str, given: Mapping[str, Any]) -> list[str]:
    match given.get("provenance"):
        case "human":
            missing = [f"{path}.{name}: missing" for name in _HUMAN if name not in given]
            return missing or _source_faults(f"{path}.source", given["source"])
        case "timeout":
            return [f"{path}.{name}: not with a timeout" for name in _HUMAN if name in given]
    return [f"{path}.provenance: human or timeout"]


def _source_faults(path: str, source: object) -> list[str]:
    if not isinstance(source, Mapping):
        return object_faults(path, source)
    return field_faults(path, source, ("channel", "actorId", "eventId"), ())


def _submission(given: Mapping[str, Any], response: Response) -> Submission:
    told = given["source"]
    try:
        source = Source(told["channel"], told["actorId"], told["eventId"])
        ids = given["decisionId"], given["requestDigest"]
        return Submission(*ids, response, source, given["idempotencyKey"])
    except InvalidSubmission as error:
        raise InvalidRecord(error.faults) from None


def _read_cancellation(given: Mapping[str, Any], request: Request) -> Cancellation:
    path = "$.cancellation"
    faults = field_faults(path, given, _CANCELLATION, ())
    faults += instant_faults(f"{path}.cancelledAt", given.get("cancelledAt"))
    if given.get("reason") not in ("cancelled", "expired"):
        faults.append(f"{path}.reason: cancelled or expired")
    if faults:
        raise InvalidRecord(faults)
    _belongs(given, request, ("requestDigest",))
    return cancelled(request, given["reason"], milliseconds(given["cancelledAt"]))


def _belongs(given: Mapping[str, Any], request: Request, names: tuple[str, ...]) -> None:
    actual = request.as_json()
    for name in ("decisionId", *names):
        if given[name] != actual[name] or type(given[name]) is not type(actual[name]):
            raise ResolutionAltered(request.decision_id, str(given[name])[:80], str(actual[name]))
