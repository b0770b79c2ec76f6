"""What is open in a store, live, for those who look on at a host: who sees what, and what a change costs."""

from typing import Any

import pytest
from trio.testing import wait_all_tasks_blocked

from facets import Forbidden, Principal, open_host
from facets.context import Ctx
from questions.durable import Caller, LiveDecisions, Missed, decisions_facet, desks, open_store
from tests.questions.durable.cases import OPTS, climbing
from tests.questions.durable.desk_stages import ANA, BO, LEAD, ROOT, open_stage, seen
from tests.questions.durable.rewriting import rewrite

ALONE = Principal.program("alone")
SERVER = Principal.server("other")
WORKER = Principal.worker("s1")
PRINCIPALS = {
    "person": BO,
    "root": ROOT,
    "supervisor": LEAD,
    "program": ALONE,
    "worker": WORKER,
    "server": SERVER,
}
SEES = {
    "user": {"person", "server", "raiser"},
    "root": {"root", "server", "raiser"},
    "supervisor:lead": {"supervisor", "server", "raiser"},
}
RAISERS = [ANA, Principal.program("run-1"), Principal.worker("s2"), Principal.server("asking")]


@pytest.mark.parametrize("holder", SEES)
@pytest.mark.parametrize("raiser", RAISERS, ids=str)
async def test_a_decision_is_shown_to_its_holder_its_raiser_and_servers_and_to_nobody_else(holder, raiser):
    async with open_stage() as stage:
        raised = await (await stage.get(raiser)).raise_decision("Ship?", holder=holder)
        looking = {name: await stage.get(who) for name, who in {**PRINCIPALS, "raiser": raiser}.items()}
        for live in looking.values():
            await seen(live.open, lambda _: True)
        shown = {name for name, live in looking.items() if raised.id in live.open.value}
        assert shown == SEES[holder] | ({"server"} if raiser.kind == "server" else set()) | (
            {"person"} if raiser.kind == "user" and holder == "user" else set()
        )


async def test_guests_take_no_part():
    async with open_stage() as stage:
        with pytest.raises(Forbidden):
            await stage.get(Principal.guest("eve"))


async def test_what_is_shown_says_who_may_do_what():
    async with open_stage() as stage:
        live = await stage.get(ROOT)
        await live.raise_decision("Ship?", **climbing("supervisor:lead"))
        raiser = await seen(live.open, bool)
        holder = await seen((await stage.get(LEAD)).open, bool)
        [mine], [its] = raiser.values(), holder.values()
        assert (mine.may_answer, mine.may_escalate, mine.may_cancel) == (False, False, True)
        assert (its.may_answer, its.may_escalate, its.may_cancel) == (True, True, True)


async def test_in_the_call_that_raised_it_nobody_judges_it():
    async with open_stage() as stage:
        inside, outside = await stage.get(ROOT, "call-1"), await stage.get(ROOT, "call-2")
        await inside.raise_decision("Ship?", holder="root")
        [banned], [free] = [(await seen(one.open, bool)).values() for one in (inside, outside)]
        assert (banned.may_answer, free.may_answer) == (False, True)


async def test_a_decision_that_climbs_goes_from_one_desk_to_the_next():
    async with open_stage() as stage:
        lead, root = await stage.get(LEAD), await stage.get(ROOT)
        raised = await (await stage.get(ALONE)).raise_decision("Ship?", **climbing("supervisor:lead"))
        await seen(lead.open, bool)
        await lead.escalate(raised.id, "not mine")
        shown = (await seen(root.open, bool))[raised.id]
        assert (shown.hop, shown.next_holders) == ((2, 3), ("user",))
        assert [(move.holder, move.reason, move.text) for move in shown.history] == [
            ("supervisor:lead", "escalated", "not mine")
        ]
        await seen(lead.open, lambda value: not value)
        assert lead.closed.value[raised.id].how == "moved"


async def test_whoever_saw_it_is_told_how_it_has_ended():
    async with open_stage() as stage:
        ana, bo = await stage.get(ANA), await stage.get(BO)
        raised = await ana.raise_decision("Ship?", options=OPTS)
        for live in (ana, bo):
            await seen(live.open, bool)
        await bo.answer(raised.id, option="keep")
        await seen(ana.open, lambda value: not value)
        gone = ana.closed.value[raised.id]
        assert (gone.how, gone.by, gone.answer, gone.message) == ("answered", "bo", "Keep", "Ship?")


async def test_only_the_last_hundred_that_have_gone_are_kept():
    async with open_stage() as stage:
        ana = await stage.get(ANA)
        raised = [await ana.raise_decision("Ship?") for _ in range(101)]
        await seen(ana.open, lambda value: len(value) == 101)
        for one in raised:
            await ana.cancel(one.id)
        await seen(ana.open, lambda value: not value)
        assert len(ana.closed.value) == 100


async def test_a_hop_is_followed_at_its_deadline_without_a_sweeper():
    clock = [0.0]
    async with open_stage(clock) as stage:
        ana, lead = await stage.get(ANA), await stage.get(LEAD)
        raised = await ana.raise_decision("Ship?", **climbing("supervisor:lead"), timeout_ms=1_000)
        await seen(lead.open, bool)
        shown = (await seen(ana.open, lambda value: value[raised.id].hop == (2, 3)))[raised.id]
        assert shown.decision.version == 2
        assert 58 < shown.remaining <= 60


