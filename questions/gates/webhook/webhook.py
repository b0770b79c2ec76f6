"""`Webhook`: an address as a channel of gates."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio

from facets.errors import MissingExtra
from questions.gates.adapter import Ended, Judged, Launch, MessageRef, Pressed, Report, Update
from questions.gates.view import ChannelView

from .codes import write_code
from .errors import NoticeFailed
from .notices import content_digest, ended_notice, notice_id, open_notice
from .profile import Profile, read_profile

if TYPE_CHECKING:
    from .sender import Sender

__all__ = ["Webhook", "open_webhook"]

_POLL_SECONDS = 0.5  # what is to be shown waits for it
# What is wrong with one recipient alone; with anything else the next one would fare no better.
_ONE_RECIPIENT = ("http_400", "http_404", "http_410", "http_422", "no_response")


class Webhook:
    """An adapter (`questions.gates.adapter.Adapter`). Lives as long as the block of `open_webhook`.

    It brings no answers: the confirming page takes them, and asks the gates itself.
    """

    def __init__(self, sender: Sender, profile: Profile, pause: Callable[[float], Awaitable[object]]) -> None:
        self._sender = sender
        self._profile = profile
        self._pause = pause

    async def present(self, view: ChannelView, attempt_id: str, shown: Sequence[MessageRef]) -> Report:  # noqa: ARG002
        """Post a notice for every recipient who is not known to have it, with a link of their own."""
        digest, profile = content_digest(view), self._profile
        known = {one.recipient_index: one for one in shown}
        wanted = dict(enumerate(profile.recipients))
        if any((wanted.get(at), digest) != (one.chat_id, one.content_digest) for at, one in known.items()):
            return Report("unknown", tuple(shown), "evidence_mismatch")
        failures: list[NoticeFailed] = []
        for at, recipient in wanted.items():
            if at in known:
                continue
            id = notice_id(view, profile.name, recipient, "open")
            if await self._sent(failures, id, open_notice(view, recipient, self._link(view, recipient))):
                known[at] = MessageRef(recipient, id, at, 0, digest)
            elif failures[-1].reason not in _ONE_RECIPIENT:
                break
        return _worst(failures, tuple(known[at] for at in sorted(known)))

    async def settle(self, view: ChannelView, ended: Ended, messages: Sequence[MessageRef]) -> Report:
        """Post to all who were told of the request how it ended. Its id is the same each time."""
        failures: list[NoticeFailed] = []
        for one in messages:
            id = notice_id(view, self._profile.name, one.chat_id, "settled")
            await self._sent(failures, id, ended_notice(view, one.chat_id, ended))
        # Receivers leave out what they have, by its id: to tell it once more does no harm.
        harmless = [NoticeFailed("failed", failure.reason) for failure in failures]
        return _worst(harmless, tuple(messages))

    async def poll(self, cursor: str, views: Sequence[ChannelView]) -> AsyncGenerator[Update, None]:  # noqa: ARG002
        """Nothing ever happens here."""
        await self._pause(_POLL_SECONDS)
        nothing: tuple[Update, ...] = ()
        for update in nothing:
            yield update

    async def answered(self, answer: Pressed, judged: Judged) -> None:
        """The page has said it."""

    def _link(self, view: ChannelView, recipient: str) -> str:
        profile = self._profile
        code = write_code(profile.key, profile.name, view.decision_id, view.request_digest, recipient)
        return f"{profile.page}#{code}"  # in the fragment, which browsers send nowhere and servers do not log

    async def _sent(self, failures: list[NoticeFailed], id: str, notice: Mapping[str, Any]) -> bool:
        try:
            await self._sender.send(id, notice)
        except NoticeFailed as failure:
            failures.append(failure)
            return False
        return True


def _worst(failures: Sequence[NoticeFailed], messages: tuple[MessageRef, ...]) -> Report:
    """What came of several notices together: doubt is worse than failure."""
    if not failures:
        return Report("confirmed", messages)
    gravest = next((one for one in failures if one.state == "unknown"), failures[0])
    return Report(gravest.state, messages, gravest.reason)


@asynccontextmanager
async def open_webhook(
    launch: Launch, *, patience: float = 10.0, pause: Callable[[float], Awaitable[object]] = trio.sleep
) -> AsyncIterator[Webhook]:
    """One webhook as a channel, for the length of the block. Nothing is sent yet.

    `patience`: seconds that a reply may take. `pause`: how it waits, in seconds. Raises `InvalidWebhook`, and
    `MissingExtra` without httpx.
    """
    profile = read_profile(launch)
    try:
        from .sender import open_sender  # noqa: PLC0415  # httpx comes with an extra
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "httpx":
            raise
        raise MissingExtra("The webhook channel", "httpx", "webhook", "the channels terminal and web") from None
    async with open_sender(profile, patience=patience, pause=pause) as sender:
        yield Webhook(sender, profile, pause)
