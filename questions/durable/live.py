"""`LiveDecisions`: the decisions of a host's store for one principal, with what is open, live; and over links."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from facets.context import Ctx
from facets.errors import Forbidden
from facets.keyed import KeyedReadable
from facets.link.interface import also_known_as, face, remote

from .caller import Caller
from .decision import Decision
from .decisions import Decisions
from .desk import Desk
from .desks import Desks
from .open_decision import ClosedDecision, OpenDecision
from .store import Store
from .wire import ESCALATION, OPTIONS, age_of, converter, read_open_decision

if TYPE_CHECKING:
    from facets.link.blocking import BlockingKeyedReadable

__all__ = ["LIVE_DECISIONS", "BlockingDecisions", "DecisionsOverLink", "LiveDecisions"]


class LiveDecisions(Decisions):
    """What `Decisions` does, and what is open for its caller, live. Served by `decisions_facet`.

    `await ctx.get(LiveDecisions)`, or `await link.get(LiveDecisions)` from another process. A program that acts in a
    call of its own names that instead of None: `get(LiveDecisions, "call-7")`, and is then refused to judge what it
    has raised in it.
    """

    def __init__(self, store: Store, caller: Caller, desks: Callable[[], Desks]) -> None:
        super().__init__(store, caller)
        self._desks = desks
        self._desk: Desk | None = None

    @property
    def open(self) -> KeyedReadable[str, OpenDecision]:
        """The open decisions that this caller may see, by id: those that it holds, and has raised. Oldest first.

        Kept up from the feed of the store, from the first time that somebody asks for it.
        """
        return self._looked_on().open

    @property
    def closed(self) -> KeyedReadable[str, ClosedDecision]:
        """The last 100 that have left `open`, by id; the last one to leave comes last."""
        return self._looked_on().closed

    def _looked_on(self) -> Desk:
        if self._desk is None:
            self._desk = self._desks().desk(self.caller)
        return self._desk

    def through(self, door: str) -> Decisions:
        """The same for who has come in by a link: `via`, `link` or `web`, is as the door has seen it."""
        return Decisions(self._store, attrs.evolve(self.caller, via=door))

    def leave(self) -> None:
        """For the facet: nobody holds it any more."""
        if self._desk is not None:
            self._desks().leave(self._desk)
            self._desk = None


class DecisionsOverLink:
    """What they offer over links. Where somebody is, the door says, and nobody else."""

    def __init__(self, decisions: LiveDecisions, ctx: Ctx) -> None:
        if ctx.door is None:
            raise Forbidden("decisions are offered to who has come in by a door")
        self._live = decisions
        self._decisions = decisions.through(ctx.door)

    @property
    def open(self) -> KeyedReadable[str, OpenDecision]:
        """As `LiveDecisions.open`."""
        return self._live.open

    @property
    def closed(self) -> KeyedReadable[str, ClosedDecision]:
        """As `LiveDecisions.closed`."""
        return self._live.closed

    async def raise_decision(
        self,
        title: str,
        *,
        kind: str | None = None,
        body: str | None = None,
        options: OPTIONS = None,
        input: str | None = None,
        holder: str | None = None,
        deadline: int | None = None,
        timeout_ms: float | None = None,
        on_expire: str | None = None,
        default_option_id: str | None = None,
        escalation: ESCALATION = None,
        run_id: str | None = None,
        session_id: str | None = None,
        call: str | None = None,
    ) -> Decision:
        """As `Decisions.raise_decision`."""
        fields = {name: value for name, value in locals().items() if name not in ("self", "title")}
        return await self._decisions.raise_decision(title, **fields)

    async def get(self, id: str) -> Decision:
        """As `Decisions.get`."""
        return await self._decisions.get(id)

    async def list(self, status: str = "open", holder: str | None = None, limit: int = 50) -> Sequence[Decision]:
        """As `Decisions.list`."""
        return await self._decisions.list(status, holder, limit)

    async def answer(
        self, id: str, *, option: str | None = None, text: str | None = None, token: str | None = None
    ) -> Decision:
        """As `Decisions.answer`."""
        return await self._decisions.answer(id, option=option, text=text, token=token)

    async def escalate(self, id: str, reason: str | None = None) -> Decision:
        """As `Decisions.escalate`."""
        return await self._decisions.escalate(id, reason)

    async def cancel(self, id: str) -> Decision:
        """As `Decisions.cancel`."""
        return await self._decisions.cancel(id)

    async def wait(self, id: str, timeout_ms: float | None = None) -> Decision:
        """As `Decisions.wait`."""
        return await self._decisions.wait(id, timeout_ms)


def _again(args: Mapping[str, Any], _: float) -> Mapping[str, Any]:
    """What only looks, again after a lost link."""
    return args


def _wait_again(args: Mapping[str, Any], _: float) -> Mapping[str, Any] | None:
    """A wait without an end goes on; one with a time would begin anew, and is its caller's to repeat."""
    return args if args.get("timeout_ms") is None else None


def _answer_again(args: Mapping[str, Any], _: float) -> Mapping[str, Any] | None:
    """With a token an answer is known again, and is given once however often it is sent."""
    return None if args.get("token") is None else args


LIVE_DECISIONS = remote(
    "decisions",
    LiveDecisions,
    input=str | None,
    faces=[
        face(
            "decisions",
            LiveDecisions,
            methods=["raise_decision", "get", "list", "answer", "escalate", "cancel", "wait"],
            readables=["open", "closed"],
            wrap=DecisionsOverLink,
            hints=DecisionsOverLink,
            again={"get": _again, "list": _again, "wait": _wait_again, "answer": _answer_again},
            order={"open": age_of},
        )
    ],
    converter=converter,
    readers={OpenDecision: read_open_decision},
)
"""What `LiveDecisions` offers over links."""


if TYPE_CHECKING:

    class BlockingDecisions:
        """The decisions of a host in a plain script."""

        open: BlockingKeyedReadable[OpenDecision]
        closed: BlockingKeyedReadable[ClosedDecision]

        def raise_decision(self, title: str, **fields: Any) -> Decision:
            """As `Decisions.raise_decision`."""

        def get(self, id: str) -> Decision:
            """As `Decisions.get`."""

        def list(self, status: str = "open", holder: str | None = None, limit: int = 50) -> Sequence[Decision]:
            """As `Decisions.list`."""

        def answer(
            self, id: str, *, option: str | None = None, text: str | None = None, token: str | None = None
        ) -> Decision:
            """As `Decisions.answer`."""

        def escalate(self, id: str, reason: str | None = None) -> Decision:
            """As `Decisions.escalate`."""

        def cancel(self, id: str) -> Decision:
            """As `Decisions.cancel`."""

        def wait(self, id: str, timeout_ms: float | None = None) -> Decision:
            """As `Decisions.wait`, and blocks."""

        def release(self) -> None:
            """Hold it no more."""

else:

    class BlockingDecisions:
        """The decisions of a host, as something to get in a plain script: `link.get(BlockingDecisions)`.

        The same as `LiveDecisions`, which it stands for; a type checker sees methods that block, as they do there.
        """


also_known_as(LIVE_DECISIONS, BlockingDecisions)
