"""Limits of open questions per asker, per scope and per person: what is refused, what is counted, and what is not."""

import pytest

from facets import Cell, Principal
from questions import (
    All,
    Confirm,
    LimitExceeded,
    Limits,
    Quorum,
    SessionScope,
    StoreClosed,
    Unavailable,
    questions_facet,
)
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, assert_nothing_is_left, opened, said, store_of

ANA, BO = Principal.user("ana"), Principal.user("bo")
S2 = SessionScope("s2")


async def refusal(rig, **options):
    """What one more ask raises; None if it is open now."""
    before = len(rig.reports)
    asking, _ = await opened(rig, **options)
    if len(rig.reports) > before:
        return None
    with pytest.raises(LimitExceeded) as refused:
        await asking.wait()
    return refused.value.what, refused.value.limit


async def test_one_asker_has_only_so_many_open_in_all_scopes_together(autojump_clock):
    async with open_rig(limits=Limits(open_per_asker=2)) as rig:
        await opened(rig, audience=[ANA])
        await opened(rig, audience=[ANA], asker=await rig.asker(scope=S2))
        assert await refusal(rig, audience=[ANA]) == ("open questions of server:host", 2)
        other = await rig.asker(Principal.worker("s1"))
        assert await refusal(rig, audience=[ANA], asker=other) is None


async def test_one_scope_holds_only_so_many_whoever_asks(autojump_clock):
    async with open_rig(limits=Limits(open_per_scope=1)) as rig:
        await opened(rig, audience=[ANA])
        worker = await rig.asker(Principal.worker("s1"))
        assert await refusal(rig, audience=[BO], asker=worker) == ("open questions in session:s1", 1)
        assert await refusal(rig, audience=[BO], asker=await rig.asker(scope=S2)) is None


async def test_one_person_is_asked_only_so_much_and_the_refusal_says_who(autojump_clock):
    async with open_rig(limits=Limits(open_per_person=1)) as rig:
        await opened(rig, audience=[ANA])
        assert await refusal(rig, audience=[BO, ANA]) == ("open questions asked of user:ana", 1)
        assert await refusal(rig, audience=[BO]) is None


@pytest.mark.parametrize("name", ["open_per_asker", "open_per_scope", "open_per_person"])
async def test_every_end_of_a_question_makes_room_again(autojump_clock, name):
    async with open_rig(limits=Limits(**{name: 1})) as rig:
        (ana,) = await rig.people("ana")
        for end in ("answered", "expired", "withdrawn", "closed"):
            asking, _ = await opened(rig, audience=[ana], timeout=9)
            assert await refusal(rig, audience=[ana]) is not None
            match end:
                case "answered":
                    said(ana, True)
                case "expired":
                    await rig.until(rig.now + 10)
                case "withdrawn":
                    asking.cancel()
                case "closed":
                    await rig.host.fence(rig.scope, 0, force=True)
                    with pytest.raises(StoreClosed):
                        await asking.wait()
                    rig.host.unfence(rig.scope)
            await rig.quiet()
            assert rig.settled[-1].how == end
        assert_nothing_is_left(rig)
        assert rig.host.figures()[f"questions.refused.{name}"] == 4


@pytest.mark.parametrize("name", ["open", "open_per_asker", "open_per_scope", "open_per_person"])
async def test_a_question_takes_the_place_of_the_one_with_its_key(autojump_clock, name):
    async with open_rig(limits=Limits(**{name: 1})) as rig:
        await opened(rig, audience=[ANA], key="k")
        assert await refusal(rig, question=Confirm("Another?"), audience=[ANA], key="k") is None
        assert await refusal(rig, audience=[ANA], key="k2") is not None
        assert [settled.how for settled in rig.settled] == ["superseded"]


async def test_who_joins_and_leaves_a_live_audience_is_counted(autojump_clock):
    crew: Cell = Cell((ANA,))
    async with open_rig(limits=Limits(open_per_person=1)) as rig:
        await opened(rig, audience=crew, policy=Quorum(5))
        assert await refusal(rig, audience=[BO]) is None, "and so has one already"
        crew.set((ANA, BO))  # who joins is refused nothing
        await rig.quiet()
        assert await refusal(rig, audience=[BO]) == ("open questions asked of user:bo", 1)
        crew.set((BO,))
        await rig.quiet()
        assert await refusal(rig, audience=[ANA]) is None
        assert set(rig.host.check().values()) == {0}


async def test_an_audience_whose_last_change_settles_it_leaves_no_count(autojump_clock):
    crew: Cell = Cell((ANA, BO))
    async with open_rig(limits=Limits(open_per_person=1)) as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, audience=crew, policy=All())
        said(ana, True)
        crew.set((ANA,))
        assert (await asking.wait()).ended == "reached"
        assert await refusal(rig, audience=[ANA]) is None
        assert await refusal(rig, audience=[BO]) is None


async def test_a_reload_with_other_limits_counts_what_is_open_already(autojump_clock):
    async with open_rig() as rig:
        await opened(rig, audience=[ANA])
        await opened(rig, audience=[ANA])
        await rig.host.reload(questions_facet.configured(limits=Limits(open_per_person=2)))
        assert await refusal(rig, audience=[ANA]) == ("open questions asked of user:ana", 2)
        await rig.host.reload(questions_facet.configured(limits=Limits()))
        assert await refusal(rig, audience=[ANA]) is None
        assert set(rig.host.check().values()) == {0}


async def test_a_count_that_is_off_is_seen_by_the_check(autojump_clock):
    async with open_rig(limits=Limits(open_per_asker=5)) as rig:
        await opened(rig, audience=[ANA])
        room = store_of(rig)._room
        room._per_asker[ANA] += 1
        assert rig.host.check()["questions.miscounted"] == 1
        del room._per_asker[ANA]


async def test_a_host_that_winds_down_takes_no_new_question_and_keeps_the_open_ones(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana], key="k")
        rig.host.wind_down()
        asker = await rig.asker(scope=S2)
        with pytest.raises(Unavailable):
            await asker.ask(DEPLOY, audience=[ANA])
        again, _ = await opened(rig, audience=[ana], key="k")
        said(ana, True, id)
        assert [(await one.wait()).answer for one in (asking, again)] == [True, True]
