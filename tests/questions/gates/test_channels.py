"""Channels as processes: what is shown, answered and settled, each step written before and after."""

import os
import signal

import attrs
import pytest
import trio

from questions.gates import Presentation, confirm_effect, retry_effect
from questions.gates.errors import EffectRefused
from tests.questions.gates.cases import EXACT, PLACE
from tests.questions.gates.channel_stage import LINE, asked, becomes, channel, effect_of, open_desk, open_stage
from tests.questions.gates.line_service import TOKEN, open_service


def another(number):
    return attrs.evolve(PLACE, run_id=f"run-{number}")


async def test_a_request_is_shown_answered_and_settled_without_its_subject(tmp_path):  # case 123
    async with open_stage(tmp_path) as (service, gates, _):
        decision = await asked(gates, subject={"private_field": "not-for-display"})
        await service.shows(1)
        service.press(service.codes()["replan"], text=EXACT)
        resolution = await gates.ended(decision.decision_id)
        await becomes(gates, decision, "applied", "settle")
        shown = await becomes(gates, decision, "applied")
    assert resolution.response.input.text == EXACT
    assert (resolution.source.channel, resolution.source.actor_id) == (LINE, "100")
    assert len(shown.messages) == service.count("send") == service.count("edit") == 1
    assert service.messages[1]["text"] == "Chosen: Replan"
    assert "private_field" not in str(service.calls)
    assert service.said == ["received"]


async def test_what_is_refused_is_sent_again_by_itself(tmp_path):  # case 98
    async with open_stage(tmp_path) as (service, gates, _):
        service.plan["send"] = ["refuse"]
        decision = await asked(gates)
        shown = await becomes(gates, decision, "applied")
    assert (shown.attempts, service.count("send")) == (2, 2)


async def test_a_second_try_sends_only_what_is_not_there_yet(tmp_path):
    async with open_stage(tmp_path) as (service, gates, _):
        service.plan["send"] = ["send", "refuse"]
        decision = await asked(gates, title="T" * 300, presentation=Presentation("S" * 200))
        shown = await becomes(gates, decision, "applied")
    texts = [call["text"] for call in service.calls if call["do"] == "send"]
    assert len(shown.messages) == len(set(texts)) == len(texts) - 1


async def test_a_channel_that_cannot_be_reached_is_tried_three_times_and_the_decision_waits(tmp_path):  # case 146
    async with open_service() as service:
        broken = channel(service, options={"address": "127.0.0.1:1"})
        async with open_desk(tmp_path, broken) as (gates, _):
            decision = await asked(gates)
            await becomes(gates, decision, "rejected")
            while (effect := await effect_of(gates, decision)).tries_left:
                await becomes(gates, decision, "applying")
                await becomes(gates, decision, "rejected")
            assert (await gates.get(decision.decision_id)).resolution is None
    assert (effect.attempts, effect.error_code) == (3, "connect_failed")


async def test_what_may_have_been_sent_is_not_sent_again(tmp_path):  # cases 100 and 102
    async with open_stage(tmp_path) as (service, gates, _):
        service.plan["send"] = ["lose"]
        first = await asked(gates)
        await becomes(gates, first, "ambiguous")
        second = await asked(gates, place=another(2))
        await becomes(gates, second, "applied")
        assert (await effect_of(gates, first)).state == "ambiguous"
    assert service.count("send") == 2


async def test_a_process_that_dies_at_work_leaves_it_in_doubt(tmp_path):  # case 124
    async with open_stage(tmp_path) as (service, gates, _):
        service.plan["send"] = ["hold"]
        decision = await asked(gates)
        await service.until(lambda: service.count("send"))
        os.kill(service.pids[-1], signal.SIGKILL)
        effect = await becomes(gates, decision, "ambiguous")
        polls = service.count("updates")
        await service.until(lambda: service.count("updates") > polls + 2)
    assert effect.attempts == 1
    assert service.count("send") == 1
    assert len(set(service.pids)) == 2


