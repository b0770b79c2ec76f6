"""Decisions from other processes: what each client offers, how it is refused, and who is told what."""

import pytest
import trio
from websockets.trio.client import connect
from websockets.typing import Subprotocol

from facets import Forbidden, Principal
from facets.link.interface import interface_of
from facets.link.messages import SUBPROTOCOL
from questions.durable import (
    BadAnswer,
    BadArgument,
    BlockingDecisions,
    Caller,
    HeldByUser,
    LiveDecisions,
    NoNextHolder,
    NotHolder,
    NotOpen,
    SelfAnswer,
    Status,
    StoreLimits,
    StoreUnavailable,
    TooManyOpen,
    UnknownDecision,
    open_store,
)
from questions.durable.live import LIVE_DECISIONS
from questions.question import Confirm, Option, Select, Text
from tests.link.clients import coming_back, every_client
from tests.link.raw import wait_until
from tests.link.relays import drop
from tests.questions.durable.cases import OPTS, climbing
from tests.questions.durable.desk_stages import ANA, BO, LEAD, ROOT, open_stage, seen

CAROL = Principal.program("carol")


@every_client
async def test_every_client_raises_looks_answers_and_awaits(open_link):
    async with open_stage() as stage, stage.link(ROOT, open_link) as root, stage.link(ANA, open_link) as ana:
        raised = await root.raise_decision("Ship?", options=[Option("keep", "Keep"), OPTS[1]], timeout_ms=60_000)
        assert (raised.version, raised.raised_by.participant_id) == (1, "session:main")
        assert [one.id for one in await ana.list()] == [raised.id]
        assert await ana.get(raised.id) == raised
        assert (await root.wait(raised.id, timeout_ms=0)).status is Status.OPEN
        answered = await ana.answer(raised.id, option="drop", token="once")
        assert await ana.answer(raised.id, option="drop", token="once") == answered
        assert (answered.answer.option_id, answered.answer.answered_by, answered.answer.via) == ("drop", "ana", "link")
        assert await root.wait(raised.id) == answered


@every_client
async def test_every_client_passes_on_and_cancels(open_link):
    async with open_stage() as stage, stage.link(LEAD, open_link) as lead, stage.link(CAROL, open_link) as carol:
        raised = await carol.raise_decision("Ship?", **climbing("supervisor:lead"))
        moved = await lead.escalate(raised.id, "not mine")
        assert (moved.holder, moved.escalation.hop, moved.history[0].text) == ("root", 1, "not mine")
        assert (await carol.cancel(raised.id)).status is Status.CANCELLED


@every_client
async def test_every_client_is_shown_what_is_open_and_each_change_of_it(open_link):
    async with open_stage() as stage, stage.link(LEAD, open_link) as lead:
        _ = lead.open, lead.closed
        ana = await stage.get(ANA)
        raised = await ana.raise_decision("Ship?", **climbing("supervisor:lead"), timeout_ms=60_000)
        shown = (await seen(lead.open, bool))[raised.id]
        assert shown.decision == raised
        assert (shown.may_answer, shown.may_escalate, shown.may_cancel) == (True, True, True)
        assert shown.name_of("supervisor:lead") == "ana's team lead (lead)"
        assert 50 < shown.remaining <= 60.1
        await ana.escalate(raised.id)
        await seen(lead.open, lambda value: not value)
        assert (await seen(lead.closed, bool))[raised.id].how == "moved"


@every_client
async def test_refusals_come_as_what_they_are(open_link):
    limits = StoreLimits(max_open=3)
    async with (
        open_stage(limits=limits) as stage,
        stage.link(ROOT, open_link) as root,
        stage.link(ANA, open_link) as ana,
    ):
        held = await root.raise_decision("Ship?", options=OPTS)
        mine = await root.raise_decision("Ship?", holder="supervisor:lead")
        await refused(root.raise_decision(" "), BadArgument)
        await refused(root.answer(held.id, option="keep"), HeldByUser)
        await refused(root.answer(mine.id, text="yes"), NotHolder)
        await refused(ana.answer(held.id, option="burn"), BadAnswer)
        await refused(ana.escalate(held.id), NoNextHolder)
        await refused(ana.get(mine.id), UnknownDecision)
        await root.raise_decision("Ship?")
        await refused(root.raise_decision("Ship?"), TooManyOpen)
        await ana.cancel(held.id)
        await refused(ana.cancel(held.id), NotOpen)


