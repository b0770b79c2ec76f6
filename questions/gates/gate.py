"""`Gate`: a decision of people in a program, whose type follows from its choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import trio

from .choice_classes import Choice, OneOf
from .definition import GateDefinition, Place, make_request
from .delivery import WITHIN, Undelivered, is_shown
from .gate_run import GateRun
from .policy import TimeoutPolicy
from .request import Request
from .resolution import Cancellation, Resolution
from .routing import Routes
from .steps import Standing
from .store_errors import Differs, GateCancelled, GateExpired, NotWaiting, ResumedElsewhere, StillWaiting

__all__ = ["Gate"]

A = TypeVar("A", bound=Choice)
T = TypeVar("T")


class Gate(Generic[A]):
    """A gate of a workflow; `A` is the union of its choices. Immutable, and good for any number of runs.

        approve: Gate[Continue | Stop] = Gate(Continue, Stop, request=lambda plan: Prompt("Go on?", plan, ...))

        match await approve.decide(run, "approve", "attempt-1", plan):
            case Continue(): ...
            case Stop(): ...
            case never: assert_never(never)

    `request`: makes the prompt of a context. `audience`, `timeout`: as for `GateDefinition`. Raises `InvalidGate`.

    Whoever comes to a gate with the same run and attempt again, after a crash too, gets the request that is stored and
    what was decided on it; `request` is not called again. So the context of an attempt counts the first time alone.
    Only processes that come to it for the first time at the same moment each call `request`, and the request of one of
    them is stored and returned to all: let it change nothing.
    """

    def __init__(
        self,
        *kinds: type[A],
        request: Callable[[Any], Any],
        audience: str | Callable[[Any], str] = "operator",
        timeout: TimeoutPolicy | Callable[[Any], TimeoutPolicy | None] | None = None,
    ) -> None:
        self._offered: OneOf[A] = OneOf(*kinds)
        self.definition: GateDefinition[Any] = GateDefinition(self._offered.choices, request, audience, timeout)

    async def decide(
        self,
        run: GateRun,
        node: str,
        attempt: str,
        context: Any = None,
        *,
        undelivered: Callable[[Undelivered], object] | None = None,
    ) -> A:
        """Ask, wait in place, and go on with what was chosen, by a person or by the timeout policy.

        `node`: 1 to 200 code points. `attempt`: 1 to 200 letters, digits and `._-`, the same one after a crash. Raises
        `InvalidRequest`, `RunEnded`, `Differs` if another request is stored there, `TooManyRequests`; and if nothing
        was chosen, `GateCancelled` or `GateExpired`. Cancelled, it leaves the request as it is: people may still
        answer, and whoever comes to it again gets that. `ResumedElsewhere`: it was parked, and a handler goes on.

        `undelivered`: called once, if nobody is shown it within a second; the wait goes on, unless it raises.
        """
        request = await self._asked(run, node, attempt, context, parked=False)
        return await self._chosen(run, request, await self._ended(run, request, undelivered))

    async def _ended(
        self, run: GateRun, request: Request, undelivered: Callable[[Undelivered], object] | None
    ) -> Resolution:
        if undelivered is not None:
            with trio.move_on_after(WITHIN):
                return await run.gates.ended(request.decision_id)
            if not await is_shown(run.gates, request.decision_id):
                undelivered(Undelivered(request.decision_id, request.audience))
        return await run.gates.ended(request.decision_id)

    async def submit(self, run: GateRun, node: str, attempt: str, context: Any = None) -> Request:
        """Ask, and park the run: this returns at once, and no process has to wait. Raises as `decide` does.

        Once it is decided, whoever has the store open with `resume=` for this workflow goes on with the run; or ask for
        the `result`.
        """
        return await self._asked(run, node, attempt, context, parked=True)

    async def result(self, run: GateRun, attempt: str) -> A:
        """What was chosen, if it was: the run goes on then. Raises `StillWaiting`, and what `decide` raises."""
        standing = await run.gates.of_attempt(run.id, attempt)
        if standing is None:
            raise NotWaiting(attempt, "entered")
        self._check(standing)
        if standing.resolution is None:
            raise StillWaiting(standing.request.decision_id)
        return await self._chosen(run, standing.request, standing.resolution)

    def routes(self, node: str, cases: Mapping[str | type[Choice], T]) -> Routes[T]:
        """Where a run goes on after each choice. Raises `InvalidGate` for a choice without a case, or the reverse."""
        return Routes(node, self._offered.choices, cases)

    async def _asked(self, run: GateRun, node: str, attempt: str, context: Any, *, parked: bool) -> Request:
        await run.gates.enter_attempt(run.id, node, attempt)
        async with run.gates.turn(f"{run.id}/{attempt}"):
            standing = await run.gates.of_attempt(run.id, attempt)
            if standing is None:
                return await self._created(run, node, attempt, context, parked)
        self._check(standing)
        await run.gates.hold(run.id, attempt, parked=parked)
        return standing.request

    async def _created(self, run: GateRun, node: str, attempt: str, context: Any, parked: bool) -> Request:
        place = Place(run.id, run.workflow, node, attempt)
        now = await run.gates.store.backend.now()
        request = make_request(self.definition, self.definition.request(context), place=place, context=context, now=now)
        try:
            await run.gates.create(request, parked=parked)
        except Differs:
            standing = await run.gates.of_attempt(run.id, attempt)
            if standing is None:
                raise
            self._check(standing)  # another process came to it at the same time, and was first
            return standing.request
        return request

    def _check(self, standing: Standing) -> None:
        """Whether what is stored offers what this gate offers."""
        if standing.request.choices.as_json() != self._offered.choices.as_json():
            raise Differs("request", standing.request.decision_id)

    async def _chosen(self, run: GateRun, request: Request, resolution: Resolution) -> A:
        if isinstance(resolution, Cancellation):
            raise (GateExpired if resolution.reason == "expired" else GateCancelled)(request.decision_id)
        resumption = await run.gates.resume(run.id, request.attempt_id, resolution)
        if (owner := resumption.attempt.owner) is not None and owner != run.owner:
            raise ResumedElsewhere(request.decision_id, owner)
        return self._offered.read(resumption.receipt.response)
