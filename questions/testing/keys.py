"""Cases: asking again with the same key."""

from __future__ import annotations

from questions.errors import Superseded
from questions.question import Confirm

from .stage import ANA, DEPLOY, Play, case, require

__all__ = ["KEYS"]


@case
async def same_key_joins_the_open_question(play: Play) -> None:
    """Two asks with one key are one question, and both get its result."""
    [ana] = await play.viewers(ANA)
    askings = [await play.ask(DEPLOY, ANA, key="k") for _ in range(2)]
    [question] = await play.sees(ana, "Deploy?")
    await ana.answer(question.id, True)
    results = [await play.end(asking) for asking in askings]
    require([result.answer for result in results] == [True, True], f"both must get the one answer: {results!r}")


@case
async def same_key_gets_the_kept_result(play: Play) -> None:
    """An ask that comes after the answer gets it, and nobody is asked twice."""
    [ana] = await play.viewers(ANA)
    asking = await play.ask(DEPLOY, ANA, key="k")
    [question] = await play.sees(ana, "Deploy?")
    await ana.answer(question.id, False)
    await play.end(asking)
    result = await play.end(await play.ask(DEPLOY, ANA, key="k"))
    require(result.answer is False, f"the kept answer must be given: {result!r}")
    await play.sees(ana)


@case
async def other_question_with_the_key_supersedes(play: Play) -> None:
    """The same key with another question closes the old one, whose asker is told."""
    [ana] = await play.viewers(ANA)
    old = await play.ask(DEPLOY, ANA, key="k")
    await play.sees(ana, "Deploy?")
    await play.ask(Confirm("Delete?"), ANA, key="k")
    error = await play.end(old)
    require(type(error) is Superseded, f"the old asker must be told that it was superseded: {error!r}")
    await play.sees(ana, "Delete?")
    await play.until(ana.closed, lambda closed: [one.how for one in closed] == ["superseded"], "to be told so")


@case
async def cancelling_one_of_two_leaves_the_question(play: Play) -> None:
    """A question that two asks wait for stays while one of them does."""
    [ana] = await play.viewers(ANA)
    first, second = [await play.ask(DEPLOY, ANA, key="k") for _ in range(2)]
    await play.sees(ana, "Deploy?")
    first.cancel()
    await play.stage.quiet()
    [question] = await play.sees(ana, "Deploy?")
    await ana.answer(question.id, True)
    require((await play.end(second)).answer is True, "the one that stays must get the answer")


@case
async def without_a_key_each_ask_is_its_own(play: Play) -> None:
    """Two asks without a key are two questions, and each gets its own answer."""
    [ana] = await play.viewers(ANA)
    askings = [await play.ask(DEPLOY, ANA) for _ in range(2)]
    questions = await play.sees(ana, "Deploy?", "Deploy?")
    await ana.answer(questions[1].id, False)
    await ana.answer(questions[0].id, True)
    answers = [(await play.end(asking)).answer for asking in askings]
    require(answers == [True, False], f"each must get its own answer: {answers}")


KEYS = (
    same_key_joins_the_open_question,
    same_key_gets_the_kept_result,
    other_question_with_the_key_supersedes,
    cancelling_one_of_two_leaves_the_question,
    without_a_key_each_ask_is_its_own,
)
