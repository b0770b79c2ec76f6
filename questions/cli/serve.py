"""`questions serve`: a host with questions, for people and work in other processes."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import attrs
import trio

from facets.facet import Facet
from facets.host import Host, open_host
from facets.link.keys import KeyRing
from facets.link.revocations import Revocations
from facets.link.server import LinkServer, open_link_server
from facets.link.tokens import TokenAuthenticator, TokenIssuer, prove
from facets.principal import Principal
from questions.facet import questions_facet
from questions.scopes import SessionScope
from questions.web import answer_page

from .announcement import announce
from .codes import DONE, INTERRUPTED
from .connecting import DEFAULT_PORT, DEFAULT_SESSION, BadCommand
from .handouts import Person, default_file, hand_out, parse_person
from .serve_http import Pages, add_http, http_port
from .serve_operations import Operations, add_operations, drain, logged
from .serve_options import load_facet, origins_of, port, tls_of
from .serve_store import add_store, stored
from .token import auth_keys_path, parse_duration, revocations_path

__all__ = ["add_serve"]

_log = logging.getLogger("questions")
_FAREWELL = 0.2
"""Seconds for which connections stay when the questions have been closed, so that who asked hears of it."""

_EXAMPLES = f"""\
examples:
  questions serve --person alice                     Alice may connect; so may a worker, in session {DEFAULT_SESSION}
  questions serve --person alice --person "bob=Bob B." --session build-7
  questions serve --person alice --port 0 --json     any free port, told as one line of JSON
  questions serve --person alice --bind 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
  questions serve --person alice --facet mine:facet  with a facet of your own beside that of questions
  questions serve --person alice --http-port 8601    with an HTTP port beside it
  questions serve --person alice --root /var/lib/q   with the decisions in a store, and questions that outlive askers;
                                                     with --http-port also with the page of webhooks, /decide

Then open the link that it prints in a browser, or in other terminals: `questions watch` and `questions answer`; see
`questions watch --help`.

Tokens are secrets. Each is written to a file that only you can read, and those of people are shown on a terminal.

exit codes: 0 stopped by SIGTERM, 2 bad usage, a port in use, an unusable file, 5 the store is not available,
            70 internal error, 130 stopped by Ctrl-C
"""


def add_serve(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `serve` to the parser of `questions`."""
    parser = commands.add_parser(
        "serve",
        description="Serve questions to people and to work in other processes, on this machine unless --bind says "
        "otherwise, and give a token to each. Runs until Ctrl-C or SIGTERM.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--person", metavar="ID[=NAME]", action="append", help="who may connect: alice, 'bob=Bob B.', guest:eve")
    add("--session", metavar="S", action="append", help=f"make a worker's token for it; default: {DEFAULT_SESSION}")
    add("--port", type=port, default=DEFAULT_PORT, help=f"where to listen; 0: any free port; default: {DEFAULT_PORT}")
    add("--bind", metavar="ADDRESS", default="127.0.0.1", help="default: 127.0.0.1, this machine alone")
    add("--insecure", action="store_true", help="without TLS also where other machines can listen in")
    add("--tls-cert", metavar="FILE", type=Path, help="serve wss:// with this certificate")
    add("--tls-key", metavar="FILE", type=Path, help="its key; default: in the file of the certificate")
    add("--origin", metavar="ORIGIN", action="append", help="web pages of https://HOST may connect, too")
    add("--auth-keys", metavar="FILE", help="default: $QUESTIONS_AUTH_KEYS, or in ~/.local/state")
    add("--expires", type=parse_duration, default=8 * 3600.0, metavar="TIME", help="of the tokens; default: 8h")
    add("--tokens-dir", metavar="DIR", type=Path, help="where tokens are written; default: beside the keys")
    add("--worker-token-file", metavar="FILE", type=Path, help="where that of the worker goes, with one --session")
    add("--print-tokens", action="store_true", help="print people's tokens even if nobody is at a terminal")
    add("--facet", metavar="MODULE:NAME", action="append", help="run this facet too; modules of this folder are found")
    add("--no-page", action="store_true", help="serve no page to answer on in a browser")
    add("--json", action="store_true", help="print one JSON object once it listens")
    add("--verbose", action="store_true", help="log who is refused, and why, on standard error")
    add_store(parser)
    add_http(parser)
    add_operations(parser)
    parser.set_defaults(run=run_serve)