async def test_an_answer_proves_that_it_was_shown(tmp_path):
    async with open_stage(tmp_path) as (service, gates, _):
        service.plan["send"] = ["lose"]
        decision = await asked(gates)
        await becomes(gates, decision, "ambiguous")
        service.press(service.codes()["continue"])
        await gates.ended(decision.decision_id)
        effect = await becomes(gates, decision, "applied")
    assert effect.attempts == 1


async def test_an_operator_confirms_what_is_in_doubt_and_nothing_is_sent(tmp_path):
    async with open_stage(tmp_path) as (service, gates, _):
        service.plan["send"] = ["lose"]
        decision = await asked(gates)
        effect = await becomes(gates, decision, "ambiguous")
        assert (await confirm_effect(gates, effect.id)).state == "applied"
        with pytest.raises(EffectRefused):
            await retry_effect(gates, effect.id)
    assert service.count("send") == 1


async def test_an_operator_has_it_sent_again(tmp_path):
    async with open_stage(tmp_path) as (service, gates, _):
        service.plan["send"] = ["lose"]
        decision = await asked(gates)
        effect = await becomes(gates, decision, "ambiguous")
        await retry_effect(gates, effect.id)
        again = await becomes(gates, decision, "applied")
    assert (again.attempts, service.count("send")) == (2, 2)
    assert again.attempt_id != effect.attempt_id


async def test_nothing_that_has_ended_is_sent_again(tmp_path):
    async with open_stage(tmp_path) as (service, gates, _):
        service.plan["send"] = ["lose"]
        decision = await asked(gates)
        effect = await becomes(gates, decision, "ambiguous")
        await gates.cancel(decision.decision_id)
        await retry_effect(gates, effect.id)
        await becomes(gates, decision, "cancelled")
    assert service.count("send") == 1


async def test_a_channel_that_stands_still_holds_up_no_other(tmp_path):
    async with open_service() as slow, open_service() as quick:
        slow.plan["send"] = ["hold"]
        channels = channel(slow, "line:slow"), channel(quick, "line:quick")
        async with open_desk(tmp_path, *channels, grace=0) as (gates, _):
            decision = await asked(gates)
            await slow.until(lambda: slow.count("send"))
            await quick.shows(1)
            quick.press(quick.codes()["continue"])
            await gates.ended(decision.decision_id)
            await quick.until(lambda: quick.count("edit"))
            assert not slow.messages


async def test_every_channel_that_has_shown_it_shows_how_it_ended(tmp_path):
    async with open_service() as one, open_service() as two:
        channels = channel(one, "line:one"), channel(two, "line:two")
        async with open_desk(tmp_path, *channels) as (gates, _):
            decision = await asked(gates)
            await one.shows(1)
            await two.shows(1)
            one.press(one.codes()["continue"])
            await gates.ended(decision.decision_id)
            await one.until(lambda: one.messages[1]["text"] == "Chosen: Continue")
            await two.until(lambda: two.messages[1]["text"] == "Chosen: Continue")
    assert (one.count("edit"), two.count("edit")) == (1, 1)


async def test_a_settlement_that_fails_is_tried_three_times_and_the_decision_stays(tmp_path):
    async with open_stage(tmp_path) as (service, gates, _):
        service.plan["edit"] = ["refuse"] * 9
        decision = await asked(gates)
        await service.shows(1)
        service.press(service.codes()["continue"])
        resolution = await gates.ended(decision.decision_id)
        await service.until(lambda: service.count("edit") == 3)
        second = await asked(gates, place=another(2))
        await becomes(gates, second, "applied")
        effect = await becomes(gates, decision, "rejected", "settle")
        assert (await gates.get(decision.decision_id)).resolution == resolution
    assert (effect.attempts, service.count("edit")) == (3, 3)


