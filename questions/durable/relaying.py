"""The relay beside a child, as a machine: which dialogs wait, what settles them, and when their time is over.

It has no streams and no clock: instants are milliseconds of whatever clock its user reads. A dialog ends exactly once,
by a response that fits, by one that does not (cancelled), or by its deadline (cancelled); what comes after is ignored.
"""

from __future__ import annotations

import math

import attrs

from .dialogs import CANCELLED, USUAL_TIMEOUT_MS, Dialog, Reply, fitting, question_line, read_dialog, read_response

__all__ = ["MOST_PENDING", "BlockedOn", "Relay", "Settled"]

MOST_PENDING = 16
_MOST_OWED = 1_000


@attrs.frozen
class BlockedOn:
    """That a child stands still for people: `since` when, and the decision of its oldest open question, if any."""

    since: float
    decision_id: str | None = None


@attrs.frozen
class Settled:
    """The dialog `id` has ended, with this reply."""

    id: str
    reply: Reply


@attrs.frozen
class _Pending:
    dialog: Dialog
    deadline: float


class Relay:
    """The dialogs of one child. `usual_timeout_ms`: of those that name no time of their own, up to 24 hours."""

    def __init__(self, usual_timeout_ms: float = USUAL_TIMEOUT_MS) -> None:
        self._usual = usual_timeout_ms
        self._pending: dict[str, _Pending] = {}
        self._owed: dict[str, None] = {}
        """Ids to which the parent has not responded yet, also if nobody waits for that any more."""
        self._since = math.inf

    @property
    def blocked_on(self) -> BlockedOn | None:
        """Since when it waits without a break, or None if nothing is pending."""
        return BlockedOn(self._since) if self._pending else None

    def ask(self, data: object, now: float) -> Dialog | Reply | None:
        """Take in a dialog: it is pending then and returned; or what it has ended with; or None, not handled.

        An id that is pending, more than 16, and a choice of nothing have ended at once, as cancelled. So has an id
        that was given up while its response may be on the way: that would answer something else.
        """
        dialog = read_dialog(data, self._usual)
        if dialog is None:
            return None
        is_taken = dialog.id in self._pending or dialog.id in self._owed
        if is_taken or len(self._pending) >= MOST_PENDING or not dialog.can_be_asked:
            return CANCELLED
        if not self._pending:
            self._since = now
        self._pending[dialog.id] = _Pending(dialog, now + dialog.timeout_ms)
        return dialog

    def lines(self, now: float) -> list[bytes]:
        """What to write to a parent that has just come: all that is pending, with the time that is left."""
        self._owed.clear()
        return [self.line(id, now) for id in self._pending]

    def line(self, id: str, now: float) -> bytes:
        """The line of one pending dialog."""
        pending = self._pending[id]
        self._owed[id] = None
        if len(self._owed) > _MOST_OWED:
            del self._owed[next(iter(self._owed))]
        return question_line(pending.dialog, pending.deadline - now)

    def receive(self, line: bytes, now: float) -> Settled | None:
        """Take in a line of the parent. Late, repeated and unknown responses, and other lines, are ignored."""
        response = read_response(line)
        if response is None:
            return None
        id, reply = response
        self._owed.pop(id, None)
        pending = self._pending.get(id)
        if pending is None or now >= pending.deadline:
            return None
        del self._pending[id]
        return Settled(id, fitting(pending.dialog, reply))

    def due(self, now: float) -> list[Settled]:
        """End those whose time is over."""
        over = [id for id, pending in self._pending.items() if now >= pending.deadline]
        for id in over:
            del self._pending[id]
        return [Settled(id, CANCELLED) for id in over]

    def nearest(self) -> float:
        """The next instant at which something is due; infinity: there is none."""
        return min((pending.deadline for pending in self._pending.values()), default=math.inf)

    def give_up(self, id: str) -> None:
        """The child asks no more; a response to it will be ignored."""
        self._pending.pop(id, None)
