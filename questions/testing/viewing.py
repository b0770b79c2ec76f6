"""Cases: what is shown to whom, when it goes, and who may act on it."""

from __future__ import annotations

from typing import Any

import trio

from facets.errors import Forbidden
from questions.errors import NoLongerActive, NotInAudience, UnknownQuestion
from questions.policies import Quorum
from questions.question import Confirm

from .stage import ANA, BO, DEPLOY, PATIENCE, Play, case, refused, require

__all__ = ["VIEWING"]


@case
async def open_is_in_order_and_live(play: Play) -> None:
    """`open` holds the open questions, oldest first; they come and go as they are asked and answered."""
    [ana] = await play.viewers(ANA)
    await play.sees(ana)
    for count in range(3):
        await play.ask(Confirm(f"{count}?"), ANA)
    questions = await play.sees(ana, "0?", "1?", "2?")
    await ana.answer(questions[1].id, True)
    await play.sees(ana, "0?", "2?")


@case
async def who_comes_later_sees_what_is_open(play: Play) -> None:
    """A viewer that is opened late sees what was asked before."""
    await play.ask(DEPLOY, ANA)
    [ana] = await play.viewers(ANA)
    await play.sees(ana, "Deploy?")


@case
async def open_question_says_who_has_answered(play: Play) -> None:
    """An open question names who has answered and who is waited for, and never what was answered."""
    ana, bo = await play.viewers(ANA, BO)
    await play.ask(DEPLOY, ANA, BO, policy=Quorum(2))
    [question] = await play.sees(ana, "Deploy?")
    before = (question.may_answer, question.answered_by_me, question.kind, question.policy)
    require(before == (True, False, "confirm", Quorum(2)), f"not what was asked: {before}")
    await ana.answer(question.id, False)
    for viewer, mine in ((ana, True), (bo, False)):
        await play.until(viewer.open, lambda value: any(one.answered for one in value.values()), "for ana's answer")
        [question] = await play.sees(viewer, "Deploy?")
        names = [[who.principal for who in whos] for whos in (question.answered, question.waiting_for)]
        require(names == [[ANA], [BO]], f"ana has answered and bo has not: {names}")
        require(question.answered_by_me is mine, "answered_by_me is about the viewer")


@case
async def others_do_not_see_it(play: Play) -> None:
    """Who is not in the audience does not see the question, and learns nothing about it by its id."""
    ana, bo = await play.viewers(ANA, BO)
    asking = await play.ask(DEPLOY, ANA)
    [question] = await play.sees(ana, "Deploy?")
    await play.sees(bo)
    with refused(UnknownQuestion, "an answer to a question of others") as theirs:
        await bo.answer(question.id, True)
    with refused(UnknownQuestion, "an answer to an id that never was") as nobodys:
        await bo.answer("q_never_0", True)
    same = str(theirs[0]).replace(question.id, "ID") == str(nobodys[0]).replace("q_never_0", "ID")
    require(same, "both refusals must be the same but for the id")
    require(asking.outcome is None, "a refused answer must settle nothing")


@case
async def overseer_sees_and_may_not_answer(play: Play) -> None:
    """Who may view everything sees the question, and answering it is `NotInAudience`."""
    if play.stage.overseer is None:
        return
    [overseer] = await play.viewers(play.stage.overseer)
    asking = await play.ask(DEPLOY, ANA)
    [question] = await play.sees(overseer, "Deploy?")
    require(question.may_answer is False, "may_answer is false outside of the audience")
    with refused(NotInAudience, "an answer from outside of the audience"):
        await overseer.answer(question.id, True)
    require(asking.outcome is None, "a refused answer must settle nothing")


@case
async def face_of_a_user_cannot_ask(play: Play) -> None:
    """A viewer has no `ask`, or one that is `Forbidden`."""
    [ana] = await play.viewers(ANA)
    ask = getattr(ana, "ask", None)
    if ask is not None:
        with refused(Forbidden, "an ask by a user"):
            await ask(DEPLOY, audience=[ANA])
    await play.sees(ana)


@case
async def changes_begin_with_what_is_there(play: Play) -> None:
    """`changes()` gives the current value at once, and then the newest."""
    [ana] = await play.viewers(ANA)
    await play.ask(Confirm("0?"), ANA)
    await play.sees(ana, "0?")
    changes = ana.open.changes()
    first = await anext(changes)
    require([one.message for one in first.values()] == ["0?"], f"the current value must come first: {first!r}")
    await play.ask(Confirm("1?"), ANA)
    await play.sees(ana, "0?", "1?")
    newest: Any = None
    with trio.move_on_after(PATIENCE):
        newest = await anext(changes)
    require(newest is not None and len(newest) == 2, f"the newest value must come next: {newest!r}")


@case
async def differences_rebuild_the_value(play: Play) -> None:
    """Whoever puts and drops what `differences()` gives has what `open` shows."""
    ana, bo = await play.viewers(ANA, BO)
    differences = ana.open.differences()
    rebuilt: dict[str, Any] = {}
    for number in range(3):
        await play.ask(Confirm(f"{number}?"), ANA, BO)
        shown = await play.sees(ana, f"{number}?")
        with trio.move_on_after(PATIENCE):
            while rebuilt.keys() != {one.id for one in shown}:
                difference = await anext(differences)
                if difference.whole:
                    rebuilt.clear()
                rebuilt.update(difference.put)
                for id in difference.drop:
                    rebuilt.pop(id, None)
        require(list(rebuilt.values()) == shown, f"differences lead to {rebuilt!r}, and open shows {shown!r}")
        await bo.answer(shown[0].id, True)
        await play.sees(ana)


@case
async def closed_says_how_it_ended(play: Play) -> None:
    """What leaves `open` is in `closed` for a while, with how it ended and who had answered, and no answer."""
    ana, bo = await play.viewers(ANA, BO)
    await play.ask(DEPLOY, ANA, BO)
    [question] = await play.sees(ana, "Deploy?")
    await bo.answer(question.id, True)
    await play.until(ana.closed, bool, "for the question to be among the closed")
    [closed] = ana.closed.value
    told = (closed.id, closed.message, closed.how, [who.principal for who in closed.by])
    require(told == (question.id, "Deploy?", "answered", [BO]), f"it was answered by bo: {told}")


@case
async def cancelling_the_ask_withdraws_the_question(play: Play) -> None:
    """A cancelled ask leaves every view, and who answers then is told that it was withdrawn."""
    [ana] = await play.viewers(ANA)
    asking = await play.ask(DEPLOY, ANA)
    [question] = await play.sees(ana, "Deploy?")
    asking.cancel()
    await play.sees(ana)
    with refused(NoLongerActive, "an answer to a withdrawn question") as errors:
        await ana.answer(question.id, True)
    require(errors[0].how == "withdrawn", f"it must be called withdrawn, not {errors[0].how}")
    await play.until(ana.closed, lambda closed: [one.how for one in closed] == ["withdrawn"], "to be told so")


VIEWING = (
    open_is_in_order_and_live,
    who_comes_later_sees_what_is_open,
    open_question_says_who_has_answered,
    others_do_not_see_it,
    overseer_sees_and_may_not_answer,
    face_of_a_user_cannot_ask,
    changes_begin_with_what_is_there,
    differences_rebuild_the_value,
    closed_says_how_it_ended,
    cancelling_the_ask_withdraws_the_question,
)
