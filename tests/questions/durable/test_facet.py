"""The facet of decisions: what it needs, and whom it lets in as what."""

import pytest

from facets import Forbidden, InvalidFacet, Principal, open_host
from facets.context import Ctx
from questions.durable import BadArgument, LiveDecisions, decisions_facet, open_store
from tests.questions.durable.desk_stages import ANA, LEAD, ROOT, open_stage


async def test_without_a_store_a_host_does_not_begin():
    with pytest.raises(InvalidFacet) as told:
        async with open_host([decisions_facet]):
            raise AssertionError("it has begun")
    assert "open_store" in str(told.value)


async def test_only_programs_that_are_named_are_the_root_of_a_session():
    async with open_stage() as stage:
        for principal, is_main in ((ROOT, True), (LEAD, False)):
            assert (await stage.get(principal)).caller.main is is_main


async def test_nobody_is_main_whatever_the_setting_says_of_people():
    async with open_store(":memory:") as store:
        facet = decisions_facet.configured(store=store, main=lambda _: True)
        async with open_host([facet]) as host:
            assert not (await Ctx(host, ANA).get(LiveDecisions)).caller.main


@pytest.mark.parametrize("id", ["user:ana", "server:host", "worker:s1"])
async def test_a_program_that_is_called_as_somebody_else_is_gets_nothing(id):
    async with open_stage() as stage:
        with pytest.raises(Forbidden):
            await stage.get(Principal.program(id))


@pytest.mark.parametrize("call", [5, "", "x" * 201])
async def test_what_cannot_be_a_call_is_refused(call):
    async with open_stage() as stage:
        with pytest.raises(BadArgument):
            await stage.get(ROOT, call)


async def test_what_nobody_holds_any_more_is_left():
    async with open_stage() as stage:
        ctx = Ctx(stage.host, ANA)
        live = await ctx.get(LiveDecisions)
        _ = live.open
        desks = live._desks()
        assert desks._desks
        ctx.end()
        assert not desks._desks
        assert not desks._unavailable._listeners
