"""The store against a plain model: random programs of everything that can happen, compared after every step."""

import logging
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import singledispatchmethod

import attrs
import pytest
import trio
import trio.testing
from hypothesis import Phase, given, settings

from facets import Cell, open_host, present
from facets.context import Ctx
from facets.nursery import open_serving_nursery
from facets.reloading import current_modules, install_modules
from questions import All, Answered, Collected, Confirm, First, Questions, questions_facet
from questions.request import AskRequest
from tests.questions.model import (
    CY,
    LINGER,
    LINK_LINGER,
    OWNER,
    PRESENT,
    RETAIN,
    SERVER,
    SESSION,
    VIEWS,
    WORKER,
    Model,
    Refused,
)
from tests.questions.programs import (
    Advance,
    Answer,
    Ask,
    AskAgain,
    Cancel,
    Crash,
    Fence,
    Join,
    Leave,
    Look,
    Nothing,
    Reload,
    SetCell,
    Together,
    Unfence,
    programs,
    values_for,
)
from tests.rules import rule

EPOCH = 1_800_000_000.0
REASONS = {"answered", "expired", "withdrawn", "superseded", "closed", "left", "released"}
BLIND = CY
"""Whose view nobody reads but `Look`."""


class Follower:
    """A mapping rebuilt from the differences of a view, and nothing else."""

    def __init__(self, viewer):
        self.mapping = {}
        self.scope = trio.CancelScope()
        self._viewer = viewer

    async def run(self):
        with self.scope:
            async for difference in self._viewer.open.differences():
                if difference.whole:
                    self.mapping.clear()
                assert not difference.put.keys() & difference.drop.keys()
                self.mapping.update(difference.put)
                for id, reason in difference.drop.items():
                    assert reason in REASONS
                    self.mapping.pop(id, None)  # it may have come and gone again unseen


