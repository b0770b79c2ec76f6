"""Cases: what settles a question, what does not, and what the asker is given."""

from __future__ import annotations

from typing import Any

from facets.errors import Forbidden
from questions.errors import Expired, InvalidAnswer, InvalidAsk, InvalidPolicy, NoLongerActive
from questions.policies import All, Answered, Collected, Quorum
from questions.question import Option, Question, Select, Text

from .stage import ANA, BO, CY, DEPLOY, Play, case, refused, require

__all__ = ["ANSWERING"]

WHERE = Select("Where?", [Option("0", "Nowhere"), Option("1", "Everywhere")])


@case
async def first_answer_settles(play: Play) -> None:
    """Under `First` the first answer settles the question, and the asker gets it with who gave it."""
    [ana] = await play.viewers(ANA)
    asking = await play.ask(DEPLOY, ANA, BO)
    [question] = await play.sees(ana, "Deploy?")
    await ana.answer(question.id, True)
    result = await play.end(asking)
    require(type(result) is Answered, f"First must give an Answered, not {result!r}")
    require(
        (result.answer, result.by.principal, result.automatic) == (True, ANA, False), f"not what ana said: {result!r}"
    )


@case
async def quorum_collects(play: Play) -> None:
    """A `Quorum` waits for so many people, and gives their answers in the order in which they came."""
    ana, bo = await play.viewers(ANA, BO)
    asking = await play.ask(DEPLOY, ANA, BO, CY, policy=Quorum(2))
    [question] = await play.sees(bo, "Deploy?")
    await bo.answer(question.id, True)
    await play.stage.quiet()
    require(asking.outcome is None, "one answer must not settle a quorum of two")
    await ana.answer(question.id, False)
    result = await play.end(asking)
    require(type(result) is Collected, f"Quorum must give a Collected, not {result!r}")
    said = [(one.by.principal, one.answer) for one in result.answers]
    require(said == [(BO, True), (ANA, False)], f"answers must be in the order of arrival: {said}")
    require([who.principal for who in result.missing] == [CY], f"cy is missing, not {result.missing}")
    require(result.ended == "reached" and not result.unanimous(True), f"they did not agree: {result!r}")


@case
async def all_waits_for_everyone(play: Play) -> None:
    """`All` waits until everyone in the audience has answered."""
    viewers = await play.viewers(ANA, BO, CY)
    asking = await play.ask(DEPLOY, ANA, BO, CY, policy=All())
    for viewer in viewers:
        require(asking.outcome is None, "All must wait for everyone")
        [question] = await play.sees(viewer, "Deploy?")
        await viewer.answer(question.id, True)
        await play.stage.quiet()
    result = await play.end(asking)
    require(result.unanimous(True) and result.missing == (), f"everyone said yes: {result!r}")


@case
async def false_empty_and_zero_are_answers(play: Play) -> None:
    """`False`, an empty text and the option id `0` settle a question like any other answer."""
    [ana] = await play.viewers(ANA)
    answers: list[tuple[Question[Any], Any]] = [(DEPLOY, False), (Text("Why?"), ""), (WHERE, "0")]
    for question, answer in answers:
        asking = await play.ask(question, ANA)
        [shown] = await play.sees(ana, question.message)
        await ana.answer(shown.id, answer)
        result = await play.end(asking)
        same = type(result) is Answered and type(result.answer) is type(answer) and result.answer == answer
        require(same, f"{answer!r} must arrive as it is: {result!r}")


@case
async def what_is_no_answer_leaves_it_open(play: Play) -> None:
    """An answer that does not fit is `InvalidAnswer`, and the question stays open for a better one."""
    [ana] = await play.viewers(ANA)
    bad: list[tuple[Question[Any], Any, Any]] = [
        (DEPLOY, [1, "yes", None], True),
        (Text("Why?", min_length=3, max_bytes=5), ["no", "too long", 7], "so so"[:5]),
        (WHERE, ["2", "Nowhere", 0], "1"),
    ]
    for question, misfits, good in bad:
        asking = await play.ask(question, ANA)
        [shown] = await play.sees(ana, question.message)
        for misfit in misfits:
            with refused(InvalidAnswer, f"{misfit!r} to {question.message}"):
                await ana.answer(shown.id, misfit)
        require(asking.outcome is None, "a refused answer must settle nothing")
        await ana.answer(shown.id, good)
        result = await play.end(asking)
        require(type(result) is Answered and result.answer == good, f"{good!r} must arrive: {result!r}")


@case
async def late_answer_is_refused(play: Play) -> None:
    """Who comes second is told that it was answered, and by whom."""
    ana, bo = await play.viewers(ANA, BO)
    asking = await play.ask(DEPLOY, ANA, BO)
    [question] = await play.sees(ana, "Deploy?")
    await ana.answer(question.id, True)
    with refused(NoLongerActive, "a late answer") as errors:
        await bo.answer(question.id, False)
    how = (errors[0].how, [who.principal for who in errors[0].by], errors[0].answered_by_me)
    require(how == ("answered", [ANA], False), f"it was answered, by ana, and not by bo: {how}")
    require((await play.end(asking)).answer is True, "the late answer must change nothing")


@case
async def second_answer_of_one_person_is_refused(play: Play) -> None:
    """One person counts once, whatever number of windows; the question stays open for the others."""
    ana, ana_too, bo = await play.viewers(ANA, ANA, BO)
    asking = await play.ask(DEPLOY, ANA, BO, policy=Quorum(2))
    for viewer in (ana, ana_too):
        await play.sees(viewer, "Deploy?")
    [question] = await play.sees(bo, "Deploy?")
    await ana.answer(question.id, True)
    with refused(NoLongerActive, "a second answer of one person") as errors:
        await ana_too.answer(question.id, False)
    how = (errors[0].how, errors[0].answered_by_me)
    require(how == ("already_answered", True), f"it is open, and has ana's answer already: {how}")
    await bo.answer(question.id, True)
    require((await play.end(asking)).unanimous(True), "both have said yes")


