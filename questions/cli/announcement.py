"""What `questions serve` says once it listens."""

from __future__ import annotations

import argparse
import ipaddress
import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

import attrs

from facets.link.server import LinkServer
from questions.visible import visible

from .connecting import DEFAULT_SESSION
from .handouts import Handout
from .token import auth_keys_path

__all__ = ["announce"]


def announce(
    server: LinkServer, people: Sequence[Handout], workers: Sequence[Handout], options: argparse.Namespace
) -> None:
    """Print where it listens and who has got which token, at once: a program may wait for it."""
    keys = str(auth_keys_path(options.auth_keys).absolute())
    shows_tokens = options.print_tokens or (sys.stdout.isatty() and not options.json)
    page = None if options.no_page else Page(server.url, [one.identity.principal.id for one in workers])
    if options.json:
        print(json.dumps(_as_json(server, people, workers, keys, page, shows_tokens)), flush=True)
        return
    print(f"Listening on {server.url} with the keys in {keys}. Ctrl-C ends it.", flush=True)
    if server.http_url:
        print(f"HTTP on {server.http_url}.", flush=True)
    for line in _lines(server, people, workers, page, shows_tokens):
        print(line, flush=True)


@attrs.frozen
class Page:
    """Where the page is on which people answer. `url`: the server's; `sessions`: what is shown on it."""

    url: str
    sessions: Sequence[str]

    def link(self, token: str | None = None) -> str:
        """What to open. The token is in the fragment, which browsers send nowhere; without it the page asks for one."""
        given = [] if token is None else [("token", token)]
        fragment = urlencode([*given, *(("session", name) for name in self.sessions)])
        return f"{self.url.replace('ws', 'http', 1)}/#{fragment}"


def _as_json(
    server: LinkServer,
    people: Sequence[Handout],
    workers: Sequence[Handout],
    keys: str,
    page: Page | None,
    with_tokens: bool,
) -> dict[str, Any]:
    return {
        "event": "listening",
        "url": server.url,
        "port": server.address[1],
        "http": server.http_url or None,
        "page": None if page is None else page.link(),
        "auth_keys": keys,
        "people": [
            one.as_json(with_token=with_tokens)
            | ({"page": page.link(one.issued.token)} if page is not None and with_tokens else {})
            for one in people
        ],
        "workers": [{"session": one.identity.principal.id, **one.as_json(with_token=False)} for one in workers],
    }


def _lines(
    server: LinkServer, people: Sequence[Handout], workers: Sequence[Handout], page: Page | None, shows_tokens: bool
) -> Iterator[str]:
    for one in people:
        principal, name = one.identity.principal, one.identity.name
        yield ""
        yield visible(f"{principal}" + (f" ({name})" if name else ""))
        if shows_tokens:
            yield f"  token  {one.issued.token}"
            if page is not None:
                yield f"  page   {page.link(one.issued.token)}"
        yield f"  file   {visible(str(one.file))}"
    for one in workers:
        yield ""
        yield visible(f"session {one.identity.principal.id}, for the worker that asks in it")
        yield f"  file   {visible(str(one.file))}"
    if people:
        yield ""
        if page is not None and not shows_tokens:
            yield f"In a browser, with the token in the file: {page.link()}"
        yield "In another terminal:"
        yield from _commands(server.url, people[0], workers)
    if ipaddress.ip_address(server.address[0].partition("%")[0]).is_unspecified:
        yield ""
        yield f"{server.address[0]} stands for every address of this machine. Others need a name of it in its place,"
        yield "one that is in the certificate if there is one."


def _commands(url: str, person: Handout, workers: Sequence[Handout]) -> Iterator[str]:
    """What a person types, and then what asks that person, for a shell."""
    sessions = [one.identity.principal.id for one in workers]
    named = [] if sessions == [DEFAULT_SESSION] else [f"--session {shlex.quote(name)}" for name in sessions]
    way = " ".join([f"--url {url}", *named, f"--token-file {shlex.quote(str(person.file))}"])
    yield visible(f"  questions watch {way}")
    yield visible(f"  questions answer ID VALUE {way}")
    to = shlex.quote(str(person.identity.principal).removeprefix("user:"))
    file = shlex.quote(str(workers[0].file))
    yield visible(f'  questions ask confirm "Go on?" --to {to} --url {url} --token-file {file}')
