"""A gate server that is killed at any point: what was done is adopted, what is in doubt is not done again."""

import os
import signal
import sys
from contextlib import asynccontextmanager
from functools import partial

import attrs
import pytest
import trio

from facets.nursery import open_serving_nursery
from questions.gates import open_gates, retry_effect
from tests.questions.gates.cases import PLACE
from tests.questions.gates.channel_stage import LINE, asked, becomes, channel, effect_of, open_desk
from tests.questions.gates.line_service import open_service
from tests.questions.gates.serving_program import LEASE_MS

COMMAND = (sys.executable, "-m", "tests.questions.gates.serving_program")


@asynccontextmanager
async def open_scene(folder):
    """A service, and the same gates as another program serves; `kill()` returns once that is gone."""
    async with open_service() as service, open_serving_nursery() as nursery:
        command = [*COMMAND, str(folder), service.address]
        process = await nursery.start(partial(trio.run_process, command, check=False))

        async def kill():
            process.send_signal(signal.SIGKILL)
            await process.wait()

        audiences = {"operator": [LINE]}
        async with open_gates(folder, serve=False, audiences=audiences) as gates:
            yield service, gates, kill


async def ends_well(folder, service, decision):
    """Under the next server somebody answers, and it is settled where it was shown."""
    async with open_desk(folder, channel(service), lease_ms=LEASE_MS) as (gates, _):
        service.press(service.codes()["continue"])
        await gates.ended(decision.decision_id)
        settled = await becomes(gates, decision, "applied", "settle")
        shown = await becomes(gates, decision, "applied")
    assert shown.attempts == settled.attempts == 1


async def test_killed_between_the_attempt_and_the_report_it_is_not_shown_again(tmp_path):  # case 101
    async with open_scene(tmp_path) as (service, gates, kill):
        service.plan["send"] = ["hold"]
        decision = await asked(gates)
        await service.until(lambda: service.count("send"))
        await kill()
        assert (await effect_of(gates, decision)).state == "applying"
        service.released.set()
        await service.shows(1)
        await ends_well(tmp_path, service, decision)
    assert service.count("send") == 1
    assert service.messages[1]["text"] != "Chosen: Continue"  # nobody knows which message it is


async def test_killed_after_the_report_it_is_not_shown_again(tmp_path):
    async with open_scene(tmp_path) as (service, gates, kill):
        decision = await asked(gates)
        await becomes(gates, decision, "applied")
        await kill()
        await ends_well(tmp_path, service, decision)
    assert service.count("send") == 1
    assert service.messages[1]["text"] == "Chosen: Continue"


async def test_killed_before_an_answer_is_read_it_is_read_by_the_next(tmp_path):
    async with open_scene(tmp_path) as (service, gates, kill):
        decision = await asked(gates)
        await becomes(gates, decision, "applied")
        await kill()
        service.press(service.codes()["continue"])
        await ends_well(tmp_path, service, decision)
        assert len(await gates.submissions(decision.decision_id)) == 2  # both presses, of which the first counts


async def test_killed_after_the_resolution_it_is_settled_by_the_next(tmp_path):
    async with open_scene(tmp_path) as (service, gates, kill):
        decision = await asked(gates)
        await becomes(gates, decision, "applied")
        await kill()
        await gates.cancel(decision.decision_id)
        async with open_desk(tmp_path, channel(service), lease_ms=LEASE_MS) as (again, _):
            await becomes(again, decision, "applied", "settle")
    assert service.messages[1]["text"] == "Cancelled. Nothing was chosen."
    assert service.count("edit") == 1


async def test_killed_in_the_middle_of_settling_it_is_in_doubt_and_may_be_made_again(tmp_path):
    async with open_scene(tmp_path) as (service, gates, kill):
        service.plan["edit"] = ["hold"]
        decision = await asked(gates)
        await service.shows(1)
        service.press(service.codes()["continue"])
        await service.until(lambda: service.count("edit"))
        await kill()
        async with open_desk(tmp_path, channel(service), lease_ms=LEASE_MS) as (again, _):
            effect = await becomes(again, decision, "ambiguous", "settle")
            await retry_effect(again, effect.id)
            assert (await becomes(again, decision, "applied", "settle")).attempts == 2
    assert service.count("edit") == 2


async def test_a_process_ends_when_its_server_is_killed(tmp_path):
    async with open_scene(tmp_path) as (service, gates, kill):
        await asked(gates)
        await service.shows(1)
        process = os.pidfd_open(service.pids[-1])
        await kill()
        with trio.fail_after(10):
            await trio.lowlevel.wait_readable(process)
        os.close(process)


@pytest.mark.parametrize("round", range(4))
async def test_killed_at_any_moment_nothing_is_shown_or_settled_twice(tmp_path, round):
    async with open_scene(tmp_path) as (service, gates, kill):
        decision = await asked(gates)
        await service.until(lambda: len(service.calls) > round)
        await kill()
        async with open_desk(tmp_path, channel(service), lease_ms=LEASE_MS) as (again, _):
            await service.until(lambda: service.messages)
            await becomes(again, decision, "applied") if round else None
            service.press(service.codes()["continue"])
            await again.ended(decision.decision_id)
    assert service.count("send") <= 1


async def test_a_server_that_was_frozen_while_it_showed_shows_and_answers_nothing_when_it_wakes_up(tmp_path):
    async with open_service() as service, open_serving_nursery() as nursery:
        command = [*COMMAND, str(tmp_path), service.address]
        frozen = await nursery.start(partial(trio.run_process, command, check=False))
        async with open_gates(tmp_path, serve=False, audiences={"operator": [LINE]}) as gates:
            first = await asked(gates)
            await becomes(gates, first, "applied")
            frozen.send_signal(signal.SIGSTOP)
            async with open_desk(tmp_path, channel(service), lease_ms=LEASE_MS) as (leading, _):
                await service.until(lambda: len(set(service.pids)) == 2)
                second = await asked(leading, place=attrs.evolve(PLACE, run_id="run-2"))
                await becomes(leading, second, "applied")
                frozen.send_signal(signal.SIGCONT)
                service.press(service.codes()["continue"])
                resolution = await leading.ended(second.decision_id)
                await becomes(leading, second, "applied", "settle")
                assert resolution.source.channel == LINE
            assert len(await gates.submissions(second.decision_id)) == 1
        frozen.kill()
    assert service.count("send") == 2
    assert service.count("edit") == 1


async def test_a_process_that_was_frozen_goes_on_where_it_was(tmp_path):
    async with open_service() as service, open_desk(tmp_path, channel(service)) as (gates, _):
        await service.until(lambda: service.pids)
        os.kill(service.pids[-1], signal.SIGSTOP)
        decision = await asked(gates)
        await becomes(gates, decision, "pending")
        os.kill(service.pids[-1], signal.SIGCONT)
        await becomes(gates, decision, "applied")
    assert service.count("send") == 1
