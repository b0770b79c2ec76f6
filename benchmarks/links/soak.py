"""Everything at once for minutes: asks, answers, watchers, and lines that are cut. What grows, slows or is wrong?"""

import random
import time
from collections.abc import Mapping
from statistics import median
from typing import Any

import attrs
import trio

from benchmarks.findings import Findings, Row
from benchmarks.links.children import Child, open_child
from benchmarks.links.line import Line, open_line
from benchmarks.links.world import GREETED, SCOPE
from facets import Principal
from facets.errors import FacetError
from facets.link.client import open_link
from questions import Confirm, Expired, QuestionError, Questions

_ASKERS, _PEOPLE, _WATCHERS = 8, 8, 100
_SAMPLE = 1 / 6  # of the whole time, at the start and at the end
_WARM_UP = 5.0  # seconds, at most
_TIMEOUT = 2.0  # seconds of an ask, so that what lingers for its key is soon gone
_DRAWN = random.Random(1)


@attrs.define
class Tally:
    """What has happened since the last look."""

    us: list[float] = attrs.field(factory=list)
    """How long each ask took that was answered."""
    expired: int = 0
    lost: int = 0
    cuts: int = 0


def measure(minutes: float) -> Findings:
    """Figures at the start and at the end, and what must be nought."""
    return Findings(trio.run(_measure, minutes * 60))


async def _measure(seconds: float) -> list[Row]:
    async with open_child("served", "links") as server, open_child("receivers") as viewers:
        port = (await server.hear())["links"]
        tally = Tally()
        async with trio.open_nursery() as nursery, open_line(port) as line:
            await _let_them_come(server, viewers, port, line, tally, nursery)
            await trio.sleep(min(_WARM_UP, seconds))
            first = await _sample(server, tally, seconds * _SAMPLE)
            tally.us.clear()
            await trio.sleep(seconds * (1 - 2 * _SAMPLE))
            last = await _sample(server, tally, seconds * _SAMPLE)
            nursery.cancel_scope.cancel()
        await viewers.ask("leave", name="watchers")
        await trio.sleep(_TIMEOUT + 1)
        left, violations = (await server.ask("state"))["result"], (await server.ask("check"))["result"]
    return _rows(seconds / 60, first, last, tally, left, violations)


def _rows(
    minutes: float, first: Mapping[str, Any], last: Mapping[str, Any], tally: Tally, left: Mapping[str, Any],
    violations: Mapping[str, int],
) -> list[Row]:  # fmt: skip
    name = f"soak of {minutes:g} minutes"
    grown = (last["resident"] - first["resident"]) / 2**20
    sizes = f"{first['resident'] / 2**20:.1f} MB, then {last['resident'] / 2**20:.1f} MB"
    rates = f"{first['rate']:,.0f}/s, then {last['rate']:,.0f}/s; lines cut {tally.cuts}, expired {tally.expired}"
    wrong = ", ".join(f"{what} {count}" for what, count in violations.items() if count) or "none"
    remaining = {what: left[what] for what in ("waiting", "connections")}
    return [
        Row(f"{name}: memory grown", grown, "MB", sizes),
        Row(f"{name}: p50 of an ask, end to start", last["p50"] / first["p50"], "x time", rates),
        Row(f"{name}: violations", sum(violations.values()), "found", wrong, 0, 0, at_least=False),
        Row(f"{name}: left over", sum(remaining.values()), "things", str(remaining), 0, 0, at_least=False),
    ]


async def _sample(server: Child, tally: Tally, seconds: float) -> dict[str, Any]:
    tally.us.clear()
    start = time.monotonic()
    await trio.sleep(seconds)
    took, us = time.monotonic() - start, list(tally.us)
    state: dict[str, Any] = (await server.ask("state"))["result"]
    return {**state, "rate": len(us) / took, "p50": median(us) if us else 0.0}


async def _let_them_come(
    server: Child, viewers: Child, port: int, line: Line, tally: Tally, nursery: trio.Nursery
) -> None:
    url = f"ws://127.0.0.1:{line.port}"
    for number in range(_PEOPLE):
        token = await _token(server, f"user:p{number}")
        nursery.start_soon(_person, url, token)
    for number in range(_ASKERS):
        token = await _token(server, f"server:agent{number}")
        nursery.start_soon(_agent, url, token, tally)
    greetings = (await server.ask("greetings", count=_WATCHERS, watched=["open", "closed"]))["result"]
    await viewers.ask("connect", name="watchers", port=port, greetings=greetings, ready=GREETED)
    nursery.start_soon(_cut_lines, line, viewers, tally)


async def _token(server: Child, name: str) -> str:
    token: str = (await server.ask("tokens", principals=[name]))["result"][0]
    return token


async def _agent(url: str, token: str, tally: Tally) -> None:
    """Ask, and ask again; one in ten gives up, every second one has a key."""
    async with open_link(url, token) as link:
        asker = await _got(link)
        while True:
            patience = 0.02 if _DRAWN.random() < 0.1 else 5.0
            with trio.move_on_after(patience):
                await _ask(asker, tally)


async def _ask(asker: Any, tally: Tally) -> None:
    audience = [Principal.user(f"p{number}") for number in _DRAWN.sample(range(_PEOPLE), 3)]
    key = f"k{_DRAWN.getrandbits(64)}" if _DRAWN.random() < 0.5 else None
    start = time.perf_counter()
    try:
        await asker.ask(Confirm("Run it?"), audience=audience, key=key, timeout=_TIMEOUT)
        tally.us.append((time.perf_counter() - start) * 1e6)
    except Expired:
        tally.expired += 1
    except FacetError:  # the line was cut
        tally.lost += 1
        await trio.sleep(0.05)


async def _person(url: str, token: str) -> None:
    """Watch, answer, and now and then go away and come back."""
    while True:
        async with open_link(url, token) as link:
            with trio.move_on_after(_DRAWN.uniform(5, 20)):
                viewer: Any = await _got(link)
                async for difference in viewer.open.differences():
                    for id in difference.put:
                        await _answer(viewer, id)


async def _got(link: Any) -> Any:
    while True:
        try:
            return await link.get(Questions, SCOPE)
        except FacetError:  # no connection just now
            await trio.sleep(0.05)


async def _answer(viewer: Any, id: str) -> None:
    try:
        await viewer.answer(id, True)
    except (FacetError, QuestionError):  # somebody else was first, or the line was cut
        return


async def _cut_lines(line: Line, viewers: Child, tally: Tally) -> None:
    while True:
        await trio.sleep(4)
        line.cut()
        await viewers.ask("storm", name="watchers", ready=GREETED)
        tally.cuts += 1
