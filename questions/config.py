"""What the questions facet can be configured with."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import attrs

from facets.errors import InvalidFacet

from .durable_port import DurableStore
from .limits import Limits
from .reports import Opened, Settled

__all__ = ["Around", "QuestionsConfig"]

Around = Callable[[str], AbstractContextManager[Any]]
"""Gives what is entered around a wait for the question with this id."""


@attrs.frozen
class QuestionsConfig:
    """The settings of `questions_facet.configured(...)`."""

    may_view: Callable[[Any, Any], Any] | None = None
    """(principal, scope) -> "none", "own" or "all"; None: the rule of `authority.may_view`. Plain and quick."""
    linger: float = 30.0
    """Seconds for which a keyed question outlives the link of its last waiter; infinity: for ever."""
    retain: float = 600.0
    """Seconds for which a result is kept for its key, and for which it is remembered how a question ended."""
    durable: DurableStore | None = None
    """Where `ask(..., durable=True)` keeps its questions: `questions.durable.durable_asks(store)`, which is to be open
    for longer than the host. Taken as the host starts; a reload does not change it."""
    limits: Limits = attrs.field(factory=Limits)
    """What may grow how far."""
    observe: Callable[[Opened | Settled], None] | None = None
    """Called with each report, right after the step that it reports, in the host's thread; what it raises is logged."""

    around: Around | None = None
    """Called with a question's id by each task that is about to wait for it; what it gives is entered for as long as
    the task waits, as `with around(id): ...`. For tracing: plain and quick; what it raises is logged."""

    def __attrs_post_init__(self) -> None:
        times = {"linger": self.linger, "retain": self.retain}
        if faults := [f"$.{name}: 0 seconds or more, not {time!r}" for name, time in times.items() if not time >= 0]:
            raise InvalidFacet("questions", faults)
