"""Gate servers whose clock goes back, whose lease cannot be read, and that come to a store with very much in it."""

import attrs
import trio
import trio.testing

from questions.gates import GateLimits, GateServer, open_gates
from questions.gates.pieces import put
from questions.gates.tables import GATE_SERVER, RUN_ATTEMPTS
from tests.questions.gates.acts import asked, resolution
from tests.questions.gates.cases import AUTOMATIC, CREATED, DEADLINE, PLACE, submission

HOUR = 3_600_000


def numbered(number):
    return attrs.evolve(PLACE, run_id=f"run-{number}")


async def test_a_deadline_is_applied_though_the_clock_was_set_back_while_it_was(engines, gates, monkeypatch):
    made = await asked(gates, timeout=AUTOMATIC)
    due = gates.due

    async def set_back(besides):
        found = await due(besides)
        await engines.set_clock(DEADLINE - 1)
        return found

    server = GateServer(gates, "one", lease_ms=600_000)
    await engines.set_clock(DEADLINE)
    await server.claim()
    monkeypatch.setattr(gates, "due", set_back)
    assert await server.apply_due() > 0
    assert await resolution(gates, made) is None
    monkeypatch.setattr(gates, "due", due)
    await engines.set_clock(DEADLINE)
    await server.apply_due()
    assert (await resolution(gates, made)).provenance == "timeout"


async def test_a_dead_server_does_not_lead_on_because_the_clock_was_set_back(engines, gates):
    dead, other = GateServer(gates, "dead"), GateServer(gates, "other")
    await engines.set_clock(CREATED + HOUR)
    assert await dead.claim()
    await engines.set_clock(CREATED)
    assert await other.claim()
    assert not await dead.claim()


async def test_where_the_lease_cannot_be_read_people_decide_on(caplog):
    async with open_gates(":memory:", serve=False) as gates:
        await gates.record(put(GATE_SERVER, "lease", 0, '{"schema": "other"}', kind="test"))
        server = GateServer(gates, "one")
        made = await asked(gates, timeout=AUTOMATIC)
        assert not await server.claim()
        assert not await server.claim()
        await gates.cancel(made.decision_id)
        row = await gates.stored.row(GATE_SERVER, "lease")
        assert row is not None
        assert row.value == '{"schema": "other"}'
    assert len([record for record in caplog.records if "lease" in record.message]) == 1


async def test_an_attempt_that_cannot_be_read_holds_up_no_other_run():
    done = trio.Event()

    async def go_on(run, _):
        assert run.id == "run-2"
        done.set()

    async with open_gates(":memory:", resume={"workflow-a": go_on}) as gates:
        columns: dict[str, str | int | None] = {"run": "run-1", "state": "ready", "entered": 1, "ready": "workflow-a"}
        await gates.record(put(RUN_ATTEMPTS, "run-1/attempt-a", 0, "{}", columns, kind="test"))
        made = await asked(gates, parked=True, place=numbered(2), now=await gates.stored.backend.now())
        await gates.submit(submission(made))
        with trio.fail_after(20):
            await done.wait()


async def test_what_the_dead_have_left_is_found_behind_very_much_that_others_are_at():
    begun, taken = [], trio.Event()
    all_begun = trio.Event()

    async def begin(run, _):
        begun.append(run.id)
        if len(begun) == 121:
            all_begun.set()
        await trio.sleep_forever()

    async def take_over(run, _):
        assert run.id == "run-120"
        taken.set()

    limits = GateLimits(max_open=1_000)
    async with open_gates(":memory:", serve=False, resume={"workflow-a": begin}, host="alive", limits=limits) as gates:
        now = await gates.stored.backend.now()
        for number in range(121):
            await gates.submit(submission(await asked(gates, parked=True, place=numbered(number), now=now)))
        with trio.fail_after(30):
            await all_begun.wait()
        last = await gates.stored.attempt("run-120", "attempt-a")
        await gates.runs.hand_over(last, "dead/epoch")
        others = open_gates(gates.store, serve=False, resume={"workflow-a": take_over}, host="other", poll_ms=50)
        async with others:
            with trio.fail_after(20):
                await taken.wait()


async def test_who_leads_has_all_shown_that_was_asked_where_no_channel_was_known():
    async with open_gates(":memory:", serve=False) as gates:
        now = await gates.stored.backend.now()
        made = [(await asked(gates, place=numbered(number), now=now)).decision_id for number in range(250)]
        await gates.present(made[7], ["mail:ops"])
        async with open_gates(gates.store, audiences={"operator": ["mail:ops"]}) as leading:
            with trio.fail_after(20):
                while await leading.unpresented(made):
                    await trio.testing.wait_all_tasks_blocked()
        shown = await gates.effects_of("mail:ops", "pending", None)
    assert {found.value.decision_id for found in shown} == set(made)
