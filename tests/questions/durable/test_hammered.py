"""Eight processes on one store, undisturbed, killed, under clocks that jump, and on a server that goes away."""

import random
import shutil
import signal
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from questions.durable import StoreLimits, open_store
from questions.durable.store import TABLES
from tests.questions.durable.cases import T
from tests.questions.durable.engines import OUTLIVING
from tests.questions.durable.forks import Heard, forks
from tests.questions.durable.hammering import SECONDS, Hammering
from tests.questions.durable.postgres_server import new_server
from tests.questions.durable.postgres_stages import PostgresStage

__all__ = ["forks"]

ROOMY = StoreLimits(max_open=100_000, max_stored=1_000_000)
REAL = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint"
BOTH = pytest.mark.parametrize("engines", OUTLIVING, indirect=True)


@asynccontextmanager
async def open_heard(engines):
    async with engines.open(limits=ROOMY) as store:
        yield Heard(store.backend)


@BOTH
async def test_of_eight_processes_one_wins_each_time_and_all_come_to_their_turn(engines, forks, record_property):
    async with open_heard(engines) as heard:
        hammering = Hammering(forks, engines.where, heard, now=T)
        await hammering.run()
        assert await hammering.assert_nothing_is_lost() == []
        assert hammering.lost == []
        record_property("acts", len(hammering.acknowledged))
        record_property("worst_wait_ms", round(hammering.worst * 1000))
        # The budget is 500 ms on a machine that does nothing else, and a benchmark's; here nobody must starve.
        assert hammering.worst < 10


@BOTH
async def test_who_is_killed_at_any_moment_takes_nothing_along(engines, forks, record_property):
    async with open_heard(engines) as heard:
        hammering = Hammering(forks, engines.where, heard, now=T)
        await hammering.run(hammering.kill_one)
        await hammering.assert_nothing_is_lost()
        assert hammering.lost == []
        record_property("killed", hammering.killed)
        assert hammering.killed


@BOTH
async def test_a_clock_that_jumps_moves_decisions_on_and_never_back(engines, forks):
    """A day ahead, a day back, again and again; deadlines come from it, and versions do not."""

    async def jump(ahead):
        if isinstance(engines.where, Path):
            (engines.where / "ahead").write_text(str(ahead))
        else:
            await engines.set_clock(f"{REAL} + {ahead}")

    async with open_heard(engines) as heard:
        await jump(0)
        hammering = Hammering(forks, engines.where, heard, timeout_ms=1000)

        async def jump_about():
            await jump(random.choice((-86_400_000, -2_000, 0, 2_000, 86_400_000)))
            await trio.sleep(0.05)

        def deadlines_have_passed():
            return any(kind == "decision.expired" for said in heard.lines.values() for _, kind, _ in said)

        await hammering.run(jump_about, deadlines_have_passed)
        unclaimed = await hammering.assert_nothing_is_lost()
        assert unclaimed
        assert {kind for _, _, kind in unclaimed} <= {"decision.escalated", "decision.expired"}
        assert hammering.lost == []


async def test_a_server_that_stops_and_crashes_under_load_loses_nothing(forks):
    server = new_server()
    server.start()
    restarts = 0
    try:
        stage = PostgresStage(server.address)
        async with stage.open(TABLES, patience=60) as backend, open_store(backend, limits=ROOMY, sweep_ms=None):
            hammering = Hammering(forks, stage.address, Heard(backend))

            async def restart():
                nonlocal restarts
                await trio.sleep(min(1, SECONDS / 4))
                how = random.choice((signal.SIGINT, signal.SIGQUIT))  # the latter is a crash
                await trio.to_thread.run_sync(server.stop, how)
                await trio.to_thread.run_sync(server.start)
                restarts += 1

            await hammering.run(restart)
            unclaimed = await hammering.assert_nothing_is_lost()
            assert not unclaimed or any("not known" in lost for lost in hammering.lost)
            assert restarts
    finally:
        server.stop()
        shutil.rmtree(server.folder)
