"""Keys: asking again joins, gets the kept result, or replaces; what is kept and for how long."""

from datetime import UTC, datetime, timedelta

import pytest
import trio
from facets import Principal
from questions import (
    All,
    Confirm,
    Expired,
    First,
    Limits,
    LinkLost,
    NoLiveAsker,
    NoLongerActive,
    Option,
    Quorum,
    Retryable,
    Select,
    SessionScope,
    StoreClosed,
    Superseded,
    Text,
)
from questions.request import AskRequest
from questions.testing import EPOCH, open_rig

from tests.questions.steps import DEPLOY, assert_nothing_is_left, crash, endings, opened, said, state, store_of, team
from tests.rules import rule

CODE = Text("Code?", secret=True)


def attached(question, audience, key="k"):
    """An ask as re-attaching code makes it."""
    members = [person.principal for person in audience]
    return AskRequest(question, members, First(), key, None, None, None, None, attach_only=True)


async def outcome_of(asking):
    try:
        return await asking.wait()
    except Exception as error:
        return error


# --- joining --------------------------------------------------------------------------------------------------------


@rule("Q-KEY-1")
async def test_asking_again_joins_the_open_question_and_everybody_gets_its_result(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        askings = [(await opened(rig, audience=[ana], key="k"))[0] for _ in range(3)]
        assert (len(ana.see()), len(rig.reports)) == (1, 1)
        said(ana, True)
        results = [await asking.wait() for asking in askings]
        assert [result.answer for result in results] == [True] * 3


@rule("Q-KEY-1")
async def test_every_waiter_gets_an_error_of_its_own(autojump_clock):
    """One shared exception would collect the tracebacks of all waiters."""
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        one, two = [(await opened(rig, audience=[ana], key="k", timeout=60))[0] for _ in range(2)]
        first, second = await outcome_of(one), await outcome_of(two)
        assert isinstance(first, Expired)
        assert isinstance(second, Expired)
        assert first is not second


@rule("Q-KEY-1")
async def test_a_key_is_one_askers_in_one_scope(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker(Principal.server("another"))
        elsewhere = await rig.asker(scope=SessionScope("elsewhere"))
        mine, _ = await opened(rig, audience=[ana], key="k")
        await opened(rig, Confirm("Theirs?"), audience=[ana], key="k", asker=asker)
        await opened(rig, Confirm("There?"), audience=[ana], key="k", asker=elsewhere)
        assert len(state(rig)["open"]) == 3
        assert mine.outcome is None


@rule("Q-KEY-1")
async def test_two_askers_of_one_principal_share_their_keys(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        for _ in range(2):
            await opened(rig, audience=[ana], key="k", asker=await rig.asker())
        assert len(ana.see()) == 1


@rule("Q-KEY-1")
async def test_without_a_key_every_ask_is_a_question_of_its_own(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        ids = {(await opened(rig, audience=[ana]))[1] for _ in range(3)}
        assert len(ana.see()) == len(ids) == 3


@rule("Q-KEY-1")
async def test_order_and_repetition_in_a_fixed_audience_make_no_difference(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        await opened(rig, audience=[ana, bo], key="k")
        await opened(rig, audience=[bo, ana, bo], key="k")
        assert len(ana.see()) == 1
        assert not rig.settled


@rule("Q-KEY-1")
@pytest.mark.parametrize("policy", [First(), Quorum(2), All(), All(join="snapshot")])
async def test_a_readable_audience_makes_no_difference_and_the_first_one_stays(autojump_clock, policy):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        await opened(rig, audience=team(ana, bo), key="k", policy=policy)
        await opened(rig, audience=team(cy), key="k", policy=policy)
        assert not rig.settled
        assert (len(ana.see()), len(bo.see()), len(cy.see())) == (1, 1, 0)


@rule("Q-KEY-1")
async def test_a_snapshot_is_joined_though_its_readable_has_changed(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        members = team(ana)
        await opened(rig, audience=members, key="k", policy=All(join="snapshot"))
        members.set((ana.principal, bo.principal))
        again, _ = await opened(rig, audience=members, key="k", policy=All(join="snapshot"))
        said(ana, True)
        assert [one.by.principal for one in (await again.wait()).answers] == [ana.principal]


@rule("Q-KEY-1")
async def test_the_question_keeps_the_deadline_and_the_default_it_has(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], key="k", timeout=60, default=True)
        await rig.until(50)
        again, _ = await opened(rig, audience=[ana], key="k", timeout=60, default=False)
        assert ana.see()[0].remaining == 10
        assert (await again.wait()).answer is True
        assert rig.now == 60


@rule("Q-KEY-1")
async def test_a_re_ask_whose_deadline_has_passed_gets_the_kept_result(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        until = datetime.fromtimestamp(EPOCH + 60, UTC)
        _, id = await opened(rig, audience=[ana], key="k", deadline=until)
        said(ana, True, id)
        await rig.until(61)
        again, _ = await opened(rig, audience=[ana], key="k", deadline=until)
        assert (await again.wait()).answer is True


@rule("Q-KEY-1")
@pytest.mark.parametrize("policy", [First(), Quorum(1), All()])
async def test_a_re_ask_whose_deadline_has_passed_is_expired_and_unpublished_if_nothing_is_kept(autojump_clock, policy):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        past = datetime.fromtimestamp(EPOCH - 1, UTC)
        asking = rig.ask(DEPLOY, audience=[ana], key="k", deadline=past, policy=policy)
        error = await outcome_of(asking)
        assert isinstance(error, Expired)
        assert ([who.name for who in error.missing], error.seen, error.deadline) == (["ana"], (), past)
        assert not rig.reports
        assert_nothing_is_left(rig)


@rule("Q-KEY-1")
async def test_a_different_ask_whose_deadline_has_passed_closes_nothing(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        open_one, id = await opened(rig, audience=[ana], key="k")
        late, _ = await opened(
            rig, Confirm("Late?"), audience=[ana], key="k", deadline=datetime.fromtimestamp(EPOCH, UTC)
        )
        assert isinstance(await outcome_of(late), Expired)
        assert said(ana, True, id) is None
        assert (await open_one.wait()).answer is True


# --- replacing ------------------------------------------------------------------------------------------------------


DIFFERENT = [
    {"question": Confirm("Deploy now?")},
    {"question": Confirm("Deploy?", allow="Go")},
    {"question": Confirm("Deploy?", details="to eu")},
    {"question": Text("Deploy?")},
    {"question": Select("Deploy?", [Option("yes", "Yes")])},
    {"policy": Quorum(1)},
    {"policy": All()},
    {"audience": ["ana"]},
    {"audience": ["ana", "bo", "cy"]},
]


@rule("Q-KEY-2", "Q-KEY-1")
@pytest.mark.parametrize("change", DIFFERENT, ids=repr)
async def test_a_different_question_with_the_key_replaces_the_old_one(autojump_clock, change):
    async with open_rig() as rig:
        people = dict(zip("ana bo cy".split(), await rig.people("ana", "bo", "cy"), strict=True))
        ask = {"question": DEPLOY, "audience": ["ana", "bo"], **change}
        old, old_id = await opened(rig, audience=[people["ana"], people["bo"]], key="k")
        await opened(rig, **{**ask, "audience": [people[name] for name in ask["audience"]]}, key="k")
        error = await outcome_of(old)
        assert isinstance(error, Superseded)
        assert error.id == old_id
        [shown] = people["ana"].see()
        assert (shown.id != old_id, endings(rig)) == (True, ["superseded"])


@rule("Q-KEY-2")
async def test_the_old_question_leaves_every_view_as_superseded(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, old = await opened(rig, audience=[ana], key="k")
        await opened(rig, Confirm("Else?"), audience=[ana], key="k")
        assert [(one.id, one.how) for one in ana.viewer.closed.value] == [(old, "superseded")]
        assert said(ana, True, old).how == "superseded"


@rule("Q-KEY-2")
async def test_a_different_question_replaces_a_kept_result(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], key="k")
        said(ana, True)
        asking, _ = await opened(rig, Confirm("Else?"), audience=[ana], key="k")
        assert [one.question.message for one in ana.see()] == ["Else?"]
        said(ana, False)
        assert (await asking.wait()).answer is False
        again, _ = await opened(rig, Confirm("Else?"), audience=[ana], key="k")
        assert (await again.wait()).answer is False


@rule("Q-KEY-2")
async def test_re_attachment_only_attaches(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        newer, id = await opened(rig, Confirm("Newer?"), audience=[ana], key="k")
        with pytest.raises(Superseded):
            await asker.ask_as(attached(DEPLOY, [ana]))
        assert said(ana, True, id) is None
        assert (await newer.wait()).answer is True
        with pytest.raises(Superseded):
            await asker.ask_as(attached(DEPLOY, [ana]))
        assert len(rig.reports) == 2


@rule("Q-KEY-2")
async def test_re_attachment_gets_the_open_question_or_the_kept_result(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        await opened(rig, audience=[ana], key="k")
        rig.at(5, ana.answer, True)
        assert (await asker.ask_as(attached(DEPLOY, [ana]))).answer is True
        assert (await asker.ask_as(attached(DEPLOY, [ana]))).answer is True
        assert len(rig.reports) == 2


# --- crash and linger -----------------------------------------------------------------------------------------------


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


# --- several waiters ------------------------------------------------------------------------------------------------


@rule("Q-KEY-5")
async def test_a_cancellation_names_one_waiter(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        first, _ = await opened(rig, audience=[ana], key="k")
        second, _ = await opened(rig, audience=[ana], key="k")
        first.cancel()
        await rig.quiet()
        assert (first.cancelled, second.outcome, len(ana.see())) == (True, None, 1)
        said(ana, True)
        assert (await second.wait()).answer is True


@rule("Q-KEY-5", "Q-SET-6")
async def test_the_last_waiter_that_goes_takes_the_question_with_it(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        askings = [(await opened(rig, audience=[ana], key="k"))[0] for _ in range(3)]
        for asking in askings:
            assert len(ana.see()) == 1
            asking.cancel()
        assert not ana.see()
        assert endings(rig) == ["withdrawn"]


@rule("Q-KEY-5")
async def test_an_outer_timeout_of_one_attempt_leaves_the_other(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        patient, _ = await opened(rig, audience=[ana], key="k")
        with trio.move_on_after(5) as scope:
            await asker.ask(DEPLOY, audience=[ana.principal], key="k")
        assert scope.cancelled_caught
        rig.at(9, ana.answer, True)
        assert (await patient.wait()).answer is True


@rule("Q-SET-3", "Q-KEY-1")
async def test_the_answer_to_a_shared_question_is_late_for_the_second_person(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        for _ in range(2):
            _, id = await opened(rig, audience=[ana, bo], key="k", timeout=timedelta(minutes=5))
        said(ana, True, id)
        assert isinstance(said(bo, True, id), NoLongerActive)
