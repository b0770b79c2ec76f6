"""Replies to plain requests that hold a text."""

from __future__ import annotations

from http import HTTPStatus

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

__all__ = ["is_for", "reply"]


def is_for(request: Request, path: str) -> bool:
    """Whether a request is for this path, whatever its query."""
    return request.path.partition("?")[0] == path


def reply(request: Request, status: HTTPStatus, body: bytes, type: str = "text/plain; charset=utf-8") -> Response:
    """A reply that nobody keeps; without its body to a HEAD request, and 405 to anything but GET and HEAD."""
    if request.method not in ("GET", "HEAD"):
        status, body, type = HTTPStatus.METHOD_NOT_ALLOWED, b"", "text/plain; charset=utf-8"
    headers = Headers(
        {
            "Content-Type": type,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Connection": "close",
        }
    )
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = "GET, HEAD"
    return Response(status, status.phrase, headers, b"" if request.method == "HEAD" else body)
