"""Two hosts on one store of durable questions, each with an opener of its own: every race in both orders."""

from contextlib import asynccontextmanager

import pytest
import trio

from facets import Principal
from questions import (
    All,
    Confirm,
    Expired,
    LimitExceeded,
    Limits,
    NoLongerActive,
    Quorum,
    Superseded,
    Withdrawn,
)
from tests.questions.durable.asking import ANA, BO, GO, open_on, result, settled_down, shown, within
from tests.questions.durable.cases import T
from tests.rules import rule

DELETE = Confirm("Delete?")
CROWD = [Principal.user(f"p{number}") for number in range(12)]


@pytest.fixture
async def two(engines):
    """Two hosts, as in two processes."""
    async with open_two(engines) as places:
        yield places


@asynccontextmanager
async def open_two(engines, **settings):
    async with (
        engines.open(safety_poll_ms=50) as a,
        engines.open(safety_poll_ms=50) as b,
        open_on(a, **settings) as here,
        open_on(b, **settings) as there,
    ):
        yield here, there


async def test_who_is_at_another_host_sees_and_answers_and_the_asker_goes_on(two):
    here, there = two
    viewer = await there.viewer()
    asking = await here.begin()
    [question] = await shown(viewer, "Go?")
    await viewer.answer(question.id, True)
    assert not viewer.open.value
    answered = await result(asking)
    assert (answered.by.principal, answered.answer) == (ANA, True)
    assert (await result(await there.begin())).answer is True, "the result is there for all hosts"


@rule("Q-SET-2")
async def test_of_many_at_two_hosts_one_answers_first(two):
    viewers = [await two[number % 2].viewer(who) for number, who in enumerate(CROWD)]
    asking = await two[0].begin(audience=CROWD)
    won, refused = await all_answer(viewers)
    answered = await result(asking)
    assert [answered.by.principal] == won
    assert {error.how for error in refused} == {"answered"}


@rule("Q-POL-1", "Q-POL-6")
@pytest.mark.parametrize("policy", [Quorum(len(CROWD)), All()])
async def test_no_answer_of_many_at_two_hosts_is_lost_or_doubled(two, policy):
    viewers = [await two[number % 2].viewer(who) for number, who in enumerate(CROWD)]
    asking = await two[1].begin(audience=CROWD, policy=policy)
    won, refused = await all_answer(viewers)
    collected = await result(asking)
    assert (sorted(won), refused, collected.ended) == (sorted(CROWD), [], "reached")
    assert sorted(one.by.principal for one in collected.answers) == sorted(CROWD)


@rule("Q-POL-6")
async def test_one_person_at_two_hosts_counts_once(two):
    viewers = [await place.viewer() for place in two]
    asking = await two[0].begin(audience=[ANA, BO], policy=Quorum(2))
    won, [refused] = await all_answer(viewers)
    assert (won, refused.how, asking.outcome) == ([ANA], "already_answered", None)


async def all_answer(viewers):
    """All answer what they see, at once: who got through, and what the others were told."""
    won, refused = [], []

    async def answer(viewer, id):
        try:
            await viewer.answer(id, True)
        except NoLongerActive as error:
            refused.append(error)
        else:
            won.append(viewer.principal)

    ids = [(await shown(viewer, "Go?"))[0].id for viewer in viewers]
    async with trio.open_nursery() as nursery:
        for viewer, id in zip(viewers, ids, strict=True):
            nursery.start_soon(answer, viewer, id)
    return won, refused


# Keys


@rule("Q-KEY-1")
async def test_hosts_that_ask_the_same_at_once_open_one_question(two):
    viewer = await two[0].viewer()
    askings = await ask_at_once(two, GO, GO)
    [question] = await shown(viewer, "Go?")
    await viewer.answer(question.id, True)
    assert [(await result(one)).answer for one in askings] == [True, True]


@rule("Q-KEY-2")
async def test_of_hosts_that_ask_different_things_with_one_key_one_takes_the_place_of_the_other(two):
    viewer = await two[0].viewer()
    askings = await ask_at_once(two, GO, DELETE)
    with within("one to be superseded"):
        while not any(one.done.is_set() for one in askings):
            await trio.lowlevel.checkpoint()
    [loser] = [one for one in askings if one.done.is_set()]
    [winner] = [one for one in askings if one is not loser]
    with pytest.raises(Superseded):
        await result(loser)
    with within("one to be left"):
        while len(viewer.open.value) != 1:
            await viewer.open.changed(viewer.open.version)
    [question] = viewer.open.value.values()
    await viewer.answer(question.id, True)
    assert (await result(winner)).answer is True


