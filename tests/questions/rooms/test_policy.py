"""A question settled by a vote: who is counted, until when a ballot can be revised, and what the asker gets."""

import pickle
from typing import Any

import pytest

from facets import Cell, Principal
from questions import (
    Confirm,
    InvalidAnswer,
    InvalidAsk,
    InvalidPolicy,
    NoLongerActive,
    NotInAudience,
    Select,
    Text,
)
from questions.policies import Answered
from questions.rooms import AGREEMENT, MECHANISMS, PRESETS, Ballot, Mechanism, Tallied, differences, replay, tally
from questions.testing import open_rig
from tests.questions.rooms.elections import BALLOTS, BY_ALL, DRINK, OPTIONS, refusal, result
from tests.questions.samples import ANA, BO, CY, who
from tests.rules import rule


def votes(tallied):
    return [(one.by.principal.id, one.answer) for one in tallied.ballots]


# --- the policy as data ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_has_all_parameters_of_its_preset(name):
    policy = Mechanism(name)
    assert dict(policy.params) == dict(PRESETS[name])
    assert policy == Mechanism(name, PRESETS[name]) != Mechanism(name, quorum=2)
    assert hash(policy) == hash(Mechanism(name))
    assert pickle.loads(pickle.dumps(policy)) == policy


@pytest.mark.parametrize(
    ("args", "paths"),
    [
        (("dice",), ["$.name"]),
        (("conviction_vote",), ["$.name"]),
        ((["plurality"],), ["$.name"]),
        (("score_vote", {"max_score": 0, "zeal": 1}), ["$.params.zeal", "$.params.max_score"]),
        (("plurality", {"quorum": 0.5}), ["$.params.quorum"]),
        (("plurality", [1]), ["$.params"]),
        (("plurality", {}, 0), ["$.quorum"]),
        (("plurality", {}, True, "soon"), ["$.quorum", "$.ends"]),
    ],
)
def test_a_mechanism_that_cannot_be_is_refused_with_every_fault(args, paths):
    with pytest.raises(InvalidPolicy) as refused:
        Mechanism(*args)
    assert [fault.split(":")[0] for fault in refused.value.faults] == paths


async def test_what_is_no_choice_cannot_be_voted_on():
    async with open_rig() as rig:
        for question in (Confirm("Go?"), Text("Why?")):
            asking = rig.ask(question, [ANA], policy=BY_ALL)
            await rig.quiet()
            assert isinstance(refusal(asking), InvalidAsk)
            assert refusal(asking).faults == ["$.policy: a Mechanism counts votes over a Select"]


async def test_a_vote_that_only_a_deadline_ends_needs_one():
    async with open_rig() as rig:
        asking = rig.ask(DRINK, [ANA], policy=Mechanism("plurality", ends="deadline"))
        await rig.quiet()
        assert [fault.split(":")[0] for fault in refusal(asking).faults] == ["$.policy.ends"]


@rule("Q-POL-4")
async def test_a_quorum_that_a_fixed_audience_cannot_reach_is_refused():
    async with open_rig() as rig:
        asking = rig.ask(DRINK, [ANA, BO], policy=Mechanism("plurality", quorum=3))
        await rig.quiet()
        assert isinstance(refusal(asking), InvalidPolicy)
        assert refusal(asking).faults == ["$.policy.quorum: 3 of an audience of 2 can never answer"]


# --- ballots --------------------------------------------------------------------------------------------------------


