"""The store's own life: it crashes and is started again, its host closes, and nothing is left behind."""

import gc
import weakref

import pytest
import trio
import trio.testing

import questions.settlement
from facets import Principal, open_host
from questions import (
    All,
    Confirm,
    Expired,
    Questions,
    SessionScope,
    StoreClosed,
    Unavailable,
    questions_facet,
)
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, assert_nothing_is_left, crash, endings, opened, said, state, store_of, team
from tests.rules import rule

ANA, SCOPE = Principal.user("ana"), SessionScope("s1")


async def crash_for_real(rig):
    """Have the store's task raise, be supervised, and start again."""
    store = store_of(rig)

    def tick_once():
        del store.tick
        raise RuntimeError("a fault in the store")

    store.tick = tick_once  # type: ignore[method-assign]
    store.wake()
    await rig.quiet()


# --- a crash --------------------------------------------------------------------------------------------------------


@rule("Q-KEY-3")
async def test_a_crash_of_the_task_fails_waiters_and_the_store_goes_on(autojump_clock, caplog):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana])
        await crash_for_real(rig)
        with pytest.raises(StoreClosed):
            await asking.wait()
        again, _ = await opened(rig, audience=[ana], timeout=60)
        with pytest.raises(Expired):
            await again.wait()
        assert rig.now == 60
        assert "crashed" in caplog.text


@rule("Q-KEY-3")
async def test_deadlines_and_audiences_are_kept_through_a_crash(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana)
        await opened(rig, audience=audience, key="k", timeout=20)
        await crash_for_real(rig)
        audience.set((bo.principal,))
        await rig.until(1)
        assert (len(ana.see()), len(bo.see())) == (0, 1)
        await rig.until(20)
        assert endings(rig) == ["expired"]


@rule("Q-KEY-3")
async def test_a_deadline_that_comes_while_the_store_is_down_is_not_lost(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], key="k", timeout=0.005)
        await crash_for_real(rig)
        await rig.until(1)
        assert endings(rig) == ["expired"]


@rule("Q-KEY-3")
async def test_views_live_through_a_crash(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, gone = await opened(rig, audience=[ana])
        _, kept = await opened(rig, audience=[ana], key="k")
        crash(rig)
        assert [one.id for one in ana.see()] == [kept]
        assert [(one.id, one.how) for one in ana.viewer.closed.value] == [(gone, "closed")]
        _, new = await opened(rig, audience=[ana])
        assert [one.id for one in ana.see()] == [kept, new]


@rule("Q-KEY-3", "Q-KEY-4")
async def test_answers_given_before_a_crash_stay_given(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        await opened(rig, audience=[ana, bo], key="k", policy=All())
        said(ana, True)
        crash(rig)
        again, id = await opened(rig, audience=[ana, bo], key="k", policy=All())
        assert said(ana, True, id).how == "already_answered"
        said(bo, True)
        assert len((await again.wait()).answers) == 2


@rule("Q-KEY-3")
async def test_with_an_endless_linger_a_keyed_question_waits_for_ever(autojump_clock):
    async with open_rig(linger=float("inf")) as rig:
        (ana,) = await rig.people("ana")
        _, id = await opened(rig, audience=[ana], key="k")
        crash(rig)
        await rig.until(1e9)
        assert [one.id for one in ana.see()] == [id]
        said(ana, True)
        assert_nothing_is_left(rig)


# --- logic that fails -----------------------------------------------------------------------------------------------


def fail(*_):
    raise ZeroDivisionError("a fault in the logic")


FAILING = {
    "its deadline": lambda rig, asking, audience, clock: clock.jump(60),
    "a cancellation": lambda rig, asking, audience, clock: asking.cancel(),
    "a cancellation at its deadline": lambda rig, asking, audience, clock: (clock.jump(60), asking.cancel()),
    "a change of its audience": lambda rig, asking, audience, clock: audience.set(()),
    "a change and a cancellation": lambda rig, asking, audience, clock: (audience.set(()), asking.cancel()),
    "an end of its scope": lambda rig, asking, audience, clock: store_of(rig).close_scope(rig.scope),
}


@pytest.mark.parametrize("way", FAILING)
async def test_a_question_whose_logic_fails_is_closed_and_the_others_live(autojump_clock, monkeypatch, way, caplog):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        audience = team(ana)
        asking, id = await opened(rig, audience=audience, timeout=60)
        other, other_id = await opened(rig, audience=[ana], asker=await rig.asker(scope=SessionScope("other")))
        await ana.join(SessionScope("other"))
        with monkeypatch.context() as patch:
            patch.setattr(questions.settlement, "step", fail)
            FAILING[way](rig, asking, audience, autojump_clock)
            await rig.quiet()
        assert [(report.id, report.how) for report in rig.settled] == [(id, "closed")]
        assert asking.cancelled or isinstance(asking.outcome.error, StoreClosed)
        assert said(ana, True, other_id) is None
        assert (await other.wait()).answer is True


async def test_an_answer_that_the_logic_fails_on_changes_nothing(autojump_clock, monkeypatch):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana])
        with monkeypatch.context() as patch:
            patch.setattr(questions.settlement, "step", fail)
            assert isinstance(said(ana, True, id), ZeroDivisionError)
        assert said(ana, False, id) is None
        assert (await asking.wait()).answer is False


