"""A request that nobody is shown is told so within a second, and stays open."""

from questions.gates import Deliveries, delivered, open_gates
from tests.questions.gates.channel_stage import LINE, asked, becomes, channel, open_desk, open_stage
from tests.questions.gates.line_service import open_service


async def until(readable, value):
    async for now in readable.changes():
        if now == value:
            return


async def test_who_asks_where_no_channel_is_at_work_learns_it_within_a_second(tmp_path, caplog):
    deliveries = Deliveries()
    async with open_gates(tmp_path, audiences={"operator": [LINE]}, works=[deliveries.work]) as gates:
        decision = await asked(gates)
        assert not await delivered(gates, decision.decision_id)
        await until(deliveries.undelivered, {decision.decision_id})
        assert (await gates.get(decision.decision_id)).resolution is None
        await gates.cancel(decision.decision_id)
        await until(deliveries.undelivered, set())
    assert [record.message for record in caplog.records if "undelivered" in record.message]


async def test_what_was_undelivered_is_not_so_any_more_once_a_channel_shows_it(tmp_path):
    async with open_gates(tmp_path, audiences={"operator": [LINE]}) as gates:
        decision = await asked(gates)
        assert not await delivered(gates, decision.decision_id, within=0)
    async with open_service() as service, open_desk(tmp_path, channel(service)) as (gates, _):
        assert await delivered(gates, decision.decision_id, within=20)


async def test_what_may_have_been_shown_is_not_called_undelivered(tmp_path):
    async with open_stage(tmp_path) as (service, gates, _):
        service.plan["send"] = ["lose"]
        decision = await asked(gates)
        await becomes(gates, decision, "ambiguous")
        assert await delivered(gates, decision.decision_id, within=0)
