"""Where receipts and keys come from: files, standard input and servers, in any of the forms that hosts give them."""

from __future__ import annotations

import io
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

import attrs

from questions.cli.bad_command import BadCommand
from questions.cli.lines import line_of
from questions.rooms.chain import MOST_RECEIPTS
from questions.rooms.errors import InvalidJson, InvalidKeySet
from questions.rooms.json_text import read_json
from questions.rooms.public_keys import PublicKeys, read_jwks

from .cases import opened
from .fetching import fetch, is_url

__all__ = ["LARGEST_FETCHED", "LARGEST_FILE", "Source", "keys_of", "published_keys", "read_source"]

LARGEST_FILE = 256 * 1024 * 1024
"""Bytes: some 100,000 receipts."""
LARGEST_FETCHED = 16 * 1024 * 1024
"""Bytes that a server may send."""

_LARGEST_KEYS = 1024 * 1024
_WELL_KNOWN = "/.well-known/grp.json"


@attrs.frozen
class Source:
    """Receipts as they were given."""

    texts: tuple[str, ...]
    is_chain: bool
    """Whether they claim to be a whole history: one receipt by itself does not."""
    claims: tuple[Mapping[str, Any], ...] = ()
    """What the document says beside each, which no signature covers; none of bare receipts."""
    jwks_url: str | None = None
    """Where it says the keys are."""
    unsealed: int = 0
    """How many decisions stand in it without a receipt."""


def read_source(name: str) -> Source:
    """The receipts in a file, on standard input (`-`) or under a URL. Raises `BadCommand` and `Unreachable`.

    One a line; or JSON: the outcome of a room as hosts give it, a list of receipts, or one of its entries.
    """
    data = _read(name, LARGEST_FILE, LARGEST_FETCHED).removeprefix(BOM_UTF8)
    if data.lstrip()[:1] in (b"{", b"["):
        return _from_document(name, _json(name, data, LARGEST_FILE))
    lines = (line.strip(b"\r\n") for line in io.BytesIO(data))
    full = islice((line for line in lines if line), MOST_RECEIPTS + 1)  # of more than that none is looked at
    texts = tuple(line.decode("ascii", "backslashreplace") for line in full)
    if not texts:
        raise BadCommand(f"{line_of(name)} holds no receipt.")
    return Source(texts, is_chain=len(texts) > 1)


def keys_of(name: str) -> PublicKeys:
    """The public keys in a file, on standard input or under a URL. Raises `BadCommand` and `Unreachable`."""
    document = _json(name, _read(name, _LARGEST_KEYS, _LARGEST_KEYS).removeprefix(BOM_UTF8), _LARGEST_KEYS)
    try:
        return read_jwks(document)
    except InvalidKeySet as error:
        raise BadCommand(f"{line_of(name)} is no set of public keys: {error}.") from None


def published_keys(url: str, source: Source) -> PublicKeys:
    """The keys that the server which has given the receipts publishes itself. Raises `BadCommand` and `Unreachable`."""
    there = urljoin(url, source.jwks_url or _WELL_KNOWN)
    if urlsplit(there)[:2] != urlsplit(url)[:2]:
        raise BadCommand(
            f"Its keys are said to be at {line_of(there)}, elsewhere; give that to --jwks if you trust it."
        )
    return keys_of(there)


def _read(name: str, largest_file: int, largest_fetched: int) -> bytes:
    if is_url(name):
        return fetch(name, largest_fetched)
    with opened(name) as file:
        try:
            data = file.read(largest_file + 1)
        except OSError as error:
            raise BadCommand(f"{line_of(name)} cannot be read: {error.strerror}.") from None
    if len(data) > largest_file:
        raise BadCommand(f"{line_of(name)} is larger than {largest_file} bytes.")
    return data


def _json(name: str, data: bytes, largest: int) -> Any:
    try:
        return read_json(data, largest).value
    except InvalidJson as error:
        raise BadCommand(f"{line_of(name)} cannot be read: {line_of(str(error))}.") from None


def _from_document(name: str, document: Any) -> Source:
    """A list, an outcome with `decisions` and perhaps a `conclusion`, or one entry of these."""
    is_outcome = isinstance(document, dict) and isinstance(document.get("decisions"), list)
    is_chain = isinstance(document, list) or is_outcome
    entries = document if isinstance(document, list) else [document]
    if is_outcome:
        conclusion = document.get("conclusion")
        entries = [*document["decisions"], *([] if conclusion is None else [conclusion])]
    sealed = [*_sealed(name, entries)]
    if not sealed:
        raise BadCommand(f"{line_of(name)} holds no receipt: nothing is sealed yet, or it is another document.")
    found = document.get("verification") if isinstance(document, dict) else None
    url = found.get("jwks_url") if isinstance(found, dict) else None
    texts, claims = zip(*sealed, strict=True)
    return Source(texts, is_chain, claims, url if isinstance(url, str) else None, len(entries) - len(sealed))


def _sealed(name: str, entries: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The receipts among the entries, each with what stands beside it; what is not sealed yet has none."""
    for place, entry in enumerate(entries):
        text = entry.get("receipt_jws") if isinstance(entry, dict) else entry
        if isinstance(text, str):
            yield text, entry if isinstance(entry, dict) else {}
        elif text is not None or not isinstance(entry, dict):
            raise BadCommand(f"{line_of(name)} cannot be read: entry {place} is no receipt, and has no receipt_jws.")
