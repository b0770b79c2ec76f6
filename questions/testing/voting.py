"""Cases: questions that are settled by a vote."""

from __future__ import annotations

from typing import Any

from questions.errors import InvalidAnswer, InvalidAsk, NoLongerActive
from questions.question import Option, Select
from questions.rooms.policy import Mechanism
from questions.rooms.tallied import Tallied

from .stage import ANA, BO, CY, DEPLOY, Play, case, refused, require

__all__ = ["VOTING"]

DRINK = Select("What to drink?", [Option("tea", "Tea"), Option("coffee", "Coffee"), Option("cocoa", "Cocoa")])
BALLOTS: dict[str, tuple[Any, Any]] = {
    "simple_majority": ("tea", "coffee"),
    "supermajority": ("tea", "coffee"),
    "plurality": ("tea", "coffee"),
    "approval": (["tea"], ["coffee", "cocoa"]),
    "ranked_choice": (["tea", "cocoa"], ["coffee"]),
    "ranked_pairwise": (["tea", "cocoa"], ["coffee"]),
    "score_vote": ({"tea": 5, "cocoa": 1.5}, {"coffee": 2}),
    "quadratic_vote": ({"tea": 8, "cocoa": 1}, {"coffee": 9}),
}


@case
async def each_mechanism_settles_a_question(play: Play) -> None:
    """A vote by each of the eight mechanisms ends with a `Tallied`, whose ballots are those that were given."""
    ana, bo, cy = await play.viewers(ANA, BO, CY)
    for name, (best, other) in BALLOTS.items():
        policy = Mechanism(name, ends="complete")
        asking = await play.ask(DRINK, ANA, BO, CY, policy=policy)
        ids = set()
        for viewer, ballot in ((ana, best), (bo, other), (cy, best)):
            [question] = await play.sees(viewer, DRINK.message)
            ids.add(question.id)
            require(question.policy == policy, f"how it is decided must be shown: {question.policy!r}")
            await viewer.answer(question.id, ballot)
        result = await play.end(asking)
        require(type(result) is Tallied, f"{name} must give a Tallied, not {result!r}")
        require((result.winner, result.ended, {result.id}) == ("tea", "reached", ids), f"{name}: {result!r}")
        said = [(one.by.principal, one.answer) for one in result.ballots]
        wanted = [(who, _stored(ballot)) for who, ballot in ((ANA, best), (BO, other), (CY, best))]
        require(said == wanted, f"the ballots of {name} must arrive as they were given: {said}")
        await play.sees(ana)


@case
async def ballot_can_be_revised_until_the_vote_ends(play: Play) -> None:
    """The last ballot of each counts; once the vote has ended, another one is refused."""
    ana, bo = await play.viewers(ANA, BO)
    asking = await play.ask(DRINK, ANA, BO, policy=Mechanism("plurality", ends="complete"))
    [question] = await play.sees(ana, DRINK.message)
    require(not question.may_revise, "there is nothing to revise yet")
    await ana.answer(question.id, "tea")
    await play.until(ana.open, lambda value: value[question.id].may_revise, "to be let revise")
    await ana.answer(question.id, "cocoa")
    with refused(InvalidAnswer, "a revision that is no ballot"):
        await ana.answer(question.id, "beer")
    [question] = await play.sees(bo, DRINK.message)
    require("cocoa" not in f"{question!r} {question.answered}", "nobody sees the ballots of an open vote")
    await bo.answer(question.id, "cocoa")
    result = await play.end(asking)
    with refused(NoLongerActive, "a ballot after the end") as errors:
        await ana.answer(question.id, "tea")
    require((errors[0].how, errors[0].answered_by_me) == ("answered", True), f"it has ended: {errors[0]!r}")
    require([one.answer for one in result.ballots] == ["cocoa"] * 2, f"the last ballots must count: {result!r}")


@case
async def deadline_counts_the_ballots_that_there_are(play: Play) -> None:
    """At the deadline a vote is counted as it stands; without its quorum nobody wins, and nothing is raised."""
    [ana] = await play.viewers(ANA)
    for quorum, winner in ((None, "tea"), (2, None)):
        policy = Mechanism("ranked_choice", quorum=quorum)
        asking = await play.ask(DRINK, ANA, BO, policy=policy, timeout=5 * play.stage.second)
        [question] = await play.sees(ana, DRINK.message)
        await ana.answer(question.id, ["tea"])
        result = await play.end(asking)
        require(type(result) is Tallied, f"a vote must end with a Tallied, not {result!r}")
        how = (result.winner, result.ended, [who.principal for who in result.missing], result.eligible)
        require(how == (winner, "deadline", [BO], 2), f"ana has voted and bo has not: {how}")
        await play.sees(ana)


@case
async def what_is_no_ballot_changes_nothing(play: Play) -> None:
    """What does not fit the mechanism is refused, and the vote stays open for a better one."""
    [ana] = await play.viewers(ANA)
    misfits: list[tuple[str, list[Any]]] = [
        ("plurality", ["beer", ["tea"], None]),
        ("approval", ["tea", ["beer"], ["tea", "tea"]]),
        ("ranked_choice", [[], "tea", ["tea", "tea"]]),
        ("score_vote", [{}, {"tea": 6}, {"tea": True}, {"beer": 1}]),
        ("quadratic_vote", [{}, {"tea": 10}, {"tea": 5, "cocoa": 5}]),
    ]
    for name, bad in misfits:
        asking = await play.ask(DRINK, ANA, policy=Mechanism(name))
        [question] = await play.sees(ana, DRINK.message)
        for misfit in bad:
            with refused(InvalidAnswer, f"{misfit!r} to {name}"):
                await ana.answer(question.id, misfit)
        require(asking.outcome is None, "a refused ballot must settle nothing")
        await ana.answer(question.id, BALLOTS[name][0])
        require(type(await play.end(asking)) is Tallied, "a good ballot must count")


@case
async def only_a_choice_can_be_voted_on(play: Play) -> None:
    """A vote over a yes or no, or one that nothing would end, is refused at the ask."""
    for question, policy in ((DEPLOY, Mechanism("plurality")), (DRINK, Mechanism("plurality", ends="deadline"))):
        error = await play.end(await play.ask(question, ANA, policy=policy))
        require(type(error) is InvalidAsk, f"{policy} of {question} must be refused: {error!r}")


def _stored(ballot: Any) -> Any:
    return tuple(ballot) if isinstance(ballot, list) else ballot


VOTING = (
    each_mechanism_settles_a_question,
    ballot_can_be_revised_until_the_vote_ends,
    deadline_counts_the_ballots_that_there_are,
    what_is_no_ballot_changes_nothing,
    only_a_choice_can_be_voted_on,
)
