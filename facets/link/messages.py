"""What is said over a link: one message a frame, JSON text, told apart by `type`.

Either end may ask of the other; in practice a client asks its server, and a server asks the workers that have dialled
in. Ids are chosen by the end that asks, grow, and are never used twice on one connection. Documented in `docs/wire.md`,
whose schema is generated from these classes.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from facets.errors import InvalidPrincipal
from facets.principal import Principal

__all__ = [
    "NO_ID",
    "REPLIES",
    "SUBPROTOCOL",
    "Ack",
    "Call",
    "Cancel",
    "Cancelled",
    "Difference",
    "Ended",
    "Get",
    "Goodbye",
    "Got",
    "Hello",
    "Message",
    "Named",
    "Ping",
    "Pong",
    "Refused",
    "Release",
    "Reply",
    "Request",
    "Returned",
    "Snapshot",
    "Unavailable",
    "Unwatch",
    "Watch",
    "Welcome",
    "decode",
    "encode",
    "encode_value",
    "id_of",
]

SUBPROTOCOL = "facets.v1"
"""The websocket subprotocol. A change that an old peer cannot ignore takes another one."""

NO_ID = 0
"""Stands where a message had no usable id of its own."""

Id = Annotated[int, Meta(ge=1, lt=2**53)]
Short = Annotated[str, Meta(max_length=200)]
Token = Annotated[str, Meta(max_length=8192)]
Revision = Annotated[int, Meta(ge=-1, lt=2**53)]


class Named(msgspec.Struct, frozen=True, gc=False):
    """A principal, and the name to show for it."""

    kind: str
    id: str
    name: str


class _Message(msgspec.Struct, gc=False, tag_field="type", tag=str.lower, omit_defaults=True):
    """What every message has: its `type`, the name of its class in lower case."""


# --- requests ---------------------------------------------------------------------------------------------------


class Hello(_Message):
    """The first message of whoever has dialled."""

    token: Token
    """Who this is; see `docs/howto/issue-and-revoke-tokens.md`."""
    serves: Annotated[tuple[Short, ...], Meta(max_length=1000)] = ()
    """From a worker: the place (session) whose objects live with it. There is one, the one that its token names."""
    nonce: Short = ""
    """From a worker: what the server's proof of its identity must name."""


class Get(_Message):
    """Hold an object: of a kind, for an input. Its id is the one of this message."""

    id: Id
    kind: Short
    """The name under which a type is offered, such as `questions`."""
    input: Raw = Raw(b"null")
    """Which one of that kind, in the kind's own form."""
    principal: Principal | UnsetType = msgspec.field(name="as", default=UNSET)
    """On whose behalf. Only a server says so, and only to its workers."""
    name: Short = ""
    """From a server: the name to show for that principal; empty: it knows none."""


class Call(_Message):
    """Call a method of an object."""

    id: Id
    object: Id
    method: Short
    """One that the object's face has."""
    args: Raw = Raw(b"{}")
    """A JSON object: the arguments by name."""


class Cancel(_Message):
    """Give up a call. It is answered all the same: with `cancelled`, or with what had come before."""

    id: Id


class Watch(_Message):
    """Follow a readable of an object; to go on after a lost link, with the epoch and revision reached before it."""

    id: Id
    object: Id
    readable: Short
    """One that the object's face has."""
    epoch: Short = ""
    """Of the last snapshot; empty: from the beginning."""
    revision: Revision = -1
    """Of the last snapshot or difference."""


class Unwatch(_Message):
    """Follow it no more."""

    id: Id


class Release(_Message):
    """Hold an object no more; its calls are cancelled and its watches end."""

    object: Id
    lost: bool = False
    """From a server: whoever held it has lost the link, and may come back."""


class Ack(_Message):
    """What a watch has shown up to a revision has arrived."""

    id: Id
    """Of the watch."""
    revision: Revision
    """Of the last snapshot or difference that was shown."""


class Ping(_Message):
    """Asks for a `pong`, which shows whether anything has been lost on the way."""

    id: Id
    sent: Annotated[int, Meta(ge=0, lt=2**53)] = 0
    """How many messages this end has sent before this one."""


# --- replies ----------------------------------------------------------------------------------------------------


class Welcome(_Message):
    """The answer to a good `hello`."""

    epoch: str
    """Another one after each start of the server: what was reached before is void."""
    principal: Named
    """Who the token says that this is."""
    now: float
    """The server's clock, epoch seconds."""
    proof: str = ""
    """For a worker that has sent a nonce: a token by which the server shows who it is."""
    http: str = ""
    """The URL of its HTTP port, which takes the same tokens; empty: it has none."""


