"""Keys: what outlives a crash, and which results are kept for how long."""

import pytest

from questions import (
    All,
    Confirm,
    Expired,
    Limits,
    LinkLost,
    NoLiveAsker,
    Quorum,
    Retryable,
    StoreClosed,
    Text,
)
from questions.testing import EPOCH, open_rig
from tests.questions.steps import (
    DEPLOY,
    assert_nothing_is_left,
    crash,
    endings,
    opened,
    outcome_of,
    said,
    state,
    store_of,
)
from tests.rules import rule

CODE = Text("Code?", secret=True)


@rule("Q-KEY-3")
async def test_a_crash_is_no_denial_but_a_retryable_error(autojump_clock):
    assert issubclass(StoreClosed, Retryable)
    assert issubclass(LinkLost, Retryable)
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        keyed, _ = await opened(rig, audience=[ana], key="k")
        bare, _ = await opened(rig, audience=[ana])
        crash(rig)
        assert isinstance(await outcome_of(keyed), StoreClosed)
        assert isinstance(await outcome_of(bare), StoreClosed)
        assert endings(rig) == ["closed"], "the keyed one stays"


@rule("Q-KEY-3")
async def test_a_keyed_question_outlives_a_crash_and_a_re_ask_attaches(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, id = await opened(rig, audience=[ana], key="k")
        crash(rig)
        assert [one.id for one in ana.see()] == [id]
        again, _ = await opened(rig, audience=[ana], key="k")
        said(ana, True, id)
        assert (await again.wait()).answer is True
        assert len(rig.reports) == 2


@rule("Q-KEY-3")
async def test_a_question_that_nobody_comes_back_for_goes_after_the_linger(autojump_clock):
    async with open_rig(linger=30) as rig:
        (ana,) = await rig.people("ana")
        _, id = await opened(rig, audience=[ana], key="k")
        crash(rig)
        await rig.until(29.9)
        assert [one.id for one in ana.see()] == [id]
        await rig.until(30)
        assert (ana.see(), endings(rig)) == ([], ["withdrawn"])
        assert_nothing_is_left(rig)


@rule("Q-KEY-3")
async def test_who_has_come_back_is_not_cut_off_by_the_linger(autojump_clock):
    async with open_rig(linger=30) as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], key="k")
        crash(rig)
        await rig.until(10)
        again, _ = await opened(rig, audience=[ana], key="k")
        await rig.until(100)
        said(ana, True)
        assert (await again.wait()).answer is True


@rule("Q-KEY-3")
async def test_a_second_crash_gives_the_whole_linger_again(autojump_clock):
    async with open_rig(linger=30) as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], key="k")
        crash(rig)
        await rig.until(10)
        await opened(rig, audience=[ana], key="k")
        await rig.until(20)
        crash(rig)
        await rig.until(49)
        assert len(ana.see()) == 1
        await rig.until(50)
        assert endings(rig) == ["withdrawn"]


@rule("Q-KEY-3")
async def test_a_crash_while_nobody_waits_does_not_lengthen_the_linger(autojump_clock):
    async with open_rig(linger=30) as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], key="k")
        crash(rig)
        await rig.until(20)
        crash(rig)
        await rig.until(30)
        assert endings(rig) == ["withdrawn"]


@rule("Q-KEY-3")
async def test_the_deadline_of_a_lingering_question_still_holds(autojump_clock):
    async with open_rig(linger=30) as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], key="k", timeout=10)
        crash(rig)
        await rig.until(10)
        assert endings(rig) == ["expired"]
        again, _ = await opened(rig, audience=[ana], key="k", timeout=10)
        assert isinstance(await outcome_of(again), Expired), "and is kept"


@rule("Q-KEY-3")
async def test_cancelling_who_has_come_back_withdraws_the_question_at_once(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], key="k")
        crash(rig)
        again, _ = await opened(rig, audience=[ana], key="k")
        again.cancel()
        await rig.quiet()
        assert (rig.now, endings(rig)) == (0, ["withdrawn"])
        assert_nothing_is_left(rig)


@rule("Q-KEY-3")
async def test_an_asker_stays_valid_through_a_crash(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        crash(rig)
        rig.at(5, ana.answer, True)
        assert (await asker.ask(DEPLOY, audience=[ana.principal])).answer is True


# --- what is kept ---------------------------------------------------------------------------------------------------


@rule("Q-KEY-4")
@pytest.mark.parametrize("answer", [True, False])
async def test_an_answer_a_denial_too_is_kept_for_its_key(autojump_clock, answer):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], key="k")
        said(ana, answer)
        again, _ = await opened(rig, audience=[ana], key="k")
        result = await again.wait()
        assert (result.answer, result.by.principal) == (answer, ana.principal)
        assert (ana.see(), len(rig.reports)) == ([], 2), "nobody is asked twice"


