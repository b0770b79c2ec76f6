"""Stores for the tests of gates: each test runs on every engine, under a clock that the test sets."""

import pytest

from tests.questions.gates.cases import CREATED
from tests.questions.gates.engines import ENGINES, opened


@pytest.fixture(params=ENGINES)
def engines(request, tmp_path):
    """An engine of each kind."""
    engine = ENGINES[request.param](tmp_path)
    yield engine
    engine.drop()


@pytest.fixture
async def gates(engines):
    """The gates of a store on each engine, without a gate server; its clock stands where most requests are made."""
    async with opened(engines) as opened_gates:
        await engines.set_clock(CREATED)
        yield opened_gates