# --- the end of the host --------------------------------------------------------------------------------------------


@rule("Q-KEY-3")
@pytest.mark.parametrize("key", [None, "k"])
async def test_leaving_the_host_never_waits_and_open_asks_get_store_closed(autojump_clock, key):
    async with trio.open_nursery() as nursery:
        outcomes = []

        async def ask(asker):
            try:
                await asker.ask(DEPLOY, audience=[ANA], key=key)
            except Exception as error:
                outcomes.append(error)

        async with open_host([questions_facet]) as host, host.root() as ctx:
            nursery.start_soon(ask, await ctx.get(Questions, SCOPE))
            await trio.testing.wait_all_tasks_blocked()
    assert [type(error) for error in outcomes] == [StoreClosed]
    assert trio.current_time() == 0


@rule("Q-KEY-3")
async def test_after_the_host_an_asker_gets_store_closed_and_a_viewer_no_longer_active(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        _, id = await opened(rig, audience=[ana])
        ana.see()
    with pytest.raises(StoreClosed):
        await asker.ask(DEPLOY, audience=[ANA])
    assert said(ana, True, id).how in ("closed", "withdrawn")
    assert not ana.see()


@rule("Q-KEY-3")
async def test_an_ask_in_the_hosts_own_block_ends_with_it(autojump_clock):
    """The task that waits is cancelled by its own nursery; the question is withdrawn, not lost."""
    with trio.move_on_after(5):
        async with open_rig() as rig:
            asker = await rig.asker()
            await asker.ask(DEPLOY, audience=[ANA])
    assert endings(rig) == ["withdrawn"]


@rule("Q-SET-4")
async def test_ids_are_never_used_again_in_one_host_or_the_next(autojump_clock):
    ids = []
    for _ in range(2):
        async with open_rig() as rig:
            (ana,) = await rig.people("ana")
            for _ in range(3):
                _, id = await opened(rig, audience=[ana], key="k")
                said(ana, True, id)
                withdrawn, id = await opened(rig, Confirm("Else?"), audience=[ana], key="k")
                withdrawn.cancel()
            ids += [report.id for report in rig.settled]
    assert len(ids) == len(set(ids)) >= 8


@rule("Q-SET-4")
async def test_ids_do_not_follow_from_what_is_asked(autojump_clock):
    ids = set()
    for _ in range(3):
        async with open_rig() as rig:
            ids.add((await opened(rig, audience=[ANA], key="k"))[1])
    assert len(ids) == 3


# --- memory ---------------------------------------------------------------------------------------------------------


async def test_after_everything_has_ended_nothing_is_left(autojump_clock):
    async with open_rig() as rig:
        people = await rig.people("ana", "bo", "cy")
        audience = team(*people)
        for number in range(10):
            await opened(rig, audience=audience, policy=All(), key=f"a{number}", timeout=1000 + number)
            await opened(rig, audience=people, timeout=number + 1)
            asking, id = await opened(rig, audience=audience, key=f"b{number}")
            said(people[0], True, id)
            asking, _ = await opened(rig, audience=people, key=f"c{number}")
            asking.cancel()
        await rig.until(2000)
        assert len(rig.settled) == 40
        assert_nothing_is_left(rig)
        assert not any(person.see() for person in people)


async def test_a_view_that_came_and_went_is_not_kept_by_a_question_that_stays(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana])
        ana.see()
        gone = weakref.ref(ana.viewer.open)
        ana.leave()
        del ana.viewer
        gc.collect()
        assert gone() is None


async def test_an_audience_that_is_followed_no_more_can_be_collected(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        audience = team(ana)
        await opened(rig, audience=audience)
        said(ana, True)
        gone = weakref.ref(audience)
        del audience
        await rig.until(1)
        rig._nursery.cancel_scope.cancel()
        await trio.lowlevel.cancel_shielded_checkpoint()
        gc.collect()
        assert gone() is None


async def test_the_listing_names_what_waits_and_no_answer(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        _, id = await opened(rig, audience=[ana, bo], policy=All(), key="k", timeout=60)
        said(ana, True)
        [listed] = state(rig)["open"]
        assert (listed["id"], listed["key"], listed["waiters"]) == (id, "k", 1)
        assert (listed["audience"], listed["answered"]) == (["user:ana", "user:bo"], ["user:ana"])
        assert "True" not in repr(listed)


async def test_a_released_viewer_is_unavailable(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, id = await opened(rig, audience=[ana])
        ana.leave()
        assert isinstance(said(ana, True, id), Unavailable)


async def test_a_lingering_viewer_still_answers_and_is_the_one_that_comes_back(autojump_clock):
    async with open_rig(reference_linger=30) as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana])
        before = ana.viewer
        ana.lose()
        await rig.until(20)
        await ana.join()
        assert ana.viewer is before
        said(ana, True, id)
        assert (await asking.wait()).answer is True
