"""A viewer's questions as links carry them: each written once for all viewers, and shown once it has arrived."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Raw

from facets.keyed import Difference, KeyedReadable
from facets.readable import Listener, Readable
from questions.board import Board, ClosedQuestions, Gone
from questions.pending import SENT, Pending
from questions.reports import ClosedQuestion

from .wire import converter, shown

__all__ = ["BoardOverLink", "ClosedOverLink"]

_encode = msgspec.json.Encoder().encode


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


class ClosedOverLink(Readable[Any]):
    """The closed questions of one viewer, encoded."""

    __slots__ = ("_closed",)

    def __init__(self, closed: ClosedQuestions) -> None:
        super().__init__()
        self._closed = closed

    @property
    def version(self) -> int:
        """As of what is encoded."""
        return self._closed.version

    @property
    def value(self) -> Raw:
        """All of them, as a JSON array."""
        return Raw(b"[%b]" % b",".join([gone.written or self._write(gone) for gone in self._closed.recent()]))

    def _write(self, gone: Gone) -> bytes:
        written: bytes = _encode(converter.unstructure(self._closed.show(gone), unstructure_as=ClosedQuestion))
        gone.written = written
        return written

    def listen(self, listener: Listener) -> None:
        """As for any readable."""
        self._closed.listen(listener)

    def unlisten(self, listener: Listener) -> None:
        """As for any readable."""
        self._closed.unlisten(listener)
