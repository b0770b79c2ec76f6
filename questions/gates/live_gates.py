"""`LiveGates`: the open requests of a host's store for one principal, live, and a way to answer them by a door."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from facets.context import Ctx
from facets.errors import Forbidden
from facets.keyed import KeyedReadable
from facets.link.interface import also_known_as, face, remote
from facets.principal import Principal
from questions.durable.errors import UnknownDecision
from questions.durable.tokens import new_token

from .admission import MayAnswer, admits, authorize_answering, submission_from
from .endings import ending
from .errors import SettledAlready
from .gate_desk import GateDesk
from .gate_desks import GateDesks
from .gate_wire import RESPONSE, age_of, converter, read_open_gate
from .open_gate import ClosedGate, OpenGate, closed_gate
from .request import Request
from .responses import read_response
from .store import GateStore
from .verdicts import Conflict, Refused
from .view import view_of

if TYPE_CHECKING:
    from facets.link.blocking import BlockingKeyedReadable

__all__ = ["LIVE_GATES", "BlockingGates", "GatesOverLink", "LiveGates"]


class LiveGates:
    """The open requests that a principal may answer, live. Served by `gates_facet`.

    `await ctx.get(LiveGates)`; or `await link.get(LiveGates)` from another process, or from a page, where alone they
    can be answered: whatever runs in the process of the host is a program.
    """

    def __init__(
        self, gates: GateStore, principal: Principal, may_answer: MayAnswer, desks: Callable[[], GateDesks]
    ) -> None:
        if principal.kind == "guest":
            raise Forbidden("guests take no part in decisions")
        self._gates = gates
        self._principal = principal
        self._may_answer = may_answer
        self._desks = desks
        self._desk: GateDesk | None = None

    @property
    def open(self) -> KeyedReadable[str, OpenGate]:
        """The open requests that this principal may answer, by id, the oldest first; for who is no user, none.

        Kept up from the feed of the store, from the first time that somebody asks for it.
        """
        return self._looked_on().open

    @property
    def closed(self) -> KeyedReadable[str, ClosedGate]:
        """The last 100 that have left `open`, by id; the last one to leave comes last."""
        return self._looked_on().closed

    def _looked_on(self) -> GateDesk:
        if self._desk is None:
            self._desk = self._desks().desk(partial(admits, self._principal, may_answer=self._may_answer))
        return self._desk

    async def answer(
        self, decision_id: str, request_digest: str, response: RESPONSE, act: str | None = None
    ) -> ClosedGate:
        """Over a link: see `GatesOverLink.answer`. In the process of the host always `HumanRequired`."""
        return await self.answer_from(None, decision_id, request_digest, response, act)

    async def answer_from(
        self, door: str | None, decision_id: str, request_digest: str, response: RESPONSE, act: str | None
    ) -> ClosedGate:
        """For `GatesOverLink`: an answer of who has come in by a door; None: by none."""
        request = await self._request(decision_id)
        authorize_answering(self._principal, door, decision_id, request, self._may_answer)
        assert request is not None
        assert door is not None
        given = read_response(request.choices, response)
        submission = submission_from(self._principal, door, decision_id, request_digest, given, act or new_token())
        match await self._gates.submit(submission):
            case Refused(error=error):
                raise error
            case Conflict(winner=winner, same_response=False):
                raise SettledAlready(decision_id, winner.provenance, ending(request, winner))
        return closed_gate(view_of(request), await self._gates.get(decision_id), 0)

    async def _request(self, id: str) -> Request | None:
        with suppress(UnknownDecision):
            return (await self._gates.get(id)).request
        return None

    def leave(self) -> None:
        """For the facet: nobody holds it any more."""
        if self._desk is not None:
            self._desks().leave(self._desk)
            self._desk = None


class GatesOverLink:
    """What they offer over links. Where somebody is, and who, the door says, and nobody else."""

    def __init__(self, gates: LiveGates, ctx: Ctx) -> None:
        if ctx.door is None:
            raise Forbidden("gates are offered to who has come in by a door")
        self._live = gates
        self._door = ctx.door

    @property
    def open(self) -> KeyedReadable[str, OpenGate]:
        """As `LiveGates.open`."""
        return self._live.open

    @property
    def closed(self) -> KeyedReadable[str, ClosedGate]:
        """As `LiveGates.closed`."""
        return self._live.closed

    async def answer(
        self, decision_id: str, request_digest: str, response: RESPONSE, act: str | None = None
    ) -> ClosedGate:
        """Answer a request as it was shown: a choice, and its text exactly as it was typed.

        `act`: what the person did, a text of one's own of 1 to 500 code points: with it the answer may be sent again
        after a lost link, and counts once. The same response that was chosen by somebody else is no conflict.

        Raises `HumanRequired` for who is no user, `UnknownDecision`, `InvalidResponse`, `Stale`, `SettledAlready`,
        `DeadlinePassed`, `DecisionCancelled`, `KeyReused`, `InvalidSubmission`; the decision is as it was then.
        """
        return await self._live.answer_from(self._door, decision_id, request_digest, response, act)


def _again(args: Mapping[str, Any], _: float) -> Mapping[str, Any] | None:
    """An act of its own name is known again, and counts once however often it is sent."""
    return None if args.get("act") is None else args


LIVE_GATES = remote(
    "gates",
    LiveGates,
    faces=[
        face(
            "gates",
            LiveGates,
            methods=["answer"],
            readables=["open", "closed"],
            wrap=GatesOverLink,
            hints=GatesOverLink,
            again={"answer": _again},
            order={"open": age_of},
        )
    ],
    converter=converter,
    readers={OpenGate: read_open_gate},
)
"""What `LiveGates` offers over links."""


if TYPE_CHECKING:

    class BlockingGates:
        """The open requests of a host in a plain script."""

        open: BlockingKeyedReadable[OpenGate]
        closed: BlockingKeyedReadable[ClosedGate]

        def answer(
            self, decision_id: str, request_digest: str, response: RESPONSE, act: str | None = None
        ) -> ClosedGate:
            """As `GatesOverLink.answer`."""

        def release(self) -> None:
            """Hold it no more."""

else:

    class BlockingGates:
        """The open requests of a host, as something to get in a plain script: `link.get(BlockingGates)`.

        The same as `LiveGates`, which it stands for; a type checker sees methods that block, as they do there.
        """


also_known_as(LIVE_GATES, BlockingGates)
