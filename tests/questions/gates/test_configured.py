"""A gate server whose channels a folder configures: real processes, before a Bot API on a real port."""

import json
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from questions.gates import open_gates
from questions.gates.channel_reports import ask_to_reload, read_report
from questions.gates.config import LOCAL
from questions.gates.configured import ConfiguredChannels
from questions.gates.tables import GATE_SERVER
from tests.questions.gates.bot_api import open_bot_api
from tests.questions.gates.channel_stage import asked, becomes, effect_of
from tests.questions.gates.configurations import changed, configured, private


@asynccontextmanager
async def serving(where, folder, **options):
    """The gates of a store with what a folder configures."""
    channels = ConfiguredChannels(folder, restart=0.05, again=0.01)
    opened = open_gates(where, audiences=channels.audiences, works=[channels.work], host="here", **options)
    async with opened as gates, channels.following(gates):
        yield gates, channels


async def reported(gates, fits):
    """The first report that fits; it is read again after each change."""
    changed = trio.Event()

    def heard(_):
        changed.set()

    gates.store.follower.listen(GATE_SERVER.name, heard)
    with trio.fail_after(30):
        while (report := await read_report(gates)) is None or not fits(report):
            await changed.wait()
            changed = trio.Event()
    gates.store.follower.unlisten(GATE_SERVER.name, heard)
    return report


def runs(*ids):
    return lambda report: [(one.id, one.state) for one in report.channels] == [(id, "running") for id in ids]


async def test_a_configured_channel_shows_what_its_audience_is_asked(tmp_path):
    async with open_bot_api() as api:
        folder = configured(tmp_path, baseUrl=api.url)
        async with serving(":memory:", folder) as (gates, channels):
            decision = await asked(gates)
            await becomes(gates, decision, "applied")
            assert channels.channels_of("operator") == (*LOCAL, "telegram:approval")
            report = await reported(gates, runs("telegram:approval"))
    assert (report.owner, report.is_configured, report.faults) == ("here", True, ())
    assert len(api.called("sendMessage")) == 1


async def test_an_audience_that_is_not_configured_is_asked_here_only(tmp_path):
    async with open_bot_api() as api:
        folder = configured(tmp_path, baseUrl=api.url, audiences=["somebody"])
        async with serving(":memory:", folder) as (gates, channels):
            await reported(gates, runs("telegram:approval"))
            decision = await asked(gates)
            assert await gates.effects(decision.decision_id) == []
            assert channels.channels_of("operator") == LOCAL


async def test_without_a_configuration_there_are_no_channels_and_no_fault(tmp_path):
    async with serving(":memory:", tmp_path / "no") as (gates, channels):
        report = await reported(gates, lambda _: True)
        assert (report.is_configured, report.faults, report.channels) == (False, (), ())
        assert channels.channels_of("operator") == LOCAL


def unsupported(folder):
    return changed(folder, lambda record: record["audiences"]["operator"]["channels"].append("unsupported"))


async def test_a_broken_configuration_stops_nothing_and_is_reported(tmp_path, caplog):
    folder = unsupported(configured(tmp_path))
    async with serving(":memory:", folder) as (gates, _):  # case 85
        report = await reported(gates, lambda _: True)
        assert not report.is_configured
        assert report.faults == ("channels.json: $.audiences.operator.channels[3]: unknown channel",)
        decision = await asked(gates)
        assert (await gates.get(decision.decision_id)).state == "open"
    assert "1 faults" in caplog.text
    assert "approval" not in caplog.text


@pytest.mark.parametrize("spoil", ["text", "mode", "folder"])
async def test_whatever_is_wrong_with_the_files_the_server_stays_up(tmp_path, spoil):
    folder = configured(tmp_path)
    if spoil == "text":
        private(folder / "channels.json", "{")
    elif spoil == "mode":
        (folder / "credentials.json").chmod(0o644)
    else:
        (folder / "channels.json").unlink()
        (folder / "channels.json").mkdir()
    async with serving(":memory:", folder) as (gates, _):
        assert len((await reported(gates, lambda _: True)).faults) == 1


async def test_a_reload_starts_what_is_new_and_shows_it_what_is_open(tmp_path):
    async with open_bot_api() as api, serving(":memory:", tmp_path / "channels") as (gates, _):
        decision = await asked(gates)
        await reported(gates, lambda report: report.reload == 0)
        configured(tmp_path, baseUrl=api.url)
        number = await ask_to_reload(gates)
        await reported(gates, lambda report: report.reload == number)
        await becomes(gates, decision, "applied")
        assert await effect_of(gates, decision) is not None


async def test_a_reload_leaves_what_is_the_same_alone_and_ends_what_is_gone(tmp_path):
    async with open_bot_api() as api:
        configured(tmp_path, name="b", baseUrl=api.url, audiences=["night"], token="1:other")
        folder = configured(tmp_path, baseUrl=api.url)
        async with serving(":memory:", folder) as (gates, _):
            await reported(gates, runs("telegram:b", "telegram:approval"))
            epoch = (await gates.channel("telegram:approval")).value
            changed(folder, lambda record: (record["audiences"].pop("night"), record["telegramProfiles"].pop("b")))
            number = await ask_to_reload(gates)
            await reported(gates, lambda report: report.reload == number and runs("telegram:approval")(report))
            assert json.loads((await gates.channel("telegram:approval")).value)["epoch"] == json.loads(epoch)["epoch"]


async def test_who_is_taken_out_of_a_profile_can_answer_no_more(tmp_path):
    async with open_bot_api() as api:
        folder = configured(tmp_path, baseUrl=api.url, allowedUserIds=["100", "101"])
        async with serving(":memory:", folder) as (gates, _):
            decision = await asked(gates)
            await becomes(gates, decision, "applied")
            changed(folder, lambda record: record["telegramProfiles"]["approval"]["allowedUserIds"].remove("101"))
            number = await ask_to_reload(gates)
            await reported(gates, lambda report: report.reload == number and runs("telegram:approval")(report))
            api.press("Continue", user=101, query="press-1")
            api.press("Continue", user=100, query="press-2")
            await gates.ended(decision.decision_id)
            [submission] = await gates.submissions(decision.decision_id)
            assert submission.submission.source.actor_id == "100"


async def test_a_broken_reload_leaves_what_runs(tmp_path):
    async with open_bot_api() as api:
        folder = configured(tmp_path, baseUrl=api.url)
        async with serving(":memory:", folder) as (gates, _):
            await reported(gates, runs("telegram:approval"))
            unsupported(folder)
            number = await ask_to_reload(gates)
            report = await reported(gates, lambda report: report.reload == number)
            assert (report.is_configured, len(report.faults)) == (True, 1)
            decision = await asked(gates)
            await becomes(gates, decision, "applied")


async def test_who_does_not_lead_follows_reloads_too(tmp_path):
    async with serving(tmp_path, tmp_path / "channels") as (gates, _):
        await reported(gates, lambda _: True)
        async with serving(tmp_path, tmp_path / "channels", serve=False) as (_, other):
            configured(tmp_path, baseUrl="http://127.0.0.1:1")
            await ask_to_reload(gates)
            with trio.fail_after(30):
                while not other.channels:
                    await trio.testing.wait_all_tasks_blocked()
