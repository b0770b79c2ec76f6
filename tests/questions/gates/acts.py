"""What tests of stored gates do all the time."""

from questions.durable.backend import Scan
from questions.gates import Accepted
from questions.gates.tables import GATE_SERVER
from tests.questions.gates.cases import PLACE, request, submission

__all__ = ["accepted", "asked", "entered", "held", "resolution", "rows"]


async def entered(gates, place=PLACE, input=None):
    """The run of a place, which has entered its attempt."""
    run = await gates.start_run(place.run_id, place.workflow, input)
    await gates.enter_attempt(place.run_id, place.node, place.attempt_id)
    return run


async def asked(gates, *, parked=False, place=PLACE, **changes):
    """A request that is stored, and that its run waits for."""
    await entered(gates, place)
    made = request(place=place, **changes)
    await gates.create(made, parked=parked)
    return made


async def held(gates, owner="server-1", token="secret-1", lease_ms=10_000):
    """The lease of a gate server, as a function that gives it."""
    lease = await gates.claim(owner, token, lease_ms)
    assert lease is not None
    return lambda: lease


async def accepted(gates, made, **changes):
    """The decision that an answer makes."""
    verdict = await gates.submit(submission(made, **changes))
    assert isinstance(verdict, Accepted)
    return verdict.decision


async def resolution(gates, made):
    """How a request has ended."""
    return (await gates.get(made.decision_id)).resolution


async def rows(gates, table, index="all", equal=()):
    """Rows of a table, by an index."""
    assert table is not GATE_SERVER
    return (await gates.stored.backend.scan(Scan(table, index, equal, 1_000))).rows
