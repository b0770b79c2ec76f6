"""`Asker.asking`: its own questions in its own scope, as long as somebody holds the asker."""

from typing import Any

import pytest

from facets import Principal, Unavailable
from facets.link.interface import Arrival
from questions import Confirm, InvalidAsk, Questions, SessionScope
from questions.remote.wire import converter, read_open_ask
from questions.testing import open_rig
from tests.questions.steps import opened, said, store_of
from tests.rules import rule

ANA = Principal.user("ana")
SHOWN: dict[str, Any] = {
    "id": "q_1",
    "key": None,
    "message": "Go?",
    "answered": [],
    "seen": [],
    "asked_at": 0.0,
    "deadline": None,
}


@rule("Q-AUTH-1")
async def test_it_holds_no_question_of_another_asker_or_scope(autojump_clock):
    async with open_rig() as rig, rig.host.root(principal=Principal.worker("s2")) as ctx:
        other = await ctx.get(Questions, SessionScope("s2"))
        _ = other.asking
        await opened(rig, audience=[ANA])
        assert (len((await rig.asker()).asking.value), len(other.asking.value)) == (1, 0)
        [ana] = await rig.people("ana")
        assert not hasattr(ana.viewer, "asking")


async def test_two_askers_of_one_scope_see_their_own(autojump_clock):
    async with open_rig() as rig, rig.host.root(principal=Principal.worker("s1")) as ctx:
        worker = await ctx.get(Questions, rig.scope)
        asking, _ = worker.asking, (await rig.asker()).asking
        await opened(rig, Confirm("Mine?"), audience=[ANA])
        assert [one.message for one in (await rig.asker()).asking.value.values()] == ["Mine?"]
        assert not asking.value


async def test_it_is_gone_with_how_it_ended(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking = (await rig.asker()).asking
        _, id = await opened(rig, audience=[ana])
        revision = asking.since(-1).revision
        said(ana, True)
        assert asking.since(revision).drop == {id: "answered"}


async def test_nothing_is_kept_for_who_looks_no_more(autojump_clock):
    async with open_rig() as rig:
        principal = Principal.worker("s1")
        async with rig.host.root(principal=principal) as ctx:
            worker = await ctx.get(Questions, rig.scope)
            assert worker.asking is worker.asking
        await rig.until(100)
        with pytest.raises(Unavailable):
            _ = worker.asking
        places = store_of(rig).publishing._places
        assert principal not in getattr(places.get(rig.scope), "askers", {})


@pytest.mark.parametrize("bad", [{"id": 1}, {"answered": [{"kind": "king", "id": "x", "name": "x"}]}])
def test_what_has_come_and_is_none_is_refused(bad):
    with pytest.raises(InvalidAsk):
        read_open_ask({**SHOWN, "waiting_for": [], **bad}, Arrival(0.0, 0.0, lambda: 0.0))


async def test_it_has_no_answer_to_write(autojump_clock):
    async with open_rig() as rig:
        await opened(rig, audience=[ANA])
        [one] = (await rig.asker()).asking.value.values()
        assert set(converter.unstructure(one, unstructure_as=type(one)).__struct_fields__) == {*SHOWN, "waiting_for"}
