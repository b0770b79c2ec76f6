"""What would go over a limit is refused and leaves nothing behind."""

import pytest

from facets import Principal
from questions import (
    LimitExceeded,
    Limits,
)
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, assert_nothing_is_left, opened, said, team

ANA, BO = Principal.user("ana"), Principal.user("bo")


async def test_the_limit_of_open_questions_leaves_nothing_behind(autojump_clock):
    async with open_rig(limits=Limits(open=1)) as rig:
        (ana,) = await rig.people("ana")
        first, _ = await opened(rig, audience=[ana])
        asker = await rig.asker()
        with pytest.raises(LimitExceeded) as refused:
            await asker.ask(DEPLOY, audience=team(ana), key="k", timeout=60)
        assert (refused.value.what, refused.value.limit) == ("open questions", 1)
        said(ana, True)
        await first.wait()
        assert len(rig.reports) == 2
        assert_nothing_is_left(rig)


async def test_the_limit_of_an_audience_counts_distinct_members(autojump_clock):
    async with open_rig(limits=Limits(audience=2)) as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        await opened(rig, audience=[ana, bo, ana, bo])
        refused, _ = await opened(rig, audience=[ana, bo, cy])
        with pytest.raises(LimitExceeded, match="members of an audience"):
            await refused.wait()
        assert len(rig.reports) == 1


async def test_the_limit_of_waiters_leaves_those_that_wait_alone(autojump_clock):
    async with open_rig(limits=Limits(waiters=2)) as rig:
        (ana,) = await rig.people("ana")
        askings = [(await opened(rig, audience=[ana], key="k"))[0] for _ in range(3)]
        with pytest.raises(LimitExceeded, match="waiters"):
            await askings[2].wait()
        said(ana, True)
        assert [(await asking.wait()).answer for asking in askings[:2]] == [True, True]


async def test_a_supersede_that_would_be_refused_closes_nothing(autojump_clock):
    async with open_rig(limits=Limits(audience=1)) as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, id = await opened(rig, audience=[ana], key="k")
        refused, _ = await opened(rig, audience=[ana, bo], key="k")
        with pytest.raises(LimitExceeded):
            await refused.wait()
        assert said(ana, True, id) is None
        assert (await asking.wait()).answer is True
