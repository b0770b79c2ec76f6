"""What is given to `questions serve` and is more than a word: certificates, origins, facets of the user's own."""

from __future__ import annotations

import argparse
import importlib
import re
import ssl
import sys
from collections.abc import Sequence
from pathlib import Path

from facets.facet import Facet

from .connecting import BadCommand

__all__ = ["load_facet", "origins_of", "port", "tls_of"]

_ORIGIN = re.compile(r"https?://(?:\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::\d{1,5})?", re.ASCII)


def port(text: str) -> int:
    """A port to listen on. Raises `argparse.ArgumentTypeError`."""
    if not text.isascii() or not text.isdecimal() or len(text) > 5 or int(text) > 65_535:
        raise argparse.ArgumentTypeError("a number from 0 to 65535; 0: any free port")
    return int(text)


def tls_of(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    """What a server needs for `wss`; None: it is not encrypted. Raises `BadCommand`."""
    if certificate is None:
        if key is not None:
            raise BadCommand("--tls-key needs its certificate: --tls-cert FILE.")
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    for file in filter(None, (certificate, key)):
        try:
            file.open("rb").close()
        except OSError as error:
            raise BadCommand(f"{file} cannot be read: {error.strerror}") from None
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None)
        given = f"{certificate} and {key}" if key else f"{certificate}"
        why = f" ({_plain(reason)})" if reason else ""
        elsewhere = "" if key else " Is the key in a file of its own? --tls-key FILE."
        raise BadCommand(f"{given}: not a certificate and its key, both PEM{why}.{elsewhere}") from None
    return context


def _plain(reason: str) -> str:
    return reason.replace("_", " ").lower()


def origins_of(given: Sequence[str]) -> tuple[str, ...]:
    """The origins of pages that may connect, as browsers send them. Raises `BadCommand`."""
    for origin in given:
        if not _ORIGIN.fullmatch(origin):
            raise BadCommand(f"--origin {origin!r}: one origin, without a path, such as https://questions.example.")
    return tuple(origin.lower() for origin in given)


def load_facet(text: str) -> Facet:
    """The facet called `module:name`. Modules in the current folder are found as well. Raises `BadCommand`."""
    module, colon, name = text.partition(":")
    if not colon or not all(part.isidentifier() for part in [*module.split("."), name]):
        raise BadCommand(f"--facet {text!r}: a module and a name in it, such as mine:my_facet.")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found = getattr(importlib.import_module(module), name)
    except (Exception, SystemExit) as error:  # a script ends itself; a server that loads it must not
        raise BadCommand(f"--facet {text}: cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(found, Facet):
        raise BadCommand(f"--facet {text}: is {type(found).__name__}, and no facet.")
    return found