async def refused(call, kind):
    with pytest.raises(kind) as told:
        await call
    assert type(told.value) is kind
    return told.value


async def test_every_fault_of_what_is_raised_comes_with_its_path():
    async with open_stage() as stage, stage.link(ROOT) as root:
        error = await refused(root.raise_decision(" ", kind="?", timeout_ms=1), BadArgument)
        assert sorted(fault.partition(":")[0] for fault in error.faults) == ["$.kind", "$.timeout_ms", "$.title"]


async def test_a_program_that_names_its_call_does_not_judge_what_it_has_raised_in_it():
    async with (
        open_stage() as stage,
        stage.link(ROOT, call="call-1") as inside,
        stage.link(ROOT, call="call-2") as other,
    ):
        raised = await inside.raise_decision("Ship?", holder="root")
        assert raised.raised_by.call_id == "call-1"
        await refused(inside.answer(raised.id, text="yes"), SelfAnswer)
        await refused(inside.escalate(raised.id), SelfAnswer)
        await other.answer(raised.id, text="yes")


SEES = {"user": {"ana", "bo"}, "root": {"ana", "root"}, "supervisor:lead": {"ana", "lead"}}
PEERS = {"ana": ANA, "bo": BO, "root": ROOT, "lead": LEAD, "carol": CAROL}


@pytest.mark.parametrize("holder", SEES)
async def test_over_links_it_is_there_for_its_holder_its_raiser_and_servers_and_unknown_to_all_others(holder):
    async with open_stage() as stage:
        raised = await (await stage.get(ANA)).raise_decision("Ship?", holder=holder)
        for name, principal in {**PEERS, "server": Principal.server("s")}.items():
            async with stage.link(principal) as decisions:
                shown = await seen(decisions.open, lambda _: True)
                sees = name in SEES[holder] | {"server"}
                assert (raised.id in shown, len(await decisions.list())) == (sees, int(sees)), name
                if not sees:
                    for act in (decisions.get, decisions.cancel, decisions.escalate, decisions.wait):
                        await refused(act(raised.id), UnknownDecision)
                    await refused(decisions.answer(raised.id, text="yes"), UnknownDecision)


async def test_guests_get_nothing_and_workers_nothing_beyond_their_session():
    async with open_stage() as stage:
        for principal in (Principal.guest("eve"), Principal.worker("s1")):
            with pytest.raises(Forbidden):
                async with stage.link(principal):
                    raise AssertionError("it was let in")


async def test_where_somebody_has_answered_is_as_the_door_has_seen_it():
    async with open_stage() as stage, stage.link(ANA) as ana:
        raised = await ana.raise_decision("Ship?")
        page = connect(
            stage.server.url, subprotocols=[Subprotocol(SUBPROTOCOL)], origin=stage.server.url.replace("ws", "http")
        )
        async with page as socket:
            for frame in FRAMES:
                await socket.send(frame % {"id": raised.id} if "%(id)s" in frame else frame)
            with trio.fail_after(10):
                assert (await ana.wait(raised.id)).answer.via == "web"


FRAMES = (
    '{"type":"hello","token":"user:bo"}',
    '{"type":"get","id":1,"kind":"decisions","input":null}',
    '{"type":"call","id":2,"object":1,"method":"answer","args":{"id":"%(id)s","text":"yes"}}',
)


def test_nobody_says_themselves_where_they_are():
    for method in LIVE_DECISIONS.face("decisions").methods.values():
        assert not {"via", "caller", "principal", "main"} & {one.name for one in method.parameters}


