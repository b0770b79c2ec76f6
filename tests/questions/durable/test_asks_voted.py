"""Durable questions that are settled by a vote: ballots are in the record, and counted by whoever reads it."""

import pytest
from trio.testing import wait_all_tasks_blocked

from questions import InvalidAnswer, NoLongerActive
from questions.rooms import Mechanism, Tallied
from tests.questions.durable.asking import ANA, BO, open_on, result, shown
from tests.questions.rooms.elections import BALLOTS, DRINK
from tests.rules import rule


@rule("Q-KEY-4")
@pytest.mark.parametrize("name", ["plurality", "approval", "ranked_choice", "score_vote", "quadratic_vote"])
async def test_a_vote_outlives_its_host_with_every_kind_of_ballot(store, name):
    policy, (best, other) = Mechanism(name, ends="complete"), BALLOTS[name]
    async with open_on(store) as first:
        await first.begin(DRINK, [ANA, BO], policy=policy)
        viewer = await first.viewer(ANA)
        [question] = await shown(viewer, DRINK.message)
        await viewer.answer(question.id, other)
        await viewer.answer(question.id, best)
    async with open_on(store) as second:
        viewer = await second.viewer(BO)
        [question] = await shown(viewer, DRINK.message)
        assert question.policy == policy
        asking = await second.begin(DRINK, [ANA, BO], policy=policy)
        with pytest.raises(InvalidAnswer):
            await viewer.answer(question.id, ["beer"])
        await viewer.answer(question.id, best)
        tallied = await result(asking)
        assert isinstance(tallied, Tallied)
        assert (tallied.winner, tallied.id, tallied.eligible) == ("tea", question.id, 2)
        assert [one.by.principal for one in tallied.ballots] == [ANA, BO]
        again = await result(await second.begin(DRINK, [ANA, BO], policy=policy))
        assert again.as_case() == tallied.as_case()
        with pytest.raises(NoLongerActive):
            await viewer.answer(question.id, other)


@rule("Q-SET-2")
async def test_two_hosts_see_one_vote_and_its_revisions(store):
    policy = Mechanism("plurality", ends="complete")
    async with open_on(store) as one, open_on(store) as other:
        here = await one.begin(DRINK, [ANA, BO], policy=policy)
        there = await other.begin(DRINK, [ANA, BO], policy=policy)
        ana, bo = await one.viewer(ANA), await other.viewer(BO)
        [question] = await shown(ana, DRINK.message)
        await shown(bo, DRINK.message)
        await ana.answer(question.id, "coffee")
        await ana.answer(question.id, "tea")
        await wait_all_tasks_blocked()
        await bo.answer(question.id, "tea")
        results = [await result(asking) for asking in (here, there)]
        assert [tallied.winner for tallied in results] == ["tea", "tea"]
        assert results[0].as_case() == results[1].as_case()
