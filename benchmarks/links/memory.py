"""What an idle viewer takes of the server's memory, beyond the websocket that it comes over."""

import trio

from benchmarks.findings import Findings, Row
from benchmarks.links.children import Child, open_child
from benchmarks.links.scale import Scale
from benchmarks.links.world import GREETED

_WATCHED = ["open", "closed"]


def measure(scale: Scale) -> Findings:
    """KB for each viewer, by what the processes hold."""
    return Findings([trio.run(_measure, scale)])


async def _measure(scale: Scale) -> Row:
    async with (
        open_child("served", "links") as links,
        open_child("served", "bare") as bare,
        open_child("receivers") as viewers,
    ):
        port, bare_port = (await links.hear())["links"], (await bare.hear())["bare"]
        few = max(1, scale.idle // 10)
        greetings = (await links.ask("greetings", count=scale.idle + few, watched=_WATCHED))["result"]
        ready = GREETED + len(_WATCHED)
        ours = await _taken(links, viewers, "links", port, greetings, few, ready)
        theirs = await _taken(bare, viewers, "bare", bare_port, [[]] * len(greetings), few, 0)
    detail = f"{ours:.1f} KB in all; a bare connection {theirs:.1f} KB; {scale.idle:,} viewers"
    return Row("memory of an idle viewer", ours - theirs, "KB", detail, 8, 3, at_least=False)


async def _taken(
    server: Child, viewers: Child, name: str, port: int, greetings: list[list[str]], few: int, ready: int
) -> float:
    """KB for each connection, after a few that pay for what is made once."""
    await viewers.ask("connect", name=f"{name} first", port=port, greetings=greetings[:few], ready=ready)
    await trio.sleep(0.3)
    before: int = (await server.ask("resident"))["result"]
    await viewers.ask("connect", name=name, port=port, greetings=greetings[few:], ready=ready)
    await trio.sleep(0.3)  # bare connections say nothing when they are open
    after: int = (await server.ask("resident"))["result"]
    taken = (after - before) / 1024
    return taken / (len(greetings) - few)