@rule("Q-KEY-4")
@pytest.mark.parametrize("policy", [Quorum(2), All()])
async def test_what_was_collected_is_kept(autojump_clock, policy):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        first, id = await opened(rig, audience=[ana, bo], key="k", policy=policy, timeout=60)
        said(bo, True, id)
        await rig.until(60)
        again, _ = await opened(rig, audience=[ana, bo], key="k", policy=policy, timeout=60)
        assert await again.wait() == await first.wait()
        assert len(rig.reports) == 2


@rule("Q-KEY-4")
async def test_an_expiry_is_kept(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], key="k", timeout=60)
        ana.see()
        await rig.until(100)
        again, _ = await opened(rig, audience=[ana], key="k", timeout=60)
        error = await outcome_of(again)
        assert isinstance(error, Expired)
        assert ([who.name for who in error.seen], error.deadline.timestamp()) == (["ana"], EPOCH + 60)
        assert rig.now == 100


@rule("Q-KEY-4")
async def test_an_automatic_answer_is_kept_as_automatic(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], key="k", timeout=60, default=True)
        await rig.until(60)
        again, _ = await opened(rig, audience=[ana], key="k", timeout=60, default=True)
        assert (await again.wait()).automatic


@rule("Q-KEY-4")
async def test_withdrawn_superseded_and_closed_are_not_kept(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        withdrawn, _ = await opened(rig, audience=[ana], key="a")
        withdrawn.cancel()
        await opened(rig, audience=[ana], key="b")
        await opened(rig, Confirm("Else?"), audience=[ana], key="b")
        store_of(rig).close_scope(rig.scope)
        assert not ana.see()
        for key in "ab":
            await opened(rig, audience=[ana], key=key)
        assert (len(ana.see()), state(rig)["results"]) == (2, 0)


@rule("Q-KEY-4")
async def test_a_result_is_forgotten_once_its_key_has_another_question_that_ends_without_one(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], key="k")
        said(ana, True)
        other, _ = await opened(rig, Confirm("Else?"), audience=[ana], key="k")
        other.cancel()
        await rig.quiet()
        again, _ = await opened(rig, audience=[ana], key="k")
        assert again.outcome is None, "asked afresh: an old answer does not come back"


@rule("Q-KEY-4")
async def test_a_result_is_kept_for_the_time_set(autojump_clock):
    async with open_rig(retain=600) as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], key="k")
        said(ana, True)
        await rig.until(599.9)
        again, _ = await opened(rig, audience=[ana], key="k")
        assert (await again.wait()).answer is True
        await rig.until(600)
        afresh, _ = await opened(rig, audience=[ana], key="k")
        assert (afresh.outcome, len(ana.see())) == (None, 1)


@rule("Q-KEY-4")
async def test_results_are_bounded_in_number(autojump_clock):
    async with open_rig(limits=Limits(results=2)) as rig:
        (ana,) = await rig.people("ana")
        for key in "abc":
            await opened(rig, audience=[ana], key=key)
            said(ana, True)
        assert state(rig)["results"] == 2
        afresh, _ = await opened(rig, audience=[ana], key="a")
        kept, _ = await opened(rig, audience=[ana], key="c")
        assert (afresh.outcome, (await kept.wait()).answer) == (None, True)


@rule("Q-KEY-4")
async def test_a_secret_goes_to_those_that_wait_at_that_moment_and_is_not_kept(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        askings = [(await opened(rig, CODE, audience=[ana], key="k"))[0] for _ in range(2)]
        said(ana, "hunter2")
        assert [(await asking.wait()).answer for asking in askings] == ["hunter2"] * 2
        later, _ = await opened(rig, CODE, audience=[ana], key="k")
        assert (later.outcome, len(ana.see()), state(rig)["results"]) == (None, 1, 0)


@rule("Q-KEY-4")
async def test_a_secret_is_refused_while_nobody_waits_for_it(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, id = await opened(rig, CODE, audience=[ana], key="k")
        crash(rig)
        assert isinstance(said(ana, "hunter2", id), NoLiveAsker)
        assert not ana.see()[0].answered_by_me
        again, _ = await opened(rig, CODE, audience=[ana], key="k")
        assert said(ana, "hunter3", id) is None
        assert (await again.wait()).answer == "hunter3"


@rule("Q-KEY-4")
async def test_the_expiry_of_a_secret_question_is_kept(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, CODE, audience=[ana], key="k", timeout=60)
        await rig.until(60)
        again, _ = await opened(rig, CODE, audience=[ana], key="k", timeout=60)
        assert isinstance(await outcome_of(again), Expired)


@rule("Q-KEY-4")
async def test_secrets_that_a_deadline_has_collected_are_not_kept(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, _ = await opened(rig, CODE, audience=[ana, bo], key="k", policy=All(), timeout=60)
        said(ana, "hunter2")
        assert len((await asking.wait()).answers) == 1
        again, _ = await opened(rig, CODE, audience=[ana, bo], key="k", policy=All(), timeout=60)
        assert again.outcome is None
