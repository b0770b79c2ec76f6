"""What `questions watch` prints: a line for each change, for people or for programs."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, TextIO

import msgspec

from facets.principal import Principal, Who
from questions.open_question import OpenQuestion
from questions.question import Confirm, Select
from questions.remote.wire import converter, number_of, shown
from questions.reports import ClosedQuestion
from questions.scopes import Scope
from questions.visible import visible

from .ballots import how_to_vote
from .lines import line_of

__all__ = ["HumanLines", "JsonLines", "Lines", "answered_with", "names_of"]


class Lines(Protocol):
    """Prints each change when it happens."""

    def connected(self, url: str, principal: Principal) -> None:
        """The server has taken the token."""

    def question(self, event: str, question: OpenQuestion) -> None:
        """A question is open: `opened` or `changed`."""

    def gone(self, scope: Scope, closed: ClosedQuestion) -> None:
        """A question is not open any more."""

    def link(self, event: str, url: str, why: str | None) -> None:
        """The connection is `lost`, or `back`."""

    def scope(self, event: str, scope: Scope, why: str | None) -> None:
        """The questions of a scope cannot be reached, though the server can: `unavailable`, or `available` again."""


class JsonLines:
    """One JSON object a line, ASCII only. See the how-to guide for the keys."""

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def connected(self, url: str, principal: Principal) -> None:
        """As in `Lines`."""
        self._write("connected", url=url, principal=msgspec.to_builtins(principal))

    def question(self, event: str, question: OpenQuestion) -> None:
        """As in `Lines`; a question has the form that it has over links."""
        self._write(event, **msgspec.to_builtins(shown(question, number_of(question))))

    def gone(self, scope: Scope, closed: ClosedQuestion) -> None:
        """As in `Lines`."""
        self._write("gone", **self._scope(scope), **converter.unstructure(closed, unstructure_as=ClosedQuestion))

    def link(self, event: str, url: str, why: str | None) -> None:
        """As in `Lines`."""
        self._write(event, url=url, why=why)

    def scope(self, event: str, scope: Scope, why: str | None) -> None:
        """As in `Lines`."""
        self._write(event, **self._scope(scope), why=why)

    @staticmethod
    def _scope(scope: Scope) -> dict[str, Any]:
        return {"scope": converter.unstructure(scope, unstructure_as=Scope)}

    def _write(self, event: str, **told: Any) -> None:
        print(json.dumps({"event": event, "at": time.time()} | told), file=self._output, flush=True)


class HumanLines:
    """A line each, with what cannot be seen made visible; a question's details, as they are, set in below it."""

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def connected(self, url: str, principal: Principal) -> None:
        """As in `Lines`."""
        self._write("watching", url, f"as {principal}")

    def question(self, event: str, question: OpenQuestion) -> None:
        """As in `Lines`."""
        self._write(event, f"{question.id}  {question.message}", "; ".join(_about(question)))
        if event == "opened" and question.details:
            for line in visible(question.details).split("\n"):
                print(f"          | {line}", file=self._output, flush=True)

    def gone(self, scope: Scope, closed: ClosedQuestion) -> None:  # noqa: ARG002  # the id says which
        """As in `Lines`."""
        self._write("gone", f"{closed.id}  {closed.message}", _ending(closed))

    def link(self, event: str, url: str, why: str | None) -> None:
        """As in `Lines`."""
        self._write(event, url, why)

    def scope(self, event: str, scope: Scope, why: str | None) -> None:
        """As in `Lines`."""
        self._write(event, str(scope), why)

    def _write(self, word: str, what: str, more: str | None) -> None:
        line = f"{word:<9} {line_of(what)}" + (f"  ({line_of(more)})" if more else "")
        print(line, file=self._output, flush=True)


def answered_with(opened: OpenQuestion) -> str:
    """What may be given to `questions answer` for a question."""
    question = opened.question
    if isinstance(question, Select) and (how := how_to_vote(opened)):
        return f"{how}; of {_options(question)}"
    if isinstance(question, Confirm):
        return f"yes: {question.allow}, no: {question.deny}"
    if isinstance(question, Select):
        return f"one of {_options(question)}"
    return "a secret" if question.secret else "text"


def _options(question: Select) -> str:
    return ", ".join(f"{option.id}: {option.label}" for option in question.options)


def _ending(closed: ClosedQuestion) -> str:
    if not closed.by:
        return closed.how
    by = f"answered by {names_of(closed.by)}"  # they have not withdrawn it, say, though they had answered before
    return by if closed.how == "answered" else f"{closed.how}; {by}"


def _about(question: OpenQuestion) -> Iterator[str]:
    yield answered_with(question)
    yield str(question.scope)
    yield f"asked by {question.asker}" + (f" for {question.on_behalf_of}" if question.on_behalf_of else "")
    if question.answered:
        yield f"answered by {names_of(question.answered)}"
    if question.remaining is not None:
        yield f"{math.ceil(max(question.remaining, 0))} s left"
    if question.default is not None:
        yield "answered by default then"
    if question.answered_by_me:
        yield "has your answer" + (", which you may revise" if question.may_revise else "")
    elif not question.may_answer:
        yield f"not yours; waiting for {names_of(question.waiting_for)}"


def names_of(people: Iterable[Who]) -> str:
    """Who it is, in one line."""
    return line_of(", ".join(map(str, people))) or "nobody"