async def test_times_are_those_of_the_host_whatever_the_clock_of_the_store_says():
    async with open_stage([7_200.0]) as stage:
        ana = await stage.get(ANA)
        raised = await ana.raise_decision("Ship?", **climbing("supervisor:lead"), timeout_ms=60_000)
        shown = (await seen(ana.open, bool))[raised.id]
        assert 55 < shown.remaining <= 60.1
        assert shown.ends_at is not None
        assert 119 < shown.ends_at.timestamp() - shown.deadline.timestamp() < 121


async def test_nothing_is_read_before_somebody_looks_on():
    async with open_stage() as stage:
        await stage.store.decisions(Caller(ANA)).raise_decision("Ship?")
        stage.engine.forget()
        ana = await stage.get(ANA)
        await wait_all_tasks_blocked()
        assert not stage.engine.calls["scan"]
        await seen(ana.open, bool)
        assert stage.engine.calls["scan"] == 1


async def test_a_change_costs_one_read_however_much_is_open_and_however_many_look_on():
    async with open_stage() as stage:
        people = [await stage.get(Principal.user(f"p{number}")) for number in range(50)]
        for number in range(100):
            await people[0].raise_decision(f"Ship {number}?")
        for live in people:
            await seen(live.open, lambda value: len(value) == 100)
        await wait_all_tasks_blocked()
        stage.engine.forget()
        id = next(iter(people[0].open.value))
        await people[1].answer(id, text="yes")
        await seen(people[2].open, lambda value: len(value) == 99)
        assert stage.engine.calls["scan"] == 0
        assert stage.engine.calls["get"] <= 3  # one to answer it, one to follow
        [difference] = {str(live.open.since(people[2].open.version - 1).drop) for live in people}
        assert id in difference


async def test_while_the_store_is_away_desks_say_so_and_then_go_on():
    async with open_stage() as stage:
        ana = await stage.get(ANA)
        raised = await ana.raise_decision("Ship?")
        await seen(ana.open, bool)
        stage.engine.away |= {"get", "scan", "count", "now", "changes", "moved"}
        await seen(ana.open.unavailability, bool)
        assert raised.id in ana.open.value
        other = stage.engine.engine
        stage.engine.away.clear()
        async with open_store(other) as store:
            await store.decisions(Caller(BO)).answer(raised.id, text="yes")
        await seen(ana.open.unavailability, lambda why: why is None)
        await seen(ana.open, lambda value: not value)


async def test_a_file_that_is_taken_away_is_noticed_although_its_clock_goes_on(tmp_path):
    async with open_store(tmp_path) as store, open_host([decisions_facet.configured(store=store)]) as host:
        ana: Any = await Ctx(host, ANA).get(LiveDecisions)
        await ana.raise_decision("Ship?")
        await seen(ana.open, bool)
        tmp_path.rename(aside := tmp_path.with_name("aside"))
        assert "cannot be found" in await seen(ana.open.unavailability, bool)
        aside.rename(tmp_path)
        await seen(ana.open.unavailability, lambda why: why is None)


async def test_one_that_is_not_in_the_store_any_more_has_gone_nowhere(tmp_path):
    async with open_store(tmp_path) as store, open_host([decisions_facet.configured(store=store)]) as host:
        ana: Any = await Ctx(host, ANA).get(LiveDecisions)
        raised = await ana.raise_decision("Ship?")
        await seen(ana.open, bool)
        for file in tmp_path.iterdir():
            file.unlink()
        async with open_store(tmp_path) as another:
            await another.decisions(Caller(BO)).raise_decision("Wait?")
        assert (await seen(ana.closed, bool))[raised.id].how == "gone"


async def test_once_the_store_is_closed_desks_say_so():
    async with open_stage() as stage:
        ana = await stage.get(ANA)
        await seen(ana.open, lambda _: True)
        stage.store.close()
        assert "closed" in await seen(ana.open.unavailability, bool)


async def test_everything_is_shown_page_by_page_and_what_cannot_be_read_is_left_out(monkeypatch):
    monkeypatch.setattr(desks, "_PAGE", 2)
    async with open_stage() as stage:
        ana = await stage.get(ANA)
        ids = [(await ana.raise_decision("Ship?")).id for _ in range(7)]
        await rewrite(stage.store, ids[2], dict.clear)
        await rewrite(stage.store, ids[3], dict.clear)
        assert set(await seen(ana.open, bool)) == {*ids} - {ids[2], ids[3]}


async def test_after_hints_were_lost_everything_is_read_again():
    async with open_stage() as stage:
        ana = await stage.get(ANA)
        raised = await ana.raise_decision("Ship?")
        await seen(ana.open, bool)
        stage.store.follower._hear = lambda line: None
        await ana.cancel(raised.id)
        left = await ana.raise_decision("Wait?")
        for hints in stage.store.follower._hints:
            hints.put(Missed())
        assert list(await seen(ana.open, lambda value: raised.id not in value)) == [left.id]
        assert ana.closed.value[raised.id].how == "cancelled"