@pytest.mark.parametrize("who", [{"user": "999"}, {"chat": "-999"}])
@pytest.mark.parametrize("options", [{}, {"trusts_all": "yes"}], ids=["checked by both", "checked by the server"])
async def test_who_is_not_listed_decides_nothing(tmp_path, who, options):  # case 95
    async with open_service() as service:
        trusting = channel(service, options={"address": service.address, **options})
        async with open_desk(tmp_path, trusting) as (gates, _):
            decision = await asked(gates)
            await service.shows(1)
            service.press(service.codes()["replan"], text="me first", **who)
            service.press(service.codes()["continue"])
            resolution = await gates.ended(decision.decision_id)
            assert len(await gates.submissions(decision.decision_id)) == 1
    assert resolution.response.choice == "continue"
    assert service.said == (["forbidden", "received"] if options else ["received"])


async def test_a_refused_answer_loses_none_of_those_after_it(tmp_path):
    async with open_stage(tmp_path) as (service, gates, _):
        first = await asked(gates)
        await service.shows(1)
        codes = service.codes()
        second = await asked(gates, place=another(2))
        await service.shows(2)
        service.press(codes["replan"], text="")  # too short
        service.press(codes["continue"])
        service.press(service.codes()["continue"])
        await gates.ended(first.decision_id)
        await gates.ended(second.decision_id)
    assert service.said == ["invalid_response", "received", "received"]


async def test_what_was_dealt_with_is_not_read_again_after_a_restart(tmp_path):
    async with open_service() as service:
        async with open_desk(tmp_path, channel(service)) as (gates, _):
            decision = await asked(gates)
            await service.shows(1)
            service.press(service.codes()["replan"], text="")
            await service.until(lambda: service.said)
        async with open_desk(tmp_path, channel(service)) as (gates, _):
            calls = len(service.calls)
            await service.until(lambda: len(service.calls) > calls + 1)
            assert (await gates.get(decision.decision_id)).resolution is None
            service.press(service.codes()["continue"])
            await gates.ended(decision.decision_id)
    afterwards = [call for call in service.calls[calls:] if call["do"] == "updates"]
    assert afterwards[0]["after"] == 1
    assert service.said == ["invalid_response", "received"]
    assert service.count("send") == 1


async def test_a_button_works_across_a_new_token_and_a_restart(tmp_path):
    async with open_service() as service:
        async with open_desk(tmp_path, channel(service)) as (gates, _):
            decision = await asked(gates)
            await service.shows(1)
            codes = service.codes()
        service.tokens.add("another")
        async with open_desk(tmp_path, channel(service, token="another")) as (gates, _):
            service.press(codes["continue"])
            await gates.ended(decision.decision_id)


async def test_a_process_has_no_secret_where_others_can_see_it(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_PASSWORD", "pa55word")
    async with open_stage(tmp_path) as (service, gates, desk):
        await asked(gates)
        await service.shows(1)
        seen = [await trio.Path(f"/proc/{service.pids[-1]}/{what}").read_bytes() for what in ("environ", "cmdline")]
        assert desk.status()[LINE].state == "running"
    assert TOKEN.encode() not in b"".join(seen)
    assert b"pa55word" not in b"".join(seen)


async def test_a_program_that_cannot_be_started_is_told_and_holds_up_nothing(tmp_path):
    async with open_service() as service:
        missing = channel(service, "line:missing", command=("/nonexistent/program",))
        async with open_desk(tmp_path, missing, channel(service)) as (gates, desk):
            await asked(gates)
            await service.shows(1)
            assert "cannot be started" in desk.status()["line:missing"].why


async def test_a_server_that_ends_lets_its_process_finish_what_it_is_at(tmp_path):
    async with open_service() as service:
        async with open_desk(tmp_path, channel(service)) as (gates, _), trio.open_nursery() as nursery:
            service.plan["send"] = ["hold"]
            decision = await asked(gates)
            await service.until(lambda: service.count("send"))
            nursery.start_soon(release_soon, service)
        async with open_desk(tmp_path) as (gates, _):
            assert (await effect_of(gates, decision)).state == "applied"


async def release_soon(service):
    service.released.set()
