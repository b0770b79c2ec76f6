"""Channels as processes: what is shown, answered and settled, each step written before and after."""

import trio

from questions.gates import AcceptedDecision
from tests.questions.gates.cases import EXACT
from tests.questions.gates.channel_stage import asked, becomes, open_stage


async def test_a_request_is_shown_answered_and_settled_without_its_subject(tmp_path):  # case 123
    async with open_stage(tmp_path) as (service, gates, _):
        decision = await asked(gates, subject={"private_field": "not-for-display"})
        await service.shows(1)
        service.press(service.codes()["replan"], text=EXACT)
        resolution = await gates.ended(decision.decision_id)
        await becomes(gates, decision, "applied", "settle")
        shown = await becomes(gates, decision, "applied")
    assert isinstance(resolution, AcceptedDecision)
    assert resolution.response.input.text == EXACT
    assert (resolution.source.channel, resolution.source.actor_id) == ("line:approval", "100")
    assert len(shown.messages) == service.count("send") == service.count("edit") == 1
    assert service.messages[1]["text"] == "Chosen: Replan"
    assert "private_field" not in str(service.calls)
    assert service.said == ["received"]
