"""What anything that lets one ask and answer has to do, as cases to run against it.

    @pytest.mark.parametrize("case", QUESTION_CASES, ids=lambda case: case.__name__)
    async def test_my_client(case):
        await case(open_my_stage)

The cases use only what a client in another process can have as well: fixed audiences, `open`, `closed` and `answer`
of viewers, and `ask` and `asking`
of askers. They run on trio.
"""

from __future__ import annotations

from .answering import ANSWERING
from .keys import KEYS
from .stage import OpenStage, QuestionCase
from .viewing import VIEWING
from .voting import VOTING
from .waiting import WAITING

__all__ = ["QUESTION_CASES", "check_questions"]

QUESTION_CASES: tuple[QuestionCase, ...] = (*ANSWERING, *KEYS, *VIEWING, *VOTING, *WAITING)
"""All cases, to parametrise a test with: `await case(open_stage)`."""


async def check_questions(open_stage: OpenStage) -> None:
    """Run all cases, one after the other, each on a stage of its own.

    What fails is raised in one group once all have run; each error has a note with the case and what it shows.
    """
    errors: list[Exception] = []
    for case in QUESTION_CASES:
        try:
            await case(open_stage)
        except Exception as error:
            errors.append(error)
    if errors:
        raise ExceptionGroup(f"{len(errors)} of {len(QUESTION_CASES)} cases failed", errors)
