"""Tokens that were taken back before their time: a file, to which entries are added."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterable
from pathlib import Path
from typing import final

from facets.errors import InvalidPrincipal, InvalidRevocations
from facets.principal import Principal

from .identity import LONGEST_LIFETIME, TOKEN_ID, Identity, parse_principal
from .private_file import Stamp, append_private, locked, read_private, stamp, write_private

__all__ = ["Revocations"]

_log = logging.getLogger("facets.link")

_LARGEST_FILE = 64 * 2**20
_GRACE = 86_400
"""Seconds for which an entry is kept after the last token that it could concern: clocks differ."""
_BEGINNINGS = (b'{"token":', b'{"principal":')


@final
class Revocations:
    """The tokens that are worth nothing although they have not expired, in a file that only its owner can read.

    One JSON object a line: `{"token":ID,"expires":T}` revokes a token, `{"principal":"user:ana","before":T}` each that
    was issued to this principal before T. Times are epoch seconds. A last line that was cut off in the middle is as if
    it had never been begun: its writer was not told that it is done. When there is no file, nothing was revoked; an
    empty one is made at once, so that it cannot get lost unnoticed.

    A file that cannot be read, that others can use, or that holds anything else raises `InvalidRevocations` here. When
    that happens later, every token counts as revoked, which ends open connections too, until the file is repaired; an
    error of the logger `facets.link` says so once.

    Not for several threads at once. Any number of processes may use one file, and see each other's entries at the next
    `is_revoked`. Calls read and write files.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._tokens: dict[str, float] = {}
        self._principals: dict[str, float] = {}
        self._lines = 0
        self._size = 0
        """Bytes, without what was cut off."""
        self._ended = True
        """Whether the last entry has its line end."""
        self._stamp: Stamp | None = None
        self._faults: tuple[str, ...] = ()
        with locked(path) as faults:
            self._refuse(faults)
            if not path.exists():
                self._refuse(write_private(path, b""))
            self._refuse(self._read())

    def __repr__(self) -> str:
        state = f"{len(self._tokens)} tokens, {len(self._principals)} principals"
        return f"Revocations({str(self.path)!r}, {'unusable' if self._faults else state})"

    def is_revoked(self, identity: Identity) -> bool:
        """Whether the token of this identity was revoked, or could have been, for all that can be read."""
        self._refresh()
        before = self._principals.get(str(identity.principal), -math.inf)
        return bool(self._faults) or identity.token_id in self._tokens or identity.issued < before

    def revoke_token(self, id: str, expires: float) -> None:
        """Revoke one token for ever; `expires` is when it would have expired, after which nobody has to know.

        It is on disk when this returns. Raises `InvalidRevocations`, and nothing was changed.
        """
        self._append("token", id, expires)

    def revoke_principal(self, principal: Principal, before: float) -> None:
        """Revoke each token issued to `principal` before this instant; those issued later are good.

        It is on disk when this returns. Raises `InvalidRevocations`, and nothing was changed.
        """
        self._append("principal", str(principal), before)

    def compact(self, now: float) -> int:
        """Drop what no token can need any more, and return how many lines that were.

        If this is called now and then, the file is no longer than what was revoked in the last 366 days.
        Raises `InvalidRevocations`, and nothing was changed.
        """
        with locked(self.path) as faults:
            self._refuse(faults or self._read())
            kept, lines = list(self._lines_at(now)), self._lines
            if len(kept) < lines:
                self._refuse(write_private(self.path, b"".join(kept)) or self._read())
        return lines - len(kept)

    def _lines_at(self, now: float) -> Iterable[bytes]:
        for id, expires in self._tokens.items():
            if expires + _GRACE > now:
                yield _line("token", id, expires)
        for principal, before in self._principals.items():
            if before + LONGEST_LIFETIME + _GRACE > now:
                yield _line("principal", principal, before)

    def _append(self, kind: str, name: str, when: float) -> None:
        line = _line(kind, name, when)
        with locked(self.path) as faults:
            self._refuse(faults or self._read())
            self._refuse([] if _entry(line) else ["an entry is a token's id or a principal, and a time; this is none"])
            full = self._size + len(line) > _LARGEST_FILE
            self._refuse(["is full; revoke whole principals, rather than single tokens"] if full else [])
            start = b"" if self._ended else b"\n"
            self._refuse(append_private(self.path, start + line, size=self._size) or self._read())

    def _refresh(self) -> None:
        if self._stamp is not None and self._stamp == stamp(self.path):
            return
        before, self._faults = self._faults, self._read()
        if self._faults and self._faults != before:
            _log.error("no token is accepted: %s", InvalidRevocations(str(self.path), self._faults))

    def _read(self) -> tuple[str, ...]:
        contents = read_private(self.path, _LARGEST_FILE)
        *lines, last = contents.data.split(b"\n")
        self._stamp, self._tokens, self._principals = None, {}, {}
        bad = [number for number, line in enumerate(lines, 1) if not self._take(line)]
        self._ended = not self._take(last)
        self._lines = len(lines) + (not self._ended)
        self._size = len(contents.data) - (len(last) if self._ended else 0)
        if self._ended and not _is_cut_off(last):
            bad.append(len(lines) + 1)
        faults = (*contents.faults, *(f"line {number} is no entry" for number in bad[:10]))
        self._stamp = None if faults else contents.stamp
        return faults

    def _take(self, line: bytes) -> bool:
        """Note what a line says; false if it is no entry."""
        entry = _entry(line)
        if entry is not None:
            kind, name, when = entry
            known = self._tokens if kind == "token" else self._principals
            known[name] = max(when, known.get(name, when))
        return entry is not None

    def _refuse(self, faults: Iterable[str]) -> None:
        if faults := tuple(faults):
            raise InvalidRevocations(str(self.path), faults)


def _line(kind: str, name: str, when: float) -> bytes:
    entry = {"token": name, "expires": when} if kind == "token" else {"principal": name, "before": when}
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def _entry(line: bytes) -> tuple[str, str, float] | None:
    """The kind, the name and the time that a line says, or None if it is no entry."""
    try:
        match json.loads(line):
            case {"token": str(name), "expires": when, **rest} if TOKEN_ID.fullmatch(name) and not rest:
                return ("token", name, when) if _is_time(when) else None
            case {"principal": str(name), "before": when, **rest} if not rest:
                return ("principal", str(parse_principal(name)), when) if _is_time(when) else None
    except (ValueError, RecursionError, InvalidPrincipal):
        pass
    return None


def _is_cut_off(line: bytes) -> bool:
    """Whether this is the beginning of an entry, or nothing."""
    return any(beginning.startswith(line[: len(beginning)]) for beginning in _BEGINNINGS)


def _is_time(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]
