"""A request that nobody is shown is told so within a second, and stays open."""

import attrs
import trio

from questions.gates import Choice, Gate, Presentation, Prompt, Response, Undelivered, delivered, open_gates
from questions.gates.delivery import Deliveries
from questions.operations import Metrics
from tests.questions.gates.cases import PLACE, request, submission
from tests.questions.gates.channel_stage import LINE, asked, becomes, channel, open_desk, open_stage
from tests.questions.gates.line_service import open_service


class Go(Choice):
    """The only way."""


approve: Gate[Go] = Gate(Go, request=lambda context: Prompt("Go?", context, Presentation("A plan.")))


async def until(readable, value):
    with trio.fail_after(20):
        async for now in readable.changes():
            if now == value:
                return


async def test_who_asks_where_no_channel_is_at_work_learns_it_within_a_second(tmp_path, caplog):
    metrics = Metrics()
    async with open_gates(tmp_path, audiences={"operator": [LINE]}) as gates:
        metrics.watch_gates(gates)
        decision = await asked(gates)
        assert not await delivered(gates, decision.decision_id)
        await until(gates.undelivered, {decision.decision_id})
        assert b"questions_gates_undelivered 1.0" in metrics.text()[0]
        assert (await gates.get(decision.decision_id)).resolution is None
        await gates.cancel(decision.decision_id)
        await until(gates.undelivered, set())
        assert b"questions_gates_undelivered 0.0" in metrics.text()[0]
    assert not [record for record in caplog.records if "undelivered" in record.message], "it may be starting"


async def test_the_log_says_in_one_line_what_nobody_is_shown_for_long(caplog):
    async with open_gates(":memory:", serve=False) as gates, trio.open_nursery() as nursery:
        now = await gates.stored.backend.now()
        first, second = [await asked(gates, request(now=now, place=attrs.evolve(PLACE, run_id=run))) for run in "ab"]
        nursery.start_soon(Deliveries(gates, patience=0).work)
        await until(gates.undelivered, {first.decision_id, second.decision_id})
        nursery.cancel_scope.cancel()
    [line] = [record.message for record in caplog.records if "undelivered" in record.message]
    assert "2 wait so" in line


async def test_what_was_asked_before_this_server_led_is_told_too(tmp_path):
    async with open_gates(tmp_path, serve=False) as gates:
        decision = await asked(gates)
    async with open_gates(tmp_path) as gates:
        await until(gates.undelivered, {decision.decision_id})


async def test_what_a_surface_of_this_process_shows_is_not_undelivered(tmp_path):
    async with open_gates(tmp_path) as gates:
        first = await asked(gates)
        await until(gates.undelivered, {first.decision_id})
        gates.surfaces[first.decision_id.__eq__] = None
        assert await delivered(gates, first.decision_id, within=0)
        await until(gates.undelivered, set())


async def test_what_was_undelivered_is_not_so_any_more_once_a_channel_shows_it(tmp_path):
    async with open_gates(tmp_path, audiences={"operator": [LINE]}) as gates:
        decision = await asked(gates)
        await until(gates.undelivered, {decision.decision_id})
    async with open_service() as service, open_desk(tmp_path, channel(service)) as (gates, _):
        assert await delivered(gates, decision.decision_id, within=20)
        await until(gates.undelivered, set())


async def test_what_may_have_been_shown_is_not_called_undelivered(tmp_path):
    async with open_stage(tmp_path) as (service, gates, _):
        service.plan["send"] = ["lose"]
        decision = await asked(gates)
        await becomes(gates, decision, "ambiguous")
        assert await delivered(gates, decision.decision_id, within=0)


async def test_who_waits_in_place_is_told_once_and_waits_on():
    told, is_told = [], trio.Event()

    def tell(undelivered):
        told.append(undelivered)
        is_told.set()

    async with open_gates(":memory:", serve=False) as gates, trio.open_nursery() as nursery:
        run = await gates.start_run("run-1", "deploy")

        async def decide():
            told.append(await approve.decide(run, "approve", "attempt-1", undelivered=tell))

        nursery.start_soon(decide)
        with trio.fail_after(20):
            await is_told.wait()
        [standing] = await gates.list()
        assert told == [Undelivered(standing.request.decision_id, "operator")]
        await gates.submit(submission(standing.request, Response("go")))
    assert told[1:] == [Go()]


async def test_who_is_answered_at_once_is_told_nothing():
    told: list[Undelivered] = []
    async with open_gates(":memory:", serve=False) as gates:
        run = await gates.start_run("run-1", "deploy")
        made = await approve.submit(run, "approve", "attempt-1")
        await gates.submit(submission(made, Response("go")))
        assert await approve.decide(run, "approve", "attempt-1", undelivered=told.append) == Go()
    assert not told
