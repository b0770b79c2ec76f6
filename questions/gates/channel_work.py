"""What one channel has to do, and what it has done: the next command, and what becomes of each report.

Every change is one commit with the row of the channel in it, which has the epoch of the process: an earlier process,
or an earlier server, changes nothing any more. An attempt is written before the command for it is given.
"""

from __future__ import annotations

import logging
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

import attrs
import trio

from facets.errors import Retryable
from questions.durable.backend import Conflict
from questions.durable.errors import UnknownDecision
from questions.durable.tokens import new_token
from questions.errors import QuestionError

from . import verdicts
from .adapter import Ended, Launch
from .channel_answers import judge, shown_in, shown_views
from .channel_child import Told
from .channel_messages import (
    HELD,
    Answering,
    Body,
    Command,
    Exiting,
    Present,
    Presented,
    Settle,
    Settled,
    Stop,
)
from .channel_settings import Channel, Saved, read_saved, write_saved
from .channel_tasks import ChannelTasks
from .channel_views import Answerable
from .errors import EffectRefused
from .outbox import AUTOMATIC_TRIES, Begin, Drop, Effect, EffectEvent, EffectState, Lost, Reported
from .pieces import Piece
from .resolution import AcceptedDecision, Resolution
from .rows import channel_piece
from .steps import Standing
from .store import GateStore
from .submission import Submission
from .tables import EFFECTS, RESOLUTIONS
from .view import view_of

__all__ = ["ChannelWork"]

_IDLE = 5.0
"""Seconds between looks at a channel in which nothing can be answered."""
_SHORTEST = 0.1
"""Seconds between looks, though the process waits for nothing itself."""
_HELD_PAUSE = 0.2
"""Seconds before an answer that could not be judged is brought again; twice as long each time."""
_MOST_HELD = 6
"""How often an answer is brought again before it is given up."""

T = TypeVar("T")
_log = logging.getLogger("questions")


