"""The conformance suite, over links, through each of the three clients."""

from functools import partial

import pytest

from questions.testing import QUESTION_CASES
from tests.link.clients import every_client
from tests.link.stages import open_stage_over_links

every_case = pytest.mark.parametrize("case", QUESTION_CASES, ids=lambda case: case.__name__)


@every_client
@every_case
async def test_a_client_conforms(case, open_link):
    await case(partial(open_stage_over_links, open_link=open_link))
