"""Cases: what who asks is shown of their own questions while they wait."""

from __future__ import annotations

from typing import Any

from questions.policies import Quorum
from questions.question import Text

from .stage import ANA, BO, DEPLOY, Play, case, require

__all__ = ["WAITING"]


@case
async def who_asks_is_told_who_has_answered(play: Play) -> None:
    """`asking` names who has answered, who is waited for and who has been shown it, and never what was answered."""
    ana, bo = await play.viewers(ANA, BO)
    asker = await play.stage.asker()
    await play.until(asker.asking, lambda value: not value, "to ask nothing")
    asking = await play.ask(Text("Why?", details="canary"), ANA, BO, policy=Quorum(2), key="k1", timeout=60)
    await play.until(asker.asking, bool, "for the question")
    [open_ask] = asker.asking.value.values()
    [question] = await play.sees(ana, "Why?")
    require((open_ask.id, open_ask.key, open_ask.message) == (question.id, "k1", "Why?"), f"not it: {open_ask!r}")
    require(0 < (open_ask.remaining or 0) <= 60, f"a minute is left at most: {open_ask.remaining}")
    await ana.answer(question.id, "canary")
    await play.until(asker.asking, lambda value: _names(value, "answered") == [ANA], "for ana's answer")
    [open_ask] = asker.asking.value.values()
    require(_names(asker.asking.value, "waiting_for") == [BO], "bo is waited for")
    require("canary" not in repr(open_ask), "it holds no answer")
    await play.until(asker.asking, lambda value: ANA in _names(value, "seen"), "until ana has been shown it")
    await bo.answer(question.id, "because")
    await play.end(asking)
    await play.until(asker.asking, lambda value: not value, "for the end")


@case
async def who_looks_late_is_shown_what_they_ask(play: Play) -> None:
    """`asking` holds what was asked before it was looked at, oldest first, and drops what is withdrawn."""
    first, _ = await play.ask(DEPLOY, ANA), await play.ask(Text("Why?"), ANA)
    asker = await play.stage.asker()
    await play.until(asker.asking, lambda value: _messages(value) == ["Deploy?", "Why?"], "for both")
    first.cancel()
    await play.until(asker.asking, lambda value: _messages(value) == ["Why?"], "until one is withdrawn")


def _names(value: Any, which: str) -> list[Any]:
    return [who.principal for one in value.values() for who in getattr(one, which)]


def _messages(value: Any) -> list[str]:
    return [one.message for one in value.values()]


WAITING = (who_asks_is_told_who_has_answered, who_looks_late_is_shown_what_they_ask)