@rule("Q-TYPE-3")
@pytest.mark.parametrize(
    ("name", "misfits"),
    [
        ("plurality", ["beer", ["tea"], {"tea": 1}, None, True, 0]),
        ("approval", ["tea", ["beer"], ["tea", "tea"], [["tea"]], {"tea": 1}, [None] * 4, None]),
        ("ranked_choice", ["tea", [], ["tea", "tea"], ["tea", "beer"], [1], None]),
        ("ranked_pairwise", [{}, [], [{}]]),
        ("score_vote", ["tea", {}, {"tea": 0}, {"tea": 6}, {"tea": True}, {"tea": "5"}, {"beer": 1, "tea": 1}, {1: 1}]),
        ("quadratic_vote", [{}, {"tea": 0}, {"tea": 10}, {"tea": 5, "cocoa": 5}, {"tea": 1.0}, {"tea": -1}, []]),
    ],
)
async def test_what_is_no_ballot_is_refused_and_changes_nothing(name, misfits):
    async with open_rig() as rig:
        [ana] = await rig.people("ana")
        asking = rig.ask(DRINK, [ana], policy=Mechanism(name))
        await rig.quiet()
        for misfit in misfits:
            with pytest.raises(InvalidAnswer) as refused:
                await ana.answer(misfit)
            assert all(fault.startswith("$.answer") for fault in refused.value.faults), misfit
        assert asking.outcome is None
        await ana.answer(BALLOTS[name][0])
        await rig.quiet()
        assert result(asking).winner == "tea"


@rule("Q-SEC-1")
def test_no_fault_of_a_ballot_quotes_it():
    for name in MECHANISMS:
        for noise in ("hunter2", ["hunter2"], {"hunter2": "hunter2"}, {"tea": "hunter2"}, [["hunter2"]]):
            assert "hunter2" not in "".join(Mechanism(name).check(DRINK, noise))


async def test_a_ballot_that_its_voter_changes_afterwards_counts_as_it_was():
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking = rig.ask(DRINK, [ana, bo], policy=Mechanism("score_vote"))
        await rig.quiet()
        ballot = {"tea": 5}
        await ana.answer(ballot)
        ballot["tea"] = 0
        await bo.answer({"tea": 1})
        await rig.quiet()
        assert result(asking).outcome.scores["tea"] == 6


# --- the vote -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MECHANISMS)
async def test_each_mechanism_settles_a_question(name):
    best, other = BALLOTS[name]
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        asking = rig.ask(DRINK, [ana, bo, cy], policy=Mechanism(name, ends="complete"))
        await rig.quiet()
        for person, ballot in ((ana, best), (bo, other), (cy, best)):
            assert asking.outcome is None
            await person.answer(ballot)
        await rig.quiet()
        tallied = result(asking)
        assert isinstance(tallied, Tallied)
        assert (tallied.winner, tallied.ended, tallied.missing) == ("tea", "reached", ())
        assert tallied.eligible == tallied.outcome.cast == 3
        assert [one.principal.id for one in tallied.seen] == ["ana", "bo", "cy"]
        assert not list(differences(replay(tallied.as_case())["expected"], tallied.as_case()["expected"]))


async def test_it_ends_as_soon_as_nobody_can_change_it_any_more():
    async with open_rig() as rig:
        people = await rig.people("ana", "bo", "cy", "dee", "eve")
        asking = rig.ask(DRINK, people, policy=Mechanism("plurality"))
        await rig.quiet()
        for person in people[:3]:
            assert asking.outcome is None
            await person.answer("tea")
            await rig.quiet()
        assert (result(asking).winner, [one.principal.id for one in result(asking).missing]) == (
            "tea",
            ["dee", "eve"],
        )


@rule("Q-SET-3")
async def test_a_ballot_can_be_revised_until_the_vote_ends_and_not_after_it():
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking = rig.ask(DRINK, [ana, bo], policy=BY_ALL)
        await rig.quiet()
        [question] = ana.see()
        await ana.answer("tea")
        [seen] = ana.see()
        assert (seen.answered_by_me, seen.may_revise) == (True, True)
        assert not bo.see()[0].may_revise
        await ana.answer("cocoa", question.id)
        with pytest.raises(InvalidAnswer):
            await ana.answer("beer", question.id)
        await bo.answer("cocoa")
        with pytest.raises(NoLongerActive) as late:
            await ana.answer("tea", question.id)
        assert (late.value.how, late.value.answered_by_me) == ("answered", True)
        await rig.quiet()
        assert votes(result(asking)) == [("ana", "cocoa"), ("bo", "cocoa")]


