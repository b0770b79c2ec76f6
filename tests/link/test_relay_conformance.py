"""The conformance suite with the questions on a worker: people are at the server, who asks is here or there."""

import pytest

from questions.testing import QUESTION_CASES
from tests.link.relays import open_stage_with_asker_on_the_worker, open_stage_with_remote_asker

every_case = pytest.mark.parametrize("case", QUESTION_CASES, ids=lambda case: case.__name__)


@every_case
async def test_who_asks_on_the_worker_reaches_people_at_the_server(case):
    await case(open_stage_with_asker_on_the_worker)


@every_case
async def test_who_asks_at_the_server_does_so_through_the_worker_that_owns_the_session(case):
    await case(open_stage_with_remote_asker)
