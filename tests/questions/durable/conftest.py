"""Stores for the tests of decisions: each test runs on every engine, under a clock that the test sets."""

import pytest

from tests.questions.durable.engines import ENGINES


@pytest.fixture(params=ENGINES)
def engines(request, tmp_path):
    """An `EngineUnderTest` of each kind."""
    engine = ENGINES[request.param](tmp_path)
    yield engine
    engine.drop()


@pytest.fixture
async def store(engines):
    """A store on each engine."""
    async with engines.open() as opened:
        yield opened
