"""Processes that are killed at every step: a change has happened as a whole or not at all, and is done once at last."""

import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest
import trio

from questions.gates import AttemptState, Response, State, cause, open_gates
from questions.gates.tables import EFFECTS, REQUESTS, RESOLUTIONS
from tests.questions.durable.forking_program import POINTS
from tests.questions.durable.forks import Forks, kill
from tests.questions.gates.acts import asked, entered, held, rows
from tests.questions.gates.cases import AUTOMATIC, CREATED, DEADLINE, submission
from tests.questions.gates.engines import ENGINES, OUTLIVING, opened
from tests.questions.gates.forking_program import ACTS, CHANNEL, REQUEST

STOPS = [point for point in POINTS if point != "before the hint"]
HAPPENED = STOPS[2:]
SHOWN = {"operator": [CHANNEL]}


@pytest.fixture(scope="module")
def forks():
    forks = Forks("tests.questions.gates.forking_program")
    yield forks
    forks.close()


async def brought_up_to(gates, act):
    """All that has to be there before an act."""
    await entered(gates)
    if act != "create":
        await gates.create(REQUEST, parked=True)
    if act == "resume":
        await gates.submit(submission(REQUEST))


async def whole(gates):
    """What is stored of the request fits together; how often each of it is there."""
    requests = await rows(gates, REQUESTS)
    [attempt] = await gates.attempts("run-a")
    if not requests:
        assert attempt.state is AttemptState.ENTERED
        return (attempt.state, [], 0)
    standing = await gates.get(REQUEST.decision_id)
    effects = [found.value for found in await gates.effects(REQUEST.decision_id)]
    is_open = standing.resolution is None
    assert await gates.stored.backend.count(REQUESTS, "state", ("open",)) == is_open
    assert (attempt.state is AttemptState.WAITING) == is_open
    assert (await gates.run("run-a")).state == ("cancelled" if standing.state is State.CANCELLED else "running")
    by_cause = [len(await rows(gates, RESOLUTIONS, "cause", (cause,))) for cause in CAUSES]
    assert sum(by_cause) == (not is_open)
    return (attempt.state, [(effect.purpose, effect.state.value) for effect in effects], sum(by_cause))


CAUSES = ("human", "timeout_policy", "explicit_cancel", "expired_no_default")


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("point", STOPS)
@pytest.mark.parametrize("engines", OUTLIVING, indirect=True)
async def test_who_is_killed_leaves_the_old_or_the_new_and_the_next_one_does_it_once(
    engines, forks, point, act
):  # case 50
    now = DEADLINE if act == "time out" else CREATED
    async with opened(engines, audiences=SHOWN) as gates:
        await engines.set_clock(CREATED)
        await brought_up_to(gates, act)
        await engines.set_clock(now)
        before = await whole(gates)
        forks.start("gate", act=act, point=point, where=str(engines.where), now=now)
        pid, _ = await forks.stopped()
        kill(pid)
        after = await whole(gates)
        assert (after != before) == (point in HAPPENED)
        if act == "begin":
            return  # another attempt is another one: whoever finds it begun cannot tell what came of it
        await engines.set_clock(now + 60_000)  # the lease of the killed one is over
        await ACTS[act](gates, await held(gates, "server-2", "secret-2"))
        done = await whole(gates)
        assert point not in HAPPENED or done == after
        await ACTS[act](gates, await held(gates, "server-2", "secret-2"))
        assert await whole(gates) == done


async def test_effects_are_written_once_with_what_they_follow_from(engines):  # case 52
    async with opened(engines, audiences=SHOWN) as gates:
        await engines.set_clock(CREATED)
        made = await asked(gates)
        await gates.submit(submission(made))
        await gates.submit(submission(made))
        found = await rows(gates, EFFECTS, "decision", (made.decision_id,))
    assert len(found) == 1, "what was never shown is not settled: it is cancelled"


@contextmanager
def program(where, what):
    command = [sys.executable, "-m", "tests.questions.gates.gate_program", str(where), what]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


async def line(process):
    with trio.fail_after(60):
        return (await trio.to_thread.run_sync(process.stdout.readline, abandon_on_cancel=True)).strip()


async def open_request(gates):
    with trio.fail_after(60):
        while not (found := await gates.list()):
            await trio.lowlevel.checkpoint()
    return found[0].request


@pytest.fixture(params=OUTLIVING)
async def real(request, tmp_path):
    """Where a store is, under the clock of this machine."""
    engine = ENGINES[request.param](tmp_path)
    if request.param == "postgres":
        async with engine.stage.open(engine.tables):
            pass
    yield engine.where
    engine.drop()


async def test_a_program_is_killed_at_every_step_and_comes_to_its_end_with_one_answer(real):
    async with open_gates(real, serve=False, poll_ms=50) as gates:
        with program(real, "decide") as first:
            assert await line(first) == "built"
            made = await open_request(gates)
        with program(real, "decide"):  # killed while it waits
            await trio.lowlevel.checkpoint()
        await gates.submit(submission(made, Response("stop")))
        with program(real, "decide") as third:
            assert await line(third) == "got Stop", "it was not built again"
        with program(real, "decide") as fourth:
            assert await line(fourth) == "got Stop"
            fourth.stdin.write("\n")
            fourth.stdin.flush()
            assert await line(fourth) == "done"
        assert (await gates.run("run-a")).state == "done"
        assert len(await rows(gates, REQUESTS)) == 1


async def test_who_goes_on_with_a_run_is_killed_and_another_one_goes_on(real):
    async with open_gates(real, serve=False) as gates:
        made = await asked(gates, parked=True)
        await gates.submit(submission(made))
        with program(real, "resume") as first:
            assert await line(first) == "went run-a True"
        with program(real, "resume") as second, program(real, "resume") as third:
            lines = []

            async def hear(process):
                lines.append(await line(process))
                nursery.cancel_scope.cancel()

            async with trio.open_nursery() as nursery:
                nursery.start_soon(hear, second)
                nursery.start_soon(hear, third)
        assert lines == ["went run-a False"]


async def test_a_gate_server_is_killed_and_another_one_applies_the_deadline(real):
    async with open_gates(real, serve=False, poll_ms=50) as gates:
        with program(real, "serve") as first:
            assert await line(first) == "leads"
        with program(real, "serve") as second, program(real, "serve"):
            made = await asked(gates, timeout=AUTOMATIC)  # whose deadline was long ago
            with trio.fail_after(60):
                assert cause(await gates.ended(made.decision_id)) == "timeout_policy"
            assert second.poll() is None


async def test_a_gate_server_that_was_frozen_changes_nothing_when_it_wakes_up(real):
    async with open_gates(real, serve=False, poll_ms=50) as gates:
        with program(real, "serve") as first:
            assert await line(first) == "leads"
            first.send_signal(signal.SIGSTOP)
            with program(real, "serve") as second:
                assert await line(second) == "leads", "once the lease of the frozen one is over"
                made = await asked(gates, timeout=AUTOMATIC)
                with trio.fail_after(60):
                    resolution = await gates.ended(made.decision_id)
                first.send_signal(signal.SIGCONT)
                second.kill()
                assert await line(first) == "leads", "it leads again, in another generation"
        assert (await gates.get(made.decision_id)).resolution == resolution
