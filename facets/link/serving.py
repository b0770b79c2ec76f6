"""Doing what a peer asks: objects held, calls run in tasks, watches flushed with the newest value only."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import msgspec
import outcome
import trio
from outcome import Outcome

from facets.errors import FacetError, InternalError

from .epochs import Epochs
from .messages import Ack, Call, Cancel, Get, Release, Unwatch, Watch
from .offered import Offered, PassedOn, is_waiting
from .refusals import fault_in
from .session import ServingSession
from .watched import Watched

__all__ = ["Flusher", "Serving"]

_log = logging.getLogger("facets.link")
_FEW = 4
_AT_ONCE = 64
"""Links that are flushed before other tasks have their turn."""


class Flusher:
    """Writes what has changed to whom it concerns: one task for all links of a server, woken once a step."""

    def __init__(self) -> None:
        self._waiting: list[Serving] = []
        self._parked: trio.lowlevel.Task | None = None
        self._is_held = False

    def add(self, serving: Serving) -> None:
        """Flush a link soon."""
        self._waiting.append(serving)
        if not self._is_held:
            self._wake()

    @property
    def is_held(self) -> bool:
        """Whether what changes is flushed by whoever works on a peer's messages."""
        return self._is_held

    @property
    def takes_more(self) -> bool:
        """Whether one more link would be flushed at the end of what is being worked on, and not by the task."""
        return self._is_held and len(self._waiting) < _FEW

    def hold(self) -> None:
        """A peer's messages are being worked on: what they change is flushed at the end of it. Then call `let_go`."""
        self._is_held = True

    def let_go(self) -> None:
        """They have been. A few links are flushed right here, which saves a turn of the scheduler; many by the task."""
        if not self._is_held:
            return
        self._is_held = False
        if len(self._waiting) > _FEW:
            self._wake()
            return
        batch, self._waiting = self._waiting, []
        for serving in batch:
            serving.flush()

    def _wake(self) -> None:
        if self._parked is not None:
            parked, self._parked = self._parked, None
            trio.lowlevel.reschedule(parked)

    async def run(self) -> None:
        """Flush for as long as it is not cancelled."""
        while True:
            if not self._waiting:
                self._parked = trio.lowlevel.current_task()
                await trio.lowlevel.wait_task_rescheduled(self._unpark)
            batch, self._waiting = self._waiting, []
            for place, serving in enumerate(batch, 1):
                serving.flush()
                if place % _AT_ONCE == 0:
                    await trio.lowlevel.checkpoint()

    def _unpark(self, _: object) -> trio.lowlevel.Abort:
        self._parked = None
        return trio.lowlevel.Abort.SUCCEEDED


