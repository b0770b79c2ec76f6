"""What the person at the keyboard sees: the question in front, page by page; the others in one line each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from questions.open_question import OpenQuestion
from questions.question import Confirm, Select
from questions.visible import visible

from .desk import Desk

__all__ = ["draw"]

_FRAME_ROWS = 5  # the rule, the two edges of the box, the line about pages, and the cursor's
_FEWEST_ROWS = 3
_MOST_WAITING = 4
_URGENT = 10


def draw(desk: Desk, console: Console, now: float) -> RenderableType:
    """The whole view. `now` is on the clock that the desk is told of."""
    below = [*_waiting(desk), *([Text(desk.note, "bold")] if desk.note else [])]
    if desk.front is None:
        nothing = Text("Nothing for you to answer just now. The agents go on.", "dim")
        return Group(Rule(style="dim"), nothing, *below)
    return Group(Rule(style="dim"), _box(desk, desk.front, console, now, len(below)), *below)


def _box(desk: Desk, front: OpenQuestion, console: Console, now: float, rows_below: int) -> Panel:
    head = _wrapped(console, [Text(visible(front.question.message), "bold")])
    foot = _wrapped(console, [Text(""), *_people(front), Text(""), *_keys(desk, front, now)])
    room = console.height - len(head) - len(foot) - rows_below - _FRAME_ROWS
    urgent = front.remaining is not None and front.remaining < _URGENT
    return Panel(
        Group(*head, *_page(desk, front, console, max(room, _FEWEST_ROWS)), *foot),
        title=Text(" A question for you "),
        title_align="left",
        subtitle=Text(f" {_left(front)} ", "bold yellow" if urgent else ""),
    )


def _wrapped(console: Console, texts: Iterable[Text]) -> list[Text]:
    """Lines as the box will show them, so that they can be counted."""
    return [line for text in texts for line in (text.wrap(console, max(console.width - 4, 10)) or [text])]


def _page(desk: Desk, front: OpenQuestion, console: Console, room: int) -> Iterator[Text]:
    lines = _wrapped(console, [Text(visible(front.question.details))])
    page = desk.turn_to(math.ceil(len(lines) / room))
    yield from lines[page * room : (page + 1) * room]
    if desk.pages > 1:
        yield Text(f"-- page {page + 1} of {desk.pages}: space shows the next one --", "reverse")


def _people(front: OpenQuestion) -> Iterator[Text]:
    yield Text.assemble(("Asked by ", "dim"), str(front.asker))
    yield Text.assemble(("Answered: ", "dim"), _names(front.answered))
    yield Text.assemble(("Waiting for: ", "dim"), _names(front.waiting_for))


def _keys(desk: Desk, front: OpenQuestion, now: float) -> Iterator[Text]:
    question = front.question
    if isinstance(question, Select):
        for number, option in enumerate(question.options, 1):
            yield Text.assemble((f" {number} ", "reverse"), f" {visible(option.label)}")
    elif isinstance(question, Confirm):
        yes, no = visible(question.allow), visible(question.deny)
        yield Text.assemble((" y ", "reverse"), f" {yes}   ", (" n ", "reverse"), f" {no}")
    else:
        shown = "*" * len(desk.typed) if question.secret else visible(desk.typed)
        yield Text.assemble(("Type the answer, then Enter: ", "dim"), shown, ("_", "blink"))
    ready = "" if desk.armed_in(now) <= 0 else "   keys count in a moment ..."
    yield Text.assemble((" tab ", "reverse"), f" leave it to others{ready}")


def _waiting(desk: Desk) -> Iterator[Text]:
    for opened in desk.waiting[:_MOST_WAITING]:
        mine = "answered by you" if opened.answered_by_me else "waits its turn" if opened.may_answer else "not yours"
        more = f"({mine}; waiting for {_names(opened.waiting_for)}; {_left(opened)})"
        line = f"  {visible(opened.question.message)[:60]}  {more}"
        yield Text(line, "dim", no_wrap=True, overflow="ellipsis")
    if len(desk.waiting) > _MOST_WAITING:
        yield Text(f"  and {len(desk.waiting) - _MOST_WAITING} more", "dim")


def _names(people: Iterable[object]) -> str:
    return ", ".join(map(str, people)) or "nobody"


def _left(opened: OpenQuestion) -> str:
    if opened.remaining is None:
        return "no time limit"
    return f"{math.ceil(max(opened.remaining, 0))} s left"
