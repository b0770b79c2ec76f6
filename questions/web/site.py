"""The page on which people answer, as replies to plain requests: `open_link_server(..., answer=answer_page)`."""

from __future__ import annotations

import hashlib
from functools import cache
from http import HTTPStatus
from importlib.resources import files

import attrs
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

__all__ = ["answer_page"]

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)

_EVERYWHERE = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


@attrs.frozen
class _File:
    """One file of the page, and what it is sent with."""

    body: bytes
    type: str
    etag: str
    """Of its content; empty for the page itself, which nobody keeps."""

    @classmethod
    def of(cls, name: str, body: bytes) -> _File:
        """A file by its name."""
        extension = name.rpartition(".")[2]
        digest = "" if extension == "html" else f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        return cls(body, _TYPES[extension], digest)

    def headers(self) -> dict[str, str]:
        """Beside what goes with everything."""
        if not self.etag:
            return {"Cache-Control": "no-store"}
        return {"Cache-Control": "no-cache", "ETag": self.etag}


@cache
def _files() -> dict[str, _File]:
    """Every path that there is. Read once: nothing that is asked for is ever looked up on disk."""
    found = {one.name: one.read_bytes() for one in files(__package__).joinpath("static").iterdir()}
    served = {f"/{name}": _File.of(name, body) for name, body in found.items() if name.rpartition(".")[2] in _TYPES}
    return served | {"/": served.pop("/index.html")}


def answer_page(request: Request) -> Response | None:
    """The reply to a plain GET or HEAD request for the page or a part of it; None for any other path.

    For `open_link_server(answer=...)`. Nothing in it depends on who asks: it says nothing of questions, people or
    sessions, which take a token and the websocket. A query is ignored, since none is ever needed.
    """
    file = _files().get(request.path.partition("?")[0])
    if file is None:
        return None
    if request.method not in ("GET", "HEAD"):
        return _reply(HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": "GET, HEAD"})
    if file.etag and file.etag in ", ".join(request.headers.get_all("If-None-Match")):  # it may stand there twice
        return _reply(HTTPStatus.NOT_MODIFIED, file.headers())
    headers = {**file.headers(), "Content-Type": file.type, "Content-Length": str(len(file.body))}
    return _reply(HTTPStatus.OK, headers, b"" if request.method == "HEAD" else file.body)


def _reply(status: HTTPStatus, headers: dict[str, str], body: bytes = b"") -> Response:
    length = {} if "Content-Length" in headers or status is HTTPStatus.NOT_MODIFIED else {"Content-Length": "0"}
    every = Headers({**_EVERYWHERE, **headers, **length, "Connection": "close"})
    return Response(status, status.phrase, every, body)
