"""`ChannelDesk`: the channels of a gate server, each a process that no other one waits for.

desk = ChannelDesk([Channel(id="mail:ops", ...)])
async with open_gates(folder, audiences={"operator": ["mail:ops"]}, works=[desk.work]) as gates:
    ...
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import attrs
import trio

from questions.durable.backend import Conflict
from questions.errors import QuestionError

from .channel_child import run_child
from .channel_settings import Channel
from .channel_work import ChannelWork
from .outbox import Confirm, Effect, Retry
from .server import GateServer
from .store import GateStore

__all__ = ["ChannelDesk", "ChannelStatus", "confirm_effect", "retry_effect"]

_RESTART, _AGAIN, _GRACE = 1.0, 1.0, 5.0

_log = logging.getLogger("questions")


@attrs.frozen
class ChannelStatus:
    """How a channel is. `state`: waiting (for a server to lead), running, or ended: it is started again soon; `why`."""

    state: str
    why: str = ""


class ChannelDesk:
    """Runs the processes of channels while its gate server leads. Lives as long as anybody likes.

    In seconds: `restart`: before a process that has ended is replaced; `again`: before what has failed is tried again,
    twice as long each time; `grace`: for a process to come to the end of what it is at, when its server ends.
    """

    def __init__(
        self,
        channels: Sequence[Channel],
        *,
        restart: float = _RESTART,
        again: float = _AGAIN,
        grace: float = _GRACE,
    ) -> None:
        self.channels = channels
        self._restart = restart
        self._again = again
        self._grace = grace
        self._status = {channel.id: ChannelStatus("waiting") for channel in channels}

    def status(self) -> dict[str, ChannelStatus]:
        """How each channel is, by its id. Nothing secret is in it."""
        return dict(self._status)

    async def work(self, server: GateServer) -> None:
        """Run all channels until cancelled: for `open_gates(works=[desk.work])`.

        Cancelled, each process may end what it is at, for a few seconds; what it does not report then is in doubt.
        """
        async with trio.open_nursery() as nursery:
            for channel in self.channels:
                nursery.start_soon(self._run, ChannelWork(server.gates, channel, again=self._again))

    async def _run(self, work: ChannelWork) -> None:
        scope = trio.CancelScope(shield=True)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._supervise, work, scope)
            try:
                await trio.sleep_forever()
            finally:
                work.stop()
                scope.deadline = trio.current_time() + self._grace

    async def _supervise(self, work: ChannelWork, scope: trio.CancelScope) -> None:
        id = work.channel.id
        work.listen()
        with scope:
            while not work.is_stopping:
                why = await self._live(work)
                if self._status[id].why != why and not work.is_stopping:
                    _log.warning("the process of channel %s is started again: %s", id, why)
                self._status[id] = ChannelStatus("ended", why)
                await work.pause(self._restart)
        work.unlisten()
        self._status[id] = ChannelStatus("waiting")

    async def _live(self, work: ChannelWork) -> str:
        """One process from its launch to its end: why it has ended."""
        try:
            launch, revision = await work.begin()
            self._status[work.channel.id] = attrs.evolve(self._status[work.channel.id], state="running")
            try:
                ended = await run_child(work.channel.command, launch, revision, work.hear)
            finally:
                await work.lose()
        except OSError as error:
            return f"its program cannot be started: {error.strerror}"
        except Conflict:
            return "another server has begun an epoch of it"
        except QuestionError as error:
            return str(error)
        except Exception as error:  # the other channels, and deadlines, have nothing to do with it
            _log.exception("channel %s has failed", work.channel.id)
            return type(error).__name__
        return f"{ended.why}, with status {ended.status}"


async def confirm_effect(gates: GateStore, id: str) -> Effect:
    """An operator says that an ambiguous effect has happened; no call is made. Raises `EffectRefused`, `KeyError`.

    Which messages are there is known only as far as it was reported before: in others the end is not shown, and their
    buttons stay. A press on one is judged as any other, and refused once the decision has ended.
    """
    return await gates.step_effect(id, Confirm())


async def retry_effect(gates: GateStore, id: str) -> Effect:
    """An operator has an effect made again that is ambiguous, or was rejected too often; it may then be there twice.

    One whose decision has ended meanwhile is dropped. Raises `EffectRefused`, `KeyError`.
    """
    return await gates.step_effect(id, Retry())
