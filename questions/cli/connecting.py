"""What commands that reach a server share: where it is, by which token, and what to say when it cannot be reached."""

from __future__ import annotations

import argparse
import os
import ssl
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from getpass import getpass
from pathlib import Path
from typing import Any

import attrs
import trio

from facets.errors import Forbidden, LinkLost, Unauthenticated, Unavailable
from facets.link.client import Link, open_link
from facets.link.dialling import check_url
from facets.link.loopback import is_loopback
from facets.link.private_file import read_private
from questions.remote import faces  # noqa: F401  # it declares what there is to get over a link
from questions.scopes import OwnerScope, Scope, SessionScope
from questions.views import Questions, Viewer

from .bad_command import BadCommand, Unreachable
from .durations import parse_seconds
from .fault_words import about_token, why_lost, why_no_tls, why_unavailable
from .lines import line_of
from .settings import Settings, load_settings
from .token import is_like_token

__all__ = [
    "CONNECTING",
    "DEFAULT_PORT",
    "DEFAULT_SESSION",
    "BadCommand",
    "Server",
    "Unreachable",
    "add_link_options",
    "open_server",
    "open_views",
    "server_of",
    "told_faults",
    "unreached",
    "views_of",
    "why_lost",
    "why_unavailable",
]

DEFAULT_PORT = 8765
"""Where `questions serve` listens, and the other commands look, unless told otherwise."""
DEFAULT_SESSION = "main"
"""The session of `serve`, `watch` and `answer`, unless told otherwise."""
_LONGEST_TOKEN = 65_536
_WHERE_TOKENS_ARE = "`questions serve` names the file of each token that it makes; `questions token` makes more."

CONNECTING = f"""\
the server:  --url, else $QUESTIONS_URL, else url in the configuration file, else ws://127.0.0.1:{DEFAULT_PORT}
the token:   --token-file, else $QUESTIONS_TOKEN, else $QUESTIONS_TOKEN_FILE, else token-file in the configuration
             file, else asked for on a terminal; it is never an argument. See `questions config`
"""


@attrs.frozen
class Server:
    """Where a server is, and who connects to it."""

    url: str
    tls: ssl.SSLContext | None
    token: str | Callable[[], str] = attrs.field(repr=False)
    sessions: tuple[SessionScope, ...]
    wait: float
    """Seconds for which to try to reach it."""


def add_link_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where the server is, and who connects."""
    parser.add_argument("--url", help="the server, ws://HOST:PORT or wss://HOST:PORT")
    parser.add_argument("--token-file", metavar="FILE", type=Path, help="your token is in this file, yours alone")
    parser.add_argument("--session", metavar="S", action="append", help=f"default: {DEFAULT_SESSION}; may be repeated")
    parser.add_argument("--wait", metavar="SECONDS", type=parse_seconds, help="try for so long; default: 5")
    parser.add_argument("--tls-ca", metavar="FILE", help="believe certificates that this one has signed, for wss")
    parser.add_argument("--insecure", action="store_true", help="send the token to another machine without wss")


def server_of(options: argparse.Namespace, whose: str = "Your") -> Server:
    """What the options and the settings say; asks for the token on a terminal. Raises `BadCommand`.

    `whose`: to say in the prompt.
    """
    settings = load_settings()
    named = settings.value("sessions", options.session or None)
    sessions = tuple(SessionScope(name) for name in named or [DEFAULT_SESSION])
    wait = settings.value("wait", options.wait)
    url, tls = _url(settings, options), _tls(settings.value("tls-ca", options.tls_ca))
    return Server(url, tls, _token(settings, options, f"{whose} token for {url}"), sessions, wait)


@asynccontextmanager
async def open_views(server: Server) -> AsyncIterator[tuple[Link, dict[Scope, Viewer]]]:
    """The link, and what its principal sees of the sessions, and of what is asked of them in no session.

    Raises `Unreachable`, and `BadCommand` for a token that is no viewer's.
    """
    async with open_server(server) as link:
        yield link, await views_of(link, server.sessions)


@asynccontextmanager
async def open_server(server: Server) -> AsyncIterator[Link]:
    """The link. Raises `Unreachable` when it cannot be opened, or is lost in the middle of something."""
    with told_faults(server.url, server.token):
        # `_url` has seen to it that it is not insecure, unless it was told so
        async with open_link(server.url, server.token, tls=server.tls, insecure=True, patience=server.wait) as link:
            yield link


@contextmanager
def told_faults(url: str, token: str | Callable[[], str] = "") -> Iterator[None]:
    """Whatever keeps a link to the server at `url` from being of use in the block is raised as `Unreachable`.

    `token`: the one that is sent, to say what is wrong with it if it is refused.
    """
    try:
        yield
    except Unauthenticated as error:
        given = token() if callable(token) else token
        raise Unreachable(f"{url}: {error}{about_token(given) if given else ''}") from None
    except LinkLost:
        raise Unreachable(f"The connection to {url} was lost before there was an answer.") from None
    except Unavailable as error:
        raise Unreachable(why_unavailable(url, error)) from None


async def views_of(link: Any, sessions: Sequence[Scope]) -> dict[Scope, Viewer]:
    """What the principal of a link, of whichever kind, sees of the sessions, and of what is asked of them in none.

    Raises `BadCommand` for a token that is no viewer's.
    """
    if link.principal.kind in ("server", "worker"):
        raise BadCommand(f"This is the token of {link.principal}, which asks. Who watches and answers needs their own.")
    found: dict[Scope, Viewer] = {session: await link.get(Questions, session) for session in sessions}
    own = OwnerScope(link.principal)
    with suppress(Forbidden):  # a token for some sessions only
        found[own] = await link.get(Questions, own)
    return found


async def unreached(viewer: Viewer, wait: float) -> str | None:
    """Wait until a viewer's open questions have come, up to `wait` seconds; returns why they have not."""
    with trio.move_on_after(wait):
        await viewer.open.changed(-1)
        return None
    return getattr(viewer.open, "unavailable", None) or "nothing has come from there"