def run_serve(options: argparse.Namespace) -> int:
    """Serve until told to stop; returns the exit code. Raises `FacetError` for what is at fault."""
    with logged(options):
        return trio.run(_serve, _plan(options))


@attrs.frozen
class _Plan:
    """What is to be served, checked as far as it can be before anything is opened or changed."""

    options: argparse.Namespace
    people: tuple[tuple[Person, Path], ...]
    workers: tuple[tuple[Person, Path], ...]
    facets: tuple[Facet, ...]


def _plan(options: argparse.Namespace) -> _Plan:
    keys = auth_keys_path(options.auth_keys)
    folder = (options.tokens_dir or keys.parent / "tokens").absolute()
    people = [parse_person(text) for text in options.person or ()]
    workers = [_worker(name) for name in options.session or [DEFAULT_SESSION]]
    for each in (people, workers):
        if len({one.principal for one in each}) < len(each):
            raise BadCommand("The same person, or the same session, is given twice.")
    files = [default_file(folder, one.principal) for one in workers]
    if options.worker_token_file is not None:
        if len(workers) != 1:
            raise BadCommand("--worker-token-file is for one --session; for several there is --tokens-dir.")
        files = [options.worker_token_file.absolute()]
    given = [load_facet(text) for text in options.facet or ()]
    facets = {one.name: one for one in [questions_facet, *given]}
    if len({one.name for one in given}) < len(given):
        raise BadCommand("Two --facet have the same name.")
    return _Plan(
        options,
        tuple((one, default_file(folder, one.principal)) for one in people),
        tuple(zip(workers, files, strict=True)),
        tuple(facets.values()),
    )


def _worker(session: str) -> Person:
    return Person(Principal.worker(SessionScope(session).session), None)


async def _serve(plan: _Plan) -> int:
    names = {one.principal: one.name for one, _ in plan.people if one.name is not None}
    operations = Operations(plan.options)
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with (
            stored(operations.facets(plan.facets), plan.options, operations.watch_journal) as served,
            open_host(served.facets, names) as host,
            _listening(host, served.pages, plan.options) as (server, issuer),
            operations.running(host, server),
        ):
            lifetime = plan.options.expires
            people = hand_out(issuer, plan.people, time.time(), lifetime)
            workers = hand_out(issuer, plan.workers, time.time(), lifetime)
            announce(server, people, workers, plan.options)
            number = await anext(signals)
            if number == signal.SIGTERM:
                await drain(server, plan.options.drain, signals)
            await _close_questions(host)
    if plan.options.log_format == "json":
        _log.info("stopped: connections and open questions are closed", extra={"questions.event": "stopped"})
    else:
        print("Stopped: connections and open questions are closed.", file=sys.stderr)
    return INTERRUPTED if number == signal.SIGINT else DONE


@asynccontextmanager
async def _listening(
    host: Host, pages: Pages, options: argparse.Namespace
) -> AsyncIterator[tuple[LinkServer, TokenIssuer]]:
    """The server, and who issues the tokens that it takes. Raises `FacetError` when it cannot listen."""
    tls, origins = tls_of(options.tls_cert, options.tls_key), origins_of(options.origin or ())
    path = auth_keys_path(options.auth_keys)
    keys = KeyRing(path, create=True)
    authenticator = TokenAuthenticator(keys, Revocations(revocations_path(path)))
    opened = open_link_server(
        host,
        authenticator,
        bind=options.bind,
        port=options.port,
        tls=tls,
        insecure=options.insecure,
        origins=origins,
        prove=partial(_prove, keys, host),
        answer=None if options.no_page else answer_page,
    )
    async with AsyncExitStack() as stack:
        try:
            server = await stack.enter_async_context(opened)
        except OSError as error:
            why = (error.strerror or type(error).__name__).lower()
            raise BadCommand(f"Cannot listen on {options.bind}, port {options.port}: {why}.") from None
        await stack.enter_async_context(http_port(host, server, authenticator, tls, origins, pages, options))
        yield server, TokenIssuer(keys)


def _prove(keys: KeyRing, host: Host, nonce: str) -> str:
    return prove(keys, host.principal, nonce, host.now())


async def _close_questions(host: Host) -> None:
    """Close what is open while there still are connections to say so (Q-KEY-3)."""
    errors = await host.close()
    await trio.sleep(_FAREWELL)
    if errors:
        raise ExceptionGroup("resources could not be closed", errors)