class Machine:
    """The store and the model, side by side."""

    def __init__(self, host, nursery, clock):
        self.model = Model()
        self.host = host
        self.nursery = nursery
        self.clock = clock
        self.cells = {name: Cell(members) for name, members in self.model.cells.items()}
        self.live = {**self.cells, PRESENT: present(host, Questions, SESSION)}
        self.askers, self.held, self.viewers, self.followers = {}, {}, {}, {}
        self.asked, self.got, self.scopes = [], {}, []

    async def run(self, program):
        for scope, principal in ((SESSION, SERVER), (SESSION, WORKER), (OWNER, SERVER)):
            self.askers[scope, principal] = await Ctx(self.host, principal).get(Questions, scope)
        self.store = self.askers[SESSION, SERVER]._store()
        for view in VIEWS:
            if view[0] != BLIND:
                await self.do(Join(view, 1))
        for step in program:
            await self.do(step)
            await trio.testing.wait_all_tasks_blocked()
            self.model.settle()
            self.compare()

    # --- steps --------------------------------------------------------------------------------------------------

    @singledispatchmethod
    async def do(self, step):
        raise AssertionError(f"no such step: {step}")

    @do.register
    async def _(self, step: Nothing):
        pass

    @do.register
    async def _(self, step: Together):
        for one in step.steps:
            await self.do(one)  # a coroutine without a checkpoint

    @do.register
    async def _(self, step: Ask):
        waiter = len(self.asked)
        self.asked.append(step)
        self.scopes.append(trio.CancelScope())
        count = len(self.model.questions)
        try:
            self.model.ask(step, waiter)
        except Refused as refused:
            self.model.outcomes[waiter] = refused.args[0]
        self.nursery.start_soon(self._ask, step, waiter)
        await trio.testing.wait_all_tasks_blocked()
        if len(self.model.questions) > count:
            new = {one["id"] for one in self.state["open"]} - {one.id for one in self.model.questions}
            assert len(new) == 1, f"not opened: {self.got.get(waiter)!r}"
            (self.model.questions[-1].id,) = new

    async def _ask(self, step, waiter):
        asker = self.askers[step.scope, step.asker]
        with self.scopes[waiter]:
            try:
                if step.attach:
                    request = AskRequest(step.question, **self._options(step), attach_only=True)
                    self.got[waiter] = await asker.ask_as(request)
                else:
                    self.got[waiter] = await asker.ask(step.question, **self._options(step))
            except Exception as error:
                self.got[waiter] = error
        if self.scopes[waiter].cancelled_caught:
            self.got[waiter] = "Cancelled"

    def _options(self, step):
        late = step.timeout is not None and step.timeout < 0
        return {
            "audience": self.live[step.audience] if step.live else step.audience,
            "policy": step.policy,
            "key": step.key,
            "timeout": None if late else step.timeout,
            "deadline": datetime.fromtimestamp(self.host.now() - 1, UTC) if late else None,
            "default": step.default,
            "on_behalf_of": step.behalf,
        }

    @do.register
    async def _(self, step: AskAgain):
        keyed = [ask for ask in reversed(self.asked) if ask.key is not None]
        if step.back < len(keyed):
            again = attrs.evolve(keyed[step.back], attach=step.attach)
            if step.other:
                again = attrs.evolve(again, question=Confirm("Something else?"), default=None)
            await self.do(again)

    @do.register
    async def _(self, step: Answer):
        asked = [*reversed(self.model.open), *(one for one in reversed(self.model.questions) if one.how != "open")]
        pending = asked[step.back] if step.back < len(asked) else None
        view = step.view or self.view_of_missing(pending)
        if view not in self.viewers:
            return
        id, question = (pending.id, pending.ask.question) if pending else ("q_none_1", Confirm("?"))
        value = values_for(question)[not step.valid][step.choice]
        expected, (who, scope) = None, view
        try:
            self.model.answer(who, scope, pending, value, step.valid)
        except Refused as refused:
            expected = refused.args
        assert await self._refusal(self.viewers[view].answer, id, value) == expected

    def view_of_missing(self, pending):
        views = [(who, pending.ask.scope) for who in pending.members] if pending else []
        return next((view for view in views if view in self.viewers and view[0] in pending.missing), None)

    async def _refusal(self, function, *args):
        """The class and the `how` of what it raises."""
        try:
            await function(*args)
        except Exception as error:
            return type(error).__name__, getattr(error, "how", None)
        return None

    @do.register
    async def _(self, step: Cancel):
        if step.back < len(self.asked):
            waiter = len(self.asked) - 1 - step.back
            self.model.cancel(waiter)
            self.scopes[waiter].cancel()

    @do.register
    async def _(self, step: Join):
        ctx = self.held.get((step.view, step.device))
        if ctx is None:
            ctx = self.held[step.view, step.device] = Ctx(self.host, step.view[0])
        self.viewers[step.view] = viewer = await ctx.get(Questions, step.view[1])
        self.model.join(step.view, step.device)
        if step.view not in self.followers and step.view[0] != BLIND:
            self.followers[step.view] = Follower(viewer)
            self.nursery.start_soon(self.followers[step.view].run)

    @do.register
    async def _(self, step: Leave):
        ctx = self.held.pop((step.view, step.device), None)
        if ctx is None:
            return
        if not any(view == step.view for view, _ in self.held) and step.view in self.followers:
            self.followers.pop(step.view).scope.cancel()
        (ctx.lose if step.lost else ctx.end)()
        self.model.leave(step.view, step.device, step.lost)

    @do.register
    async def _(self, step: SetCell):
        self.model.cells[step.name] = step.members
        self.cells[step.name].set(step.members)

    @do.register
    async def _(self, step: Advance):
        deadlines = [one.deadline for one in self.model.open if one.deadline is not None]
        seconds = step.seconds or (min(deadlines) - self.model.now if deadlines else 1)
        seconds = max(seconds, 0)
        self.clock.jump(seconds)
        self.model.now += seconds

    @do.register
    async def _(self, step: Look):
        if step.view in self.model.views:
            self.compare_view(step.view)

    @do.register
    async def _(self, step: Fence):
        expected = None
        try:
            self.model.fence(step.scope, step.force)
        except Refused as refused:
            expected = refused.args
        assert await self._refusal(self.host.fence, step.scope, 0, step.force) == expected

    @do.register
    async def _(self, step: Unfence):
        self.model.fenced.discard(step.scope)
        self.host.unfence(step.scope)

    @do.register
    async def _(self, step: Crash):
        def tick():
            del self.store.tick
            raise RuntimeError("the store crashes")

        self.store.tick = tick
        self.store.wake()
        await trio.testing.wait_all_tasks_blocked()
        self.model.crash()
        await self.do(Advance(6))

    @do.register
    async def _(self, step: Reload):
        await self.host.reload(questions_facet)

    # --- comparing ----------------------------------------------------------------------------------------------

    @property
    def state(self):
        (facet,) = self.host.describe()["facets"]
        return facet["resources"][0]["state"]

    def compare(self):
        for view in self.model.views:
            if view[0] != BLIND:
                self.compare_view(view)
        for pending in self.model.open:
            pending.glimpsed.clear()
        assert self.got.keys() == self.model.outcomes.keys()
        for waiter, expected in self.model.outcomes.items():
            self.compare_outcome(self.got[waiter], expected)
        self.compare_state()

    def compare_view(self, view):
        self.model.look(*view)
        viewer, (who, _) = self.viewers[view], view
        shown = self.model.shown(*view)
        assert list(viewer.open.value) == [pending.id for pending in shown]
        for pending, one in zip(shown, viewer.open.value.values(), strict=True):
            assert (one.question, one.policy, one.scope) == (
                pending.ask.question,
                pending.ask.policy,
                pending.ask.scope,
            )
            assert [given.principal for given in one.answered] == list(pending.answers)
            assert {missing.principal for missing in one.waiting_for} == pending.missing
            assert (one.may_answer, one.answered_by_me) == (who in pending.members, who in pending.answers)
            left = None if pending.deadline is None else pending.deadline - self.model.now
            assert one.remaining == left
        closed = [(one.id, one.how) for one in viewer.closed.value]
        oldest = self.model.now - 60
        held = self.model.views[view].closed
        assert sorted(closed) == sorted((pending.id, how) for pending, how, at in held if at >= oldest)
        if view in self.followers:
            assert self.followers[view].mapping == viewer.open.value

    def compare_outcome(self, got, expected):
        match got:
            case str():
                assert got == expected
            case Answered():
                self.compare_answered(got, expected)
            case Collected():
                assert [(one.by.principal, one.answer) for one in got.answers] == list(expected.answers.items())
                assert {who.principal for who in got.missing} == expected.missing
                assert got.ended == ("reached" if expected.how == "answered" else "deadline")
                self.compare_seen(got.seen, expected)
            case _ if isinstance(expected, str):
                assert type(got).__name__ == expected
            case _:
                assert (type(got).__name__, expected.how) == ("Expired", "expired")
                assert {who.principal for who in got.missing} == expected.missing
                self.compare_seen(got.seen, expected)

    def compare_answered(self, got, expected):
        assert expected.how == "answered"
        assert isinstance(expected.ask.policy, First)
        given = [(who, value, False) for who, value in expected.answers.items()]
        given = given or [(got.by.principal, expected.ask.default, True)]
        assert (got.by.principal, got.answer, got.automatic) == given[0]
        assert type(got.answer) is type(given[0][1])

    def compare_seen(self, seen, expected):
        seen = {who.principal for who in seen}
        assert expected.seen <= seen <= expected.seen | (expected.glimpsed - {BLIND})

    def compare_state(self):
        state, store, still = self.state, self.store, self.model.open
        assert [one["id"] for one in state["open"]] == [pending.id for pending in still]
        assert [one["waiters"] for one in state["open"]] == [len(pending.waiters) for pending in still]
        assert list(self.host.waiting.value) == [pending.id for pending in still]
        keyed = [pending for pending in still if pending.ask.key is not None]
        assert len(store._keys) == len(keyed)
        live = {one.ask.audience for one in still if one.ask.live and one.ask.policy != All("snapshot")}
        assert state["live_audiences"] == len(live)
        lingering = [one for one in still if not one.waiters]
        assert state["timers"] == len([one for one in still if one.deadline is not None]) + len(lingering)
        assert len(store._timers._heap) <= 2 * state["timers"] + 65
        assert (state["fenced"], sum(self.host.check().values())) == (sorted(map(str, self.model.fenced)), 0)


