"""Gates from other processes: what each client is shown and may answer, and who is refused, and why."""

import pytest

from facets import Forbidden, LinkLost, Principal
from facets.link.interface import interface_of
from questions.durable import UnknownDecision
from questions.durable.backend import Notice, Write
from questions.gates import (
    BlockingGates,
    DeadlinePassed,
    DecisionCancelled,
    HumanRequired,
    InvalidResponse,
    KeyReused,
    SettledAlready,
    Stale,
    document,
    view_of,
    write_request,
)
from questions.gates.live_gates import LIVE_GATES
from questions.gates.pieces import Piece, put
from questions.gates.tables import REQUESTS
from tests.link.clients import every_client
from tests.link.relays import drop
from tests.questions.gates.acts import accepted, resolution
from tests.questions.gates.cases import AUTOMATIC, CONTINUE, EXACT, REPLAN
from tests.questions.gates.live_stages import ANA, BO, ask, open_stage, seen

SECRET = "only the workflow sees this"


async def refused(call, kind):
    with pytest.raises(kind) as told:
        await call
    assert type(told.value) is kind
    return told.value


@every_client
async def test_every_client_is_shown_a_request_without_its_subject_and_answers_it_exactly(open_link):
    async with open_stage() as stage, stage.link(ANA, open_link) as ana:
        _ = ana.open, ana.closed
        made = await ask(stage.gates, subject={"plan": SECRET}, timeout=AUTOMATIC)
        shown = (await seen(ana.open))[made.decision_id]
        assert (shown.view, shown.document) == (view_of(made), document(view_of(made)))
        assert 500 < shown.remaining <= 600.1
        answered = await ana.answer(shown.id, shown.request_digest, shown.response_of("replan", EXACT))
        assert (answered.how, answered.provenance, answered.answer) == ("answered", "human", "Replan")
        await seen(ana.open, lambda value: not value)
        assert (await seen(ana.closed))[made.decision_id] == answered
        decision = await resolution(stage.gates, made)
        assert decision.response == REPLAN
        assert (decision.source.channel, decision.source.actor_id) == ("link", "user:ana")


async def test_nothing_on_the_wire_holds_the_subject_or_who_has_answered():
    async with open_stage() as stage, stage.link(ANA) as ana:
        made = await ask(stage.gates, subject={"plan": SECRET})
        shown = (await seen(ana.open))[made.decision_id]
        wire = LIVE_GATES.converter.unstructure(shown)
        assert SECRET.encode() not in bytes(wire)
        assert made.subject_digest.encode() not in bytes(wire)
        answered = await ana.answer(shown.id, shown.request_digest, CONTINUE)
        assert "ana" not in repr(answered)


async def test_the_same_act_sent_again_is_adopted_and_with_other_content_it_is_refused():
    async with open_stage() as stage, stage.link(ANA) as ana:
        made = await ask(stage.gates)
        ids = made.decision_id, made.request_digest
        first = await ana.answer(*ids, CONTINUE, act="press-1")
        assert await ana.answer(*ids, CONTINUE, act="press-1") == first
        assert len(await stage.gates.submissions(made.decision_id)) == 1
        await refused(ana.answer(*ids, REPLAN, act="press-1"), KeyReused)


async def test_the_same_act_of_somebody_else_is_another_one():
    async with open_stage() as stage, stage.link(ANA) as ana, stage.link(BO) as bo:
        made = await ask(stage.gates)
        ids = made.decision_id, made.request_digest
        await ana.answer(*ids, CONTINUE, act="press-1")
        error = await refused(bo.answer(*ids, REPLAN, act="press-1"), SettledAlready)
        assert error.words == "Chosen: Continue"
        assert "ana" not in str(error)


async def test_who_has_chosen_the_same_as_the_winner_is_told_of_no_conflict():
    async with open_stage() as stage, stage.link(ANA) as ana:
        made = await ask(stage.gates)
        await accepted(stage.gates, made)
        assert (await ana.answer(made.decision_id, made.request_digest, CONTINUE)).answer == "Continue"


