"""Ask over one link, answer over another: how long it takes, in echo times of websockets.trio."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from statistics import median

import attrs
import trio
from websockets.trio.client import connect

from benchmarks.findings import Curve, Findings, Row
from benchmarks.links.children import Child, open_child
from benchmarks.links.scale import Scale
from benchmarks.links.turns import percentile
from benchmarks.links.world import SCOPE
from facets import Principal
from facets.link.client import open_link
from questions import Asker, Confirm, Questions, SessionScope, Viewer

ANA, AGENT = "user:ana", "server:agent"
_LIKE = "x" * 200
_RELAYED = SessionScope("s2")
_SHARES = [50, 75, 90, 95, 99]
_HOPS = 2
"""The ask with its result passes through the relay, and so does the question with its answer; an echo, too, is a
message there and one back. An asker beside the worker, where most are, has only the latter."""

Trip = Callable[[], Awaitable[None]]


@attrs.frozen
class Trips:
    """One round of one contestant."""

    us: list[float]
    echo: float
    """The p50 of the echoes of the same round."""

    @property
    def p50(self) -> float:
        """The median, in microseconds."""
        return median(self.us)

    def echoes(self, us: float) -> float:
        """A time in those of an echo."""
        return us / self.echo


def measure(scale: Scale) -> Findings:
    """Round trips, and what a relay adds to them."""
    return trio.run(_measure, scale)


async def _measure(scale: Scale) -> Findings:
    async with open_child("served", "links") as server:
        ports = await server.hear()
        async with (
            _open_worker(server, ports["links"]),
            echo_trip(ports["echo"]) as echo,
            ask_trip(server, ports["links"], SCOPE) as ask,
            ask_trip(server, ports["links"], _RELAYED) as relayed,
        ):
            times = await _interleave({"echo": echo, "ask": ask, "relayed": relayed}, scale)
    return Findings(_rows(times), [_curve("this library", times["ask"]), _curve("through a relay", times["relayed"])])


def _rows(rounds: dict[str, list[Trips]]) -> list[Row]:
    echo, ask, relayed = (median(one.p50 for one in rounds[name]) for name in ("echo", "ask", "relayed"))
    hops = [(b.echoes(b.p50) - a.echoes(a.p50)) / _HOPS for a, b in zip(rounds["ask"], rounds["relayed"], strict=True)]
    trips = median(one.echoes(one.p50) for one in rounds["ask"])
    told = f"ask {ask:,.0f} us, echo {echo:,.0f} us"
    return [
        Row("ask over a link, answer over another, p50", trips, "echo times", told, 3, 2, at_least=False),
        Row(
            "a relay adds, a hop",
            median(hops),
            "echo times",
            f"both ways relayed {relayed:,.0f} us, {told}",
            1,
            0.6,
            at_least=False,
        ),
    ]


def _curve(label: str, rounds: list[Trips]) -> Curve:
    echoes = [median(one.echoes(percentile(one.us, share / 100)) for one in rounds) for share in _SHARES]
    return Curve("wire_round_trip", label, _SHARES, echoes)


async def _interleave(trips: dict[str, Trip], scale: Scale) -> dict[str, list[Trips]]:
    rounds: dict[str, list[Trips]] = {name: [] for name in trips}
    for turn in range(scale.rounds + 1):
        names = list(trips) if turn % 2 == 0 else list(reversed(trips))
        taken = {name: [await _timed(trips[name]) for _ in range(scale.cycles)] for name in names}
        if turn:  # the first round is for warmth
            for name, us in taken.items():
                rounds[name].append(Trips(us, median(taken["echo"])))
    return rounds


async def _timed(trip: Trip) -> float:
    start = time.perf_counter()
    await trip()
    return (time.perf_counter() - start) * 1e6


@asynccontextmanager
async def _open_worker(server: Child, port: int) -> AsyncIterator[None]:
    token = (await server.ask("tokens", principals=[f"worker:{_RELAYED.session}"]))["result"][0]
    async with open_child("served", "worker", f"ws://127.0.0.1:{port}", token, _RELAYED.session) as worker:
        await worker.hear()
        yield


@asynccontextmanager
async def echo_trip(port: int) -> AsyncIterator[Trip]:
    """A message of about the size of a question, there and back, with the library's own client."""
    async with connect(f"ws://127.0.0.1:{port}", compression=None) as connection:

        async def trip() -> None:
            await connection.send(_LIKE)
            await connection.recv()

        yield trip


@asynccontextmanager
async def ask_trip(server: Child, port: int, scope: SessionScope) -> AsyncIterator[Trip]:
    """An ask that is answered by whoever watches, over a link of their own."""
    agent, ana = (await server.ask("tokens", principals=[AGENT, ANA]))["result"]
    url = f"ws://127.0.0.1:{port}"
    async with open_link(url, agent) as asking, open_link(url, ana) as answering, trio.open_nursery() as nursery:
        asker, viewer = await asking.get(Questions, scope), await answering.get(Questions, scope)
        nursery.start_soon(answer_what_comes, viewer)

        async def trip() -> None:
            await asker.ask(Confirm("Run it?"), audience=[Principal.user("ana")])

        yield trip
        nursery.cancel_scope.cancel()


async def answer_what_comes(viewer: Asker | Viewer) -> None:
    """Answer each question as soon as it is shown."""
    async for difference in viewer.open.differences():  # type: ignore[union-attr]
        for id in difference.put:
            await viewer.answer(id, True)  # type: ignore[union-attr]
