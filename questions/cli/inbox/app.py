"""The inbox on a terminal, with Textual: a list, the question in front, and a place to answer it."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from questions.cli.arming import chosen
from questions.cli.ballots import is_picked, is_typed, is_written
from questions.cli.inbox.fields import SENDING, Area, Line, PassedOn, Reason, Sent, Shortened
from questions.cli.inbox.giving import Deed, PassOn, Send, given, note_of, pass_nothing_on, takes_text, why_unfit
from questions.cli.inbox.layout import CSS
from questions.cli.inbox.pile import Closed, Open, Pile, Place, place_of
from questions.cli.inbox.wording import KEYS, about, choices, ended, how_to_answer, row, state_line
from questions.cli.quiet_app import QuietApp
from questions.durable.open_decision import OpenDecision
from questions.question import Confirm, Select
from questions.redaction import Secret

__all__ = ["Feed", "Inbox"]

Feed = Callable[["Inbox"], Coroutine[Any, Any, None]]
"""Tells the inbox what there is, until it is cancelled."""

_TICK = 0.25
_AWAY = "It cannot be sent now. What you have begun is kept."
_EMPTY = "Nothing is typed. The same key again gives an empty answer."
_ANSWERING = frozenset({"y", "Y", "n", "N", "e", "enter", *"123456789", *SENDING})


class Inbox(QuietApp[None]):
    """Shows what it is told by `look` and `tell_trouble`, answers by `send`, and passes on. Lives for one run.

    `feed` is run beside it, and tells it.
    """

    CSS = CSS
    VERTICAL_BREAKPOINTS = [(0, "-short"), (18, "-tall")]  # noqa: RUF012  # as the library declares it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "quit", priority=True),
        Binding("q", "quit"),
        Binding("escape", "back", priority=True),
        Binding("space", "read(1)"),
        Binding("b", "read(-1)"),
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        who: str,
        url: str,
        send: Send,
        feed: Feed,
        *,
        pass_on: PassOn = pass_nothing_on,
        with_sessions: bool = False,
    ) -> None:
        super().__init__()
        self._pass_on = pass_on
        self._head = (who, url)
        self._send = send
        self._feed = feed
        self._with_sessions = with_sessions
        self.pile = Pile()
        self._troubles: dict[Place | None, str] = {}
        self._note = ""
        self._is_sending = False
        self._drawn: str | None = None
        """The id of the question that the widgets below the list are made for."""
        self._drawn_field: Line | Area | None = None
        """Where that one is answered."""
        self._was_read = False
        """Whether the end of what there is to read has been in view."""
        self._rows: list[tuple[str, Text]] = []

    def compose(self) -> ComposeResult:
        """Its widgets, from the top."""
        yield Static(id="state")
        yield OptionList(id="list", markup=False)
        with VerticalScroll(id="about", can_focus=False):
            yield Static(id="question")
        yield Static(id="how")
        yield OptionList(id="choices", markup=False)
        yield Line(id="line", password=True)
        yield Area(id="area", highlight_cursor_line=False)
        yield Reason(id="reason")
        yield Static(id="note")
        yield Static(id="keys")

    def on_mount(self) -> None:
        """Begin to show, and to be told."""
        self._is_there = True
        self._reason.display = False
        self._list.focus()
        self.set_interval(_TICK, self._draw)
        self._draw()
        self.run_worker(self._feed(self), exit_on_error=True)

    @property
    def _list(self) -> OptionList:
        return self.query_one("#list", OptionList)

    @property
    def _choices(self) -> OptionList:
        return self.query_one("#choices", OptionList)

    @property
    def _field(self) -> Line | Area | None:
        """Where the question in front is answered, if that takes a text."""
        front = self.pile.front
        if front is None or not (is_typed(front) or self.pile.picked):
            return None
        return self.query_one("#line", Line) if front.question.secret else self.query_one("#area", Area)

    @property
    def _reason(self) -> Reason:
        return self.query_one("#reason", Reason)

    @property
    def _about(self) -> VerticalScroll:
        return self.query_one("#about", VerticalScroll)

    def _say(self, id: str, words: Text) -> None:
        self.query_one(id, Static).update(words)

    # --- what it is told ------------------------------------------------------------------------------------------

    def look(self, opened: Sequence[Open], closed: Mapping[str, Closed]) -> None:
        """What is open now, oldest first, and what has ended of late."""
        self.pile.look(opened, closed, time.time())
        self._draw()

    def tell_trouble(self, where: Place | None, why: str) -> None:
        """Why what is shown of a place, or (None) of all, may not be what is open; empty: it is."""
        self._troubles.pop(where, None)
        if why:
            self._troubles[where] = why
        self._draw()

    # --- drawing --------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        if self._is_there:
            self._draw_all()

    def _draw_all(self) -> None:
        pile, front = self.pile, self.pile.front
        who, url = self._head
        self._say("#state", state_line(who, url, "; ".join(self._troubles.values()), pile))
        self._draw_list()
        self._say("#question", Text("Nothing is open for you just now.") if front is None else about(front))
        how = Text() if front is None else how_to_answer(front, pile.picked)
        self._say("#how", ended(pile.ending, is_typing=self._is_typing) if pile.ending else how)
        self._say("#note", Text(self._note))
        if self._drawn != (None if front is None else front.id):
            self._bring(front)
        self._choices.display = is_picked(front) and pile.is_answerable and not (self._reason.display or pile.picked)
        self._draw_fields()
        self.screen.set_class(self._is_typing, "-typing")
        self._say("#keys", Text(KEYS["text" if self._is_typing else "list" if self.focused is self._list else "pick"]))
        self.call_after_refresh(self._look_whether_read)

    def _draw_fields(self) -> None:
        """One that is typed into stays, whatever becomes of the question: what is typed must not become keys."""
        field, pile = self._field, self.pile
        for one in (self.query_one("#line", Line), self.query_one("#area", Area)):
            one.display = one is field and (pile.is_answerable or self.focused is one or bool(one.value))
        if isinstance(field, Line) and pile.ending is not None:
            field.value = ""

    def _draw_list(self) -> None:
        front = self.pile.front
        shown = [*([front] if front and self.pile.ending else []), *self.pile.rows]
        rows = [(one.id, self._row(one)) for one in shown]
        if rows == self._rows:
            return
        if [id for id, _ in rows] == [id for id, _ in self._rows]:
            for id, text in rows:
                self._list.replace_option_prompt(id, text)
        else:
            self._list.set_options([Option(text, id) for id, text in rows])
        self._rows = rows
        if front is not None:
            self._list.highlighted = self._list.get_option_index(front.id)

    def _row(self, one: Open) -> Text:
        pile = self.pile
        is_in_front = pile.front is not None and one.id == pile.front.id
        return row(one, with_session=self._with_sessions, has_ended=one not in pile.rows, is_in_front=is_in_front)

    def _bring(self, front: Open | None) -> None:
        """Another question comes in front: what was begun for it is there again, and no key counts for a while."""
        self._put_away()
        self._reason.display = False
        self.pile.arming.hide()
        self._list.focus()
        self._drawn, self._drawn_field, self._was_read = None if front is None else front.id, self._field, False
        if front is None:
            return
        self._about.scroll_home(animate=False)
        draft = self.pile.draft(front.id)
        if isinstance(front.question, Select) and is_picked(front):
            self._choices.set_options([Option(label) for label in choices(front.question, None)])
            self._choices.highlighted = int(draft) if draft else None
        if (field := self._field) is not None:
            field.begin(front.id, front.id, self.pile.draft)
        self.call_after_refresh(self._is_shown, front.id)

    def _put_away(self) -> None:
        """Keep what is typed for the question that has been in front."""
        if self._drawn is not None and (field := self._drawn_field) is not None:
            self.pile.keep_draft(field.kept_as, field.value, is_secret=isinstance(field, Line))
            field.value = ""

    def _is_shown(self, id: str) -> None:
        if self._drawn == id:
            self.pile.arming.show(time.monotonic())

    def _look_whether_read(self) -> None:
        if self._is_there and self._about.scroll_offset.y >= self._about.max_scroll_y:
            self._was_read = True

    # --- keys -----------------------------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """The library's hook. A key from before the question in front was shown, or just after, answers nothing."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            if self._is_early(event):
                return
            if event.key == "enter" and self.focused is self._list:
                self._begin()  # in this very step, so that what is typed next goes into the answer
                return
        await super().on_event(event)

    def _begin(self) -> None:
        """Go to where the question in front is answered."""
        front = self.pile.front
        if front is not None and self.pile.is_answerable:
            if isinstance(front.question, Confirm):
                self._tell("Press y or n.")
            else:
                self.screen.set_focus(self._choices if is_picked(front) else self._field)

    def _is_early(self, event: events.Key) -> bool:
        field = self.focused
        is_typed = isinstance(field, Line | Area) and event.key not in field.sending
        return event.key in _ANSWERING and not is_typed and self.pile.arming.remaining(event.time) > 0

    @property
    def _is_typing(self) -> bool:
        return isinstance(self.focused, Line | Area)

    def on_key(self, event: events.Key) -> None:
        """A key that nothing else has taken."""
        front, key = self.pile.front, event.character or ""
        if front is None or not self.pile.is_answerable or is_written(front):
            return
        if key == "e" and isinstance(front, OpenDecision) and front.may_escalate:
            self._begin_to_pass_on(front)
            return
        value = chosen(front.question, key)
        if isinstance(value, bool):
            self._answer(value)
        elif isinstance(value, str):  # of several, a number only points at one
            self._choices.highlighted = int(key) - 1
            self._choices.focus()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """The person has moved on, in the list or among the choices."""
        front = self.pile.front
        if event.option_list.highlighted != event.option_index or front is None:
            return  # it has been drawn anew meanwhile
        if event.option_list is self._choices:
            self.pile.keep_draft(front.id, str(event.option_index))
            if isinstance(front.question, Select):
                for index, label in enumerate(choices(front.question, event.option_index)):
                    self._choices.replace_option_prompt_at_index(index, label)
        elif event.option.id != front.id:
            self._note = ""
            self.pile.turn_to(next((one for one in self.pile.rows if one.id == event.option.id), front))
            self._draw()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter on a choice: give it."""
        front = self.pile.front
        is_choice = event.option_list is self._choices
        if is_choice and front is not None and self.pile.is_answerable and isinstance(front.question, Select):
            self._choose(front, front.question.options[event.option_index].id)

    def _choose(self, front: Open, choice: str) -> None:
        if takes_text(front, choice):
            self.pile.picked, self._drawn_field = choice, self.query_one("#area", Area)
            self._drawn_field.begin(front.id, f"{front.id}/{choice}", self.pile.draft)
            self._draw()
            self.screen.set_focus(self._drawn_field)
        else:
            self._answer(given(front, choice))

    def _begin_to_pass_on(self, front: OpenDecision) -> None:
        self._reason.begin_for(front)
        self.screen.set_focus(self._reason)
        self._tell("Why, if you like to say? Enter passes it on, Esc does not.")

    def on_passed_on(self, event: PassedOn) -> None:
        """A key that passes a decision on."""
        front = self.pile.front
        if isinstance(front, OpenDecision) and event.about == front.id and self.pile.ending is None:
            if why_not := _AWAY if self._is_away(front) else self._reason.why_not(front):
                self._tell(why_not)
            else:
                self._act(front, lambda: self._pass_on(front, event.value.reveal()), "Passed on", self._go_back)

    def on_shortened(self, event: Shortened) -> None:
        """What was pasted was not taken as a whole."""
        self._tell(event.why)

    def on_sent(self, event: Sent) -> None:
        """A key that gives what is typed."""
        front = self.pile.front
        if front is not None and self.pile.is_answerable and event.about == self._drawn:
            self._answer(given(front, self.pile.picked, event.value.reveal()))

    async def action_back(self) -> None:
        """Back to the list; what was begun stays."""
        self._go_back()

    def _go_back(self, _: str = "") -> None:
        self._reason.display = False
        if self.pile.picked and self.pile.ending is None:  # to the choices
            self._put_away()
            self.pile.picked, self._drawn_field = "", None
            self._draw()
        self._list.focus()

    def action_read(self, pages: int) -> None:
        """Read on, or back."""
        self._about.scroll_relative(y=pages * max(self._about.size.height - 1, 1), animate=False)
        self.call_after_refresh(self._look_whether_read)

    # --- answering ------------------------------------------------------------------------------------------------

    def _tell(self, note: str) -> None:
        self._note = note
        self._draw()

    def _answer(self, value: Any) -> None:
        front = self.pile.front
        assert front is not None, "there is something in front that can be answered"
        if why_not := self._why_not(front, value):
            self._tell(why_not)
        else:
            given = Secret(value)
            self._act(front, lambda: self._send(front, given), "Your answer counts", self.pile.answered)

    def _act(self, front: Open, act: Deed, done: str, then: Callable[[str], None] | None = None) -> None:
        if not self._is_sending:
            self._is_sending = True
            self.run_worker(self._deliver(front, act, done, then))

    def _why_not(self, front: Open, value: Any) -> str:
        if self.pile.arming.remaining(time.monotonic()) > 0:
            return "Keys count in a moment."
        if self._is_away(front):
            return _AWAY
        empty = _EMPTY if value == "" and self._note != _EMPTY else ""
        return why_unfit(front, value, was_read=self._was_read) or empty

    def _is_away(self, front: Open) -> bool:
        return None in self._troubles or place_of(front) in self._troubles

    async def _deliver(self, front: Open, act: Deed, done: str, then: Callable[[str], None] | None) -> None:
        try:
            self._note, is_done = await note_of(act, done, front)
            if is_done and then is not None and self.pile.front is not None and self.pile.front.id == front.id:
                then(front.id)
        finally:
            self._is_sending = False
        self._draw()
