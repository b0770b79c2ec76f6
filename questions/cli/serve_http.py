"""The HTTP port of `questions serve`: a second one, for what takes more than a page and a websocket."""

from __future__ import annotations

import argparse
import ssl
from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from facets.host import Host
from facets.link.identity import Authenticator
from facets.link.server import LinkServer

from .connecting import BadCommand
from .serve_options import port

if TYPE_CHECKING:
    from starlette.responses import Response

    from facets.http.calls import Call, Service

__all__ = ["add_http", "http_port"]


def add_http(parser: argparse.ArgumentParser) -> None:
    """Add the options of the HTTP port."""
    group = parser.add_argument_group("the HTTP port, with the same tokens, certificate and --bind")
    add = group.add_argument
    add("--http-port", type=port, metavar="PORT", help="serve HTTP there; 0: any free port; default: not at all")
    add(
        "--http-url", type=_url, metavar="URL", help="what clients are told of it, behind a proxy; default: its address"
    )


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
        _services(host),
        authenticator,
        now=host.now,
        bind=options.bind,
        port=options.http_port,
        tls=tls,
        insecure=options.insecure,
        origins=origins,
    )
    async with AsyncExitStack() as stack:
        try:
            running = await stack.enter_async_context(opened)
        except OSError as error:
            why = (error.strerror or type(error).__name__).lower()
            raise BadCommand(f"Cannot listen on {options.bind}, port {options.http_port}: {why}.") from None
        server.http_url = options.http_url or running.url
        yield


def _services(host: Host) -> list[Service]:
    from facets.http import Endpoint, Service, json_response  # noqa: PLC0415

    async def healthy(call: Call) -> Response:  # noqa: ARG001  # nobody is asked who they are
        return json_response({"status": "ok"})

    async def me(call: Call) -> Response:
        who = host.who(call.principal)
        return json_response({"principal": {"kind": who.principal.kind, "id": who.principal.id, "name": who.name}})

    return [
        Service("/healthz", [Endpoint("GET", "", healthy)], access="open"),
        Service("/me", [Endpoint("GET", "", me)]),
    ]
