"""`All` over a live audience that answers one by one: linear in the members, watched or not."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Literal

import trio

from benchmarks.findings import Findings, Row
from benchmarks.measure import Samples, Work, exponent, interleave
from benchmarks.ours import crowd_of, open_ours, viewer_of
from benchmarks.scale import Scale
from benchmarks.standing import watch
from facets import Cell, Principal
from questions import All, Asker, Confirm, Viewer

_ANSWERS_A_STEP_WHEN_WATCHED = 10


def measure(scale: Scale) -> Findings:
    """How the cost grows with the number of members."""
    alone = trio.run(_answer_by_turns, scale, scale.members, 0, 1)
    sizes = scale.watched_members
    watched = trio.run(_answer_by_turns, scale, sizes, scale.watching, _ANSWERS_A_STEP_WHEN_WATCHED)
    name = "All, live members answering one by one"
    return Findings(
        [
            _row(name, scale.members, alone),
            _row(f"{name}, {scale.watching:,} watching", sizes, watched),
        ]
    )


def _row(name: str, sizes: Sequence[int], samples: Samples) -> Row:
    per_member = [samples.median(str(size)) for size in sizes]
    growth = exponent(sizes, [size * us for size, us in zip(sizes, per_member, strict=True)])
    costs = ", ".join(f"{size}: {us:.1f}" for size, us in zip(sizes, per_member, strict=True))
    detail = f"us a member: {costs}"
    return Row(name, growth, "exponent", detail, budget=1.25, goal=1.1, at_least=False)


async def _answer_by_turns(scale: Scale, sizes: Sequence[int], watching: int, answers_a_step: int) -> Samples:
    outside = set(crowd_of(max(sizes) + watching)[max(sizes) :])

    def may_view(person: Principal, _scope: object) -> Literal["own", "all"]:
        return "all" if person in outside else "own"

    async with AsyncExitStack() as stack:
        settings = {"may_view": may_view}
        ours = await stack.enter_async_context(open_ours(max(sizes), settings=settings))
        viewers = [await stack.enter_async_context(viewer_of(ours.host, person)) for person in ours.people]
        nursery = await stack.enter_async_context(trio.open_nursery())
        for person in outside:
            nursery.start_soon(watch, ours.host, person)
        works = {str(size): _ask_all(ours.asker, ours.people[:size], viewers, answers_a_step) for size in sizes}
        samples = await interleave(works, scale.few_rounds if not watching else 3)
        nursery.cancel_scope.cancel()
    return samples


def _ask_all(asker: Asker, members: list[Principal], viewers: list[Viewer], answers_a_step: int) -> Work:
    """Ask all members, and answer as each of them; units are members."""

    async def ask() -> None:
        audience = Cell(tuple(members))
        collected = await asker.ask(Confirm("Run it?"), audience=audience, policy=All())
        assert len(collected.answers) == len(members)

    async def work() -> int:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            while not (open_questions := viewers[0].open.value):
                await trio.lowlevel.checkpoint()
            question_id = next(iter(open_questions))
            for number, viewer in enumerate(viewers[: len(members)]):
                await viewer.answer(question_id, True)
                if number % answers_a_step == 0:
                    await trio.lowlevel.checkpoint()
        return len(members)

    return work
