"""What a server and the process of a channel say to each other: one line of JSON a message.

The process speaks and the server answers, one after the other; with its answer the server can give one command. The
first line of all is the server's: what the process is launched with. Documented in `docs/channels.md`.
"""

from __future__ import annotations

import hashlib

import attrs

from .adapter import Ended, MessageRef, Pressed, Report
from .view import ChannelView

__all__ = [
    "HELD",
    "Answering",
    "Body",
    "Command",
    "Exiting",
    "Head",
    "Poll",
    "Present",
    "Presented",
    "Ready",
    "Reply",
    "Said",
    "Settle",
    "Settled",
    "Stop",
    "stable_id",
]

HELD = "unavailable"
"""The error of an answer that cannot be judged now: it is brought again, and with it what came after it."""

# --- what the process says ----------------------------------------------------------------------------------------


@attrs.frozen
class Ready:
    """It has nothing to report, and wants a command. `cursor`: up to where all that happened is dealt with."""

    cursor: str


@attrs.frozen
class Exiting:
    """It ends. `error_code`: of what went wrong, if that is why."""

    cursor: str
    error_code: str | None = None


@attrs.frozen
class Presented:
    """What came of showing a request."""

    decision_id: str
    request_digest: str
    attempt_id: str
    report: Report


@attrs.frozen
class Settled:
    """What came of showing how it ended."""

    decision_id: str
    request_digest: str
    attempt_id: str
    report: Report


@attrs.frozen
class Answering:
    """Somebody has answered. `cursor`: to go on from once that is dealt with, and no further."""

    answer: Pressed
    cursor: str


Body = Ready | Exiting | Presented | Settled | Answering


@attrs.frozen
class Head:
    """Which process says it, and after what. `sequence`: from 1, one more each time. `revision`: of the last reply."""

    epoch: str
    profile: str
    sequence: int
    revision: int
    message_id: str
    """Of what it says, not of when: see `stable_id`."""


@attrs.frozen
class Said:
    """One line of the process."""

    head: Head
    body: Body


# --- what the server says -----------------------------------------------------------------------------------------


@attrs.frozen
class Present:
    """Show a request. `shown`: what is known to be there already."""

    attempt_id: str
    view: ChannelView
    shown: tuple[MessageRef, ...] = ()


@attrs.frozen
class Settle:
    """Show how it ended, in these messages."""

    attempt_id: str
    view: ChannelView
    ended: Ended
    messages: tuple[MessageRef, ...] = ()


@attrs.frozen
class Poll:
    """Look for what has happened since `cursor`.

    `views`: what may be answered and was not told before in this epoch. `gone`: the ids of decisions that may be
    answered no more. `more`: not all is told yet, so only remember it, and report to be ready.
    """

    cursor: str
    views: tuple[ChannelView, ...] = ()
    gone: tuple[str, ...] = ()
    more: bool = False


@attrs.frozen
class Stop:
    """End."""


Command = Present | Settle | Poll | Stop


@attrs.frozen
class Reply:
    """The server's answer to the line of this sequence. `error`: the code of why it was not accepted."""

    sequence: int
    accepted: bool
    revision: int
    command: Command | None = None
    error: str | None = None


def stable_id(*parts: str) -> str:
    """The id of a message that says the same thing, however often it is said: `channel-` and 64 digits."""
    return "channel-" + hashlib.sha256("\0".join(parts).encode()).hexdigest()