class ChannelWork:
    """The work of one channel, for as long as a server leads. `stop` has its process end at its next word.

    `again`: seconds before what has failed is tried again; twice as long each time.
    """

    def __init__(self, gates: GateStore, channel: Channel, *, again: float = 1.0) -> None:
        self.channel = channel
        self._gates = gates
        self._pause = again
        self._saved = Saved(epoch="", cursor="", key="")
        self._version = 0
        self._tasks = ChannelTasks(gates, channel.id)
        self._views = Answerable()
        """What is open and was shown here, and so can be answered."""
        self._set_aside: set[str] = set()
        self._held: Counter[str] = Counter()
        self._polled_at = -_IDLE
        self._stopped = trio.Event()
        self._missed = False
        self._woken = trio.Event()

    # Its life

    async def begin(self) -> tuple[Launch, int]:
        """Begin an epoch: what its process is launched with, and the revision of the channel.

        What an earlier process was at is in doubt from now on. Raises `Conflict` if another server was quicker.
        """
        row = await self._gates.channel(self.channel.id)
        self._version = 0 if row is None else row.version
        old = Saved(epoch="", cursor="", key=secrets.token_hex(32)) if row is None else read_saved(row.value)
        await self._save(attrs.evolve(old, epoch=f"epoch-{new_token()}"))
        await self.lose()
        self._views = Answerable()
        await self._look_back()
        launch = Launch(
            profile=self.channel.profile,
            epoch=self._saved.epoch,
            token=self.channel.token,
            allowed_user_ids=self.channel.allowed_user_ids,
            allowed_chat_ids=self.channel.allowed_chat_ids,
            cursor=self._saved.cursor,
            key=bytes.fromhex(self._saved.key),
            options=self.channel.options,
        )
        return launch, self._version

    async def lose(self) -> None:
        """The process has gone: what it was at may have happened or not."""
        for found in await self._gates.effects_of(self.channel.id, EffectState.APPLYING.value, None):
            await self._step(found.value.id, Lost())

    async def _look_back(self) -> None:
        """Read all that there is to be done, and all that can be answered."""
        self._missed = False
        try:
            await self._tasks.read_all()
            self._views.keep(await shown_views(self._gates, self.channel.id))
        except BaseException:
            self._missed = True
            raise

    def stop(self) -> None:
        """Have the process end at its next word."""
        self._stopped.set()
        self._woken.set()

    @property
    def is_stopping(self) -> bool:
        """Whether `stop` was called."""
        return self._stopped.is_set()

    async def pause(self, seconds: float) -> None:
        """Wait, unless it is to stop."""
        with trio.move_on_after(seconds):
            await self._stopped.wait()

    def listen(self) -> None:
        """Hear what the store tells of."""
        self._gates.store.follower.listen(EFFECTS.name, self._hear_effect)
        self._gates.store.follower.listen(RESOLUTIONS.name, self._hear_end)

    def unlisten(self) -> None:
        """Hear no more."""
        self._gates.store.follower.unlisten(EFFECTS.name, self._hear_effect)
        self._gates.store.follower.unlisten(RESOLUTIONS.name, self._hear_end)

    def _hear_effect(self, id: str | None) -> None:
        if id is None:
            self._missed = True
        else:
            self._tasks.hear(id)
        self._woken.set()

    def _hear_end(self, id: str | None) -> None:
        if id is None:
            self._missed = True
        else:
            self._views.drop(id)
        self._woken.set()

    # What its process says

    async def hear(self, body: Body) -> Told:
        """Take in what the process says, and give it the next command. Raises `Conflict` once it is fenced off."""
        if isinstance(body, Answering):
            error = await self._answer(body)
            return Told(error is None, self._version, error=error)
        if isinstance(body, Presented | Settled):
            error = await self._take(body)
            command = await self._command()
            return Told(error is None, self._version, command, error)
        await self._patiently(lambda: self._reach(body.cursor))
        next_one = None if isinstance(body, Exiting) else await self._command()
        return Told(accepted=True, revision=self._version, command=next_one)

    async def _take(self, body: Presented | Settled) -> str | None:
        effect = Effect(
            channel=self.channel.id,
            decision_id=body.decision_id,
            request_digest=body.request_digest,
            purpose="present" if isinstance(body, Presented) else "settle",
            created_at=0,
        )
        try:
            after = await self._patiently(lambda: self._step(effect.id, Reported(body.attempt_id, body.report)))
        except (EffectRefused, KeyError):
            return EffectRefused.code
        if after.state is EffectState.REJECTED and after.tries_left:
            pause = self._pause * 2 ** (AUTOMATIC_TRIES - 1 - after.tries_left)
            self._tasks.try_again(after.id, trio.current_time() + pause)
        return None

    async def _answer(self, body: Answering) -> str | None:
        """The code of why an answer does not count, or None."""
        answer = body.answer
        try:
            error = await self._judge(body)
        except Retryable as lost:
            return await self._hold(body, lost)
        except Conflict:
            raise
        except QuestionError as fault:
            _log.warning("an answer in %s is refused: %s", self.channel.id, fault)
            error = fault.code
        self._held.pop(answer.idempotency_key, None)
        await self._patiently(lambda: self._reach(body.cursor))
        return error

    async def _judge(self, body: Answering) -> str | None:
        async def submit(submission: Submission) -> verdicts.Verdict:
            """The answer, and how far the channel was read, in one commit."""
            saved = await self._reached(body.cursor)
            verdict = await self._gates.submit(submission, self._piece(saved))
            self._is_saved(saved)
            return verdict

        return await judge(self._gates, self.channel, body.answer, step=self._step, submit=submit)

    async def _hold(self, body: Answering, lost: Retryable) -> str:
        """Have it brought again, for some time; what cannot be judged for ever must not hide what comes after it."""
        key = body.answer.idempotency_key
        self._held[key] += 1
        if self._held[key] < _MOST_HELD:
            await trio.sleep(_HELD_PAUSE * 2 ** (self._held[key] - 1))
            return HELD
        del self._held[key]
        _log.error("an answer in %s could not be judged, and is given up: %s", self.channel.id, lost)
        await self._patiently(lambda: self._reach(body.cursor))
        return "given_up"

    # What it has to do

    async def _command(self) -> Command:
        return await self._patiently(self._next)

    async def _next(self) -> Command:
        while not self.is_stopping:
            self._woken = trio.Event()
            if self._missed:
                await self._look_back()
            if command := await self._due():
                return command
            now = trio.current_time()
            poll_at = self._polled_at + (_SHORTEST if self._views else _IDLE)
            if now >= poll_at or self._views.has_untold:
                self._polled_at = now
                return self._views.poll(self._saved.cursor)
            with trio.move_on_at(min(poll_at, self._tasks.nearest)):
                await self._woken.wait()
        return Stop()

    async def _due(self) -> Present | Settle | None:
        """The first thing that there is to be shown: requests before ends, and the oldest before the others."""
        for effect in await self._tasks.due():
            command = None if effect.id in self._set_aside else await self._begun(effect)
            self._tasks.done_with(effect.id)
            if command:
                return command
        return None

    async def _begun(self, effect: Effect) -> Present | Settle | None:
        try:
            standing = await self._gates.get(effect.decision_id)
            with suppress(EffectRefused):
                if effect.purpose == "present":
                    return await self._presenting(effect, standing)
                return await self._settling(effect, standing)
        except (Retryable, Conflict):
            raise
        except UnknownDecision:
            await self._step(effect.id, Drop())
        except QuestionError as fault:
            self._set_aside.add(effect.id)
            _log.warning("effect %s of %s cannot be done and is left: %s", effect.id, self.channel.id, fault)
        return None

    async def _presenting(self, effect: Effect, standing: Standing) -> Present | None:
        if standing.resolution is not None:
            await self._step(effect.id, Drop())
            return None
        view = view_of(standing.request)
        self._views.add(view)  # at once: its end, which drops it, may be told any moment
        begun = await self._step(effect.id, Begin())
        return Present(begun.attempt_id, view, begun.messages)

    async def _settling(self, effect: Effect, standing: Standing) -> Settle | None:
        shown = await shown_in(self._gates, self.channel.id, effect.decision_id)
        if shown is None or not shown.attempts or standing.resolution is None:
            await self._step(effect.id, Drop())
            return None
        begun = await self._step(effect.id, Begin())
        view = view_of(standing.request)
        return Settle(begun.attempt_id, view, _ended(standing.resolution), shown.messages)

    # What is saved

    async def _step(self, id: str, event: EffectEvent) -> Effect:
        effect = await self._gates.step_effect(id, event, self._piece(self._saved))
        self._is_saved(self._saved)
        return effect

    async def _reach(self, cursor: str) -> None:
        if cursor != self._saved.cursor:
            await self._save(await self._reached(cursor))

    async def _reached(self, cursor: str) -> Saved:
        return attrs.evolve(self._saved, cursor=cursor, at=await self._gates.stored.backend.now())

    async def _save(self, saved: Saved) -> None:
        await self._gates.record(self._piece(saved))
        self._is_saved(saved)

    def _piece(self, saved: Saved) -> Piece:
        return channel_piece(self.channel.id, write_saved(saved), self._version)

    def _is_saved(self, saved: Saved) -> None:
        self._saved = saved
        self._version += 1

    async def _patiently(self, once: Callable[[], Awaitable[T]]) -> T:
        """What `once` comes to, also while the store cannot be reached: what was done outside must not be forgotten."""
        pause = _HELD_PAUSE
        while True:
            try:
                return await once()
            except Retryable as lost:
                _log.info("channel %s waits for its store: %s", self.channel.id, lost)
                await trio.sleep(pause)
                pause = min(2 * pause, _IDLE)


def _ended(resolution: Resolution) -> Ended:
    if isinstance(resolution, AcceptedDecision):
        return Ended("accepted", resolution.response, resolution.provenance)
    return Ended(resolution.reason)
