"""What a channel is to a gate: three things that an adapter does, in a process of its own.

    @asynccontextmanager
    async def open_mail(launch: Launch) -> AsyncIterator[Adapter]:
        yield Mail(launch)

    run_adapter(open_mail)  # the whole program

An adapter shows a request, shows how it ended, and brings what people answered. It keeps nothing that matters: the
server remembers the cursor and the messages, and checks again who may answer. It imports modules of `questions.gates`
by their own names, so that no part of a store is in its process. `questions.testing.check_channel` runs what every
adapter has to do.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Literal, Protocol

import attrs

from .endings import chosen, not_chosen
from .resolution import Provenance
from .responses import Response
from .view import ChannelView

__all__ = [
    "Adapter",
    "Ended",
    "EndedAs",
    "Judged",
    "Launch",
    "MessageRef",
    "OpenAdapter",
    "Pressed",
    "Report",
    "ReportState",
    "Update",
    "ended_words",
]

ReportState = Literal["confirmed", "failed", "unknown"]
EndedAs = Literal["accepted", "cancelled", "expired"]


@attrs.frozen
class MessageRef:
    """One message that shows a part of a request to one recipient, so that it can be edited later. Private."""

    chat_id: str = attrs.field(repr=False)
    message_id: str = attrs.field(repr=False)
    recipient_index: int
    """From 0, in the order of the sorted recipients."""
    part_index: int
    """From 0."""
    content_digest: str
    """`sha256:` of what it shows."""


@attrs.frozen
class Report:
    """What came of an attempt to show something.

    `confirmed`: all of it is known to be there. `failed`: at least a part is known not to be there, and nothing is in
    doubt; trying again is safe. `unknown`: something may or may not be there; nobody tries again by itself.
    `messages`: all that are known to be there, of earlier attempts too; of a failed attempt too. `error_code`: 1 to
    100 of letters, digits and `._-`, for operators; never a text that could hold a secret.
    """

    state: ReportState
    messages: tuple[MessageRef, ...] = ()
    error_code: str | None = None


@attrs.frozen
class Ended:
    """How a decision ended; `ended_words` has the sentence for it.

    `response` and `provenance` (human or timeout) are there if it was accepted, and None otherwise. Who has decided
    is not said.
    """

    outcome: EndedAs
    response: Response | None = None
    provenance: Provenance | None = None


def ended_words(view: ChannelView, ended: Ended) -> str:
    """How it ended, in the words that every channel has for it."""
    if ended.response is not None and ended.provenance is not None:
        return chosen(view, ended.response.choice, ended.provenance)
    return not_chosen(view, "expired" if ended.outcome == "expired" else "cancelled")


@attrs.frozen
class Pressed:
    """What somebody answered, where, and by which act. The server checks all of it again.

    `event_id`: names the act in its chat. `idempotency_key`: the same for the same act and for no other, so it has the
    profile and the chat in it. Each has 1 to 500 code points.
    """

    decision_id: str
    request_digest: str
    response: Response
    actor_id: str = attrs.field(repr=False)
    chat_id: str = attrs.field(repr=False)
    event_id: str = attrs.field(repr=False)
    idempotency_key: str = attrs.field(repr=False)


@attrs.frozen
class Update:
    """One thing that has happened in a channel. `cursor`: where to go on once it is done with; opaque to the server.

    `answer` None: it was nothing of ours, or not to be counted, and only the cursor moves.
    """

    cursor: str = attrs.field(repr=False)
    answer: Pressed | None = None


@attrs.frozen
class Judged:
    """What became of an answer. Accepted: it is the decision, or was before.

    Otherwise `error` is the code of what refused it, such as `deadline_passed`, `decision_cancelled`, `stale`,
    `forbidden`, or `conflict`: another answer was first.
    """

    accepted: bool
    error: str | None = None


@attrs.frozen
class Launch:
    """What an adapter begins with: the first line of its input. Neither the secrets in it nor people are in its repr.

    `epoch`: another one for each start. `allowed_user_ids`, `allowed_chat_ids`: whose answers count, and where; not
    empty; decimal digits with an optional minus for messengers. `cursor`: "" at first. `key`: 32 random bytes, stored
    for the profile, for codes that nobody can forge; it outlives a change of the token. `options`: what else the
    kind of channel takes, such as `base_url`.
    """

    profile: str
    epoch: str
    token: str = attrs.field(repr=False)
    allowed_user_ids: tuple[str, ...] = attrs.field(repr=False)
    allowed_chat_ids: tuple[str, ...] = attrs.field(repr=False)
    cursor: str = attrs.field(repr=False, default="")
    key: bytes = attrs.field(repr=False, default=b"")
    options: Mapping[str, str] = attrs.field(factory=dict)


class Adapter(Protocol):
    """One profile of a channel. Under trio; called by one task, one call at a time.

    An error that a method raises ends the process, and what it was at is in doubt then: report what can be reported.
    """

    async def present(self, view: ChannelView, attempt_id: str, shown: Sequence[MessageRef]) -> Report:
        """Show the request to every recipient. `shown`: what earlier attempts are known to have shown; skip that."""

    async def settle(self, view: ChannelView, ended: Ended, messages: Sequence[MessageRef]) -> Report:
        """Show in these messages that it has ended, and take away what could be pressed. Safe to repeat."""

    def poll(self, cursor: str, views: Sequence[ChannelView]) -> AsyncGenerator[Update, None]:
        """What has happened since `cursor`, one at a time, and an end: one batch.

        `views`: all that may be answered. Waits at most two seconds for something to happen, since nothing is shown
        meanwhile. Each update is dealt with before the next one is asked for; the generator may be closed at any
        update, and what comes after it is then asked for again, from the last cursor that was dealt with.
        """

    async def answered(self, answer: Pressed, judged: Judged) -> None:
        """What became of the last update's answer; say it to who has answered, if the channel can. Never raises."""


OpenAdapter = Callable[[Launch], AbstractAsyncContextManager[Adapter]]
"""Opens an adapter for the length of a block, from what it is launched with."""
