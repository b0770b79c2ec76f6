"""Requests as they are stored: written, read again, and proven to be what they were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .asked import NEEDED, OPTIONAL
from .errors import (
    DecisionIdAltered,
    IncompatibleState,
    InvalidRecord,
    PresentationAltered,
    RecordAltered,
    RequestAltered,
    SubjectAltered,
)
from .forms import field_faults, object_faults
from .identifiers import digest_faults, record_id_faults
from .request import REQUEST, Request, content_faults, request_of
from .values import read_json, write_json

__all__ = ["checked_record", "read_record", "read_request", "write_request"]

_DIGESTS = ("decisionId", "requestDigest", "subjectDigest", "presentationDigest")


def write_request(request: Request) -> str:
    """As it is stored: JSON, with the choices in the order in which they are shown."""
    return write_json(request.as_json())


def read_request(text: str) -> Request:
    """The request that is stored as `text`, proven by its digests.

    Raises `IncompatibleState` for another schema, `InvalidRecord` with every fault, and then, in this order,
    `SubjectAltered`, `PresentationAltered`, `RequestAltered`, `DecisionIdAltered`. What is stored is left as it is.
    """
    record = checked_record(read_record(text), REQUEST, ("schema", *NEEDED, "subject", *_DIGESTS), OPTIONAL)
    faults = content_faults(record) + record_id_faults("$.decisionId", record["decisionId"])
    faults += [fault for name in _DIGESTS[1:] for fault in digest_faults(f"$.{name}", record[name])]
    if faults:
        raise InvalidRecord(faults)
    request = request_of(record)
    _prove(request, record)
    return request


def read_record(text: str | bytes) -> Any:
    """The JSON that is stored as `text`. Raises `InvalidRecord`."""
    try:
        return read_json(text)
    except ValueError as error:
        raise InvalidRecord([f"$: no JSON that can be read: {error}"]) from None


def checked_record(record: Any, schema: str, needed: tuple[str, ...], known: tuple[str, ...] = ()) -> Mapping[str, Any]:
    """The record, if it has this schema and these fields. Raises `IncompatibleState` or `InvalidRecord`."""
    if faults := object_faults("$", record):
        raise InvalidRecord(faults)
    if record.get("schema") != schema:
        raise IncompatibleState(str(record.get("schema"))[:200], schema)
    if faults := field_faults("$", record, needed, known):
        raise InvalidRecord(faults)
    fields: Mapping[str, Any] = record
    return fields


def _prove(request: Request, record: Mapping[str, Any]) -> None:
    parts: tuple[tuple[type[RecordAltered], str, str], ...] = (
        (SubjectAltered, "subjectDigest", request.subject_digest),
        (PresentationAltered, "presentationDigest", request.presentation_digest),
        (RequestAltered, "requestDigest", request.request_digest),
        (DecisionIdAltered, "decisionId", request.decision_id),
    )
    for altered, name, actual in parts:
        if record[name] != actual:
            raise altered(record["decisionId"], record[name], actual)
