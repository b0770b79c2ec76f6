"""Two servers of one channel: once the second has begun, nothing of the first counts any more."""

from types import SimpleNamespace

import pytest

from questions.durable.backend import Conflict
from questions.gates import Pressed, Report, open_gates
from questions.gates.channel_messages import Answering, Present, Presented, Ready
from questions.gates.channel_work import ChannelWork
from tests.questions.gates.cases import CONTINUE
from tests.questions.gates.channel_stage import LINE, asked, channel, effect_of

CHANNEL = channel(SimpleNamespace(address="127.0.0.1:1"))


@pytest.fixture
async def begun():
    """The gates, a request that is being shown, and the work of a channel that shows it."""
    async with open_gates(":memory:", serve=False, audiences={"operator": [LINE]}) as gates:
        decision = await asked(gates)
        work = ChannelWork(gates, CHANNEL)
        await work.begin()
        told = await work.hear(Ready(""))
        assert isinstance(told.command, Present)
        yield gates, decision, work, told.command.attempt_id


async def test_what_an_earlier_server_reports_does_not_count(begun):  # case 106
    gates, decision, work, _ = begun
    await ChannelWork(gates, CHANNEL).begin()
    for said in (
        Ready("9"),
        Answering(Pressed(decision.decision_id, decision.request_digest, CONTINUE, "100", "-200", "e", "k"), "9"),
    ):
        with pytest.raises(Conflict):
            await work.hear(said)
    assert (await gates.get(decision.decision_id)).resolution is None
    assert (await effect_of(gates, decision)).state == "ambiguous"


async def test_each_start_has_another_epoch_and_the_same_key(begun):
    gates, *_ = begun
    one, two = [(await ChannelWork(gates, CHANNEL).begin())[0] for _ in range(2)]
    assert one.epoch != two.epoch
    assert one.key == two.key
    assert len(one.key) == 32


async def test_a_report_of_another_attempt_does_not_count(begun):
    gates, decision, work, attempt = begun
    work.stop()
    ids = decision.decision_id, decision.request_digest
    told = await work.hear(Presented(*ids, "channel-" + "0" * 64, Report("confirmed")))
    assert (told.accepted, told.error) == (False, "effect_refused")
    assert (await effect_of(gates, decision)).state == "applying"
    assert (await work.hear(Presented(*ids, attempt, Report("confirmed")))).accepted
    assert not (await work.hear(Presented(*ids, attempt, Report("confirmed")))).accepted
