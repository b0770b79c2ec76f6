"""The engines that the tests of stored gates run on, each with the tables of gates and a clock that the test sets."""

from contextlib import asynccontextmanager

from questions.durable.store import TABLES
from questions.gates import GATE_TABLES, open_gates
from tests.questions.durable import engines
from tests.questions.durable.engines import OUTLIVING

__all__ = ["ENGINES", "OUTLIVING", "opened"]


def with_gates(kind):
    return type(kind.__name__, (kind,), {"tables": (*TABLES, *GATE_TABLES)})


ENGINES = {name: with_gates(kind) for name, kind in engines.ENGINES.items()}


@asynccontextmanager
async def opened(engine, **options):
    """Another opener of the same gates, by default without a gate server."""
    async with engine.open() as store, open_gates(store, **{"serve": False, **options}) as gates:
        yield gates
