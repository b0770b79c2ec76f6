"""One change, and many at once, to every viewer of a session, against what websockets.trio does with its like."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import attrs
import trio
import trio.testing

from benchmarks.findings import Curve, Findings, Row, rate_row
from benchmarks.links.bare import Bare, open_bare
from benchmarks.links.children import Child, open_child
from benchmarks.links.scale import Scale
from benchmarks.links.turns import Turns, take_turns
from benchmarks.links.world import SCOPE, World, crowd_of, open_world
from benchmarks.measure import Work
from facets import Principal
from questions import Asker, Confirm, Questions, Viewer

_MANY = 100  # below it the pipe between the processes takes most of the time, and nothing is judged
_THEIRS = ("send", "broadcast", "writers")


def measure(scale: Scale) -> Findings:
    """Deliveries a second of one change."""
    inside = {viewers: trio.run(_one_change, scale, viewers, False) for viewers in scale.viewers}
    outside = {viewers: trio.run(_one_change, scale, viewers, True) for viewers in scale.viewers}
    rows = [_row(viewers, "in the audience", *found) for viewers, found in inside.items()]
    rows += [_row(viewers, "viewing what ten are asked", *found) for viewers, found in outside.items()]
    names = {"ours": "this library", "send": "websockets.trio send", "broadcast": "websockets.trio broadcast"}
    names |= {"writers": "websockets.trio tasks", "kernel": "bare writes"}
    curves = [
        Curve("wire_fan_out", label, scale.viewers, [turns.wall.median(name) for turns, _ in outside.values()])
        for name, label in names.items()
    ]
    return Findings(rows, curves)


def measure_bursts(scale: Scale) -> Findings:
    """Deliveries a second of many changes in one step."""
    return Findings([trio.run(_bursts, scale, viewers) for viewers in scale.viewers])


async def _one_change(scale: Scale, viewers: int, oversee: bool) -> tuple[Turns, float]:
    async with open_crowds(viewers, oversee) as crowds:
        sizes = await crowds.measure_sizes()
        count = scale.questions(viewers)

        async def ours() -> int:
            for _ in range(count):
                await crowds.open(1)
                await crowds.settle()
            return 2 * viewers * count

        turns = await take_turns({"ours": ours, **crowds.theirs(sizes, count)}, scale.rounds)
        return turns, sum(sizes) / 2


async def _bursts(scale: Scale, viewers: int) -> Row:
    changes = scale.burst
    async with open_crowds(viewers, oversee=True) as crowds:
        sizes = await crowds.measure_sizes()
        count = scale.questions(viewers)

        async def ours() -> int:
            for _ in range(count):
                await crowds.open(changes)
                await crowds.settle()
            return 2 * changes * viewers * count

        theirs = crowds.theirs(sizes, max(1, count * changes // 50))
        turns = await take_turns({"ours": ours, **theirs}, scale.rounds)
    detail = f"ours {turns.rate('ours'):,.0f}/s, " + ", ".join(f"{way} {turns.rate(way):,.0f}/s" for way in theirs)
    name = f"{changes} changes at once to {viewers:,} viewers"
    return rate_row(name, turns.wall.ratio("broadcast", "ours"), detail, 5, 10)


def _row(viewers: int, where: str, turns: Turns, size: float) -> Row:
    best = turns.best(*_THEIRS)
    rates = ", ".join(f"{name} {turns.rate(name):,.0f}" for name in turns.wall.us)
    cpu = turns.cpu.ratio(best, "ours")
    detail = f"deliveries a second of {size:,.0f} bytes: {rates}; by the server's CPU {cpu:.2f}"
    row = rate_row(f"1 change to {viewers:,} viewers {where}", turns.wall.ratio(best, "ours"), detail, 1.0, 4.0)
    return row if viewers >= _MANY else attrs.evolve(row, budget=None, goal=None)


_MOST_UNREAD = 400  # questions, of 60 KB each


class Crowds:
    """The same number of viewers at a link server and at a bare one, in this process."""

    def __init__(
        self, world: World, bare: Bare, viewers: Child, asker: Asker, viewer: Viewer, people: list[Principal],
        oversee: bool, nursery: trio.Nursery,
    ) -> None:  # fmt: skip
        self._world = world
        self._bare = bare
        self._viewers = viewers
        self._asker = asker
        self._viewer = viewer
        self._people = people
        self._audience = people[:10] if oversee else people
        self._nursery = nursery
        self._sent = 0

    async def open(self, count: int) -> dict[str, Any]:
        """Ask so many questions in one step, and wait until everybody has them."""
        await self._viewers.tell("until", name="ours", target=self._viewer.open.version + count)
        for _ in range(count):
            self._nursery.start_soon(self._ask)
        return await self._viewers.hear()

    async def _ask(self) -> None:
        await self._asker.ask(Confirm("Run it?"), audience=self._audience)

    async def settle(self) -> dict[str, Any]:
        """Answer them all in one step, and wait until nobody has them."""
        opened = list(self._viewer.open.value)
        await self._viewers.tell("until", name="ours", target=self._viewer.open.version + len(opened))
        for id in opened:
            await self._viewer.answer(id, True)
        return await self._viewers.hear()

    async def stall(self) -> None:
        """Have the last viewer read no more, and send it as much as it takes to fill what is in between."""
        await self._viewers.ask("stall", name="ours", count=1)
        for _ in range(_MOST_UNREAD):
            if self.is_held_up:
                return
            self._nursery.start_soon(self._ask_last)
            await trio.testing.wait_all_tasks_blocked()

    async def _ask_last(self) -> None:
        await self._asker.ask(Confirm("Run it?", details="x" * 60_000), audience=self._people[-1:])

    @property
    def is_held_up(self) -> bool:
        """Whether the server waits for a viewer to read."""
        return any(not peer._connection.is_ready for peer in self._world.server.peers)

    async def measure_sizes(self) -> tuple[int, int]:
        """How many bytes the two frames of one question have: that which opens it, that which closes it."""
        before = await self._viewers.ask("until", name="ours", target=0)
        opened = await self.open(1)
        closed = await self.settle()
        frames = opened["frames"] - before["frames"]
        return int((opened["bytes"] - before["bytes"]) / frames), int((closed["bytes"] - opened["bytes"]) / frames)

    def theirs(self, sizes: tuple[int, int], count: int) -> dict[str, Work]:
        """The ways of the bare server to send as many messages of the same sizes."""
        messages = [b"x" * size for size in sizes]
        return {name: self._sending(send, messages, count) for name, send in self._bare.ways.items()}

    def _sending(self, send: Callable[[bytes], Awaitable[None]], messages: list[bytes], count: int) -> Work:
        async def work() -> int:
            for _ in range(count):
                for message in messages:
                    self._sent += 1
                    await self._viewers.tell("until", name="bare", target=self._sent)
                    await send(message)
                    await self._viewers.hear()
            return len(messages) * count * len(self._bare.connections)

        return work


@asynccontextmanager
async def open_crowds(count: int, oversee: bool = False) -> AsyncIterator[Crowds]:
    """So many viewers who watch, at either server."""
    people, bare = crowd_of(count), Bare()
    async with (
        open_world(oversee, stalled=600) as world,
        open_bare(bare.handle) as port,
        open_child("receivers") as viewers,
        world.host.root() as ctx,
        world.host.root(principal=people[0]) as theirs,
        trio.open_nursery() as nursery,
    ):
        greetings = [world.greeting(person, ["open"]) for person in people]
        await viewers.ask("connect", name="bare", port=port, greetings=[[]] * count, ready=0)
        await viewers.ask("connect", name="ours", port=world.port, greetings=greetings, ready=0, by_revision=True)
        await bare.reached(count)
        asker, viewer = await ctx.get(Questions, SCOPE), await theirs.get(Questions, SCOPE)
        assert isinstance(asker, Asker)
        assert isinstance(viewer, Viewer)
        crowds = Crowds(world, bare, viewers, asker, viewer, people, oversee, nursery)
        await crowds.open(1)  # once all have it, all watch
        await crowds.settle()
        yield crowds
        nursery.cancel_scope.cancel()
