"""`judge`: the one way in for answers from outside, whichever door they come through."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from . import verdicts
from .adapter import Pressed
from .channel_settings import Channel
from .errors import EffectRefused
from .outbox import Effect, EffectEvent, EffectState, Proven
from .request_store import presenting
from .store import GateStore
from .submission import Source, Submission
from .view import ChannelView, view_of

__all__ = ["judge", "shown_in", "shown_views"]

_AT_ONCE = 500


async def judge(
    gates: GateStore,
    channel: Channel,
    answer: Pressed,
    *,
    step: Callable[[str, EffectEvent], Awaitable[object]],
    submit: Callable[[Submission], Awaitable[verdicts.Verdict]],
) -> str | None:
    """The code of why an answer in a channel does not count, or None: it is the decision, or was before.

    It counts from those who are listed, where they are listed, about what was shown in the channel. One that was in
    doubt to be there is proven to be by its answer. `step`, `submit`: how the caller writes: those of the store, or
    with more in the same commit. Raises what they raise.
    """
    if answer.actor_id not in channel.allowed_user_ids or answer.chat_id not in channel.allowed_chat_ids:
        return "forbidden"
    shown = await shown_in(gates, channel.id, answer.decision_id)
    if shown is None or not shown.attempts:
        return "forbidden"
    if shown.state is EffectState.AMBIGUOUS and shown.request_digest == answer.request_digest:
        with suppress(EffectRefused):  # somebody else has just found out about it
            await step(shown.id, Proven())
    ids = answer.decision_id, answer.request_digest
    source = Source(channel.id, answer.actor_id, answer.event_id)
    match await submit(Submission(*ids, answer.response, source, answer.idempotency_key)):
        case verdicts.Refused(error=error):
            return getattr(error, "code", "refused")
        case verdicts.Conflict(same_response=False):
            return "conflict"
    return None


async def shown_in(gates: GateStore, channel: str, decision_id: str) -> Effect | None:
    """What is known of showing a request in a channel; None: it is not to be shown there."""
    effects = [found.value for found in await gates.effects(decision_id)]
    return next((one for one in effects if one.channel == channel and one.purpose == "present"), None)


async def shown_views(gates: GateStore, channel: str) -> dict[str, ChannelView]:
    """All that is open and was begun to be shown in a channel, by id. Costs as much as there is."""
    views = {}
    open = {presenting(one, channel, 0).id: one for one in await gates.open_requests()}
    ids = list(open)
    for start in range(0, len(ids), _AT_ONCE):
        for found in await gates.effects_by_id(ids[start : start + _AT_ONCE]):
            if found.value.attempts:
                views[found.value.decision_id] = view_of(open[found.value.id])
    return views