async def execute(program, clock, **settings):
    facet = questions_facet.configured(linger=LINGER, retain=RETAIN, **settings)
    start = clock.current_time()

    def wall():
        return EPOCH + clock.current_time() - start

    async with (
        open_host([facet], reference_linger=LINK_LINGER, clock=wall) as host,
        open_serving_nursery() as nursery,
    ):
        await Machine(host, nursery, clock).run(program)


@contextmanager
def no_trace():
    """The crashes are meant, so nobody reads of hundreds of them; and the modules are put back that were there."""
    log, modules = logging.getLogger("facets"), current_modules(questions_facet.logic)
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(level)
        install_modules(modules)


@rule("Q-SET-2", "Q-SET-3", "Q-SET-5", "Q-SET-6", "Q-POL-1", "Q-POL-2", "Q-POL-3", "Q-POL-5", "Q-POL-6")
@rule("Q-ASK-2", "Q-ASK-3", "Q-AUTH-2", "Q-AUTH-4", "Q-FAC-1", "Q-FAC-3", "Q-VIEW-1", "Q-VIEW-2", "Q-VIEW-4")
@rule("Q-KEY-1", "Q-KEY-2", "Q-KEY-3", "Q-KEY-4", "Q-KEY-5", "Q-TYPE-3")
@settings(phases=set(Phase) - {Phase.explain})
@pytest.mark.fuzz
@given(programs)
def test_store_does_what_the_plain_model_does(program):
    clock = trio.testing.MockClock()
    with no_trace():
        trio.run(execute, program, clock, clock=clock)
