"""The conformance suite, over links."""

import pytest

from questions.testing import QUESTION_CASES
from tests.link.stages import open_stage_over_links

every_case = pytest.mark.parametrize("case", QUESTION_CASES, ids=lambda case: case.__name__)


@every_case
async def test_a_trio_client_conforms(case):
    await case(open_stage_over_links)
