"""Two hosts on one store of durable questions, each with an opener of its own: every race in both orders."""

from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

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
from questions.durable import ChangedConcurrently, Changes, StoreUnavailable
from questions.durable.asks_table import ASKS
from questions.durable.backend import Commit, Notice, Write
from questions.durable.tokens import new_token
from tests.questions.durable.asking import ANA, BO, GO, open_on, result, shown, within
from tests.questions.durable.cases import T
from tests.questions.durable.intercepting import lost
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


async def settled_down(place):
    """Wait until it is written down who was shown what: then nothing else is about to be committed."""
    with within("it to be written down"):
        while any(set(one.seen) - set(one.recorded) for one in place.store._open.values()):
            await trio.lowlevel.checkpoint()
    await wait_all_tasks_blocked()


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


@rule("Q-POL-5", "Q-VIEW-3")
async def test_who_has_seen_it_is_told_to_its_asker_and_changes_nothing_for_viewers(two):
    here, there = two
    ana, asker = await here.viewer(), await here.asker()
    await here.begin(audience=[ANA, BO])
    [before] = await shown(ana, "Go?")
    await settled_down(here)
    await shown(await there.viewer(BO), "Go?")
    with within("the asker to be told"):
        while {who.principal for one in asker.asking.value.values() for who in one.seen} != {ANA, BO}:
            await asker.asking.changed(asker.asking.version)
    [after] = ana.open.value.values()
    assert after is before
    assert not any({**here.host.check(), **there.host.check()}.values())


async def test_a_host_that_begins_late_shows_nothing_whose_time_is_over_and_knows_who_has_seen_what(engines):
    async with engines.open() as store, open_on(store) as first:
        await first.begin(key="late", timeout=60)
        await first.begin(key="open")
        await shown(await first.viewer(), "Go?", "Go?")
        await settled_down(first)
    await engines.set_clock(T + 60_000)
    async with engines.open() as store, open_on(store) as second:
        viewer = await second.viewer()
        assert len(viewer.open.value) == 1
        assert second.host.figures()["questions.never_shown"] == 0
        assert not any(second.host.check().values())
        with pytest.raises(Expired) as expired:
            await result(await second.begin(key="late", timeout=60))
        assert [who.principal for who in expired.value.seen] == [ANA]


async def test_logic_that_fails_for_one_question_holds_up_no_other(engines, monkeypatch, caplog):
    async with engines.open(safety_poll_ms=50) as store, open_on(store) as place:
        bad, good = await place.begin(key="bad", timeout=59), await place.begin(key="good", timeout=60)
        logic = place.host._running["questions"].logic.settlement
        step = logic.step

        def failing(entry, event):
            if entry.ask.key == "bad":
                raise ZeroDivisionError
            return step(entry, event)

        with monkeypatch.context() as patched:
            patched.setattr(logic, "step", failing)
            await engines.set_clock(T + 60_000)
            with pytest.raises(Expired):
                await result(good)
            assert bad.outcome is None
        with pytest.raises(Expired):
            await result(bad)
        assert "cannot be settled, and stays as it is" in caplog.text


# Engines that are away, and what is lost


@rule("Q-KEY-3")
async def test_while_the_engine_is_away_answers_are_refused_and_waiters_wait(engines):
    async with engines.open_intercepted() as (store, between), open_on(store) as place:
        viewer = await place.viewer()
        asking = await place.begin()
        [question] = await shown(viewer, "Go?")
        await settled_down(place)
        between.away = {"get", "scan", "commit"}
        with pytest.raises(StoreUnavailable) as away:
            await viewer.answer(question.id, True)
        assert (away.value.unknown, asking.outcome) == (False, None)
        with pytest.raises(StoreUnavailable):
            await result(await place.begin(key="other"))
        assert viewer.open.value[question.id].answered == ()
        between.away = set()
        await viewer.answer(question.id, True)
        assert (await result(asking)).answer is True


async def test_an_answer_whose_outcome_was_lost_counts_once(engines):
    async with engines.open_intercepted() as (store, between), open_on(store) as place:
        viewer = await place.viewer()
        asking = await place.begin(audience=[ANA, BO], policy=Quorum(2))
        [question] = await shown(viewer, "Go?")
        await settled_down(place)
        between.after = [lost]
        await viewer.answer(question.id, True)
        assert [who.principal for who in viewer.open.value[question.id].answered] == [ANA]
        await (await place.viewer(BO)).answer(question.id, True)
        assert len((await result(asking)).answers) == 2


async def test_what_happens_while_the_feed_was_cut_is_read_afterwards(engines):
    async with (
        engines.open() as other,
        engines.open_intercepted() as (store, between),
        open_on(other) as there,
        open_on(store) as here,
    ):
        viewer = await there.viewer()
        asking = await here.begin()
        [question] = await shown(viewer, "Go?")
        await settled_down(there)
        between.changes = missed(between)
        await viewer.answer(question.id, True)
        await there.begin(key="other")
        assert (await result(asking)).answer is True
        await shown(await here.viewer(), "Go?")


def missed(between):
    """A feed that has lost its lines: it tells that, and nothing else."""

    async def changes(after, limit=1000):
        found = await between.engine.changes(after, limit)
        return Changes((), found.upto, gap=bool(found.lines))

    return changes


async def test_overtaken_again_and_again_an_answer_gives_up_with_nothing_changed(engines, monkeypatch):
    monkeypatch.setattr("questions.durable.asks_records._ROUNDS", 3)
    async with (
        engines.open() as other,
        engines.open_intercepted() as (store, between),
        open_on(other) as there,
        open_on(store) as here,
    ):
        viewer, people = await here.viewer(CROWD[0]), [await there.viewer(who) for who in CROWD[1:4]]
        await here.begin(audience=CROWD, policy=All())
        [question] = await shown(viewer, "Go?")
        for one in people:
            await shown(one, "Go?")
        await settled_down(there)
        await settled_down(here)
        between.before = [lambda one=one: one.answer(question.id, True) for one in people]
        with pytest.raises(ChangedConcurrently):
            await viewer.answer(question.id, True)
        await viewer.answer(question.id, True)
        with within("all answers to be shown"):
            while len(viewer.open.value[question.id].answered) != 4:
                await viewer.open.changed(viewer.open.version)


async def test_a_record_that_cannot_be_read_is_left_alone_and_hides_nothing(engines, caplog):
    async with engines.open() as store:
        columns: dict[str, str | int | None] = {"open": 1, "opened": T - 1, "asker": "a", "scope": "s", "deadline": T}
        write = Write(ASKS, "ask_bad", 0, '{"schema": 2}', columns)
        await store.backend.commit(Commit(new_token(), [write], [Notice("asks", "ask_bad", 1, "ask.open")]))
        async with open_on(store) as place:
            asking = await place.begin()
            viewer = await place.viewer()
            [question] = await shown(viewer, "Go?")
            await viewer.answer(question.id, True)
            assert (await result(asking)).answer is True
        [row] = (await store.backend.get(ASKS, ["ask_bad"])).rows
        assert (row.version, row.value) == (1, '{"schema": 2}')
    assert caplog.text.count("ask_bad cannot be read") >= 1
