"""Hosts on a store of durable questions, and what the tests of them do there."""

from contextlib import asynccontextmanager, contextmanager

import trio
from trio.testing import wait_all_tasks_blocked

from facets import Principal, open_host
from facets.context import Ctx
from questions import Confirm, Questions, SessionScope, questions_facet
from questions.durable import durable_asks
from questions.testing import Asking
from tests.questions.durable.cases import T

ANA, BO, CY = (Principal.user(name) for name in ("ana", "bo", "cy"))
SCOPE = SessionScope("s1")
GO = Confirm("Go?")
PATIENCE = 60


class HostUnderTest:
    """One host on a store, people at it, and asks under way in it."""

    def __init__(self, host, nursery):
        self.host = host
        self.nursery = nursery

    async def asker(self, principal=None):
        return await Ctx(self.host, principal or self.host.principal).get(Questions, SCOPE)

    async def viewer(self, principal=ANA):
        return await Ctx(self.host, principal).get(Questions, SCOPE)

    async def begin(self, question=GO, audience=(ANA,), *, key="k", **options):
        """Begin to ask; returns once the question is waited for, or the ask is over."""
        asker, asking = await self.asker(), Asking()
        before = self.waiters()
        ask = lambda: asker.ask(question, audience=list(audience), key=key, durable=True, **options)  # noqa: E731
        self.nursery.start_soon(asking.run, ask)
        with trio.fail_after(PATIENCE):
            while not asking.done.is_set() and self.waiters() == before:
                await trio.lowlevel.checkpoint()
        return asking

    def waiters(self):
        return {waiter for one in self.store._open.values() for waiter in one.waiters}

    @property
    def store(self):
        return self.host._running["questions"].resource("pending questions")


def facet(store, **settings):
    return questions_facet.configured(durable=durable_asks(store), **settings)


@asynccontextmanager
async def open_on(store, *, clock=lambda: T / 1000, **settings):
    """A host on a store, by default with a wall clock that agrees with that of the engines' tests."""
    async with trio.open_nursery() as nursery:
        async with open_host([facet(store, **settings)], clock=clock) as host:
            yield HostUnderTest(host, nursery)
        nursery.cancel_scope.cancel()


async def shown(viewer, *messages):
    """What a viewer sees, once it is exactly this, oldest first."""
    with within(f"{messages} to be shown"):
        async for value in viewer.open.changes():
            if [one.message for one in value.values()] == list(messages):
                return list(value.values())
    raise AssertionError


@contextmanager
def within(what):
    with trio.move_on_after(PATIENCE) as patience:
        yield
    assert not patience.cancelled_caught, f"waited too long for {what}"


async def result(asking):
    with trio.fail_after(PATIENCE):
        return await asking.wait()


async def settled_down(place):
    """Wait until it is written down who was shown what: then nothing else is about to be committed."""
    with within("it to be written down"):
        while any(set(one.seen) - set(one.recorded) for one in place.store._open.values()):
            await trio.lowlevel.checkpoint()
    await wait_all_tasks_blocked()
