"""The end of a link that is asked, as a machine: which message may come when, and what a peer has under way.

No transport, no clock, no host: frames go in, what is to be done comes out, and what is to be sent is left in `out`.
Whoever does it says what came of it with the methods below. Bad input never raises here; it is refused, in `out`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import msgspec

from facets.errors import (
    FacetError,
    Forbidden,
    InvalidMessage,
    LinkLimitExceeded,
    Unauthenticated,
    UnknownObject,
)
from facets.principal import Who

from .limits import Allowance, LinkLimits
from .messages import (
    NO_ID,
    REPLIES,
    Ack,
    Call,
    Cancel,
    Cancelled,
    Ended,
    Get,
    Got,
    Hello,
    Named,
    Ping,
    Pong,
    Received,
    Release,
    Returned,
    Unwatch,
    Watch,
    Welcome,
    decode,
    encode,
    id_of,
)
from .refusals import fault_of_frame, goodbye, refusal
from .traffic import Traffic

__all__ = ["ServingSession", "SessionState"]


_FEW = 32


class SessionState(enum.Enum):
    """Where a connection is."""

    GREETING = "greeting"
    """Nobody has said yet who this is."""
    OPEN = "open"
    CLOSED = "closed"
    """This end has said goodbye; what still comes is ignored."""


class ByObject(dict[int, int]):
    """The object of each id that is under way. Those of one object are found at once, however many there are.

    For a worker's server holds the objects of all users of a session over one connection, and releases them one by one.
    Changed by `add` and `remove` only.
    """

    __slots__ = ("_of",)

    def __init__(self) -> None:
        super().__init__()
        self._of: dict[int, dict[int, None]] | None = None  # made for the many; most have two or three

    def add(self, id: int, object: int) -> None:
        """Note that `id` is under way, for an object."""
        self[id] = object
        if self._of is not None:
            self._of.setdefault(object, {})[id] = None
        elif len(self) > _FEW:
            self._of = {}
            for known, its in self.items():
                self._of.setdefault(its, {})[known] = None

    def remove(self, id: int) -> bool:
        """Note that it is over. Returns whether it was under way."""
        object = self.pop(id, None)
        if object is None:
            return False
        if self._of is not None:
            del self._of[object][id]
            if not self._of[object]:
                del self._of[object]
        return True

    def of(self, object: int) -> list[int]:
        """The ids of an object."""
        if self._of is None:
            return [id for id, its in self.items() if its == object]
        return list(self._of.get(object, ()))


class ServingSession:
    """One connection, seen from the end that is asked. Lives as long as the connection.

    `stamps`: whether the peer may say on whose behalf it asks; only a worker's own server may. `traffic`: where
    refusals and goodbyes are counted.
    """

    __slots__ = (
        "__weakref__",
        "_allowance",
        "_last_id",
        "_refused",
        "_stamps",
        "_traffic",
        "asks",
        "calls",
        "limits",
        "objects",
        "out",
        "received",
        "released",
        "sent",
        "state",
        "watches",
    )

    def __init__(
        self,
        limits: LinkLimits,
        now: float,
        *,
        stamps: bool = False,
        traffic: Traffic | None = None,
    ) -> None:
        self.state = SessionState.GREETING
        self.asks = False
        """Whether this end asks things of the peer as well, so that replies may come; see `ask_back`."""
        self.out: list[bytes] = []
        """Frames to send, in order; see `take_out`."""
        self.received = 0
        self.sent = 0
        """How many frames have come and gone."""
        self.limits = limits
        self._stamps = stamps
        self._traffic = traffic
        self._allowance = Allowance(limits.messages, now)
        self._refused = 0
        self._last_id = NO_ID
        self.objects: set[int] = set()
        self.calls = ByObject()
        """The calls under way, and the object of each."""
        self.watches = ByObject()
        """The watches, and the object of each."""
        self.released: list[int] = []
        """The watches that the latest `release` has ended."""

    def ask_back(self, now: float) -> None:
        """From now on this end asks the peer as well. One fault of a peer that replies ends the connection.

        For a reply that was left out would leave somebody waiting.
        """
        self.asks = True
        self._allowance = Allowance(self.limits.replies, now)

    # --- what comes in --------------------------------------------------------------------------------------------

    def receive(self, frame: str | bytes, now: float) -> Received | None:
        """Take a frame. Returns a message to be acted upon, or None: it has been dealt with."""
        self.received += 1
        if self.state is SessionState.CLOSED:
            return None
        if not self._allowance.take(now):
            self._refuse_frame(id_of(frame), LinkLimitExceeded("messages a second", self.limits.messages))
            return None
        try:
            message = decode(frame)
        except msgspec.DecodeError as error:
            self._refuse_frame(id_of(frame), fault_of_frame(error))
            return None
        return self.accept(message, now)

    def accept(self, message: Received, now: float) -> Received | None:
        """Take a message that has been decoded. Returns it if it is to be acted upon."""
        step = _STEPS[self.state].get(type(message))
        if step is None and self.asks and type(message) in REPLIES and self.state is SessionState.OPEN:
            return message
        if step is None:
            word = type(message).__name__.lower().removeprefix("raw")
            fault = InvalidMessage([f"$.type: no {word} while {self.state.value}"])
            self._refuse_frame(getattr(message, "id", NO_ID), fault)
            return None
        if step(self, message, now):
            self._refused = 0
            return message
        return None

    def _refuse_frame(self, id: int, error: FacetError) -> None:
        if self.state is SessionState.GREETING:  # a stranger need not know more
            self.leave(Unauthenticated())
            return
        if self.asks:
            self.leave(error)
            return
        # What is under way is named by the id of what began it: a cancel or an acknowledgement that is refused, for one
        # that is too many, refuses nothing of that.
        self.refused(id if id > self._last_id else NO_ID, error)
        self._refused += 1
        if self._refused >= self.limits.patience:
            self.leave(error)

    def _hello(self, _: Hello, __: float) -> bool:
        return True

    def _get(self, get: Get, _: float) -> bool:
        if not self._fresh(get.id, self.objects, "objects", self.limits.objects):
            return False
        if get.principal is not msgspec.UNSET and not self._stamps:
            return self._no(get.id, Forbidden("only a server says on whose behalf it asks, and only to its workers"))
        self.objects.add(get.id)
        return True

    def _call(self, call: Call, _: float) -> bool:
        if not self._fresh(call.id, self.calls, "calls", self.limits.calls) or not self._held(call.id, call.object):
            return False
        self.calls.add(call.id, call.object)
        return True

    def _watch(self, watch: Watch, _: float) -> bool:
        fresh = self._fresh(watch.id, self.watches, "watches", self.limits.watches)
        if not fresh or not self._held(watch.id, watch.object):
            return False
        self.watches.add(watch.id, watch.object)
        return True

    def _fresh(self, id: int, under_way: Any, what: str, limit: int) -> bool:
        if id <= self._last_id:
            # Not as `id`: if that is under way, this is no answer to it.
            return self._no(NO_ID, InvalidMessage([f"$.id: ids grow; above {self._last_id}, not {id}"]))
        self._last_id = id
        return len(under_way) < limit or self._no(id, LinkLimitExceeded(f"{what} of one link", limit))

    def _held(self, id: int, object: int) -> bool:
        return object in self.objects or self._no(id, UnknownObject(object))

    def _no(self, id: int, error: FacetError) -> bool:
        self.refused(id, error)
        return False

    def _cancel(self, cancel: Cancel, _: float) -> bool:
        return cancel.id in self.calls  # else its result is on its way

    def _unwatch(self, unwatch: Unwatch, _: float) -> bool:
        return self.watches.remove(unwatch.id)

    def _release(self, release: Release, _: float) -> bool:
        if release.object not in self.objects:
            return self._no(NO_ID, UnknownObject(release.object))
        self.objects.discard(release.object)
        self.released = self.watches.of(release.object)
        for id in self.released:
            self.watches.remove(id)
        return True

    def _ack(self, ack: Ack, _: float) -> bool:
        return ack.id in self.watches

    def _ping(self, ping: Ping, _: float) -> bool:
        self.say(Pong(ping.id, self.received - 1, self.sent + len(self.out)))
        return False

    def take_out(self) -> list[bytes]:
        """The frames to send now."""
        out, self.out = self.out, []
        self.sent += len(out)
        return out

    # --- what came of it ------------------------------------------------------------------------------------------

    def say(self, message: msgspec.Struct) -> None:
        """Leave a message to be sent."""
        self.out.append(encode(message))

    def welcome(self, epoch: str, principal: Who, now: float, proof: str = "", http: str = "") -> None:
        """The hello was good."""
        self.state = SessionState.OPEN
        self.say(Welcome(epoch, _named(principal), now, proof, http))

    def open_as_dialled(self) -> None:
        """This end has dialled, and has been welcomed: the other one may ask from now on."""
        self.state = SessionState.OPEN

    def got(self, id: int, face: str, principal: Who, now: float) -> None:
        """The object is held."""
        self.say(Got(id, face, _named(principal), now))

    def not_got(self, id: int, error: Exception) -> None:
        """It is not."""
        self.objects.discard(id)
        self.refused(id, error)

    def refused(self, id: int, error: Exception) -> None:
        """Whatever was asked in message `id` is not done."""
        self.calls.remove(id)
        self.watches.remove(id)
        self._count(error)
        self.say(refusal(id, error))

    def _count(self, error: Exception) -> None:
        if self._traffic is not None:
            self._traffic.refuse(error)

    def returned(self, id: int, value: Any) -> None:
        """A call has returned a value that msgspec can encode. One too large to be sent is refused instead."""
        if not self.calls.remove(id):
            return
        frame = encode(Returned(id, value))
        if len(frame) > self.limits.frame:
            self.refused(id, LinkLimitExceeded("bytes of one message", self.limits.frame))
        else:
            self.out.append(frame)

    def cancelled(self, id: int) -> None:
        """A call was given up in time."""
        if self.calls.remove(id):
            self.say(Cancelled(id))

    def ended(self, id: int, why: str) -> None:
        """A watch has nothing to follow any more."""
        if self.watches.remove(id):
            self.say(Ended(id, why))

    def leave(self, error: FacetError) -> None:
        """Say goodbye; nothing more is taken or sent."""
        if self.state is not SessionState.CLOSED:
            self.state = SessionState.CLOSED
            self._count(error)
            self.say(goodbye(error))


def _named(who: Who) -> Named:
    return Named(who.principal.kind, who.principal.id, who.name)


_Step = Callable[[ServingSession, Any, float], bool]
"""Takes a message that may come now. Returns whether it is to be acted upon; else it has been dealt with."""

_STEPS: dict[SessionState, dict[type, _Step]] = {
    SessionState.GREETING: {Hello: ServingSession._hello},
    SessionState.OPEN: {
        Get: ServingSession._get,
        Call: ServingSession._call,
        Cancel: ServingSession._cancel,
        Watch: ServingSession._watch,
        Unwatch: ServingSession._unwatch,
        Release: ServingSession._release,
        Ack: ServingSession._ack,
        Ping: ServingSession._ping,
    },
    SessionState.CLOSED: {},
}
"""Which message may come in which state; a pair that is not here is refused."""
