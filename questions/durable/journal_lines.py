"""What a journal says of live questions: its table, its rows, and which of them are still to be written or deleted."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

import attrs
import msgspec

from facets.principal import Principal, Who
from questions.reports import Opened
from questions.scopes import OwnerScope, Scope, SessionScope

from .backend import Column, Index, Row, Table, Write
from .errors import Unreadable

__all__ = ["JOURNAL", "Lines", "Lost", "claimed", "read_lost"]

JOURNAL = Table(
    "journal", {"owner": str, "opened": int}, (Index("owner", (), "owner"), Index("opened", ("owner",), "opened"))
)
"""Keys are `owner/id`: which life of which host the question lives in, as leases are named, and its id."""


@attrs.frozen
class Lost:
    """A live question that was open when its host ended without closing it: nobody has answered it, nor denied it."""

    id: str
    message: str
    scope: Scope
    asker: Who
    since: float
    """When it was asked, epoch seconds."""
    host_id: str
    """Of the host that it lived in: `server:host`."""


class _Form(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    message: str
    asker: Principal
    name: str
    opened: float
    session: str | None = None
    owner: Principal | None = None


class Lines:
    """The open questions of one host, and what its journal does not say of them yet. In memory, and bounded.

    A question that ends before it was written is never written. `most`: how many wait to be written.
    """

    def __init__(self, owner: str, most: int) -> None:
        self.owner = owner
        self.unwritten = 0
        """How many were refused for lack of room."""
        self._most = most
        self._waiting: dict[str, Opened | None] = {}  # by key; None: to be deleted
        self._written: dict[str, Opened] = {}  # or about to be

    @property
    def waiting(self) -> int:
        """How many rows are to be written or deleted."""
        return len(self._waiting)

    def opened(self, report: Opened) -> bool:
        """Write it when there is time; False if too many wait for that."""
        if len(self._waiting) >= self._most:
            self.unwritten += 1
            return False
        self._waiting[self._key(report.id)] = report
        return True

    def settled(self, id: str) -> None:
        """It need not be written any more. There is always room for that: no more are deleted than were written."""
        key = self._key(id)
        if self._waiting.pop(key, None) is None and key in self._written:
            self._waiting[key] = None

    def drop(self, key: str) -> None:
        """Delete a row that was made by `claimed`."""
        self._waiting[key] = None

    def moved(self, owner: str) -> None:
        """Another life of the host begins, since the lease of this one was taken away: write all that is open anew."""
        known: dict[str, Opened | None] = {**self._written, **self._waiting}
        self._waiting = {key: None for key, report in known.items() if report is None or key in self._written}
        self._written, self.owner = {}, owner
        self._waiting |= {self._key(report.id): report for report in known.values() if report is not None}

    def take(self, most: int) -> list[Write]:
        """The next writes, at most so many; they count as done."""
        return [self._write(key, self._waiting.pop(key)) for key in list(islice(self._waiting, most))]

    def _write(self, key: str, report: Opened | None) -> Write:
        if report is None:
            self._written.pop(key, None)
            return Write(JOURNAL, key, 1, None)
        self._written[key] = report
        return Write(JOURNAL, key, 0, _encoded(report), _columns(self.owner, report.at))

    def _key(self, id: str) -> str:
        return f"{self.owner}/{id}"


def read_lost(row: Row) -> Lost:
    """The question in a row. Raises `Unreadable`, also for one that belongs under another key."""
    owner, _, id = row.key.rpartition("/")
    try:
        form = msgspec.json.decode(row.value, type=_Form)
        scope = SessionScope(form.session or "") if form.owner is None else OwnerScope(form.owner)
    except Exception as fault:
        raise Unreadable(str(fault)) from None
    if form.id != id:
        raise Unreadable(f"it is a line of {form.id!r}")
    return Lost(id, form.message, scope, Who(form.asker, form.name), form.opened, owner.rpartition("/")[0])


def claimed(row: Row, lost: Lost, owner: str) -> tuple[Write, Write]:
    """The writes that make a row of another host's one of this owner's, so that one host alone reports it."""
    kept = Write(JOURNAL, f"{owner}/{lost.id}", 0, row.value, _columns(owner, lost.since))
    return Write(JOURNAL, row.key, row.version, None), kept


def _encoded(report: Opened) -> str:
    asker, scope = report.asker, report.scope
    where = {"session": scope.session} if isinstance(scope, SessionScope) else {"owner": scope.owner}
    form = _Form(report.id, report.message, asker.principal, asker.name, report.at, **where)
    return msgspec.json.encode(form).decode()


def _columns(owner: str, opened: float) -> Mapping[str, Column]:
    return {"owner": owner, "opened": round(opened * 1000)}