async def test_of_two_people_who_answer_at_once_one_is_told_that_it_has_ended():
    async with open_stage() as stage, stage.link(ANA) as ana, stage.link(BO) as bo:
        raised = await ana.raise_decision("Ship?", options=OPTS)
        ended = {}

        async def answer(name, decisions):
            try:
                ended[name] = (await decisions.answer(raised.id, option="keep")).answer.answered_by
            except NotOpen as error:
                ended[name] = error.status

        async with trio.open_nursery() as nursery:
            nursery.start_soon(answer, "ana", ana)
            nursery.start_soon(answer, "bo", bo)
        winner = (await ana.get(raised.id)).answer.answered_by
        assert ended == {winner: winner, ({"ana", "bo"} - {winner}).pop(): "answered"}


@every_client
async def test_a_wait_goes_on_after_a_lost_link(open_link):
    async with open_stage() as stage, open_link(stage.server.url, str(ROOT)) as link:
        root, ana = await link.get(LiveDecisions), await stage.get(ANA)
        raised = await root.raise_decision("Ship?")
        async with trio.open_nursery() as nursery:
            given = []

            async def wait():
                given.append(await root.wait(raised.id))

            nursery.start_soon(wait)
            await wait_until(lambda: stage.store.follower.watched)
            async with coming_back(link):
                await drop(stage.server, ROOT)
            await ana.answer(raised.id, text="yes")
        assert given[0].answer.text == "yes"


async def test_while_the_store_is_away_acts_fail_and_may_be_repeated_and_watches_say_so():
    async with open_stage() as stage, stage.link(ANA) as ana:
        raised = await ana.raise_decision("Ship?")
        await seen(ana.open, bool)
        stage.engine.away |= {"get", "scan", "count", "now", "changes", "moved", "commit"}
        await seen(ana.open.unavailability, bool)
        error = await refused(ana.answer(raised.id, text="yes"), StoreUnavailable)
        assert error.why == "it is away"
        stage.engine.away.clear()
        async with open_store(stage.engine.engine) as store:
            await store.decisions(Caller(BO)).answer(raised.id, text="yes")
        await seen(ana.open, lambda value: not value)
        await seen(ana.open.unavailability, lambda why: why is None)


async def test_what_is_shown_is_written_once_for_all_who_may_do_the_same():
    async with open_stage() as stage, stage.link(ANA) as ana, stage.link(BO) as bo:
        raised = await ana.raise_decision("Ship?")
        for one in (ana, bo):
            await seen(one.open, bool)
        local = await stage.get(ANA)
        assert len((await seen(local.open, bool))[raised.id].written) == 1


async def test_a_decision_is_a_question_to_what_shows_questions():
    async with open_stage() as stage, stage.link(ANA) as ana:
        confirm = await ana.raise_decision("Ship?", input="confirm", body="all of it")
        select = await ana.raise_decision("Which?", options=OPTS)
        text = await ana.raise_decision("Why?", input="editor")
        shown = await seen(ana.open, lambda value: len(value) == 3)
        assert shown[confirm.id].question == Confirm("Ship?", "Yes", "No", details="all of it")
        assert isinstance(shown[select.id].question, Select)
        assert isinstance(shown[text.id].question, Text)
        for id, value in ((confirm.id, True), (select.id, "drop"), (text.id, "because")):
            await ana.answer(id, **shown[id].answer_of(value))


def test_it_is_got_in_a_plain_script_by_another_class_too():
    assert interface_of(BlockingDecisions) is LIVE_DECISIONS


@every_client
async def test_an_answer_with_a_token_whose_reply_was_lost_is_sent_again_and_counts_once(open_link):
    async with open_stage() as stage, stage.link(ANA, open_link) as ana:
        raised = await ana.raise_decision("Ship?")

        async def cut():
            await drop(stage.server, ANA)

        stage.engine.after.append(cut)
        answered = await ana.answer(raised.id, text="yes", token="once")
        assert (answered.version, answered.answer.text) == (2, "yes")
        assert stage.server.traffic.accepted == 2
