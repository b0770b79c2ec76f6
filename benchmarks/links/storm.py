"""A thousand clients that lose their connections in one instant and dial again at once."""

import time
from statistics import median

import trio

from benchmarks.findings import Findings, Row
from benchmarks.links.children import Child, open_child
from benchmarks.links.scale import Scale
from benchmarks.links.world import GREETED

_STANDING = 3


def measure(scale: Scale) -> Findings:
    """Seconds until everybody has a snapshot again."""
    return Findings([trio.run(_measure, scale)])


async def _measure(scale: Scale) -> Row:
    async with (
        open_child("served", "links") as links,
        open_child("served", "bare") as bare,
        open_child("receivers") as viewers,
    ):
        port, bare_port = (await links.hear())["links"], (await bare.hear())["bare"]
        await links.ask("stand", count=_STANDING, audience=10)
        greetings = (await links.ask("greetings", count=scale.storm, watched=["open"]))["result"]
        ready = GREETED + 1
        await viewers.ask("connect", name="links", port=port, greetings=greetings, ready=ready)
        ours: list[float] = []
        theirs: list[float] = []
        await viewers.ask("connect", name="bare", port=bare_port, greetings=[[]] * scale.storm, ready=0)
        for _ in range(max(2, scale.rounds // 2)):
            ours.append(await _storm(viewers, "links", ready))
            theirs.append(await _storm(viewers, "bare", 0))
    detail = f"slowest {max(ours):.2f} s; as many bare websockets opened: {median(theirs):.2f} s"
    return Row(f"{scale.storm:,} clients reconnect at once", median(ours), "s", detail, 3, 1, at_least=False)


async def _storm(viewers: Child, name: str, ready: int) -> float:
    start = time.monotonic()
    reply = await viewers.ask("storm", name=name, ready=ready)
    at: float = reply["at"]
    await trio.sleep(0.5)  # for the server to bury the old connections, which is no part of it
    return at - start