@rule("Q-SET-2")
@pytest.mark.parametrize("is_revised_first", [True, False])
async def test_a_revision_and_the_ballot_that_ends_the_vote_race_in_both_orders(is_revised_first):
    """In one step, with nothing in between: the revision counts, or it is refused; never both, never neither."""
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        asking = rig.ask(DRINK, [ana, bo, cy], policy=BY_ALL)
        await rig.quiet()
        [question] = ana.see()
        await ana.answer("tea")
        await bo.answer("coffee")
        if is_revised_first:
            await ana.answer("coffee", question.id)
            await cy.answer("tea")
        else:
            await cy.answer("tea")
            with pytest.raises(NoLongerActive):
                await ana.answer("coffee", question.id)
        await rig.quiet()
        assert result(asking).winner == ("coffee" if is_revised_first else "tea")
        assert len(result(asking).ballots) == 3


@rule("Q-SET-2", "Q-SET-5")
@pytest.mark.parametrize("is_due_first", [True, False])
async def test_the_last_ballot_and_the_deadline_race_in_both_orders(is_due_first, autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking = rig.ask(DRINK, [ana, bo], policy=Mechanism("ranked_choice"), timeout=10)
        await rig.until(1)
        await ana.answer(["tea"])
        rig.at(10 if is_due_first else 9.5, bo.answer, ["coffee"])  # the instant itself belongs to the deadline
        await rig.until(11)
        assert (result(asking).ended, len(result(asking).ballots)) == (
            ("deadline", 1) if is_due_first else ("reached", 2)
        )
        assert len(rig.refusals) == is_due_first


# --- who is counted -------------------------------------------------------------------------------------------------


@rule("Q-POL-2")
async def test_who_leaves_is_waited_for_no_more_and_a_ballot_that_was_given_stays():
    async with open_rig() as rig:
        ana, bo, _ = await rig.people("ana", "bo", "cy")
        audience: Cell[tuple[Principal, ...]] = Cell((ANA, BO, CY))
        asking = rig.ask(DRINK, audience, policy=BY_ALL)
        await rig.quiet()
        [question] = ana.see()
        await ana.answer("tea")
        audience.set((BO, CY))
        with pytest.raises(NotInAudience):
            await ana.answer("cocoa", question.id)
        await bo.answer("tea")
        assert asking.outcome is None
        audience.set((BO,))
        await rig.quiet()
        assert (votes(result(asking)), result(asking).eligible) == ([("ana", "tea"), ("bo", "tea")], 2)


@rule("Q-POL-2")
async def test_who_joins_may_vote_and_can_change_it():
    async with open_rig() as rig:
        ana, _ = await rig.people("ana", "bo")
        audience: Cell[tuple[Principal, ...]] = Cell((ANA, BO))
        asking = rig.ask(DRINK, audience, policy=Mechanism("plurality"))
        await rig.quiet()
        await ana.answer("tea")
        audience.set((ANA, BO, CY))
        await rig.quiet()
        assert asking.outcome is None


@rule("Q-POL-3")
async def test_an_audience_that_empties_before_anybody_voted_waits(autojump_clock):
    async with open_rig() as rig:
        audience: Cell[tuple[Principal, ...]] = Cell((ANA,))
        asking = rig.ask(DRINK, audience, policy=Mechanism("ranked_choice"), timeout=60)
        await rig.quiet()
        audience.set(())
        await rig.until(59)
        assert asking.outcome is None
        await rig.until(61)
        tallied = result(asking)
        assert (tallied.winner, tallied.eligible, tallied.outcome.status) == (None, 0, "no_quorum")


@rule("Q-POL-5")
async def test_the_deadline_counts_the_ballots_that_there_are(autojump_clock):
    async with open_rig() as rig:
        ana, bo, _ = await rig.people("ana", "bo", "cy")
        asking = rig.ask(DRINK, [ANA, BO, CY], policy=Mechanism("score_vote", ends="deadline"), timeout=60)
        await rig.quiet()
        await ana.answer({"tea": 5})
        await bo.answer({"cocoa": 3})
        await rig.until(61)
        tallied = result(asking)
        assert (tallied.winner, tallied.ended, tallied.eligible) == ("tea", "deadline", 3)
        assert [one.principal.id for one in tallied.missing] == ["cy"]


async def test_silence_is_no_vote_and_no_error(autojump_clock):
    async with open_rig() as rig:
        asking = rig.ask(DRINK, [ANA], policy=Mechanism("ranked_pairwise"), timeout=60)
        await rig.until(61)
        assert (result(asking).winner, result(asking).outcome.outcome, result(asking).ballots) == (
            None,
            "no_pass",
            (),
        )


@pytest.mark.parametrize("name", MECHANISMS)
async def test_without_its_quorum_nobody_wins(name, autojump_clock):
    async with open_rig() as rig:
        ana, _, _ = await rig.people("ana", "bo", "cy")
        asking = rig.ask(DRINK, [ANA, BO, CY], policy=Mechanism(name, quorum=2), timeout=60)
        await rig.quiet()
        await ana.answer(BALLOTS[name][0])
        await rig.until(61)
        assert (result(asking).winner, result(asking).outcome.status) == (None, "no_quorum")


@rule("Q-POL-4")
async def test_a_live_audience_that_is_too_small_for_the_quorum_waits():
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience: Cell[tuple[Principal, ...]] = Cell((ANA,))
        asking = rig.ask(DRINK, audience, policy=Mechanism("plurality", quorum=2))
        await rig.quiet()
        await ana.answer("tea")
        assert asking.outcome is None
        audience.set((ANA, BO))
        await rig.quiet()
        await bo.answer("tea")
        await rig.quiet()
        assert (result(asking).winner, result(asking).eligible) == ("tea", 2)


async def test_an_agreement_takes_everybody_and_a_split_may_still_be_revised():
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking = rig.ask(DRINK, [ana, bo], policy=Mechanism("simple_majority", AGREEMENT))
        await rig.quiet()
        [question] = ana.see()
        await ana.answer("tea")
        await bo.answer("coffee")
        await rig.quiet()
        assert asking.outcome is None
        await ana.answer("coffee", question.id)
        await rig.quiet()
        assert (result(asking).winner, result(asking).outcome.outcome) == ("coffee", "pass")


@rule("Q-KEY-1")
async def test_asking_again_with_its_key_gives_the_same_vote():
    async with open_rig() as rig:
        [ana] = await rig.people("ana")
        first = rig.ask(DRINK, [ana], policy=BY_ALL, key="drink")
        await rig.quiet()
        await ana.answer("tea")
        again = rig.ask(DRINK, [ana], policy=BY_ALL, key="drink")
        await rig.quiet()
        assert result(first) == result(again)
        assert result(first).id == result(again).id


@rule("Q-VIEW-1")
async def test_nobody_sees_ballots_while_it_is_open():
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        rig.ask(DRINK, [ana, bo], policy=Mechanism("quadratic_vote"))
        await rig.quiet()
        await ana.answer({"cocoa": 7})
        [seen] = bo.see()
        assert "cocoa" not in f"{seen!r}"
        assert [one.principal.id for one in seen.answered] == ["ana"]


async def test_a_tie_is_drawn_by_the_id_of_the_question():
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        for _ in range(8):
            asking = rig.ask(DRINK, [ana, bo], policy=BY_ALL)
            await rig.quiet()
            await ana.answer("tea")
            await bo.answer("coffee")
            await rig.quiet()
            ballots = [Ballot("user:ana", "tea"), Ballot("user:bo", "coffee")]
            drawn = tally("plurality", {"quorum": 1 / 2}, OPTIONS, 2, ballots, seed=result(asking).id)
            assert result(asking).winner == drawn.winner


def test_a_tallied_has_no_truth_value_and_cannot_contradict_its_ballots():
    tallied: Any = Tallied(
        "q_1", "plurality", {"quorum": 0}, ("tea",), 1, (Answered(who(ANA), "tea"),), (), (), "reached"
    )
    assert (tallied.winner, isinstance(DRINK, Select)) == ("tea", True)
    with pytest.raises(TypeError, match="look at its winner"):
        bool(tallied)
    with pytest.raises(AttributeError):
        tallied.outcome = None