async def test_an_answer_whose_link_is_lost_as_it_is_written_is_sent_again_and_counts_once():
    async with open_stage() as stage, stage.link(ANA) as ana:
        made = await ask(stage.gates)
        stage.engine.after.append(lambda: drop(stage.server, ANA))
        answered = await ana.answer(made.decision_id, made.request_digest, CONTINUE, act="press-1")
        assert (answered.how, answered.answer) == ("answered", "Continue")
        assert len(await stage.gates.submissions(made.decision_id)) == 1


async def test_one_without_an_act_of_its_own_is_not_sent_again_by_itself():
    async with open_stage() as stage, stage.link(ANA) as ana:
        made = await ask(stage.gates)
        stage.engine.after.append(lambda: drop(stage.server, ANA))
        await refused(ana.answer(made.decision_id, made.request_digest, CONTINUE), LinkLost)
        assert (await resolution(stage.gates, made)).response == CONTINUE


@every_client
async def test_refusals_come_as_what_they_are(open_link):
    async with open_stage() as stage, stage.link(ANA, open_link) as ana:
        made = await ask(stage.gates)
        ids = made.decision_id, made.request_digest
        error = await refused(ana.answer(*ids, {"choice": "burn"}), InvalidResponse)
        assert list(error.faults) == ["$.response.choice: not available; there are continue, replan"]
        await refused(ana.answer(ids[0], "sha256:" + "0" * 64, CONTINUE), Stale)
        await refused(ana.answer("decision-none", ids[1], CONTINUE), UnknownDecision)
        await stage.gates.cancel(made.decision_id)
        assert (await refused(ana.answer(*ids, CONTINUE), DecisionCancelled)).reason == "cancelled"


async def test_an_answer_at_the_deadline_is_told_that_it_was_late_and_nobody_has_denied_anything():
    clock = [0.0]
    async with open_stage(clock) as stage, stage.link(ANA) as ana:
        made = await ask(stage.gates, timeout=AUTOMATIC)
        clock[0] = 600.0
        error = await refused(ana.answer(made.decision_id, made.request_digest, CONTINUE), DeadlinePassed)
        assert "was not counted" in str(error)


async def test_what_the_timeout_has_chosen_is_never_put_as_somebodys_decision():  # case 148
    clock = [0.0]
    async with open_stage(clock, serve=True) as stage, stage.link(ANA) as ana:
        _ = ana.open, ana.closed
        made = await ask(stage.gates, timeout=AUTOMATIC)
        await seen(ana.open)
        clock[0] = 600.0
        closed = (await seen(ana.closed))[made.decision_id]
        assert (closed.how, closed.provenance) == ("answered", "timeout")
        assert closed.words == "Automatic at the deadline, since there was no answer: Continue"
        error = await refused(ana.answer(made.decision_id, made.request_digest, REPLAN), SettledAlready)
        assert (error.provenance, error.words) == ("timeout", closed.words)


PROGRAMS = Principal.program("model"), Principal.server("s")


@pytest.mark.parametrize("principal", PROGRAMS, ids=str)
async def test_who_is_no_user_is_shown_nothing_and_settles_nothing(principal):
    async with open_stage() as stage, stage.link(principal) as program:
        made = await ask(stage.gates)
        assert await seen(program.open, lambda _: True) == {}
        await refused(program.answer(made.decision_id, made.request_digest, CONTINUE), HumanRequired)
        await refused(program.answer("decision-none", made.request_digest, CONTINUE), HumanRequired)
        assert await resolution(stage.gates, made) is None


@pytest.mark.parametrize("principal", [Principal.guest("eve"), Principal.worker("s1")], ids=str)
async def test_guests_and_workers_take_no_part(principal):
    async with open_stage() as stage:
        with pytest.raises(Forbidden):
            async with stage.link(principal) as stranger:
                await seen(stranger.open)


