"""What every engine of a durable store has to do, as cases to run against it.

    @pytest.mark.parametrize("case", BACKEND_CASES, ids=lambda case: case.__name__)
    async def test_my_engine(case):
        await case(open_my_stage)

They run on trio, with a real clock that the stage can stop (`EngineStage.set_clock`).
"""

from __future__ import annotations

from .engine_commits import COMMITS
from .engine_reads import READS
from .engine_stage import EngineCase, OpenEngineStage

__all__ = ["BACKEND_CASES", "check_backend"]

BACKEND_CASES: tuple[EngineCase, ...] = (*COMMITS, *READS)
"""All cases, to parametrise a test with: `await case(open_stage)`."""


async def check_backend(open_stage: OpenEngineStage) -> None:
    """Run all cases, one after the other, each on a stage of its own.

    What fails is raised in one group once all have run; each error has a note with the case and what it shows.
    """
    errors: list[Exception] = []
    for case in BACKEND_CASES:
        try:
            await case(open_stage)
        except Exception as error:
            errors.append(error)
    if errors:
        raise ExceptionGroup(f"{len(errors)} of {len(BACKEND_CASES)} cases failed", errors)
