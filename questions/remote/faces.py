"""What askers and viewers offer over a link, and the declaration that says so."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from outcome import Outcome

from facets.context import Ctx
from facets.host import present as everyone_present
from facets.keyed import KeyedReadable
from facets.link.interface import also_known_as, face, remote
from facets.link.offered import PassedOn, Told
from facets.principal import Principal
from facets.readable import Readable
from questions.audience import Audience, Present
from questions.open_ask import OpenAsk
from questions.open_question import OpenQuestion
from questions.policies import First, Policy
from questions.question import Question
from questions.redaction import Secret
from questions.reports import ClosedQuestion
from questions.request import AskRequest
from questions.scopes import Scope
from questions.views import Asker, Begun, Questions, Viewer

from .boards import BoardOverLink, ClosedOverLink
from .objects import BlockingAsker, BlockingQuestions, BlockingViewer, RemoteAsker, RemoteViewer
from .wire import (
    ASKED,
    AUDIENCE,
    NOTHING,
    RESULT,
    TIMEOUT,
    converter,
    number_of,
    place_of,
    read_open_ask,
    read_open_question,
)

__all__ = ["QUESTIONS"]


class AskerOverLink:
    """What an asker offers. Its call scope says who is present, and whether its link has dropped."""

    def __init__(self, asker: Asker, ctx: Ctx) -> None:
        self._asker = asker
        self._ctx = ctx

    @property
    def asking(self) -> KeyedReadable[str, OpenAsk]:
        """As `Asker.asking`: this principal's own questions in this scope, and nothing of anybody else's (Q-AUTH-1)."""
        return self._asker.asking

    def asked(self, key: str) -> ASKED:
        """As `Asker.asked`; then, if there is a durable store, as `Asker.asked_durably`."""
        id = self._asker.asked(key)
        return self._asker.asked_durably(key) if id is None and self._asker.is_durable else id

    def ask(
        self,
        question: Question[Any],
        *,
        audience: AUDIENCE,
        policy: Policy = First(),  # noqa: B008  # immutable
        key: str | None = None,
        timeout: TIMEOUT = None,
        deadline: datetime | None = None,
        default: Any = None,
        on_behalf_of: Principal | None = None,
        attach_only: bool = False,
        durable: bool = False,
    ) -> RESULT:
        """As `Asker.ask`. `attach_only`: it is another try of the same ask, and supersedes nothing (Q-KEY-2)."""
        who: Audience = self._present(audience) if isinstance(audience, Present) else audience
        request = AskRequest(question, who, policy, key, timeout, deadline, default, on_behalf_of, attach_only)
        request.is_away, request.durable = self._is_lost, durable  # Q-KEY-3
        if durable or self._asker.needs_a_task:
            return self._asker.ask_as(request)
        return AskOverLink(self._asker, request)

    async def withdraw(self, key: str) -> bool:
        """As `Asker.withdraw`."""
        return await self._asker.withdraw(key)

    def _present(self, present: Present) -> Readable[tuple[Principal, ...]]:
        return everyone_present(self._ctx, Questions, self._asker.scope, present.kinds)

    def _is_lost(self) -> bool:
        return self._ctx.lost


class AskOverLink(PassedOn):
    """An ask that waits without a task: a link needs none, and answers a turn of the scheduler sooner without."""

    def __init__(self, asker: Asker, request: AskRequest) -> None:
        self._ended: Outcome[Any] | None = None
        self._tell: Told | None = None
        begun = asker.begin(request, self._told)
        self._begun = begun if isinstance(begun, Begun) else None
        if isinstance(begun, Outcome):
            self._ended = begun

    def _told(self, ended: Outcome[Any]) -> None:
        if self._tell is None:
            self._ended = ended
        else:
            self._tell(ended)

    def when_over(self, told: Told) -> None:
        """As of any such call."""
        self._tell = told
        if self._ended is not None:
            told(self._ended)

    def cancel(self) -> None:
        """Withdraw the question, or let it linger if the link was lost and it has a key (Q-KEY-3)."""
        if self._begun is not None and self._tell is not None and self._begun.give_up():
            self._tell(None)


class ViewerOverLink:
    """What a viewer offers."""

    def __init__(self, viewer: Viewer, _: Ctx) -> None:
        self._viewer = viewer

    @property
    def open(self) -> KeyedReadable[str, OpenQuestion]:
        """The open questions, as frames carry them."""
        return BoardOverLink.of(self._viewer.board)

    @property
    def closed(self) -> KeyedReadable[str, ClosedQuestion]:
        """The questions that have gone of late, as frames carry them."""
        return ClosedOverLink.of(self._viewer.board)

    def answer(self, id: str, value: Any) -> NOTHING:
        """As `Viewer.answer`. Who answers has been shown it."""
        value = Secret(value)
        BoardOverLink.of(self._viewer.board).has_shown(id)
        return self._viewer.answer_nowait(id, value)


def _ask_again(args: Mapping[str, Any], began: float) -> Mapping[str, Any] | None:
    """Another try of a keyed ask only attaches, and its time goes on from the first one (Q-KEY-2, Q-KEY-3)."""
    if args.get("key") is None:
        return None
    again = {**args, "attach_only": True}
    if (timeout := again.pop("timeout", None)) is not None:
        again["deadline"] = began + timeout
    return again


def _in_order(closed: Mapping[str, ClosedQuestion]) -> tuple[ClosedQuestion, ...]:
    """What has closed, as `Viewer.closed` shows it."""
    return tuple(closed.values())


QUESTIONS = remote(
    "questions",
    Questions,
    input=Scope,
    faces=[
        face(
            "asker",
            Asker,
            methods=["ask", "asked", "withdraw"],
            readables=["asking"],
            wrap=AskerOverLink,
            hints=AskerOverLink,
            again={"ask": _ask_again},
            mixin=RemoteAsker,
            blocking=BlockingAsker,
        ),
        face(
            "viewer",
            Viewer,
            methods=["answer"],
            readables=["open", "closed"],
            wrap=ViewerOverLink,
            hints=ViewerOverLink,
            order={"open": number_of},
            shape={"closed": _in_order},
            mixin=RemoteViewer,
            blocking=BlockingViewer,
        ),
    ],
    place=place_of,
    converter=converter,
    readers={OpenAsk: read_open_ask, OpenQuestion: read_open_question},
)
"""What `Questions` offers over links."""
also_known_as(QUESTIONS, BlockingQuestions)
