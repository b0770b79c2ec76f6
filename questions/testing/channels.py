"""What the adapter of every channel has to do, as cases to run against it.

    @pytest.mark.parametrize("case", CHANNEL_CASES, ids=lambda case: case.__name__)
    async def test_my_adapter(case):
        await case(open_my_stage)

They run on trio, in real time, before whatever service the stage has for the adapter.
"""

from __future__ import annotations

from .channel_answering import ANSWERING_IN_CHANNELS
from .channel_showing import SHOWING_IN_CHANNELS
from .channel_stage import ChannelCase, OpenChannelStage

__all__ = ["CHANNEL_CASES", "check_channel"]

CHANNEL_CASES: tuple[ChannelCase, ...] = (*SHOWING_IN_CHANNELS, *ANSWERING_IN_CHANNELS)
"""All cases, to parametrise a test with: `await case(open_stage)`."""


async def check_channel(open_stage: OpenChannelStage) -> None:
    """Run all cases, one after the other, each on a stage of its own.

    What fails is raised in one group once all have run; each error has a note with the case and what it shows.
    """
    errors: list[Exception] = []
    for case in CHANNEL_CASES:
        try:
            await case(open_stage)
        except Exception as error:
            errors.append(error)
    if errors:
        raise ExceptionGroup(f"{len(errors)} of {len(CHANNEL_CASES)} cases failed", errors)
