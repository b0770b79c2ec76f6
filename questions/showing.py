"""What a viewer is shown of an entry. Logic only; a reload re-imports it."""

from __future__ import annotations

from collections.abc import Callable

from facets.principal import Principal, Who

from . import authority
from .entry import Entry
from .open_question import OpenQuestion

__all__ = ["show"]


def show(entry: Entry, viewer: Principal, who: Callable[[Principal], Who], now: Callable[[], float]) -> OpenQuestion:
    """The open question as `viewer` sees it. `now` is the clock that judges deadlines."""
    may_answer = authority.may_answer(viewer, entry)
    return OpenQuestion(entry, entry.ask.question, may_answer, viewer in entry.answers, who, now)
