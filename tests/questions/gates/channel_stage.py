"""A gate server with channels that are real processes, before a real service."""

import sys
from contextlib import asynccontextmanager

import trio

from questions.gates import open_gates
from questions.gates.channel_settings import Channel
from questions.gates.channels import ChannelDesk
from questions.gates.tables import EFFECTS
from tests.questions.gates.cases import request
from tests.questions.gates.line_service import TOKEN, open_service

COMMAND = (sys.executable, "-m", "tests.questions.gates.line_channel")
LINE = "line:approval"


def channel(service, id=LINE, **changes):
    usual = {
        "id": id,
        "profile": id.partition(":")[2],
        "command": COMMAND,
        "token": TOKEN,
        "allowed_user_ids": ("100",),
        "allowed_chat_ids": ("-200",),
        "options": {"address": service.address},
    }
    return Channel(**usual | changes)


@asynccontextmanager
async def open_desk(where, *channels, audience=None, lease_ms=10_000, **options):
    """The gates of a store, and the desk of these channels; the audience `operator` is all of them."""
    desk = ChannelDesk(channels, **{"restart": 0.05, "again": 0.01, **options})
    audiences = {"operator": [one.id for one in channels] if audience is None else audience}
    async with open_gates(where, audiences=audiences, works=[desk.work], host="here", lease_ms=lease_ms) as gates:
        yield gates, desk


@asynccontextmanager
async def open_stage(where, **options):
    async with open_service() as service, open_desk(where, channel(service), **options) as (gates, desk):
        yield service, gates, desk


async def asked(gates, asked=None, **changes):
    """A request that is stored, with the run and the attempt that it belongs to."""
    asked = request(now=await gates.stored.backend.now(), **changes) if asked is None else asked
    await gates.start_run(asked.run_id, asked.workflow_name)
    await gates.enter_attempt(asked.run_id, asked.node_id, asked.attempt_id)
    await gates.create(asked)
    return asked


async def effect_of(gates, decision, purpose="present"):
    effects = [found.value for found in await gates.effects(decision.decision_id)]
    return next((effect for effect in effects if effect.purpose == purpose), None)


async def becomes(gates, decision, state, purpose="present"):
    """Wait until the effect of a decision is in that state; it is read again after each change of any."""
    changed = trio.Event()

    def heard(_):
        changed.set()

    gates.store.follower.listen(EFFECTS.name, heard)
    with trio.fail_after(20):
        while (effect := await effect_of(gates, decision, purpose)) is None or effect.state != state:
            await changed.wait()
            changed = trio.Event()
    gates.store.follower.unlisten(EFFECTS.name, heard)
    return effect
