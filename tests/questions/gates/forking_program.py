"""Processes that act on gates and stop at a named point of a commit; see the program of that name for decisions."""

import trio

from questions.durable.store import TABLES
from questions.gates import GATE_TABLES, open_gates
from questions.gates.outbox import Begin
from tests.questions.durable import forking_program as forking
from tests.questions.gates.acts import held
from tests.questions.gates.cases import AUTOMATIC, PLACE, request, submission

__all__ = ["ACTS", "CHANNEL", "REQUEST"]

CHANNEL = "telegram:approval"
REQUEST = request(timeout=AUTOMATIC)


async def resume(gates, _):
    decision = (await gates.get(REQUEST.decision_id)).resolution
    return await gates.resume(PLACE.run_id, PLACE.attempt_id, decision, owner="host/epoch")


async def begin(gates, _):
    [effect] = await gates.effects(REQUEST.decision_id)
    return await gates.step_effect(effect.value.id, Begin())


ACTS = {
    "create": lambda gates, _: gates.create(REQUEST, parked=True),
    "submit": lambda gates, _: gates.submit(submission(REQUEST)),
    "cancel": lambda gates, _: gates.cancel(REQUEST.decision_id),
    "time out": lambda gates, lease: gates.time_out(REQUEST.decision_id, lease),
    "begin": begin,
    "resume": resume,
}


async def gate(*, act, point, **place):
    """Do one thing, and stop on the way or after it."""
    async with (
        forking.opened(**place) as store,
        open_gates(store, serve=False, audiences={"operator": [CHANNEL]}) as gates,
    ):
        lease = await held(gates) if act == "time out" else None
        forking.stopping.armed = point
        await ACTS[act](gates, lease)
        forking.stopping.reach("after it returned")
        await trio.sleep_forever()


if __name__ == "__main__":
    vars(forking).update(gate=gate, TABLES=(*TABLES, *GATE_TABLES))
    forking.main()
