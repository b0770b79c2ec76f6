"""Channels whose store cannot be reached for a while: nothing is forgotten, and nothing skipped."""

import pytest

from questions.durable.memory import MemoryBackend
from questions.durable.store import TABLES
from questions.gates import GATE_TABLES
from tests.questions.durable.intercepting import Intercepting, lost
from tests.questions.gates.channel_stage import asked, becomes, open_stage


@pytest.fixture
def engine():
    return Intercepting(MemoryBackend((*TABLES, *GATE_TABLES)))


async def test_an_answer_that_cannot_be_judged_is_brought_again(engine):  # case 140
    async with open_stage(engine) as (service, gates, _):
        decision = await asked(gates)
        await becomes(gates, decision, "applied")
        engine.away.add("commit")
        looked = service.count("updates")
        service.press(service.codes()["continue"])
        await service.until(lambda: service.count("updates") > looked + 2)
        assert (await gates.get(decision.decision_id)).resolution is None
        engine.away.clear()
        await gates.ended(decision.decision_id)
        await service.until(lambda: service.said)
    assert service.said == ["received"]
    assert len({call["after"] for call in service.calls if call["do"] == "updates"}) <= 2


async def test_what_was_shown_is_written_down_once_the_store_is_back(engine):
    async with open_stage(engine) as (service, gates, _):
        service.plan["send"] = ["hold"]
        decision = await asked(gates)
        await service.until(lambda: service.count("send"))
        engine.away.add("commit")
        service.released.set()
        await service.shows(1)
        await engine.called("commit", engine.calls["commit"] + 1)
        engine.away.clear()
        shown = await becomes(gates, decision, "applied")
    assert (shown.attempts, service.count("send")) == (1, 1)


async def test_a_commit_of_which_nothing_is_known_is_looked_up(engine):
    async with open_stage(engine) as (service, gates, _):
        decision = await asked(gates)
        await becomes(gates, decision, "applied")
        engine.after.append(lost)
        service.press(service.codes()["continue"])
        await gates.ended(decision.decision_id)
        await becomes(gates, decision, "applied", "settle")
        assert len(await gates.submissions(decision.decision_id)) == 1
    assert service.said == ["received"]
