"""The HTTP port of `questions serve` and `questions gates serve`, for what takes more than a page and a websocket."""

from __future__ import annotations

import argparse
import ssl
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .bad_command import BadCommand
from .serve_options import port, tls_of

if TYPE_CHECKING:
    from starlette.responses import Response

    from facets.host import Host
    from facets.http.calls import Call, Service
    from facets.http.server import HttpServer
    from facets.link.identity import Authenticator, Identity
    from facets.link.server import LinkServer
    from questions.gates.configured import ConfiguredChannels
    from questions.gates.store import GateStore

__all__ = ["Pages", "add_http", "add_open_port", "confirming_pages", "http_port", "open_port", "tls_of_port"]

Pages = Callable[[], "Sequence[Service]"]
"""What else is served over HTTP, made once it is known that HTTP can be."""

_LOCAL = "127.0.0.1"
_PORT = "serve HTTP there; 0: any free port; default: not at all"


def add_http(parser: argparse.ArgumentParser) -> None:
    """Add the options of the HTTP port."""
    group = parser.add_argument_group("the HTTP port, with the same tokens, certificate and --bind")
    add = group.add_argument
    add("--http-port", type=port, metavar="PORT", help=_PORT)
    add(
        "--http-url", type=_url, metavar="URL", help="what clients are told of it, behind a proxy; default: its address"
    )


def add_open_port(parser: argparse.ArgumentParser) -> None:
    """Add the options of a port that takes no tokens, for a command without a port for links."""
    add = parser.add_argument_group("the HTTP port, with the page behind the links of webhooks").add_argument
    add("--http-port", type=port, metavar="PORT", help=_PORT)
    add("--bind", metavar="ADDRESS", help=f"default: {_LOCAL}, this machine alone")
    add("--insecure", action="store_true", help="without TLS also where other machines can listen in")
    add("--tls-cert", metavar="FILE", type=Path, help="serve https:// with this certificate")
    add("--tls-key", metavar="FILE", type=Path, help="its key; default: in the file of the certificate")


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or "@" in text:
        raise argparse.ArgumentTypeError("an address without query and fragment, such as https://questions.example")
    return text.rstrip("/")


@asynccontextmanager
async def http_port(
    host: Host,
    server: LinkServer,
    authenticator: Authenticator,
    tls: ssl.SSLContext | None,
    origins: Collection[str],
    pages: Pages,
    options: argparse.Namespace,
) -> AsyncIterator[None]:
    """Serve HTTP for the length of the block, if it is wanted, and have the server tell of it.

    Raises `BadCommand` when it cannot listen, and `MissingExtra`.
    """
    if options.http_port is None:
        if options.http_url is not None:
            raise BadCommand("--http-url needs a port to stand for: --http-port PORT.")
        yield
        return
    from facets.http import open_http_server  # noqa: PLC0415  # it comes with an extra

    opened = open_http_server(
        [_health(), _me(host), *pages()],
        authenticator,
        now=host.now,
        bind=options.bind,
        port=options.http_port,
        tls=tls,
        insecure=options.insecure,
        origins=origins,
    )
    async with AsyncExitStack() as stack:
        running = await _listening(stack, opened, options.bind, options.http_port)
        server.http_url = options.http_url or running.url
        yield


def tls_of_port(options: argparse.Namespace) -> ssl.SSLContext | None:
    """What an open port needs for `https`. Raises `BadCommand` for that, and for options without a port."""
    if options.http_port is None and (options.bind or options.insecure or options.tls_cert or options.tls_key):
        raise BadCommand("--bind, --insecure, --tls-cert and --tls-key are for the HTTP port: --http-port PORT.")
    return tls_of(options.tls_cert, options.tls_key)


@asynccontextmanager
async def open_port(
    pages: Pages, tls: ssl.SSLContext | None, options: argparse.Namespace
) -> AsyncIterator[HttpServer | None]:
    """Serve pages that are open to strangers for the length of the block; None: no port is wanted. Raises as above."""
    if options.http_port is None:
        yield None
        return
    from facets.http import open_http_server  # noqa: PLC0415  # as above

    bind = options.bind or _LOCAL
    opened = open_http_server(
        [_health(), *pages()],
        _NoTokens(),
        now=time.time,
        bind=bind,
        port=options.http_port,
        tls=tls,
        insecure=options.insecure,
    )
    async with AsyncExitStack() as stack:
        yield await _listening(stack, opened, bind, options.http_port)


def confirming_pages(gates: GateStore, channels: ConfiguredChannels) -> Pages:
    """The page behind the links of webhooks, for those that are configured at the time."""

    def pages() -> Sequence[Service]:
        from questions.gates.confirming import confirming_service  # noqa: PLC0415  # as above

        return [confirming_service(gates, lambda: channels.channels)]

    return pages


class _NoTokens:
    """Nobody has a token of a command that hands out none."""

    def authenticate(self, token: str, now: float) -> Identity | None:  # noqa: ARG002
        return None

    def still_valid(self, identity: Identity, now: float) -> bool:  # noqa: ARG002
        return False


async def _listening(
    stack: AsyncExitStack, opened: AbstractAsyncContextManager[HttpServer], bind: str, number: int
) -> HttpServer:
    try:
        return await stack.enter_async_context(opened)
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise BadCommand(f"Cannot listen on {bind}, port {number}: {why}.") from None


def _health() -> Service:
    from facets.http import Endpoint, Service, json_response  # noqa: PLC0415

    async def healthy(call: Call) -> Response:  # noqa: ARG001  # nobody is asked who they are
        return json_response({"status": "ok"})

    return Service("/healthz", [Endpoint("GET", "", healthy)], access="open")


def _me(host: Host) -> Service:
    from facets.http import Endpoint, Service, json_response  # noqa: PLC0415

    async def me(call: Call) -> Response:
        who = host.who(call.principal)
        return json_response({"principal": {"kind": who.principal.kind, "id": who.principal.id, "name": who.name}})

    return Service("/me", [Endpoint("GET", "", me)])
