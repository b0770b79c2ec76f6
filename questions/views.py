"""The two faces of the questions of a scope: `Asker` for the work, `Viewer` for the people.

Both hold the way to a store and a principal, and nothing else. They are got from a call scope,
`await ctx.get(Questions, scope)`, and stay valid when the store behind them crashes, is replaced or reloaded.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, final, overload

import msgspec
import trio
from outcome import Outcome
from trio.lowlevel import checkpoint_if_cancelled, current_task, wait_task_rescheduled

from facets.errors import Unavailable
from facets.keyed import KeyedReadable
from facets.principal import Principal, Who
from facets.readable import Readable

from .audience import Audience
from .board import Board
from .config import Around
from .durable_port import DURABLE_ID
from .durable_questions import DurableQuestions
from .endings import looked_up
from .errors import NoDurableStore
from .open_ask import OpenAsk
from .open_question import OpenQuestion
from .pending import Pending
from .policies import All, Answered, Collected, CustomPolicy, First, Policy, Quorum
from .question import Question
from .redaction import Secret
from .reports import ClosedQuestion
from .request import AskRequest
from .scopes import Scope
from .store import PendingQuestions
from .to_answer import QuestionsToAnswer
from .waits import waiting_in
from .work_clock import current_work_clock

__all__ = ["Asker", "Begun", "Questions", "Viewer"]

A = TypeVar("A")
R = TypeVar("R")

_FIRST = First()


@final
class Asker:
    """Asks questions in one scope on behalf of one principal. Got by `server` and `worker` principals."""

    __slots__ = ("_around", "_durable", "_now", "_released", "_scope", "_store", "_who")

    def __init__(
        self,
        store: Callable[[], PendingQuestions],
        durable: Callable[[], DurableQuestions | None],
        who: Who,
        scope: Scope,
        now: Callable[[], float],
        around: Callable[[], Around | None] = lambda: None,
    ) -> None:
        self._store = store
        self._durable = durable
        self._who = who
        self._now = now
        self._around = around
        self._scope = scope
        self._released = False

    @property
    def scope(self) -> Scope:
        """Where it asks."""
        return self._scope

    @property
    def principal(self) -> Principal:
        """On whose behalf it asks."""
        return self._who.principal

    @property
    def asking(self) -> KeyedReadable[str, OpenAsk]:
        """The open questions that this principal asks in this scope, by id: who has answered, and never what.

        Raises `Unavailable` once nobody holds this asker any more.
        """
        if self._released:
            raise Unavailable("an asker that has been released")
        return self._store().publishing.asking(self._who.principal, self._scope)

    def asked(self, key: str) -> str | None:
        """The id of the question that this principal has asked with a key in this scope, the last one.

        It is open, or has ended and is remembered; None: there is none such. Raises `Unavailable` as `asking` does.
        """
        for opened in self.asking.value.values():
            if opened.key == key:
                return opened.id
        return self._store().endings.id_of((self._scope, self._who.principal, key), trio.current_time())

    @property
    def is_durable(self) -> bool:
        """Whether its host has a durable store."""
        return self._durable() is not None

    async def asked_durably(self, key: str) -> str | None:
        """The id of the durable question that stands for a key: it is open, or its result is kept.

        Raises `NoDurableStore`, and `StoreUnavailable`.
        """
        return await self._records().named(self._who.principal, self._scope, key)

    def now(self) -> float:
        """The host's wall clock, epoch seconds."""
        return self._now()

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
    ) -> Coroutine[Any, Any, Answered[A]]: ...

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
    ) -> Coroutine[Any, Any, Collected[A]]: ...

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
    ) -> Coroutine[Any, Any, R]: ...

    def ask(
        self,
        question: Question[Any],
        *,
        audience: Audience,
        policy: Policy = _FIRST,
        key: str | None = None,
        timeout: float | timedelta | None = None,
        deadline: datetime | None = None,
        default: Any = None,
        on_behalf_of: Principal | None = None,
        durable: bool = False,
    ) -> Coroutine[Any, Any, Any]:
        """Ask, and wait until the policy is fulfilled or the deadline comes.

        `audience`: who may answer, a sequence of principals or a readable of one. `policy`: `First()` returns an
        `Answered`, `Quorum(n)` and `All()` a `Collected`, a `Mechanism` of `questions.rooms` a `Tallied`. `key`: a
        stable name of this ask, 1 to 200 code points; asking again with it joins the open question or returns the kept
        result. `timeout` (seconds above 0, or a timedelta) or `deadline` (an aware datetime), not both; without one it
        waits for ever. `default`: what the deadline answers, with `First` only. `on_behalf_of`: the program whose run
        asks; it may never answer.

        Raises `InvalidAsk` or `InvalidPolicy` with nothing published, `Forbidden`, `LimitExceeded`, `Unavailable` (the
        scope is fenced); `Expired` when nobody has answered a `First` in time; `Superseded`, `Withdrawn`,
        `StoreClosed`.

        Cancelled, it withdraws the question before this returns, unless others wait for the same key. If the
        question is settled in the same instant, the result wins and the cancellation is not raised here.

        `durable`: the question lives in the host's durable store, until it is answered, its time is over, or
        `withdraw(key)`; whoever asks again with its key gets it, or its result, for as long as that is kept there. It
        outlives this task, cancelled or not, and the process. It takes a key and a list of principals, and no secret
        (`InvalidAsk`); raises `NoDurableStore`, and what the store does: `StoreUnavailable`, which may be repeated.
        """
        # Not async itself: a frame that only waits would cost every pending question half a kilobyte.
        request = AskRequest(question, audience, policy, key, timeout, deadline, default, on_behalf_of)
        if durable:
            request.durable = durable
        return self.ask_as(request)

    async def withdraw(self, key: str) -> bool:
        """Take back the durable question that this principal has asked with a key in this scope; True if it was open.

        It leaves every view, and whoever waits for it gets `Withdrawn`. One that has ended stays as it is. Raises
        `NoDurableStore`, and what the store does, with nothing changed. Cancelled, it has happened or not.
        """
        return await self._records().withdraw(self._who.principal, self._scope, key)

    def _records(self) -> DurableQuestions:
        if (durable := self._durable()) is None:
            raise NoDurableStore
        return durable

    @trio.lowlevel.enable_ki_protection  # between being a waiter and waiting; a wait can be interrupted
    async def ask_as(self, request: AskRequest) -> Any:
        """As `ask`; for what re-attaches by itself, whose request says `attach_only` (Q-KEY-2)."""
        request.check()
        await checkpoint_if_cancelled()  # Q-SET-1: under a cancelled scope nothing is published
        store = self._store()
        if request.durable:
            pending = await self._records().ask(request, self._who, self._scope)
        else:
            pending = store.call(store.admit, request, self._who, self._scope)
        is_away = request.is_away
        del request  # not kept for as long as the question is open
        if not isinstance(pending, Pending):
            await trio.lowlevel.checkpoint()
            return pending.unwrap()
        # Q-SET-2: a plain abort function, so a cancellation and an answer in one step cannot both win
        abort = partial(store.abort, pending, current_task(), is_away)
        clock, around = current_work_clock(), self._around()
        if clock is None and around is None:
            return await wait_task_rescheduled(abort)
        with ExitStack() as inside:
            if clock is not None:
                inside.enter_context(clock.paused())
            if around is not None:
                inside.enter_context(waiting_in(around, pending.entry.ask.id))
            return await wait_task_rescheduled(abort)

    async def sleep(self, seconds: float) -> None:
        """Pause, on whatever this asker is awaited; for `ask_again`."""
        await trio.sleep(seconds)

    @property
    def is_over(self) -> bool:
        """Whether it can never ask again: as for one over a link that has ended; for `ask_again`."""
        return False

    @property
    def needs_a_task(self) -> bool:
        """Whether something is to go round each wait, such as a trace: then `begin` is not for this asker."""
        return self._around() is not None

    def begin(self, request: AskRequest, told: Callable[[Outcome[Any]], None]) -> Begun | Outcome[Any]:
        """As `ask_as`, for surfaces that have no task to wait in. Raises what refuses the ask.

        Returns the outcome if it is known already, else what can be given up; `told` is then called with it once,
        after the step that has settled the question, and perhaps before this returns.
        """
        request.check()
        request.waiter = told
        store = self._store()
        pending = store.call(store.admit, request, self._who, self._scope)
        return Begun(store, pending, told, request.is_away) if isinstance(pending, Pending) else pending

    def release(self) -> None:
        """For the facet: nobody holds this asker any more."""
        self._released = True
        self._store().publishing.forget_asker(self._who.principal, self._scope)

    def __repr__(self) -> str:
        return f"Asker({self._who.principal}, {self.scope})"


