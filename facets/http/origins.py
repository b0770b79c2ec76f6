"""Which pages may use an HTTP port from a browser."""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers

__all__ = ["cross_origin", "is_welcome"]

_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, X-Correlation-Id",
    "Access-Control-Max-Age": "600",
}


def is_welcome(headers: Headers, origins: Collection[str]) -> bool:
    """Whether every origin that a request names is the port's own, or one of `origins`. Programs name none.

    A form of a page that sends no referrer has the origin `null`; then the browser itself says whether the page is the
    port's own, by a header that pages cannot set.
    """
    return all(_is_own(origin, headers) or origin in origins for origin in headers.getlist("Origin"))


def _is_own(origin: str, headers: Headers) -> bool:
    if origin == "null":
        return headers.getlist("Sec-Fetch-Site") == ["same-origin"]
    scheme, _, host = origin.partition("://")
    return scheme in ("http", "https") and [host.lower()] == [one.lower() for one in headers.getlist("Host")] != [""]


def cross_origin(headers: Headers, method: str, origins: Collection[str]) -> dict[str, str]:
    """The headers by which a browser lets a page of another origin, one of `origins`, read the reply."""
    given = headers.get("Origin")
    if given is None or given not in origins:
        return {}
    return {"Access-Control-Allow-Origin": given, "Vary": "Origin"} | (_PREFLIGHT if method == "OPTIONS" else {})
