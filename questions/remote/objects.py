"""Askers and viewers at the client's end of a link: what they do there besides being called."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar, overload

from facets.link.remote_object import AnyObject
from facets.principal import Principal, Who
from questions.audience import Audience
from questions.open_ask import OpenAsk
from questions.open_question import OpenQuestion
from questions.policies import All, Answered, Collected, CustomPolicy, First, Quorum
from questions.question import Question
from questions.reports import ClosedQuestion
from questions.request import AskRequest
from questions.scopes import Scope
from questions.to_answer import BlockingQuestionsToAnswer, QuestionsToAnswer

if TYPE_CHECKING:
    from facets.link.blocking import BlockingKeyedReadable, BlockingReadable

__all__ = ["BlockingAsker", "BlockingQuestions", "BlockingViewer", "RemoteAsker", "RemoteViewer"]

A = TypeVar("A")
R = TypeVar("R")


class _InScope(AnyObject):
    @property
    def scope(self) -> Scope:
        """Where it asks, or what is viewed."""
        found: Scope = self.input
        return found


class _Asking(_InScope):
    def ask_as(self, request: AskRequest) -> Any:
        """As `Asker.ask_as`, and as its other methods, for `ask_again`; with what `ask` gives here."""
        return self.ask(
            request.question,
            audience=request.audience,
            policy=request.policy,
            key=request.key,
            timeout=request.timeout,
            deadline=request.deadline,
            default=request.default,
            on_behalf_of=request.on_behalf_of,
            attach_only=request.attach_only,
            **({"durable": True} if request.durable else {}),  # hosts of an earlier version know none
        )

    def sleep(self, seconds: float) -> Any:
        """As `Asker.sleep`; blocks in a plain script."""
        return self._link.sleep(seconds)

    @property
    def is_over(self) -> bool:
        """Whether its link has ended for good."""
        found: bool = self._link.is_over
        return found


class RemoteAsker(_Asking):
    """An `Asker` of another process, on trio or asyncio."""


class RemoteViewer(_InScope):
    """A `Viewer` of another process, on trio or asyncio."""

    def to_answer(self) -> QuestionsToAnswer:
        """As `Viewer.to_answer`."""
        return QuestionsToAnswer(self.open)


class BlockingAsker(_Asking):
    """An `Asker` of another process, for plain scripts."""


class BlockingViewer(_InScope):
    """A `Viewer` of another process, for plain scripts."""

    def to_answer(self, timeout: float | None = None) -> BlockingQuestionsToAnswer:
        """As `Viewer.to_answer`. `timeout`: seconds for each step, which else raises `TimeoutError`."""
        return BlockingQuestionsToAnswer(self.open, timeout)


if TYPE_CHECKING:

    class BlockingQuestions:
        """The questions of a scope in a plain script."""

        principal: Principal
        who: Who
        scope: Scope
        open: BlockingKeyedReadable[OpenQuestion]
        asking: BlockingKeyedReadable[OpenAsk]
        closed: BlockingReadable[tuple[ClosedQuestion, ...]]

        def asked(self, key: str) -> str | None:
            """As `Asker.asked`."""

        @overload
        def ask(
            self,
            question: Question[A],
            *,
            audience: Audience,
            policy: First = ...,
            key: str | None = None,
            timeout: float | timedelta | None = None,
            deadline: datetime | None = None,
            default: A | None = None,
            on_behalf_of: Principal | None = None,
            durable: bool = False,
        ) -> Answered[A]: ...

        @overload
        def ask(
            self,
            question: Question[A],
            *,
            audience: Audience,
            policy: Quorum | All,
            key: str | None = None,
            timeout: float | timedelta | None = None,
            deadline: datetime | None = None,
            default: None = None,
            on_behalf_of: Principal | None = None,
            durable: bool = False,
        ) -> Collected[A]: ...

        @overload
        def ask(
            self,
            question: Question[Any],
            *,
            audience: Audience,
            policy: CustomPolicy[R],
            key: str | None = None,
            timeout: float | timedelta | None = None,
            deadline: datetime | None = None,
            default: None = None,
            on_behalf_of: Principal | None = None,
            durable: bool = False,
        ) -> R: ...

        def ask(self, question: Question[Any], **options: Any) -> Any:
            """As `Asker.ask`, and blocks. Interrupted (Ctrl-C), it withdraws the question, unless that has ended."""

        def withdraw(self, key: str) -> bool:
            """As `Asker.withdraw`."""

        def answer(self, id: str, value: object) -> None:
            """As `Viewer.answer`."""

        def to_answer(self, timeout: float | None = None) -> BlockingQuestionsToAnswer:
            """As `Viewer.to_answer`. `timeout`: seconds for each step, which else raises `TimeoutError`."""

        def now(self) -> float:
            """The host's wall clock, epoch seconds."""

        def release(self) -> None:
            """Hold it no more."""

else:

    class BlockingQuestions:
        """The questions of a scope, as something to get in a plain script: `link.get(BlockingQuestions, scope)`.

        The same as `Questions`, which it stands for; a type checker sees methods that block, as they do there.
        """