class Begun(msgspec.Struct, frozen=True, eq=False):
    """An ask that was begun without a task. `give_up` it, or wait to be told."""

    _store: PendingQuestions
    _pending: Pending
    _told: Callable[[Outcome[Any]], None]
    _is_away: Callable[[], bool] | None

    def give_up(self) -> bool:
        """Withdraw it, as the cancellation of a waiting task does. False: its outcome had come first, and is told."""
        return self._store.call(self._store.leave, self._pending, self._told, self._is_away)


@final
class Viewer:
    """Sees and answers the questions of one scope on behalf of one principal. It has no `ask`.

    Lives until the last call scope that holds it ends; then `open` is empty and answers are `Unavailable`.
    """

    __slots__ = ("_board", "_durable", "_store", "_valid")

    def __init__(
        self, store: Callable[[], PendingQuestions], durable: Callable[[], DurableQuestions | None], board: Board
    ) -> None:
        self._store = store
        self._durable = durable
        self._board = board
        self._valid = True

    @property
    def principal(self) -> Principal:
        """Who views and answers."""
        return self._board.principal

    @property
    def scope(self) -> Scope:
        """What is viewed."""
        return self._board.scope

    @property
    def open(self) -> KeyedReadable[str, OpenQuestion]:
        """The open questions that this principal may view, by id, oldest first. Reading it counts as being shown."""
        return self._board.open

    @property
    def closed(self) -> Readable[tuple[ClosedQuestion, ...]]:
        """The questions that have left `open` in the last minute or so, and how they ended."""
        return self._board.closed

    @property
    def board(self) -> Board:
        """What is behind `open` and `closed`; for surfaces that show them in a way of their own."""
        return self._board

    def to_answer(self) -> QuestionsToAnswer:
        """Each question that waits for this principal's answer, once, oldest first; then those that come.

        One that has ended by the time that it is its turn is left out. Leave the loop when you like.
        """
        return QuestionsToAnswer(self._board.open)

    async def answer(self, id: str, value: object) -> None:
        """Answer an open question. When this returns, the answer counts. No checkpoint, unless it is a durable one.

        `value`: text, an option's id, or a bool, as the question wants; a ballot, where a vote decides. Raises, with
        nothing changed, `InvalidAnswer`; `NoLongerActive` if it has ended or has this principal's answer already, and
        its policy does not let that be revised; `NotInAudience`; `UnknownQuestion`; `NoLiveAsker`; `Unavailable`. The
        answer to a durable question is committed to its store first; if that cannot be reached, `StoreUnavailable`,
        which says whether it is known that nothing has changed.
        """
        value, id = Secret(value), looked_up(id)  # Q-SEC-1: from here on no frame of ours holds the answer
        if (committing := self.answer_nowait(id, value)) is not None:
            await committing

    def answer_nowait(self, id: str, value: Secret[Any]) -> Coroutine[Any, Any, None] | None:
        """As `answer`, for surfaces, with a value that is wrapped already (Q-SEC-1): at once.

        What is returned for a durable question is to be awaited: the answer counts after that.
        """
        id = looked_up(id)
        if not self._valid:
            raise Unavailable("a viewer that has been released")
        if id.startswith(DURABLE_ID) and (durable := self._durable()) is not None:
            return durable.answer(self._board, id, value)
        store = self._store()
        store.call(store.answer, self._board, id, value)
        return None

    def release(self) -> None:
        """For the facet: nobody holds this viewer any more."""
        self._valid = False
        self._store().publishing.forget(self._board)

    def __repr__(self) -> str:
        return f"Viewer({self.principal}, {self.scope})"


if TYPE_CHECKING:

    class Questions(Asker, Viewer):  # type: ignore[misc]  # for a type checker it has the methods of both faces
        """The questions of a scope."""

else:

    class Questions(ABC):  # noqa: B024  # a name to get objects by
        """The questions of a scope, as something to get: `await ctx.get(Questions, SessionScope("s1"))`.

        A `server` or `worker` principal gets an `Asker`; a `user`, `guest` or `program` gets a `Viewer`. A type
        checker sees the methods of both; at run time the object has those of its own face.
        """

    Questions.register(Asker)
    Questions.register(Viewer)
