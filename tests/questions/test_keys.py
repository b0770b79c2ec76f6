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
    NoLongerActive,
    Option,
    Quorum,
    Select,
    SessionScope,
    Superseded,
    Text,
)
from questions.request import AskRequest
from questions.testing import EPOCH, open_rig
from tests.questions.steps import DEPLOY, assert_nothing_is_left, endings, opened, outcome_of, said, state, team
from tests.rules import rule

CODE = Text("Code?", secret=True)


def attached(question, audience, key="k"):
    """An ask as re-attaching code makes it."""
    members = [person.principal for person in audience]
    return AskRequest(question, members, First(), key, None, None, None, None, attach_only=True)


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
        await opened(rig, audience=[ana, bo], key="k", timeout=timedelta(minutes=5))
        _, id = await opened(rig, audience=[ana, bo], key="k", timeout=timedelta(minutes=5))
        said(ana, True, id)
        assert isinstance(said(bo, True, id), NoLongerActive)
