"""What is told on standard error while an ask waits: a live line on a terminal, else a line for each change."""

from __future__ import annotations

from typing import Protocol, TextIO

import attrs

from facets.principal import Who
from questions.open_ask import OpenAsk

from .durations import in_words
from .lines import line_of
from .live_line import LiveLine, is_screen
from .watch_lines import names_of

__all__ = ["Progress", "progress_on"]


class Progress(Protocol):
    """Tells how an ask stands."""

    def show(self, ask: OpenAsk) -> None:
        """It is open, and stands so."""

    def connection(self, why: str | None) -> None:
        """The connection is lost, for what reason; None: it is back."""

    def tick(self) -> None:
        """Time has passed."""

    def end(self) -> None:
        """Nothing more is told."""


def progress_on(stream: TextIO, *, quiet: bool) -> Progress:
    """The one for a stream: nothing if `quiet`."""
    if quiet:
        return _Silent()
    return _OneLine(LiveLine(stream)) if is_screen(stream) else _Lines(stream)


class _Silent:
    def show(self, ask: OpenAsk) -> None:
        pass

    def connection(self, why: str | None) -> None:
        pass

    def tick(self) -> None:
        pass

    def end(self) -> None:
        pass


@attrs.define
class _Lines:
    """For logs: a line when it is open, and when somebody has answered; no countdown."""

    _stream: TextIO
    _known: tuple[tuple[Who, ...], ...] | None = None

    def show(self, ask: OpenAsk) -> None:
        now = (ask.answered, ask.waiting_for)
        if self._known is None:
            self._tell(f"Asked {ask.id}. {_standing(ask, seen=False)}")
        elif now != self._known:
            self._tell(_standing(ask, seen=False))
        self._known = now

    def connection(self, why: str | None) -> None:
        self._tell("The connection is back." if why is None else f"{_lost(why)}.")

    def tick(self) -> None:
        pass

    def end(self) -> None:
        pass

    def _tell(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


@attrs.define
class _OneLine:
    """For a terminal: one line that says how it stands now."""

    _line: LiveLine
    _ask: OpenAsk | None = None
    _why: str | None = None

    def show(self, ask: OpenAsk) -> None:
        self._ask = ask
        self.tick()

    def connection(self, why: str | None) -> None:
        self._why = why
        self.tick()

    def tick(self) -> None:
        text = "Asking ..." if self._ask is None else _standing(self._ask, seen=True)
        if self._why is not None:
            text = f"{_lost(self._why)}. {text}"
        self._line.write(text)

    def end(self) -> None:
        self._line.end()


def _standing(ask: OpenAsk, *, seen: bool) -> str:
    parts = [f"Waiting for {names_of(ask.waiting_for)}"]
    if ask.answered:
        parts.append(f"answered by {names_of(ask.answered)}")
    if seen:
        parts.append(f"seen by {names_of(ask.seen)}")
    if ask.remaining is not None:
        parts.append(f"{in_words(ask.remaining)} left")
    return "; ".join(parts) + "."


def _lost(why: str) -> str:
    return f"The connection is lost ({line_of(why)}), and is tried again"
