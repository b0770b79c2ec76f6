"""Channels are processes before a real service, whichever engine keeps what they do."""

from contextlib import asynccontextmanager

from questions.gates.channels import confirm_effect
from tests.questions.gates.cases import AUTOMATIC, EXACT, TEN_MINUTES
from tests.questions.gates.channel_stage import asked, becomes, channel, effect_of, open_desk
from tests.questions.gates.line_service import open_service


@asynccontextmanager
async def staged(engine, service):
    async with engine.open() as store, open_desk(store, channel(service)) as (gates, _):
        yield gates


async def test_a_request_is_shown_answered_and_settled_on_every_engine(engines):
    async with open_service() as service, staged(engines, service) as gates:
        service.plan["send"] = ["refuse"]
        made = await asked(gates)
        await service.shows(1)
        service.press(service.codes()["replan"], text=EXACT)
        resolution = await gates.ended(made.decision_id)
        settled = await becomes(gates, made, "applied", "settle")
        shown = await effect_of(gates, made)
    assert resolution.response.input.text == EXACT
    assert (shown.attempts, settled.attempts) == (2, 1)
    assert service.messages[1]["text"] == "Chosen: Replan"


async def test_a_deadline_is_shown_to_have_passed_on_every_engine(engines):
    async with open_service() as service, staged(engines, service) as gates:
        made = await asked(gates, timeout=AUTOMATIC)
        await becomes(gates, made, "applied")
        await engines.set_clock(made.created_at + TEN_MINUTES)
        await becomes(gates, made, "applied", "settle")
    assert service.messages[1]["text"].startswith("Automatic at the deadline")


async def test_what_is_in_doubt_stays_so_over_a_restart_on_every_engine(engines):
    async with open_service() as service:
        async with engines.open() as store:
            async with open_desk(store, channel(service)) as (gates, _):
                service.plan["send"] = ["lose"]
                made = await asked(gates)
                await becomes(gates, made, "ambiguous")
            async with open_desk(store, channel(service)) as (gates, _):
                await service.until(lambda: len(set(service.pids)) == 2)
                assert (await effect_of(gates, made)).state == "ambiguous"
                await confirm_effect(gates, (await effect_of(gates, made)).id)
        assert service.count("send") == 1
