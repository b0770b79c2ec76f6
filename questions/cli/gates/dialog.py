"""The dialog of a gate on a terminal, with Textual: what there is to read, the choices, and a place for a text."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Coroutine
from enum import StrEnum
from typing import Any, ClassVar

import attrs
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from facets.errors import FacetError
from questions.cli.arming import Arming
from questions.cli.inbox.fields import Area, Sent, Shortened
from questions.cli.lines import line_of
from questions.cli.quiet_app import QuietApp
from questions.gates.document import document
from questions.gates.errors import InvalidResponse
from questions.gates.resolution import Resolution
from questions.gates.responses import GivenText, Response, read_response
from questions.gates.verdicts import Accepted, Adopted, Conflict, Refused, Verdict
from questions.gates.view import ChannelView

from .dialog_words import FORGOTTEN, KEYS, choice_lines, faults_told, head, prompt, shown

__all__ = ["Feed", "GateDialog", "How", "Left", "Submit"]

_TICK = 0.25
_CSS = """
Screen { overflow: hidden; }
#head, #how, #note, #keys { height: auto; max-height: 2; }
#about { height: 1fr; min-height: 2; border-top: solid $foreground; border-bottom: solid $foreground; }
#choices { height: auto; max-height: 30%; border: none; }
#area { border: none; height: auto; min-height: 3; max-height: 40%; padding: 0 2; }
.-short #about { border-top: none; border-bottom: none; }
.-short #head, .-short #how { max-height: 1; }
.-short #area { min-height: 2; }
"""


class How(StrEnum):
    """How a dialog was left."""

    ANSWERED = "answered"
    ELSEWHERE = "settled elsewhere"
    NO_CHOICE = "selection cancelled"
    NO_TEXT = "input cancelled"
    INTERRUPTED = "interrupted"


@attrs.frozen
class Left:
    """How a dialog was left, and with what. `typed`: a text that was begun and not given."""

    how: How
    resolution: Resolution | None = None
    typed: str = ""


Submit = Callable[[Response], Awaitable[Verdict]]
"""Gives a response; the same one again is the same act."""
Feed = Callable[["GateDialog"], Coroutine[Any, Any, None]]
"""Tells the dialog how the decision has ended, once it has."""


class GateDialog(QuietApp[Left]):
    """Shows a request and takes one choice. Lives for one run, which returns how it was left.

    `now`: epoch milliseconds by the clock that deadlines are judged by. `feed` is run beside it.
    """

    CSS = _CSS
    VERTICAL_BREAKPOINTS = [(0, "-short"), (18, "-tall")]  # noqa: RUF012  # as the library declares it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "interrupt", priority=True),
        Binding("escape", "leave", priority=True),
        Binding("pagedown", "read(1)", priority=True),
        Binding("pageup", "read(-1)", priority=True),
        Binding("space", "read(1)"),
        Binding("b", "read(-1)"),
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, view: ChannelView, now: Callable[[], float], submit: Submit, feed: Feed) -> None:
        super().__init__()
        self._view = view
        self._now = now
        self._submit = submit
        self._feed = feed
        self.arming = Arming()
        self._was_read = False
        """Whether the end of what there is to read has been in view."""
        self._number = ""
        self._note = ""
        self._said: dict[str, Text] = {}
        self.is_giving = False
        """Whether a response is on its way."""

    def compose(self) -> ComposeResult:
        """Its widgets, from the top."""
        yield Static(id="head")
        with VerticalScroll(id="about", can_focus=False):
            yield Static(shown(document(self._view)), id="document")
        yield OptionList(*map(Option, choice_lines(self._view.choices, None)), id="choices", markup=False)
        yield Static(id="how")
        yield Area(id="area", highlight_cursor_line=False)
        yield Static(id="note")
        yield Static(id="keys")

    def on_mount(self) -> None:
        """Begin to show, and to be told."""
        self._is_there = True
        self._choices.highlighted = None if self._note else 0
        self._choices.focus()
        self.set_interval(_TICK, self._draw)
        self._draw()
        self.call_after_refresh(self._is_shown)
        self.run_worker(self._feed(self), exit_on_error=True)

    @property
    def _choices(self) -> OptionList:
        return self.query_one("#choices", OptionList)

    @property
    def _area(self) -> Area:
        return self.query_one("#area", Area)

    @property
    def _about(self) -> VerticalScroll:
        return self.query_one("#about", VerticalScroll)

    @property
    def _is_typing(self) -> bool:
        return self.focused is self._area

    def _draw(self) -> None:
        if not self._is_there:
            return
        ends = self._view.expires_at
        left = None if ends is None else (ends - self._now()) / 1000
        self._say("#head", head(self._view, left))
        self._say("#note", Text(self._note))
        self._say("#keys", Text(KEYS["text" if self._is_typing else "choices"]))
        self.query_one("#how", Static).display = self._area.display = self._is_typing
        self._choices.display = not self._is_typing
        self.call_after_refresh(self._look_whether_read)

    def _say(self, id: str, words: Text) -> None:
        if self._said.get(id) != words:
            self._said[id] = words
            self.query_one(id, Static).update(words)

    def _tell(self, note: str) -> None:
        self._note = note
        self._draw()

    def _is_shown(self) -> None:
        self.arming.show(time.monotonic())

    def _look_whether_read(self) -> None:
        """Only once keys count: before it was laid out, nothing has an end that is out of view."""
        is_shown = self._is_there and self.arming.remaining(time.monotonic()) <= 0
        if is_shown and self._about.scroll_offset.y >= self._about.max_scroll_y:
            self._was_read = True

    # --- what it is told ------------------------------------------------------------------------------------------

    def settled(self, resolution: Resolution, *, by_this: bool) -> None:
        """The decision has ended. `by_this`: by a response that was given here."""
        if self._is_there:
            how = How.ANSWERED if by_this else How.ELSEWHERE
            self.exit(Left(how, resolution, "" if by_this else self._area.value))

    # --- keys -----------------------------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """The library's hook. What was typed before the request was shown, or just after, is forgotten."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            key = event if isinstance(event, events.Key) else None
            is_interrupt = key is not None and key.key == "ctrl+c"
            if not is_interrupt and self.arming.remaining(event.time) > 0:
                self._forget()
                return
            # In this very step: Enter gives what the keys before it have pointed at, and what comes after it is text.
            if key is not None and not self._is_typing and self._point(key):
                return
        await super().on_event(event)

    def _forget(self) -> None:
        """A key that came too early may have pointed elsewhere, so that the next Enter may not give the first."""
        self._note = FORGOTTEN
        if self._is_there:
            self._choices.highlighted = None
            self._mark(None)
            self._draw()

    def _point(self, event: events.Key) -> bool:
        """Point at another choice, or choose; whether the key does that. Two digits point at one from 10 on."""
        choices, number = self._choices, self._number
        moves = {"up": choices.action_cursor_up, "down": choices.action_cursor_down}
        self._number = ""
        if (move := moves.get(event.key)) is not None:
            move()
        elif event.key == "enter":
            self._choose()
        elif (digit := event.character or "").isascii() and digit.isdecimal():
            fitting = [one for one in (number + digit, digit) if 1 <= int(one) <= len(self._view.choices)]
            self._number = fitting[0] if fitting else ""
            if fitting:
                choices.highlighted = int(fitting[0]) - 1
        else:
            return False
        return True

    def action_interrupt(self) -> None:
        """Leave at once."""
        self.exit(Left(How.INTERRUPTED, typed=self._area.value))

    def action_leave(self) -> None:
        """Leave the decision open."""
        if not self.is_giving:
            self.exit(Left(How.NO_TEXT if self._is_typing else How.NO_CHOICE, typed=self._area.value))

    def action_read(self, pages: int) -> None:
        """Read on, or back."""
        self._about.scroll_relative(y=pages * max(self._about.size.height - 1, 1), animate=False)
        self.call_after_refresh(self._look_whether_read)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """The person points at another choice."""
        if event.option_index == self._choices.highlighted:  # else another key has come since
            self._mark(event.option_index)

    def _mark(self, chosen: int | None) -> None:
        for place, line in enumerate(choice_lines(self._view.choices, chosen)):
            self._choices.replace_option_prompt_at_index(place, line)

    def _choose(self) -> None:
        """Enter on a choice: give it, or go on to its text."""
        self._look_whether_read()
        if (pointed := self._choices.highlighted) is None:
            self._tell("Point at a choice first: Up, Down or its number.")
            return
        id, terms = list(self._view.choices.items())[pointed]
        if not self._was_read:
            self._tell("Read to the end first: Space.")
        elif terms.input is None:
            self._give(Response(id))
        else:
            self._say("#how", prompt(terms, terms.input))
            self._area.display, self._area.about = True, id
            self.screen.set_focus(self._area)
            self._tell("")

    def on_sent(self, event: Sent) -> None:
        """The text that a choice takes is to be given, as it stands there."""
        asked = self._view.choices[event.about].input
        assert asked is not None
        self._give(Response(event.about, GivenText(asked.name, event.value.reveal())))

    def on_shortened(self, event: Shortened) -> None:
        """What was pasted was not taken as a whole."""
        self._tell(event.why)

    # --- answering ------------------------------------------------------------------------------------------------

    def _give(self, response: Response) -> None:
        try:
            read_response(self._view.choices, response)
        except InvalidResponse as error:
            self._tell(faults_told(error))
            return
        if not self.is_giving:
            self.is_giving = True
            self.run_worker(self._deliver(response))

    async def _deliver(self, response: Response) -> None:
        try:
            verdict = await self._submit(response)
        except FacetError as error:
            self._tell(f"{line_of(str(error))}. The same keys try again.")
        else:
            self._end_with(verdict)
        finally:
            self.is_giving = False

    def _end_with(self, verdict: Verdict) -> None:
        match verdict:
            case Accepted(decision=resolution) | Adopted(resolution=resolution):
                self.settled(resolution, by_this=True)
            case Conflict(winner=winner):
                self.settled(winner, by_this=False)
            case Refused(error=error):  # the feed tells how it has ended, if it has
                self._tell(f"Not counted: {line_of(str(error))}.")
