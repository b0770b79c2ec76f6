"""The end of a link that asks, as a machine: what it holds, calls and follows, over one connection after another.

No transport, no clock: messages go in, what they mean for whom comes out, and what is to be sent is left in `out`.
After a lost connection everything that is held is got again, what is followed goes on from its revision, and calls
that may be made again are. Used by every client, and by a server towards its workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
from msgspec import UNSET, Raw, UnsetType

from facets.errors import LinkLost, UnknownObject
from facets.errors import Unavailable as UnavailableError
from facets.principal import Principal

from .backoff import Backoff
from .items import CallingState, Event, Followed, Held, Item, Made
from .messages import (
    Ack,
    Call,
    Cancel,
    Cancelled,
    Ended,
    Get,
    Goodbye,
    Got,
    Hello,
    Ping,
    Pong,
    RawDifference,
    RawReturned,
    RawSnapshot,
    Received,
    Refused,
    Release,
    Unavailable,
    Unwatch,
    Watch,
    Welcome,
    encode,
)
from .refusals import refusal

__all__ = ["CallingSession"]

_ACK_EVERY = 0.5  # seconds between acknowledgements of one link: they say what has been shown, and need not be many
_PING_EVERY = 10.0  # seconds between two looks at whether anything has been lost, while anything is waited for
_AGAIN = frozenset({"link_lost", "unavailable"})  # refusals of a call that is made again by itself, if it may be


class CallingSession:
    """What one program asks of another. Outlives its connections. `where`: the other side, in words.

    `chance()`: a number from 0 to 1, for the jitter. `acknowledges`: whether what has come has been shown by that; one
    that passes it on says so itself, with `acknowledge`.
    """

    def __init__(self, where: str, chance: Callable[[], float], *, acknowledges: bool = True) -> None:
        self.state = CallingState.AWAY
        self._acknowledges = acknowledges
        self.where = where
        self.out: list[bytes] = []
        """Frames to send, in order; see `take_out`."""
        self.goodbye: Goodbye | None = None
        """Why the other side has ended the connection, if it has said so."""
        self._chance = chance
        self._last = 0
        self._held: dict[Held, None] = {}
        self._made: dict[Made, None] = {}
        self._followed: dict[Followed, None] = {}
        self._items: dict[int, Item] = {}
        self._again: dict[Item, float] = {}
        """What is tried again, and when."""
        self._acks: dict[Followed, int] = {}
        self._ack_due = self._ping_due = 0.0
        self._pings: dict[int, int] = {}
        self.received = self.sent = 0

    # --- connections ----------------------------------------------------------------------------------------------

    def dialled(self, hello: Hello, now: float) -> None:
        """There is a connection; say who this is."""
        self._begin(CallingState.GREETING, now)
        self._say(hello)

    def answered(self, now: float) -> None:
        """There is a connection that the other side has dialled, and it is known who it is."""
        self._begin(CallingState.OPEN, now)
        self._resume(now)

    def _begin(self, state: CallingState, now: float) -> None:
        self.state, self.goodbye, self.received, self.sent = state, None, 0, 0
        self._ping_due = now + _PING_EVERY
        self.out, self._pings, self._acks = [], {}, {}

    def lost(self) -> list[Event]:
        """The connection is gone. Returns who has to be told what."""
        if self.state is not CallingState.REFUSED:
            self.state = CallingState.AWAY
        self.out, self._again, self._items = [], {}, {}
        events: list[Event] = [(watch, Unavailable(0, "the link is lost")) for watch in self._followed]
        for made in list(self._made):
            if made.is_cancelled or made.again is None or self.state is CallingState.REFUSED:
                events.append((made, Cancelled(0) if made.is_cancelled else refusal(0, LinkLost(self.where))))
                del self._made[made]
        for held in [held for held in self._held if not held.is_known]:
            events += self._lose(held, refusal(0, LinkLost(self.where)))
        return events

    def _resume(self, now: float) -> None:
        for held in self._held:
            self._send_get(held)
        for followed in self._followed:
            self._send_watch(followed)
        for made in self._made:
            self._send_again(made, now)

    # --- asking ---------------------------------------------------------------------------------------------------

    def get(self, kind: str, input: bytes, principal: Principal | UnsetType = UNSET, name: str = "") -> Held:
        """Hold an object. Raises `LinkLost` while there is no connection."""
        self._check_open()
        held = Held(kind, input, principal, name)
        self._held[held] = None
        self._send_get(held)
        return held

    def call(self, held: Held, method: str, args: bytes, again: Callable[[float], bytes] | None = None) -> Made:
        """Call a method. Raises `LinkLost` while there is no connection, unless it may be made `again`."""
        if again is None or self.state is CallingState.REFUSED:
            self._check_open()
        made = Made(held, method, again, Backoff(self._chance, 0.05))
        self._made[made] = None
        if self.state is CallingState.OPEN:
            self._send_call(made, args)
        return made

    def cancel(self, made: Made) -> bool:
        """Give up a call. False: it is over at once; else wait for its end, which may be a result that came first."""
        made.is_cancelled = True
        if self.state is CallingState.OPEN and made.wire in self._items and made not in self._again:
            self._say(Cancel(made.wire))
            return True
        self._over(made)
        return False

    def abandon(self, made: Made) -> None:
        """Wait no more for the end of a call that was given up."""
        self._over(made)

    def follow(self, held: Held, readable: str) -> Followed:
        """Follow a readable."""
        followed = Followed(held, readable)
        self._followed[followed] = None
        if self.state is CallingState.OPEN:
            self._send_watch(followed)
        return followed

    def unfollow(self, followed: Followed) -> None:
        """Follow it no more."""
        if self._followed.pop(followed, followed) is None and self.state is CallingState.OPEN:
            self._say(Unwatch(followed.wire))
        self._over(followed)

    def release(self, held: Held, lost: bool = False) -> None:
        """Hold an object no more."""
        if held.wire in self._items and held not in self._again and self.state is CallingState.OPEN:
            self._say(Release(held.wire, lost))
        self._drop(held)

    def _check_open(self) -> None:
        if self.state is not CallingState.OPEN:
            raise LinkLost(self.where)

    def _say(self, message: msgspec.Struct) -> None:
        self.out.append(encode(message))

    def take_out(self) -> list[bytes]:
        """The frames to send now."""
        out, self.out = self.out, []
        self.sent += len(out)
        return out

    def _number(self, item: Item) -> int:
        self._items.pop(item.wire, None)
        self._last += 1
        item.wire = self._last
        self._items[item.wire] = item
        return item.wire

    def _send_get(self, held: Held) -> None:
        self._say(Get(self._number(held), held.kind, Raw(held.input), held.principal, held.name))

    def _send_call(self, made: Made, args: bytes) -> None:
        self._say(Call(self._number(made), made.object.wire, made.method, Raw(args)))

    def _send_again(self, made: Made, now: float) -> None:
        if made.again is not None:
            self._send_call(made, made.again(now))

    def _send_watch(self, followed: Followed) -> None:
        id, followed.is_confirmed = self._number(followed), False
        self._say(Watch(id, followed.object.wire, followed.readable, followed.epoch, followed.revision))

    def _over(self, item: Item) -> None:
        self._again.pop(item, None)
        self._items.pop(item.wire, None)
        if isinstance(item, Made):
            self._made.pop(item, None)
        elif isinstance(item, Followed):
            self._followed.pop(item, None)
            item.object.followed.pop(item, None)
            self._acks.pop(item, None)

    def _drop(self, held: Held) -> list[Followed]:
        held.gone, followed = True, list(held.followed)
        self._held.pop(held, None)
        for one in followed:
            self._over(one)
        self._over(held)
        return followed

    # --- what comes in --------------------------------------------------------------------------------------------

    def receive(self, message: Received, now: float) -> list[Event]:
        """Take a message. Returns what it means for whom."""
        self.received += 1
        step = _STEPS.get(type(message))
        return list(step(self, message, now)) if step is not None else []

    def _welcome(self, welcome: Welcome, now: float) -> Iterator[Event]:
        if self.state is CallingState.GREETING:
            self.state = CallingState.OPEN
            self._resume(now)
            yield None, welcome

    def _goodbye(self, goodbye: Goodbye, _: float) -> Iterator[Event]:
        self.goodbye = goodbye
        if not goodbye.retryable:
            self.state = CallingState.REFUSED
        yield None, goodbye

    def _got(self, got: Got, _: float) -> Iterator[Event]:
        held = self._items.get(got.id)
        if isinstance(held, Held):
            held.is_known = True
            yield held, got

    def _result(self, message: RawReturned | Cancelled, _: float) -> Iterator[Event]:
        made = self._items.get(message.id)
        if isinstance(made, Made):
            self._over(made)
            unasked = isinstance(message, Cancelled) and not made.is_cancelled  # its object was released
            yield made, refusal(made.wire, UnknownObject(made.object.wire)) if unasked else message

    def _refused(self, refused: Refused, now: float) -> Iterator[Event]:
        item = self._items.get(refused.id)
        if item is None:
            yield None, refused
        elif isinstance(item, Made):
            yield from self._refused_call(item, refused, now)
        elif isinstance(item, Held):
            yield from self._refused_get(item, refused, now)
        elif refused.retryable and item.epoch and item.object not in self._again:  # too much at once, after a lost link
            self._again[item] = now + 0.5 + 0.5 * self._chance()
        elif not item.object.is_known or item.object not in self._again:  # else it comes with its object
            self._over(item)
            yield item, refused

    def _refused_call(self, made: Made, refused: Refused, now: float) -> Iterator[Event]:
        waits = made.object in self._again  # its object is to be got first
        if made.again is not None and not made.is_cancelled and (waits or refused.code in _AGAIN):
            self._again[made] = now + made.backoff.pause()
        else:
            self._over(made)
            if made.is_cancelled and (waits or refused.code in _AGAIN):
                yield made, Cancelled(made.wire)
            else:
                yield made, refusal(made.wire, UnavailableError(self.where)) if waits else refused

    def _refused_get(self, held: Held, refused: Refused, now: float) -> Iterator[Event]:
        if held.is_known and refused.retryable:
            self._again[held] = now + 0.5 + 0.5 * self._chance()
            return
        yield from self._lose(held, refused)

    def _lose(self, held: Held, refused: Refused) -> list[Event]:
        return [(held, refused), *((one, Ended(one.wire, refused.message)) for one in self._drop(held))]

    def _snapshot(self, snapshot: RawSnapshot, now: float) -> Iterator[Event]:
        followed = self._items.get(snapshot.id)
        if isinstance(followed, Followed):
            followed.epoch, followed.revision = snapshot.epoch, snapshot.revision
            self._note_shown(followed, now)
            yield followed, snapshot

    def _difference(self, difference: RawDifference, now: float) -> Iterator[Event]:
        followed = self._items.get(difference.id)
        if not isinstance(followed, Followed):
            return
        if difference.base != followed.revision:  # something is missing in between: everything anew
            self._say(Unwatch(followed.wire))
            followed.epoch, followed.revision = "", -1
            self._send_watch(followed)
            return
        followed.revision = difference.revision
        if difference.put or not followed.is_confirmed:  # what was said of it before may have been lost on the way
            self._note_shown(followed, now)
        yield followed, difference

    def _about_watch(self, message: Unavailable | Ended, _: float) -> Iterator[Event]:
        followed = self._items.get(message.id)
        if isinstance(followed, Followed):
            if isinstance(message, Ended):
                self._over(followed)
            yield followed, message

    def _pong(self, pong: Pong, _: float) -> Iterator[Event]:
        sent = self._pings.pop(pong.id, None)
        if sent is not None and (sent, self.received - 1) != (pong.received, pong.sent):
            yield None, pong  # something was lost on the way: this connection is not to be trusted

    def acknowledge(self, followed: Followed, revision: int) -> None:
        """What is followed has been shown up to a revision of the other side's."""
        if followed.wire in self._items and self.state is CallingState.OPEN:
            self._say(Ack(followed.wire, revision))

    # --- what is due ----------------------------------------------------------------------------------------------

    def _note_shown(self, followed: Followed, now: float) -> None:
        followed.is_confirmed = True
        if self._acknowledges:
            self._acks[followed] = followed.revision
            if now >= self._ack_due:
                self._send_acks(now)

    def _send_acks(self, now: float) -> None:
        self.out += [encode(Ack(followed.wire, revision)) for followed, revision in self._acks.items()]
        self._acks.clear()
        self._ack_due = now + _ACK_EVERY

    def due(self) -> float:
        """When to call `tick`; infinity: never, as things are."""
        if self.state in (CallingState.AWAY, CallingState.REFUSED):
            return float("inf")
        ack = self._ack_due if self._acks else float("inf")
        # While anything is held, since that may be on its way: a lost `get` would else be waited for for ever.
        ping = self._ping_due if self._held or self.state is CallingState.GREETING else float("inf")
        return min(ack, ping, *self._again.values())

    def tick(self, now: float) -> list[Event]:
        """Send what is due. Returns who has to be told what."""
        if self.state is CallingState.GREETING and now >= self._ping_due:
            return [(None, Goodbye("link_lost", "no answer to the greeting", retryable=True))]
        if self.state is not CallingState.OPEN:
            return []
        if self._acks and now >= self._ack_due:
            self._send_acks(now)
        if now >= self._ping_due:
            self._ping(now)
        for item in [item for item, at in self._again.items() if at <= now]:
            del self._again[item]
            self._try_again(item, now)
        return []

    def _ping(self, now: float) -> None:
        self._last += 1
        self._pings[self._last] = self.sent + len(self.out)
        self._say(Ping(self._last, self._pings[self._last]))
        self._ping_due = now + _PING_EVERY

    def _try_again(self, item: Item, now: float) -> None:
        if isinstance(item, Held):
            self._send_get(item)
            for followed in list(item.followed):
                self._send_watch(followed)
        elif isinstance(item, Made) and item.object in self._again:
            self._again[item] = now + item.backoff.pause()
        elif isinstance(item, Made):
            self._send_again(item, now)
        elif item.object not in self._again:  # else it comes with its object
            self._send_watch(item)


_STEPS: dict[type, Callable[..., Iterator[Event]]] = {
    Welcome: CallingSession._welcome,
    Goodbye: CallingSession._goodbye,
    Got: CallingSession._got,
    RawReturned: CallingSession._result,
    Cancelled: CallingSession._result,
    Refused: CallingSession._refused,
    RawSnapshot: CallingSession._snapshot,
    RawDifference: CallingSession._difference,
    Unavailable: CallingSession._about_watch,
    Ended: CallingSession._about_watch,
    Pong: CallingSession._pong,
}
