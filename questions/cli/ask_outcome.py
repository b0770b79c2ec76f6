"""How an ask has ended: in an exit code, on standard output, in words and in JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import attrs

from facets.principal import Who
from questions.errors import Expired, Superseded, Withdrawn
from questions.policies import Answered, Collected
from questions.rooms.tallied import Tallied

from .codes import DENIED, DONE, EXPIRED, STILL_OPEN, WITHDRAWN
from .lines import line_of
from .watch_lines import names_of

__all__ = ["Outcome", "ended_by_its_asker", "expired", "kept", "left_open", "outcome_of", "withdrawn"]


@attrs.frozen
class Outcome:
    """The end of an ask. `how`: answered, expired, withdrawn, superseded; or open, which it stays."""

    how: str
    words: str
    """For people, in one line."""
    answers: tuple[Answered[Any], ...] = attrs.field(default=(), repr=False)
    """In order of arrival; there may be some though the time was over."""
    missing: tuple[Who, ...] = ()
    """Who could have answered."""
    seen: tuple[Who, ...] = ()
    """Who was shown it."""
    several: bool = False
    """Whether more than one answer could come."""
    vote: Tallied | None = None
    """How the votes were counted, if they were."""
    kept: bool = False
    """Whether it had ended before this ask, so that nobody was asked again."""

    @property
    def exit_code(self) -> int:
        """`DONE` for answers that say no to nothing, `DENIED`, `EXPIRED`, `WITHDRAWN` or `STILL_OPEN`."""
        if self.vote is not None and self.how == "answered":
            return DENIED if self.vote.winner is None else DONE
        if self.how == "answered":
            return DENIED if any(one.answer is False for one in self.answers) else DONE
        return {"expired": EXPIRED, "open": STILL_OPEN}.get(self.how, WITHDRAWN)

    def lines(self, *, for_terminal: bool) -> Iterator[str]:
        """What standard output is given: the answer and nothing else; of several, each with who has given it.

        On a terminal, and among others, what cannot be seen is made visible: no answer may pass for another line.
        """
        if self.vote is not None:
            yield from [] if self.vote.winner is None else [self.vote.winner]
            return
        for one in self.answers:
            text = _written(one.answer)
            if self.several:
                yield f"{line_of(str(one.by.principal))}\t{line_of(text)}"
            else:
                yield line_of(text) if for_terminal else text

    def as_json(self, id: str | None, key: str) -> str:
        """One object in one line, ASCII only. `id`: of the question, if it is known."""
        answers = [
            {"by": _named(one.by), "answer": one.answer, "automatic": one.automatic, "secret": one.secret}
            for one in self.answers
        ]
        told: dict[str, Any] = {"outcome": self.how, "code": self.exit_code, "id": id, "key": key}
        told["answer"] = self.answers[0].answer if self.answers and not self.several else None
        told |= {"answers": answers, "by": [one["by"] for one in answers]}
        told |= {"missing": [*map(_named, self.missing)], "seen": [*map(_named, self.seen)]}
        if self.vote is not None:
            told |= {"answer": self.vote.winner, "vote": self.vote.as_case()}
        return json.dumps(told | {"kept": self.kept})


def kept(outcome: Outcome) -> Outcome:
    """The same, of a question that had ended before."""
    more = "Nobody was asked again: this is what is kept for this key."
    return attrs.evolve(outcome, words=f"{outcome.words} {more}", kept=True)


def outcome_of(result: Answered[Any] | Collected[Any] | Tallied) -> Outcome:
    """Of what an ask has returned."""
    if isinstance(result, Tallied):
        return _vote(result)
    if isinstance(result, Answered):
        return Outcome("answered", _told((result,)), (result,))
    how = "answered" if result.ended == "reached" else "expired"
    words = _told(result.answers) if how == "answered" else _too_few(result)
    return Outcome(how, words, result.answers, result.missing, result.seen, several=True)


def _vote(result: Tallied) -> Outcome:
    status, cast = result.outcome.status, f"{result.outcome.cast} of {result.eligible} have voted"
    words = {
        "completed": f"{result.winner} has won; {cast}.",
        "rejected": f"Nobody has won: no option has what it takes; {cast}.",
        "tied": f"Nobody has won: it is a tie; {cast}.",
        "no_quorum": _sentence(f"Too few votes in time: {cast}, and not {names_of(result.missing)}"),
    }
    how = "expired" if status == "no_quorum" else "answered"
    return Outcome(how, words[status], result.ballots, result.missing, result.seen, several=True, vote=result)


def expired(error: Expired) -> Outcome:
    """Nobody has answered in time."""
    return Outcome(
        "expired", f"Nobody answered in time: {line_of(error.reason)}.", (), (*error.missing,), (*error.seen,)
    )


def ended_by_its_asker(error: Superseded | Withdrawn) -> Outcome:
    """Its asker has asked something else with the same key, or has taken it back."""
    return Outcome(error.code, f"{error}.")


def left_open(key: str) -> Outcome:
    """A durable one, whose command was interrupted."""
    return Outcome("open", f"Interrupted; the question stays open. Ask again with --key {line_of(key)} for its answer.")


def withdrawn(*, told: bool) -> Outcome:
    """It was interrupted. `told`: whether the server knows of that."""
    later = " The connection is lost; the server withdraws the question by itself in a while."
    return Outcome("withdrawn", "Withdrawn; nothing was decided." + ("" if told else later))


def _told(answers: tuple[Answered[Any], ...]) -> str:
    if any(one.automatic for one in answers):
        return "Nobody answered in time; this is the default."
    no = [one.by for one in answers if one.answer is False]
    if not no:
        return _sentence(f"Answered by {names_of(one.by for one in answers)}")
    yes = [one.by for one in answers if one.answer is not False]
    return _sentence(f"Denied by {names_of(no)}" + (f"; allowed by {names_of(yes)}" if yes else ""))


def _too_few(result: Collected[Any]) -> str:
    by = f"answered by {names_of(one.by for one in result.answers)}" if result.answers else "answered by nobody"
    return _sentence(f"Too few answers in time: {by}, not by {names_of(result.missing)}")


def _sentence(words: str) -> str:
    """With a full stop, also where a name brings one."""
    return words if words.endswith(".") else f"{words}."


def _written(answer: Any) -> str:
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    return str(answer)


def _named(who: Who) -> dict[str, str]:
    return {"principal": str(who.principal), "name": who.name}
