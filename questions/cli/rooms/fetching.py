"""Getting a small document from a server: by http and https alone, with an end to its size and its time."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

import trio

from questions.cli.bad_command import BadCommand, Unreachable
from questions.cli.lines import line_of

__all__ = ["LONGEST_FETCH", "fetch", "is_url"]

LONGEST_FETCH = 30.0
"""Seconds, for all of it."""

_SILENCE = 10.0
"""Seconds in which a server must say something."""


def is_url(name: str) -> bool:
    """Whether it is meant to be a URL, rather than the name of a file."""
    return "://" in name


def fetch(url: str, largest: int) -> bytes:
    """What a server has under a URL, up to `largest` bytes. Redirections are told, and not followed.

    Raises `BadCommand` for a URL that is not of http or https, or holds a password, and for what is larger;
    `Unreachable` if there is no answer in time, or one that is not 200.
    """
    _check(url)
    try:
        return trio.run(_fetched, url, largest)
    except trio.TooSlowError:
        raise Unreachable(f"{line_of(url)} has not answered in full within {LONGEST_FETCH:g} seconds.") from None


def _check(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        has_secret = parts.username is not None or parts.password is not None
    except ValueError:
        is_fine = has_secret = False
    if has_secret:
        raise BadCommand("A URL with a password in it can be seen by every user of this machine; fetch it to a file.")
    if not is_fine:
        raise BadCommand(f"{line_of(url)} is no URL of http or https.")


async def _fetched(url: str, largest: int) -> bytes:
    # In a thread that can be left behind: looking up a name, too, can take for ever.
    with trio.fail_after(LONGEST_FETCH):
        return await trio.to_thread.run_sync(_get, url, largest, abandon_on_cancel=True)


def _get(url: str, largest: int) -> bytes:
    try:
        with urllib.request.build_opener(_StayHere).open(url, timeout=_SILENCE) as response:
            data: bytes = response.read(largest + 1)
            rest: int = response.length or 0
    except urllib.error.HTTPError as error:
        with error:  # it is the answer, too
            raise Unreachable(_answer(url, error)) from None
    except (OSError, http.client.HTTPException) as error:
        why = getattr(error, "reason", None) or error
        raise Unreachable(f"{line_of(url)} cannot be reached: {line_of(str(why))}.") from None
    if len(data) > largest:
        raise BadCommand(f"{line_of(url)} is larger than {largest} bytes.")
    if rest:
        raise Unreachable(f"{line_of(url)} has ended in the middle, {rest} bytes before its end.")
    return data


def _answer(url: str, error: urllib.error.HTTPError) -> str:
    elsewhere = error.headers.get("Location")
    if 300 <= error.code < 400 and elsewhere:
        return f"{line_of(url)} is not followed to {line_of(elsewhere)}; give that URL if you trust it."
    if error.code in (401, 403):
        return f"{line_of(url)} takes a token (HTTP {error.code}); fetch it with yours, and give the file."
    return f"{line_of(url)} answers HTTP {error.code}."


class _StayHere(urllib.request.HTTPRedirectHandler):
    """Follows nothing: who answers elsewhere is not who was asked."""

    def redirect_request(self, *_: Any) -> None:
        """Never."""