class Serving:
    """What one peer has under way. Lives as long as the connection; ended by `end`.

    `resolve` holds an object for a `get`; `send` writes frames without blocking; `is_ready` says whether the peer
    has read what was written before, so that more may follow.
    """

    __slots__ = (
        "__weakref__",
        "_calls",
        "_clock",
        "_dirty",
        "_flusher",
        "_is_over",
        "_is_ready",
        "_nursery",
        "_objects",
        "_queued",
        "_resolve",
        "_send",
        "_watches",
        "epochs",
        "session",
    )

    def __init__(
        self,
        session: ServingSession,
        resolve: Callable[[Get], Offered],
        send: Callable[[list[bytes]], None],
        is_ready: Callable[[], bool],
        nursery: trio.Nursery,
        flusher: Flusher,
        epochs: Epochs,
        clock: Callable[[], float],
    ) -> None:
        self.session = session
        self.epochs = epochs
        self._resolve = resolve
        self._send = send
        self._is_ready = is_ready
        self._nursery = nursery
        self._flusher = flusher
        self._clock = clock
        self._objects: dict[int, Offered] = {}
        self._calls: dict[int, trio.CancelScope | PassedOn] = {}
        self._watches: dict[int, Watched] = {}
        self._dirty: dict[Watched, None] = {}
        self._queued = False
        self._is_over = False

    def act(self, message: msgspec.Struct) -> None:
        """Do what the session has let through, and send what there is to say."""
        step = _ACTS.get(type(message))
        if step is not None:
            try:
                step(self, message)
            except Exception as error:
                self._failed(getattr(message, "id", 0), error)
        if not self._queued or not self._flusher.is_held:  # else with what has changed, which is flushed in a moment
            self.push()

    def push(self) -> None:
        """Send what the session has to say."""
        if self._is_over:
            self.session.out.clear()
        elif self.session.out:
            self._send(self.session.take_out())

    def _failed(self, id: int, error: Exception) -> None:
        if not isinstance(error, FacetError):
            _log.error("a peer's request failed", exc_info=error)
        elif (broken := fault_in(error)) is not None:
            _log.error("a %s could not be told of", type(error).__name__, exc_info=broken)
        self.session.refused(id, error)

    def _get(self, get: Get) -> None:
        try:
            offered = self._objects[get.id] = self._resolve(get)
        except Exception:
            self.session.objects.discard(get.id)
            raise
        if offered.face:
            self.session.got(get.id, offered.face, offered.who, offered.now())
        else:
            self._nursery.start_soon(self._await_object, get.id, offered)

    async def _await_object(self, id: int, offered: Offered) -> None:
        fault: Exception | None = None
        try:
            await offered.ready()
        except Exception as error:
            fault = error
        if self._objects.get(id) is not offered:  # it was released meanwhile, or another one has taken its place
            return
        if fault is None:
            self.session.got(id, offered.face, offered.who, offered.now())
        else:
            del self._objects[id]
            self.session.not_got(id, fault)
        self.push()

    def _call(self, call: Call) -> None:
        result = self._objects[call.object].call(call.method, call.args)
        if isinstance(result, PassedOn):
            self._calls[call.id] = result
            result.when_over(partial(self._over, call.id))
        elif is_waiting(result):
            scope = self._calls[call.id] = trio.CancelScope()
            self._nursery.start_soon(self._run, call.id, result, scope)
        else:
            self.session.returned(call.id, result)

    async def _run(self, id: int, work: Coroutine[Any, Any, Any], scope: trio.CancelScope) -> None:
        try:
            with scope:
                self.session.returned(id, await work)
        except Exception as error:  # out here: a group is one only without the cancellations in it
            self._failed(id, error)
        self._calls.pop(id, None)
        if scope.cancelled_caught:
            self.session.cancelled(id)
        self.push()

    def _over(self, id: int, ended: Outcome[Any] | None) -> None:
        """A call that was passed on is over."""
        self._calls.pop(id, None)
        if ended is None:
            self.session.cancelled(id)
        elif isinstance(ended, outcome.Value):
            self.session.returned(id, ended.value)
        elif isinstance(ended, outcome.Error):
            self._failed(id, ended.error if isinstance(ended.error, Exception) else InternalError())
        if self._flusher.takes_more and not self._queued:  # after whoever has ended it is told that it was accepted
            self._queued = True
            self._flusher.add(self)
        else:
            self.push()

    def _cancel(self, cancel: Cancel) -> None:
        if (scope := self._calls.get(cancel.id)) is not None:
            scope.cancel()

    def _watch(self, watch: Watch) -> None:
        source, to_wire = self._objects[watch.object].readable(watch.readable)
        epoch = self.epochs.of(source)
        revision = watch.revision if watch.epoch == epoch else -1
        watched = self._watches[watch.id] = Watched(
            self.changed, watch, source, to_wire, epoch, revision, self.session.limits.frame
        )
        self._dirty[watched] = None
        self.flush()

    def _unwatch(self, unwatch: Unwatch) -> None:
        self._forget(unwatch.id)

    def _forget(self, id: int) -> None:
        if (watched := self._watches.pop(id, None)) is not None:
            watched.source.unlisten(watched)
            self._dirty.pop(watched, None)

    def _release(self, release: Release) -> None:
        for id in self.session.released:
            self._forget(id)
        self._let_go(release.object, release.lost)

    def _let_go(self, object: int, lost: bool) -> None:
        _release(self._objects.pop(object), lost)  # before its calls are cancelled: they ask how it has ended
        for id in self.session.calls.of(object):
            if id in self._calls:
                self._calls[id].cancel()

    def held(self) -> list[tuple[int, Offered]]:
        """The objects that are held, by id."""
        return list(self._objects.items())

    def replace(self, object: int, new: Offered) -> None:
        """Have another object stand for the one that is held: watches go on with it, calls under way with the old."""
        old = self._objects[object]
        self._objects[object] = new
        for watched in [one for one in self._watches.values() if one.object == object]:
            try:
                source, to_wire = new.readable(watched.readable)
            except Exception as error:
                _log.error("a watch could not go on with another object", exc_info=error)
                self._forget(watched.id)
                self.session.ended(watched.id, "what it followed is there no more")
            else:
                watched.source.unlisten(watched)
                watched.turn_to(source, to_wire, self.epochs)
                self.changed(watched)
        _release(old, lost=True)
        self.push()

    def _ack(self, ack: Ack) -> None:
        acknowledge = getattr(self._watches[ack.id].source, "acknowledge", None)
        if acknowledge is not None:
            acknowledge(ack.revision)

    def changed(self, watched: Watched) -> None:
        """Something that is watched may have changed."""
        self._dirty[watched] = None
        if not self._queued:
            self._queued = True
            self._flusher.add(self)

    def flush(self) -> None:
        """Send the newest value of what has changed; nothing, while the peer has not read what came before."""
        self._queued = False
        if not self._dirty or not self._is_ready():
            self.push()
            return
        dirty, self._dirty = self._dirty, {}
        now = self._clock()
        frames = self.session.out
        for watched in dirty:
            frames += watched.frames(now)
        self.push()

    def end(self, lost: bool) -> None:
        """The connection is over: nothing is held any more, and calls are given up. Tells each object first.

        Nothing more is sent: a call that ends by this is lost to the peer, and not cancelled (Q-KEY-3).
        """
        self._is_over = True
        for id in list(self._watches):
            self._forget(id)
        for object in list(self._objects):
            self._let_go(object, lost)
        for call in list(self._calls.values()):
            call.cancel()


def _release(offered: Offered, lost: bool) -> None:
    try:
        offered.release(lost)
    except Exception as error:  # it is not held any more all the same, and who held it can do nothing about it
        _log.error("an object could not be released", exc_info=error)


_ACTS: dict[type, Callable[[Serving, Any], None]] = {
    Get: Serving._get,
    Call: Serving._call,
    Cancel: Serving._cancel,
    Watch: Serving._watch,
    Unwatch: Serving._unwatch,
    Release: Serving._release,
    Ack: Serving._ack,
}
