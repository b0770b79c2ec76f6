"""Asking and answering from programs that are not on trio: plain threads, and asyncio. Real time, and no sleeps."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import trio.testing

from facets import Principal, Unavailable, open_background_host
from questions import (
    All,
    Answered,
    Confirm,
    Expired,
    InvalidAnswer,
    InvalidAsk,
    Questions,
    SessionScope,
    StoreClosed,
    questions_facet,
)
from tests.loops import run_asyncio
from tests.questions.canary import CANARY, locals_of_our_frames
from tests.rules import rule

pytestmark = rule("Q-FAC-4")

ANA, BO = Principal.user("ana"), Principal.user("bo")
SCOPE = SessionScope("s1")
DEPLOY = Confirm("Deploy?")


async def first_of(readable):
    """Wait until there is something in it."""
    async for value in readable.changes():
        if value:
            return value
    raise AssertionError("changes never end")


class Office:
    """What a program that is not on trio runs through its portal."""

    def __init__(self, portal):
        self.portal = portal

    async def ask(self, question=DEPLOY, audience=(ANA,), **options):
        async with self.portal.host.root() as ctx:
            asker = await ctx.get(Questions, SCOPE)
            return await asker.ask(question, audience=audience, **options)

    async def answer(self, principal, value):
        """Wait for a question, and answer it; its id."""
        async with self.portal.host.root(principal) as ctx:
            viewer = await ctx.get(Questions, SCOPE)
            (id,) = await first_of(viewer.open)
            await viewer.answer(id, value)
            return id

    async def see_it_end(self, seen):
        """Wait for a question, call `seen`, and wait for its end; how it ended."""
        async with self.portal.host.root(ANA) as ctx:
            viewer = await ctx.get(Questions, SCOPE)
            await first_of(viewer.open)
            seen()
            (closed,) = await first_of(viewer.closed)
            return closed.how


@contextmanager
def open_office():
    with open_background_host(facets=[questions_facet]) as portal:
        yield Office(portal)


@contextmanager
def open_threads():
    with ThreadPoolExecutor(8) as threads, open_office() as office:
        yield (
            office,
            lambda function, *args, **options: threads.submit(office.portal.call, lambda: function(*args, **options)),
        )


# Threads


def test_one_thread_asks_and_another_answers():
    with open_threads() as (office, start):
        asking = start(office.ask)
        office.portal.call(office.answer, ANA, True)
        result = asking.result()
        assert (type(result), result.by.principal, result.answer) == (Answered, ANA, True)


def test_threads_answer_a_question_to_all_of_them():
    with open_threads() as (office, start):
        asking = start(office.ask, audience=(ANA, BO), policy=All())
        answering = [start(office.answer, person, False) for person in (ANA, BO)]
        assert asking.result().unanimous(False)
        assert len({answer.result() for answer in answering}) == 1


def test_many_threads_ask_with_one_key_and_all_get_the_one_answer():
    with open_threads() as (office, start):
        askings = [start(office.ask, key="k") for _ in range(5)]
        office.portal.call(office.answer, ANA, True)
        assert {asking.result().by.principal for asking in askings} == {ANA}


def test_what_is_refused_is_raised_in_the_thread_that_asked():
    with open_office() as office, pytest.raises(InvalidAsk):
        office.portal.call(lambda: office.ask(audience=()))


def test_what_is_refused_is_raised_in_the_thread_that_answered():
    with open_threads() as (office, start):
        asking = start(office.ask)
        with pytest.raises(InvalidAnswer):
            office.portal.call(office.answer, ANA, "yes")
        office.portal.call(office.answer, ANA, True)
        assert asking.result().answer is True


def test_deadline_comes_in_real_time():
    with open_office() as office, pytest.raises(Expired):
        office.portal.call(lambda: office.ask(timeout=0.01))


@rule("Q-KEY-3")
def test_thread_that_still_asks_is_told_when_the_host_closes():
    with ThreadPoolExecutor(1) as threads:
        with open_office() as office:
            asking = threads.submit(office.portal.call, office.ask)
            office.portal.call(first_of, office.portal.host.waiting)
        with pytest.raises((Unavailable, StoreClosed)):
            asking.result()


# asyncio


def test_asyncio_asks_and_answers():
    async def main(office):
        asking = asyncio.create_task(office.portal.acall(office.ask))
        await office.portal.acall(office.answer, ANA, False)
        return await asking

    with open_office() as office:
        assert run_asyncio(main(office)).answer is False


@rule("Q-SET-6")
def test_cancelling_the_asyncio_task_withdraws_the_question():
    async def main(office):
        seen, loop = asyncio.Event(), asyncio.get_running_loop()
        watching = asyncio.create_task(
            office.portal.acall(office.see_it_end, lambda: loop.call_soon_threadsafe(seen.set))
        )
        asking = asyncio.create_task(office.portal.acall(office.ask))
        await seen.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return await watching

    with open_office() as office:
        assert run_asyncio(main(office)) == "withdrawn"


@rule("Q-KEY-5")
def test_cancelling_one_of_two_asyncio_tasks_leaves_the_question_to_the_other():
    async def main(office):
        first, second = (asyncio.create_task(office.portal.acall(lambda: office.ask(key="k"))) for _ in range(2))
        await office.portal.acall(trio.testing.wait_all_tasks_blocked)
        first.cancel()
        await asyncio.wait([first])
        await office.portal.acall(office.answer, ANA, True)
        return first.cancelled(), (await second).answer

    with open_office() as office:
        assert run_asyncio(main(office)) == (True, True)


@rule("Q-KEY-4")
def test_asyncio_gets_the_result_that_a_thread_asked_for():
    with open_threads() as (office, start):
        asking = start(office.ask, key="k")
        office.portal.call(office.answer, ANA, True)
        assert asking.result() == run_asyncio(office.portal.acall(lambda: office.ask(key="k")))


@rule("Q-SEC-1")
@pytest.mark.parametrize("ended", [False, True])
def test_a_secret_that_goes_through_the_portal_is_in_no_frame_of_it(ended):
    with open_background_host(facets=[questions_facet]) as portal:
        calls = [
            lambda: portal.call(answer_unknown, portal.host, CANARY),
            lambda: run_asyncio(portal.acall(answer_unknown, portal.host, CANARY)),
            lambda: portal.call(answer_unknown, CANARY),
        ]
        refusals = [] if ended else list(map(refusal_of, calls))
    if ended:
        refusals = list(map(refusal_of, calls))
    assert len(refusals) == 3
    for refusal in refusals:
        assert not [shown for shown in locals_of_our_frames(refusal) if CANARY in shown]


async def answer_unknown(host, value):
    async with host.root(ANA) as ctx:
        await (await ctx.get(Questions, SCOPE)).answer("q_1", value)


def refusal_of(call):
    try:
        call()
    except Exception as refusal:
        return refusal
    return None