async def ask_at_once(places, *questions):
    askings: list = []

    async def begin(place, question):
        askings.append(await place.begin(question))

    async with trio.open_nursery() as nursery:
        for place, question in zip(places, questions, strict=True):
            nursery.start_soon(begin, place, question)
    return askings


@rule("Q-KEY-2")
async def test_a_question_is_replaced_and_taken_back_from_another_host(two):
    here, there = two
    viewer = await here.viewer()
    old = await here.begin()
    await shown(viewer, "Go?")
    new = await there.begin(DELETE)
    with pytest.raises(Superseded):
        await result(old)
    await shown(viewer, "Delete?")
    assert await (await here.asker()).withdraw("k") is True
    with pytest.raises(Withdrawn):
        await result(new)
    await shown(viewer)


@rule("Q-KEY-5")
async def test_an_asker_that_leaves_one_host_leaves_that_of_the_other_waiting(two):
    here, there = two
    viewer = await here.viewer()
    first, second = await here.begin(), await there.begin()
    first.cancel()
    await first.done.wait()
    [question] = await shown(viewer, "Go?")
    await viewer.answer(question.id, True)
    assert (await result(second)).answer is True


async def test_hosts_that_ask_at_once_keep_a_limit_together(engines):
    async with open_two(engines, limits=Limits(open=3)) as two:
        askings = []

        async def begin(number):
            askings.append(await two[number % 2].begin(key=f"k{number}"))

        async with trio.open_nursery() as nursery:
            for number in range(8):
                nursery.start_soon(begin, number)
        with within("each to be asked or refused"):
            while sum(one.done.is_set() for one in askings) + sum(len(place.waiters()) for place in two) < 8:
                await trio.lowlevel.checkpoint()
        over = [one for one in askings if one.done.is_set()]
        assert [type(one.outcome.error) for one in over] == [LimitExceeded] * 5


# Deadlines


@rule("Q-SET-5", "Q-ASK-3")
async def test_an_answer_before_the_deadline_stands_and_one_at_it_does_not(engines, two):
    here, there = two
    viewer = await there.viewer()
    early, late = [await here.begin(key=key, timeout=60) for key in ("early", "late")]
    first, second = await shown(viewer, "Go?", "Go?")
    await engines.set_clock(T + 59_999)
    await viewer.answer(first.id, True)
    await engines.set_clock(T + 60_000)
    with pytest.raises(NoLongerActive) as refused:
        await viewer.answer(second.id, True)
    assert refused.value.how == "expired"
    assert (await result(early)).answer is True
    with pytest.raises(Expired):
        await result(late)


@rule("Q-SET-5")
@pytest.mark.parametrize("default", [None, False])
async def test_an_answer_that_the_deadline_overtakes_on_its_way_to_the_disk_is_refused(engines, default):
    async with engines.open_intercepted() as (store, between), open_on(store) as place:
        viewer = await place.viewer()
        asking = await place.begin(timeout=60, default=default)
        [question] = await shown(viewer, "Go?")
        await settled_down(place)
        between.before = [lambda: engines.set_clock(T + 60_000)]
        with pytest.raises(NoLongerActive) as refused:
            await viewer.answer(question.id, True)
        assert refused.value.how == ("expired" if default is None else "answered")
        if default is None:
            with pytest.raises(Expired):
                await result(asking)
        else:
            assert (await result(asking)).automatic


@rule("Q-POL-5")
async def test_who_was_shown_a_question_at_a_host_that_has_gone_is_still_known(engines):
    async with engines.open(safety_poll_ms=50) as store, open_on(store) as here:
        asking = await here.begin(audience=[ANA, BO], timeout=60)
        async with engines.open() as other, open_on(other) as there:
            await shown(await there.viewer(BO), "Go?")
            await settled_down(there)
        await engines.set_clock(T + 60_000)
        with pytest.raises(Expired) as expired:
            await result(asking)
        assert [who.principal for who in expired.value.seen] == [BO]