@case
async def bad_ask_is_refused_and_shown_to_nobody(play: Play) -> None:
    """An ask that nobody could answer is refused at once."""
    [ana] = await play.viewers(ANA)
    bad: list[tuple[type[Exception], dict[str, Any]]] = [
        (InvalidPolicy, {"policy": Quorum(2)}),
        (InvalidAsk, {"timeout": 0}),
        (InvalidAsk, {"default": True}),
        (InvalidAsk, {"key": ""}),
    ]
    for kind, options in bad:
        error = await play.end(await play.ask(DEPLOY, ANA, **options))
        require(type(error) is kind, f"{options} must be refused with {kind.__name__}: {error!r}")
    error = await play.end(await play.ask(DEPLOY))
    require(type(error) in (InvalidAsk, InvalidPolicy), f"an empty audience must be refused: {error!r}")
    await play.sees(ana)


@case
async def silence_expires(play: Play) -> None:
    """At the deadline an unanswered `First` raises `Expired`, which says who was missing; nobody said no."""
    [ana] = await play.viewers(ANA)
    asking = await play.ask(DEPLOY, ANA, BO, timeout=play.stage.second)
    error = await play.end(asking)
    require(type(error) is Expired, f"silence must be Expired, not {error!r}")
    require([who.principal for who in error.missing] == [ANA, BO], f"ana and bo are missing, not {error.missing}")
    await play.until(
        ana.closed, lambda closed: [one.how for one in closed] == ["expired"], "for it to be called expired"
    )


@case
async def default_is_what_the_deadline_answers(play: Play) -> None:
    """A declared default is shown in advance, and at the deadline it is given as automatic."""
    [ana] = await play.viewers(ANA)
    asking = await play.ask(WHERE, ANA, timeout=5 * play.stage.second, default="0")
    [question] = await play.sees(ana, "Where?")
    require(question.default == "0", f"the default must be shown in advance: {question.default!r}")
    result = await play.end(asking)
    require(type(result) is Answered, f"the default must be an Answered, not {result!r}")
    require((result.answer, result.automatic) == ("0", True), f"it must be marked as automatic: {result!r}")


@case
async def part_of_a_quorum_is_given_at_the_deadline(play: Play) -> None:
    """At the deadline a `Quorum` gives what is there, and says that it was not reached."""
    [ana] = await play.viewers(ANA)
    asking = await play.ask(DEPLOY, ANA, BO, policy=Quorum(2), timeout=5 * play.stage.second)
    [question] = await play.sees(ana, "Deploy?")
    await ana.answer(question.id, True)
    result = await play.end(asking)
    require(type(result) is Collected, f"a part must be given as a Collected, not {result!r}")
    require(result.ended == "deadline" and not result.unanimous(True), f"it was not reached: {result!r}")
    who = [[one.by.principal for one in result.answers], [one.principal for one in result.missing]]
    require(who == [[ANA], [BO]], f"ana has answered and bo has not: {who}")


@case
async def answer_after_the_deadline_is_refused(play: Play) -> None:
    """Who answers after the deadline is told that time was over."""
    [ana] = await play.viewers(ANA)
    asking = await play.ask(DEPLOY, ANA, timeout=5 * play.stage.second)
    [question] = await play.sees(ana, "Deploy?")
    await play.end(asking)
    with refused(NoLongerActive, "an answer after the deadline") as errors:
        await ana.answer(question.id, True)
    require(errors[0].how == "expired", f"it must be called expired, not {errors[0].how}")


@case
async def secret_reaches_the_asker_and_shows_nowhere(play: Play) -> None:
    """The answer to a secret question is in the asker's result, and in no text. Workers may not ask for secrets."""
    code = "hunter2-canary"
    [ana] = await play.viewers(ANA)
    asking = await play.ask(Text("Code?", secret=True, min_length=3), ANA, BO, policy=Quorum(1))
    if (await play.stage.asker()).principal.kind == "worker":
        error = await play.end(asking)
        return require(isinstance(error, Forbidden), f"a worker may not ask for secrets: {error!r}")
    [question] = await play.sees(ana, "Code?")
    with refused(InvalidAnswer, "a code that is too short") as errors:
        await ana.answer(question.id, "zq")
    require("zq" not in f"{errors[0]!r} {errors[0]}", "a refusal must not quote a secret")
    await ana.answer(question.id, code)
    result = await play.end(asking)
    require(result.answers[0].answer == code, "the secret must arrive as it is")
    await play.sees(ana)
    shown = f"{result!r} {ana.open.value!r} {ana.closed.value!r} {question!r}"
    require("hunter2" not in shown, "a secret must show in no text")
    return None


ANSWERING = (
    first_answer_settles,
    quorum_collects,
    all_waits_for_everyone,
    false_empty_and_zero_are_answers,
    what_is_no_answer_leaves_it_open,
    late_answer_is_refused,
    second_answer_of_one_person_is_refused,
    bad_ask_is_refused_and_shown_to_nobody,
    silence_expires,
    default_is_what_the_deadline_answers,
    part_of_a_quorum_is_given_at_the_deadline,
    answer_after_the_deadline_is_refused,
    secret_reaches_the_asker_and_shows_nowhere,
)