class Got(_Message):
    """The object is held."""

    id: int
    face: str
    """Which of its faces this principal has got."""
    principal: Named
    """On whose behalf it acts."""
    now: float
    """The clock of the object's host, epoch seconds."""


class Returned(_Message):
    """A call has returned."""

    id: int
    value: Any = None


class Refused(_Message):
    """What was asked is not done. `code` stays the same for ever, `message` is for people."""

    id: int
    """Of the message that is refused; 0 if it had none, or one that was used before."""
    code: str
    message: str
    data: Any = None
    """The attributes of the error, by name."""
    retryable: bool = False
    """Whether the same may be asked again."""


class Cancelled(_Message):
    """A call was given up before it had a result."""

    id: int


class Snapshot(_Message):
    """The whole value of what is watched. What was known before is void."""

    id: int
    epoch: str
    """Which readable the revision belongs to."""
    revision: int
    """How far this goes; -1: the rest of it follows in differences."""
    value: Any
    now: float
    """When this was written, epoch seconds; what is left of a deadline is the deadline less this."""


class Difference(_Message):
    """What is different in a watched mapping since revision `base`, which leads to `revision`."""

    id: int
    base: int
    revision: int
    now: float
    put: dict[str, Any] = {}
    """The keys that are new or different, each with its value."""
    drop: dict[str, str] = {}
    """The keys that have gone, each with the reason."""


class Unavailable(_Message):
    """What is watched cannot be reached now. It comes back by itself, with a snapshot or a difference."""

    id: int
    why: str


class Ended(_Message):
    """A watch has ended for good: its object is gone."""

    id: int
    why: str


class Pong(_Message):
    """The answer to a `ping`."""

    id: int
    received: int = 0
    """How many messages had come before the ping."""
    sent: int = 0
    """How many this end has sent before this one."""


class Goodbye(_Message):
    """The last message before the connection is closed by this end."""

    code: str
    message: str
    retryable: bool = False


Request = Hello | Get | Call | Cancel | Watch | Unwatch | Release | Ack | Ping
Reply = Welcome | Got | Returned | Refused | Cancelled | Snapshot | Difference | Unavailable | Ended | Pong | Goodbye
Message = Request | Reply

# Replies from a worker are passed on, so what they carry is kept as it came.


class RawReturned(_Message, tag="returned"):
    """As `Returned`, as it came."""

    id: int
    value: Raw = Raw(b"null")


class RawSnapshot(_Message, tag="snapshot"):
    """As `Snapshot`, as it came."""

    id: int
    epoch: Short  # both may be sent back, in a `watch`
    revision: Revision
    value: Raw
    now: float


class RawDifference(_Message, tag="difference"):
    """As `Difference`, as it came."""

    id: int
    base: int
    revision: Revision
    now: float
    put: dict[str, Raw] = {}
    drop: dict[str, str] = {}


Received = (
    Request
    | Welcome
    | Got
    | RawReturned
    | Refused
    | Cancelled
    | RawSnapshot
    | RawDifference
    | Unavailable
    | Ended
    | Pong
    | Goodbye
)
"""Every message as it is decoded: what it carries is read by whoever knows its type."""

REPLIES = frozenset(
    {Got, RawReturned, Refused, Cancelled, RawSnapshot, RawDifference, Unavailable, Ended, Pong, Welcome, Goodbye}
)
"""The classes that replies are decoded as."""

encode = msgspec.json.Encoder().encode
"""A message as UTF-8 JSON."""

encode_value = msgspec.json.Encoder().encode
"""A value, such as arguments or an input, as UTF-8 JSON to put into a message."""

_decode = msgspec.json.Decoder(Received).decode


class _Numbered(msgspec.Struct):
    id: int = NO_ID


_numbered = msgspec.json.Decoder(_Numbered).decode


def decode(frame: str | bytes) -> Received:
    """The message of a text frame. Raises `msgspec.DecodeError` with the first fault and its path."""
    try:
        return _decode(frame)
    except RecursionError:
        raise msgspec.ValidationError("nested too deeply") from None
    except InvalidPrincipal as error:
        raise msgspec.ValidationError(f"{error} - at `$.as`") from None


def id_of(frame: str | bytes) -> int:
    """The id of a frame that is no good message, so that its sender knows which one; 0 if there is none."""
    try:
        id = _numbered(frame).id
    except (msgspec.DecodeError, RecursionError):
        return NO_ID
    return id if 1 <= id < 2**53 else NO_ID