async def test_in_the_process_of_the_host_nobody_answers_whoever_they_say_they_are():
    async with open_stage() as stage:
        made = await ask(stage.gates)
        live = await stage.get(ANA)
        assert list(await seen(live.open)) == [made.decision_id]
        await refused(live.answer(made.decision_id, made.request_digest, CONTINUE), HumanRequired)


async def test_an_audience_is_shown_to_those_who_may_answer_for_it_and_unknown_to_all_others():
    async with (
        open_stage(may_answer=lambda user, audience: (user, audience) == (ANA, "operator")) as stage,
        stage.link(ANA) as ana,
        stage.link(BO) as bo,
    ):
        made = await ask(stage.gates)
        other = await ask(stage.gates, "b", audience="board")
        assert list(await seen(ana.open)) == [made.decision_id]
        assert await seen(bo.open, lambda _: True) == {}
        await refused(bo.answer(made.decision_id, made.request_digest, CONTINUE), UnknownDecision)
        await refused(ana.answer(other.decision_id, other.request_digest, CONTINUE), UnknownDecision)


@pytest.mark.parametrize(("channels", "is_shown"), [(["telegram:ops"], False), (["telegram:ops", "web"], True)])
async def test_an_audience_that_is_not_asked_on_the_page_is_answered_elsewhere_alone(channels, is_shown):
    async with open_stage(channels_of=lambda _: channels) as stage, stage.link(ANA) as ana:
        made = await ask(stage.gates)
        assert list(await seen(ana.open, lambda _: True)) == [made.decision_id] * is_shown
        if not is_shown:
            await refused(ana.answer(made.decision_id, made.request_digest, CONTINUE), UnknownDecision)


async def test_who_comes_late_sees_what_is_open_oldest_first_and_one_that_cannot_be_read_hides_no_other():
    async with open_stage() as stage:
        made = [await ask(stage.gates, name) for name in "abc"]
        altered = write_request(made[1]).replace("Approve plan", "Approve plot")
        columns = {"state": "open", "created": made[1].created_at, "deadline": None, "run": made[1].run_id}
        write = put(REQUESTS, made[1].decision_id, 1, altered, columns, kind="gate.open")
        await stage.gates.record(write)
        async with stage.link(ANA) as ana:
            assert list(await seen(ana.open)) == sorted([made[0].decision_id, made[2].decision_id], key=age_in(made))


def age_in(made):
    ages = {one.decision_id: (one.created_at, one.decision_id) for one in made}
    return ages.__getitem__


async def test_while_the_store_is_away_it_is_said_why_and_then_what_has_changed_is_there():
    async with open_stage() as stage:
        live = await stage.get(ANA)
        made = await ask(stage.gates)
        await seen(live.open)
        stage.engine.away |= {"get", "scan", "count", "now", "changes", "moved"}
        assert "away" in await seen(live.open.unavailability)
        stage.engine.away.clear()
        await stage.gates.cancel(made.decision_id)
        await seen(live.open.unavailability, lambda why: why is None)
        await seen(live.open, lambda value: not value)
        assert live.closed.value[made.decision_id].how == "cancelled"


async def test_one_that_is_dropped_while_it_is_shown_is_said_to_be_gone():
    async with open_stage() as stage:
        live = await stage.get(ANA)
        made = await ask(stage.gates)
        await seen(live.open)
        await stage.gates.record(Piece((Write(REQUESTS, made.decision_id, 1, None),), (gone(made),)))
        assert (await seen(live.closed))[made.decision_id].how == "gone"


def gone(made):
    return Notice(REQUESTS.name, made.decision_id, 2, "gate.dropped")


def test_plain_scripts_get_the_same():
    assert interface_of(BlockingGates) is LIVE_GATES


async def test_a_request_that_somebody_looks_at_is_delivered():
    async with open_stage() as stage:
        made = await ask(stage.gates)
        assert not stage.gates.shows_here(made.decision_id)
        async with stage.link(ANA) as ana:
            await seen(ana.open)
            assert stage.gates.shows_here(made.decision_id)
            assert not stage.gates.shows_here("decision-of-nobody")
