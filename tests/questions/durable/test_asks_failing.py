"""Durable questions when something goes wrong or late: what hosts know of each other, engines that are away."""

import pytest

from facets import Principal
from questions import All, Expired, Quorum
from questions.durable import ChangedConcurrently, Changes, StoreUnavailable
from questions.durable.asks_table import ASKS
from questions.durable.backend import Commit, Notice, Write
from questions.durable.tokens import new_token
from tests.questions.durable.asking import ANA, BO, open_on, result, settled_down, shown, within
from tests.questions.durable.cases import T
from tests.questions.durable.intercepting import lost
from tests.rules import rule

CROWD = [Principal.user(f"p{number}") for number in range(12)]


@rule("Q-POL-5", "Q-VIEW-3")
async def test_who_has_seen_it_is_told_to_its_asker_and_changes_nothing_for_viewers(engines):
    async with engines.open() as a, engines.open() as b, open_on(a) as here, open_on(b) as there:
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
