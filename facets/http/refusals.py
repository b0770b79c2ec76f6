"""What is refused over HTTP: a status, a code for programs, and words for people; never a word about what there is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

import attrs
from starlette.responses import Response

from facets.errors import (
    FacetError,
    Forbidden,
    InternalError,
    LinkLimitExceeded,
    RemoteError,
    Retryable,
    Unauthenticated,
    UnknownObject,
)
from facets.link.messages import encode_value
from facets.link.refusals import refusal

__all__ = ["Refusal", "Refuse", "envelope", "json_response", "refusal_of"]


@attrs.define(eq=False, slots=False, str=False)
class Refusal(Exception):
    """Raised by an endpoint: the request comes to nothing. The status is 400 or above.

    `details`: plain data for programs. `headers`: go with the reply. None of it may hold a secret.
    """

    status: int
    code: str
    message: str
    details: Mapping[str, Any] | None = None
    retryable: bool = False
    headers: Mapping[str, str] = attrs.field(factory=dict)

    def __str__(self) -> str:
        return f"{self.status} {self.code}: {self.message}"


Refuse = Callable[[Refusal, str], Response]
"""Writes a refusal, with the id of the request, as a reply: `envelope`, or what a protocol of its own demands."""

_STATUS: tuple[tuple[type[FacetError], HTTPStatus], ...] = (
    (Unauthenticated, HTTPStatus.UNAUTHORIZED),
    (Forbidden, HTTPStatus.FORBIDDEN),
    (UnknownObject, HTTPStatus.NOT_FOUND),
    (LinkLimitExceeded, HTTPStatus.TOO_MANY_REQUESTS),
    (Retryable, HTTPStatus.SERVICE_UNAVAILABLE),
    (InternalError, HTTPStatus.INTERNAL_SERVER_ERROR),
    (RemoteError, HTTPStatus.BAD_GATEWAY),
)


def refusal_of(error: Exception) -> Refusal:
    """What refuses a request that has led to this error. Of one that is not ours only that there was one is told."""
    if isinstance(error, Refusal):
        return error
    told = error if isinstance(error, FacetError) else InternalError()
    status = next((status for kind, status in _STATUS if isinstance(told, kind)), HTTPStatus.BAD_REQUEST)
    words = refusal(0, told)
    headers = {"Retry-After": "1"} if words.retryable else {}
    if status is HTTPStatus.UNAUTHORIZED:  # one try a connection, as over links
        headers = {"WWW-Authenticate": "Bearer", "Connection": "close"}
    return Refusal(status, words.code, words.message, words.data, words.retryable, headers)


def envelope(refusal: Refusal, request_id: str) -> Response:
    """`{"error": {"code", "message", "details"?, "retryable"?, "request_id"}}`, as JSON."""
    told = {"code": refusal.code, "message": refusal.message, "request_id": request_id}
    more = {"details": refusal.details, "retryable": refusal.retryable}
    error = told | {name: value for name, value in more.items() if value}
    return json_response({"error": error}, refusal.status, refusal.headers)


def json_response(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A reply of plain data, as JSON."""
    return Response(encode_value(value), status, headers, "application/json")
