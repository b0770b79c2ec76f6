"""What a store has to do for questions that outlive the process; `questions.durable` does it.

Such a store swaps the values of entries and never learns what a state is: the host hands it `settlement.step`. What
comes back from it, also of what other hosts have done, replaces the value that this host shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn, Protocol

import msgspec

from facets.principal import Principal, Who

from .entry import Entry, Event
from .limits import Limits
from .scopes import Scope

if TYPE_CHECKING:
    from .request import AskRequest

__all__ = ["DURABLE_ID", "DurableAsk", "DurableAsks", "DurableStore", "Kept", "Step"]

DURABLE_ID = "ask_"
"""What the ids of durable questions begin with."""

Step = Callable[[Entry, Event], Entry]
"""The table of states, as it is after the last reload."""


class Kept(msgspec.Struct, frozen=True, eq=False):
    """A durable question as its record was read. Its deadline is on this host's clocks; its number is still to come."""

    entry: Entry
    version: int
    """Of the record: rises with each change. 0: it has none, since its time was over before it was asked."""
    seen: tuple[Principal, ...]
    """Who has been shown it, on whichever host."""


class DurableAsk(msgspec.Struct, frozen=True, eq=False):
    """An ask that is to be found in the store, or opened there. `request` has been checked."""

    request: AskRequest
    asker: Who
    scope: Scope
    limits: Limits
    """What may be open in the store; judged in the commit that opens the question."""
    admit: Callable[[Entry | None], None]
    """Called before one is opened, in the place of an open one if there is one; raises what refuses it."""


class DurableAsks(Protocol):
    """The durable questions as one host sees them. Everything can raise `StoreUnavailable`; nothing has changed then.

    What is cancelled before it was committed has not happened; a commit that has begun is waited for.
    """

    async def begin(self) -> Sequence[Kept]:
        """All that are open, in the order in which they were asked. What changes from now on comes by `follow`."""

    async def follow(self, take: Callable[[Kept], object]) -> NoReturn:
        """Call `take` with each value that another host, or a deadline, has brought about. Until it is cancelled.

        The clock of the store judges deadlines (Q-SET-5). While the store cannot be reached this waits.
        """

    async def ask(self, ask: DurableAsk) -> Sequence[Kept]:
        """The question with this key, which is opened if need be; before it the one that it replaces (Q-KEY-2).

        Raises `Superseded` rather than replace for a request that only attaches, `LimitExceeded`, and what tells that
        the key stands for something that cannot be read.
        """

    async def report(self, id: str, event: Event) -> tuple[Kept, bool]:
        """Apply an event: the value after it, and whether it was applied: not to what had ended by then.

        Raises `UnknownQuestion`, and what the step refuses.
        """

    async def find(self, id: str) -> Kept | None:
        """A question that is open, or has ended and is kept."""

    async def named(self, asker: Principal, scope: Scope, key: str) -> str | None:
        """The id of the question that has a key, open or with a result that is kept."""

    def saw(self, id: str, principal: Principal) -> None:
        """Somebody was shown it here. At once; it is written down soon."""


class DurableStore(Protocol):
    """What `questions_facet.configured(durable=...)` takes: `questions.durable.durable_asks(store)` makes one."""

    def asks(self, step: Step, now: Callable[[], float]) -> DurableAsks:
        """For one host, whose wall clock is `now`, epoch seconds."""