def _url(settings: Settings, options: argparse.Namespace) -> str:
    url: str = settings.value("url", options.url)
    if is_like_token(url) or "?" in url or "@" in url:
        raise BadCommand("Where the server is: a URL such as ws://127.0.0.1:8765, without a user or a token in it.")
    try:
        check_url(url)
    except ValueError as error:
        raise BadCommand(f"{url!r} is not where a server is: {error}.") from None
    scheme, _, rest = url.partition("://")
    if scheme == "ws" and not options.insecure and not is_loopback(_name_in(rest)):
        raise BadCommand(
            f"{url} is on another machine, and the token would cross the network as it is; use wss://, or force it\n"
            "with --insecure."
        )
    return url


def _name_in(rest: str) -> str:
    """The name or address of a URL's `host:port/path`."""
    place = rest.partition("/")[0]
    if place.startswith("["):
        return place[1:].partition("]")[0]
    return place.partition(":")[0]


def _tls(file: str | None) -> ssl.SSLContext | None:
    if file is None:
        return None
    try:
        return ssl.create_default_context(cafile=file)
    except (OSError, ssl.SSLError) as error:
        raise BadCommand(f"--tls-ca {file}: {why_no_tls(error)}.") from None


def _token(settings: Settings, options: argparse.Namespace, prompt: str) -> str | Callable[[], str]:
    token = os.environ.get("QUESTIONS_TOKEN", "").encode(errors="replace").decode().strip()
    if token and options.token_file is None:
        return token
    if file := settings.value("token-file", options.token_file):
        return _TokenFile(Path(file))
    if sys.stdin.isatty():
        return getpass(f"{line_of(prompt)}: ").strip()
    raise BadCommand("Whose token? --token-file FILE, or $QUESTIONS_TOKEN. On a terminal it would be asked for.")


class _TokenFile:
    """The token that is in a file at each connection, so that a new one holds from the next connection on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        if is_like_token(path.name):
            raise BadCommand(
                "--token-file wants the name of a file. A token on the command line can be seen by every user of\n"
                "this machine; revoke that one."
            )
        self._token, faults = self._read()
        if faults:
            hint = "" if path.exists() else f"\n{_WHERE_TOKENS_ARE}"
            raise BadCommand(f"token file {path} {'; '.join(faults)}{hint}")

    def _read(self) -> tuple[str, tuple[str, ...]]:
        contents = read_private(self._path, _LONGEST_TOKEN)
        token = contents.data.decode(errors="replace").strip()
        return token, contents.faults or (() if token else ("is empty",))

    def __call__(self) -> str:
        token, faults = self._read()
        if not faults:
            self._token = token
        return self._token
