"""`ConfiguredChannels`: the channels of a gate server, as a folder configures them, and read again when that is asked.

channels = ConfiguredChannels(Path("/etc/questions/channels"))
async with (
    open_gates(folder, audiences=channels.audiences, works=[channels.work]) as gates,
    channels.following(gates),
):
    ...
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import trio

from facets.errors import Retryable
from facets.nursery import open_serving_nursery
from questions.durable.backend import Conflict
from questions.durable.repeating import repeat

from .channel_reports import RELOAD, ChannelReport, ReportedChannel, reload_asked, write_report
from .channel_settings import Channel
from .channels import ChannelDesk
from .config import LOCAL, Configuration
from .config_errors import InvalidChannels
from .config_files import channels_in, load_configuration
from .server import GateServer
from .store import GateStore
from .store_errors import LeaseLost
from .tables import GATE_SERVER

__all__ = ["ConfiguredChannels"]

_REPORTS = 1.0
"""Seconds between looks at how the channels are."""
_log = logging.getLogger("questions")


class ConfiguredChannels:
    """What a folder configures, as this process has read it last. Lives as long as anybody likes.

    A configuration that is at fault stops nothing: without an earlier one there are no channels, otherwise that holds
    on. `restart`, `again`, `grace`: as for `ChannelDesk`.
    """

    def __init__(self, folder: Path, *, restart: float = 1.0, again: float = 1.0, grace: float = 5.0) -> None:
        self.folder = folder
        self.audiences: dict[str, Sequence[str]] = {}
        """The channels of each audience that are processes: for `open_gates`. Changed in place."""
        self.channels: tuple[Channel, ...] = ()
        self.configuration: Configuration | None = None
        """None: nothing is configured, or what is has never been without fault."""
        self.faults: tuple[str, ...] = ()
        """Why the newest configuration was not taken."""
        self._seconds = restart, again, grace
        self._taken = -1
        """The newest demand to read it again that was met."""
        self._changed = trio.Event()

    def channels_of(self, audience: str) -> tuple[str, ...]:
        """All channels of an audience, local ones too; of one that nobody has configured the local ones alone."""
        return LOCAL if self.configuration is None else self.configuration.channels_of(audience)

    def load(self) -> None:
        """Read the configuration again. What is wrong with it is in `faults`; nothing is raised."""
        try:
            found = load_configuration(self.folder)
            channels = () if found is None else channels_in(found)
        except InvalidChannels as error:  # the log tells no names of profiles
            self.faults = tuple(error.faults)
            _log.error(
                "the configuration of channels has %d faults and is not taken; `questions channels status` says which",
                len(self.faults),
            )
            return
        self.configuration, self.channels, self.faults = found, channels, ()
        self.audiences.clear()
        if found is not None:
            shown = {name: [id for id in ids if id not in LOCAL] for name, ids in found.audiences.items()}
            self.audiences.update({name: ids for name, ids in shown.items() if ids})

    @asynccontextmanager
    async def following(self, gates: GateStore) -> AsyncIterator[None]:
        """Read the configuration, and again whenever somebody asks for it through the store, for the block.

        Every process that knows the folder follows, also while another one leads.
        """
        async with open_serving_nursery() as nursery:
            nursery.start_soon(self._follow, gates)
            yield

    async def _follow(self, gates: GateStore) -> None:
        heard = trio.Event()

        def hear(key: str | None) -> None:
            if key in (RELOAD, None):
                heard.set()

        async def look() -> None:
            nonlocal heard
            heard = trio.Event()
            if (asked := await reload_asked(gates)) != self._taken:
                self.load()
                self._taken = asked
                self._changed.set()
                self._changed = trio.Event()
            await heard.wait()

        gates.store.follower.listen(GATE_SERVER.name, hear)
        try:
            await repeat(look, "reading the configuration of channels again")
        finally:
            gates.store.follower.unlisten(GATE_SERVER.name, hear)

    async def work(self, server: GateServer) -> None:
        """Run the channels until cancelled: for `open_gates(works=[channels.work])`, and report how they are."""
        taken = -1
        async with trio.open_nursery() as nursery:
            desks = _Desks(server, nursery, self._seconds)
            while True:
                changed = self._changed
                if self._taken != taken:
                    taken = self._taken
                    await desks.become(self.channels)
                    server.show_again()
                if taken >= 0:
                    await self._report(server, desks)
                with trio.move_on_after(_REPORTS):
                    await changed.wait()

    async def _report(self, server: GateServer, desks: _Desks) -> None:
        try:
            held = server.lease()
            report = ChannelReport(
                owner=held.lease.owner,
                generation=held.lease.generation,
                reload=self._taken,
                is_configured=self.configuration is not None,
                faults=self.faults,
                audiences={name: self.channels_of(name) for name in self.audiences},
                channels=desks.reported(),
            )
            await write_report(server.gates, report, held)
        except (Conflict, LeaseLost, Retryable) as missed:  # the next look says it
            _log.debug("how the channels are was not written down: %s", missed)


@attrs.frozen
class _Running:
    channel: Channel
    desk: ChannelDesk
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    ended: trio.Event = attrs.field(factory=trio.Event)


class _Desks:
    """A desk for each channel, so that one can be replaced while the others go on."""

    def __init__(self, server: GateServer, nursery: trio.Nursery, seconds: tuple[float, float, float]) -> None:
        self._server = server
        self._nursery = nursery
        self._seconds = seconds
        self._running: dict[str, _Running] = {}

    def reported(self) -> tuple[ReportedChannel, ...]:
        """How each of them is."""
        found = [(id, one.desk.status()[id]) for id, one in self._running.items()]
        return tuple(ReportedChannel(id, status.state, status.why) for id, status in found)

    async def become(self, channels: Sequence[Channel]) -> None:
        """Run these: what is the same goes on, what is not ends first, within the grace that processes get."""
        wanted = {channel.id: channel for channel in channels}
        gone = [one for id, one in self._running.items() if wanted.get(id) != one.channel]
        for one in gone:
            one.scope.cancel()
        for one in gone:
            await one.ended.wait()
            del self._running[one.channel.id]
        for id, channel in wanted.items():
            if id not in self._running:
                restart, again, grace = self._seconds
                desk = ChannelDesk([channel], restart=restart, again=again, grace=grace)
                self._running[id] = _Running(channel, desk)
                self._nursery.start_soon(self._run, self._running[id])

    async def _run(self, one: _Running) -> None:
        with one.scope:
            await one.desk.work(self._server)
        one.ended.set()
