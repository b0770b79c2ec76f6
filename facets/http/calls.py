"""What an endpoint is given: one request, who makes it, and its body; and what endpoints are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Literal

import attrs
import msgspec
from starlette.datastructures import Headers, QueryParams
from starlette.responses import Response

from facets.errors import InvalidFacet
from facets.link.identity import Identity
from facets.link.refusals import fault_of_frame
from facets.principal import Principal

from .refusals import Refusal, Refuse, envelope

__all__ = ["Call", "Endpoint", "Service"]


@attrs.frozen(kw_only=True)
class Call:
    """One request, read in full. Lives until it is answered."""

    id: str
    """Of the server's making; in every reply as `X-Request-Id`, and in the log."""
    method: str
    path: str
    params: dict[str, str]
    """What stands in the path for `{names}` of the endpoint's."""
    query: QueryParams
    headers: Headers
    body: bytes = attrs.field(repr=False)
    address: str
    """Where it comes from; that of the proxy if there is one between."""
    identity: Identity | None
    """Whose token came with it. None: at a service that is open to strangers, where nobody has looked at one."""
    trust: Callable[[], None] = attrs.field(repr=False)
    """Say that its connection is no stranger's: for services that authenticate by means of their own."""

    @property
    def principal(self) -> Principal:
        """Who makes the request. Only at a service that takes a token."""
        assert self.identity is not None, "an open service knows nobody"
        return self.identity.principal

    def bearer(self) -> str | None:
        """The token in the `Authorization` header, for services that have their own; None: there is none."""
        return bearer_of(self.headers)

    def json(self, kind: type[msgspec.Struct]) -> msgspec.Struct:
        """The body as this struct. Raises `Refusal` (400), with the place of the fault and never what stands there."""
        try:
            return msgspec.json.decode(self.body, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            fault = str(fault_of_frame(error).faults[0]) if isinstance(error, msgspec.DecodeError) else "$: no UTF-8"
            raise Refusal(HTTPStatus.BAD_REQUEST, "invalid_body", fault, {"faults": [fault]}) from None


def bearer_of(headers: Headers) -> str | None:
    """The token of the only `Authorization` header; None: there is none, two, or another scheme."""
    given = headers.getlist("Authorization")
    scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    return token.strip(" ") if scheme.lower() == "bearer" and token.strip(" ") else None


@attrs.frozen
class Endpoint:
    """What answers requests of one method to one path.

    `path`: below the prefix of its service, with `{names}` for parts of one segment. `GET` answers `HEAD` as well,
    unless it waits. `waits`: it may take its time, as long polls and streams do. Then it is cancelled when whoever asks
    has gone, when the token is good no more, and when the server stops. `largest`: bytes of a body; None: the port's
    limit.
    """

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    handle: Callable[[Call], Awaitable[Response]]
    waits: bool = False
    largest: int | None = None

    def answers(self, method: str) -> bool:
        """Whether it answers requests of this method."""
        return method == self.method or (method == "HEAD" and self.method == "GET" and not self.waits)


@attrs.frozen
class Service:
    """Endpoints that one part of a program adds to the port, all below `prefix`, such as `/api/rooms`.

    `access`: with `token`, nothing is told or read without a good token, not even which paths there are. With `open`
    the endpoints look for themselves who is there. `refuse`: how refusals below the prefix are written.
    """

    prefix: str
    endpoints: Sequence[Endpoint]
    access: Literal["token", "open"] = "token"
    refuse: Refuse = envelope

    def __attrs_post_init__(self) -> None:
        faults = []
        if (self.prefix and not self.prefix.startswith("/")) or self.prefix.endswith("/"):
            faults.append(f"$.prefix: empty, or begins with / and does not end with it: {self.prefix!r}")
        faults += [
            f"$.endpoints: begins with /: {one.path!r}" for one in self.endpoints if one.path[:1] not in ("", "/")
        ]
        if faults:
            raise InvalidFacet("http", faults)
