"""A viewer's questions as links carry them: each written once for all viewers, and shown once it has arrived."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Raw

from facets.keyed import Difference, KeyedCell, KeyedReadable
from facets.readable import Listener
from questions.board import Board, Gone
from questions.pending import SENT, Pending
from questions.reports import ClosedQuestion

from .wire import converter, shown

__all__ = ["BoardOverLink", "ClosedOverLink"]

_encode = msgspec.json.Encoder().encode
_NOTHING: KeyedCell[str, Gone, Raw] = KeyedCell(lambda _, __: Raw())
"""What has closed where nothing has: one for all, and nothing is ever put into it."""


class BoardOverLink(KeyedReadable[str, Any]):
    """The keyed readable of encoded questions behind one board. Lives as long as the board.

    Reading it is no proof that anybody has seen it; `acknowledge` is (Q-POL-5).
    """

    __slots__ = ("_board", "_sent")

    def __init__(self, board: Board) -> None:
        super().__init__()
        self._board = board
        self._sent: dict[str, int] = {}
        """What has been sent and not shown, as far as is known, and the revision that it was sent with."""

    @classmethod
    def of(cls, board: Board) -> BoardOverLink:
        """The one of a board."""
        if not isinstance(board.over_link, BoardOverLink):
            board.over_link = cls(board)
        return board.over_link

    @property
    def version(self) -> int:
        """The revision."""
        return self._board.open.version

    @property
    def value(self) -> Mapping[str, Raw]:
        """Everything, as it would be sent."""
        return self.since(-1).put

    def listen(self, listener: Listener) -> None:
        """As for any readable."""
        self._board.open.listen(listener)

    def unlisten(self, listener: Listener) -> None:
        """As for any readable."""
        self._board.open.unlisten(listener)

    def since(self, revision: int) -> Difference[str, Raw]:
        """What is different since `revision`, to be sent."""
        difference = self._board.open.since_as(revision, self._send)
        for id in difference.drop:
            self._sent.pop(id, None)
        for id in difference.put:
            pending = self._board.open.raw_of(id)
            if pending is not None and pending.boards[self._board] == SENT:
                self._sent.setdefault(id, difference.revision)
        return difference

    def _send(self, _: str, pending: Pending) -> Raw:
        pending.send(self._board)
        board, entry = self._board, pending.entry
        seen_as = board.peek(board, pending)
        written: dict[tuple[bool, bool], Raw] = pending.written
        if written is None:
            written = pending.written = {}
        which = (seen_as.may_answer, seen_as.answered_by_me)
        raw = written.get(which)
        if raw is None:
            raw = written[which] = Raw(_encode(shown(seen_as, entry.ask.number)))
        return raw

    def acknowledge(self, revision: int) -> None:
        """Whoever this board belongs to has been shown what was sent up to a revision."""
        for id, sent in list(self._sent.items()):
            if sent > revision:
                break
            self.has_shown(id)

    def has_shown(self, id: str) -> None:
        """Whoever this board belongs to has been shown a question that was sent."""
        if self._sent.pop(id, None) is not None and (pending := self._board.open.raw_of(id)) is not None:
            pending.arrived(self._board)


class ClosedOverLink(KeyedReadable[str, Any]):
    """The keyed readable of encoded closed questions behind one board. Lives as long as the board.

    It takes in what has closed when it is read, so a viewer whose reader lags costs nothing meanwhile.
    """

    __slots__ = ("_board", "_cell", "_taken")

    def __init__(self, board: Board) -> None:
        super().__init__()
        self._board = board
        self._cell: KeyedCell[str, Gone, Raw] | None = None  # most have none: made for the first that has closed
        self._taken = 0
        """How many of those that have ever closed on the board have been taken in."""

    @classmethod
    def of(cls, board: Board) -> ClosedOverLink:
        """The one of a board."""
        if not isinstance(board.closed_over_link, ClosedOverLink):
            board.closed_over_link = cls(board)
        return board.closed_over_link

    @property
    def version(self) -> int:
        """The revision."""
        return self._up_to_date().version

    @property
    def value(self) -> Mapping[str, Raw]:
        """Everything, as it would be sent."""
        return self._up_to_date().value

    def since(self, revision: int) -> Difference[str, Raw]:
        """What is different since `revision`, to be sent."""
        return self._up_to_date().since(revision)

    def listen(self, listener: Listener) -> None:
        """As for any readable."""
        self._board.closed.listen(listener)

    def unlisten(self, listener: Listener) -> None:
        """As for any readable."""
        self._board.closed.unlisten(listener)

    def _up_to_date(self) -> KeyedCell[str, Gone, Raw]:
        closed = self._board.closed
        if self._taken != closed.version:
            cell = self._cell = self._cell or KeyedCell(self._write)
            recent = list(closed.recent())
            for gone in recent[max(0, len(recent) - (closed.version - self._taken)) :]:
                cell.drop(gone.ask.id, "old")  # it may have left this viewer before, and come back
                cell.put(gone.ask.id, gone)
            while len(cell) > len(recent) and (oldest := cell.oldest) is not None:
                cell.drop(oldest, "old")
            self._taken = closed.version
        return self._cell or _NOTHING

    def _write(self, _: str, gone: Gone) -> Raw:
        written = gone.written
        if written is None:
            closed = converter.unstructure(self._board.closed.show(gone), unstructure_as=ClosedQuestion)
            written = gone.written = Raw(_encode(closed))
        return written  # type: ignore[no-any-return]
