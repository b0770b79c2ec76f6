"""Durable asks in bad company: records that no host wrote, asks cut off at each step, crowds, replacements."""

import json

import pytest
import trio

from facets import Principal
from questions import Confirm, Expired, NoLongerActive, Quorum, Superseded, Text
from questions.durable import Unreadable
from questions.durable.asks_record import name_of
from questions.durable.asks_table import ASKS
from questions.durable.backend import Commit, Notice, Write
from questions.durable.tokens import new_token
from tests.questions.durable.asking import ANA, BO, GO, SCOPE, open_on, result, settled_down, shown, within
from tests.questions.durable.cases import T
from tests.rules import rule

EVE = Principal.user("eve")


async def rewritten(store, place, id, **changes):
    """Somebody writes over a record, and leaves the columns by which it is found."""
    [row] = (await store.backend.get(ASKS, [id])).rows
    record = json.loads(row.value)
    columns = {"open": 1, "opened": record["opened"], "asker": "x", "scope": str(SCOPE), "deadline": record["deadline"]}
    columns["name"] = name_of(place.host.principal, SCOPE, record["key"])
    write = Write(ASKS, id, row.version, json.dumps(record | changes), columns)
    await store.backend.commit(Commit(new_token(), [write], [Notice("asks", id, row.version + 1, "ask.open")]))


def by(who, answer=True):
    return [{"by": {"kind": "user", "id": who.id}, "answer": answer, "automatic": False}]


DONE = {"state": "answered", "ended": T}
FORGED = {
    "an answer of somebody else": {"answers": by(EVE), **DONE},
    "no answer to this question": {"answers": by(ANA, "maybe"), **DONE},
    "an answer that only looks like one": {"answers": by(ANA, 1), **DONE},
    "two answers of one person": {"answers": by(ANA) + by(ANA, False)},
    "answered without an answer": DONE,
    "over without a deadline": {"state": "expired", "ended": T},
    "ended, and nobody knows when": {"state": "answered", "answers": by(ANA)},
    "an automatic answer that is not the default": {"answers": [by(EVE)[0] | {"automatic": True}], **DONE},
    "asked of the run itself": {"on_behalf_of": {"kind": "user", "id": "ana"}},
    "a newer form": {"schema": 2},
    "a state of a newer version": {"state": "paused"},
}


@rule("Q-AUTH-2", "Q-TYPE-3", "Q-POL-6")
@pytest.mark.parametrize("changes", FORGED.values(), ids=FORGED)
async def test_a_record_that_no_host_has_written_gives_nobody_a_result_and_is_not_asked_beside(engines, changes):
    async with engines.open() as store:
        async with open_on(store) as place:
            asking = await place.begin(audience=[ANA, BO])
            [id] = place.store._open
            await rewritten(store, place, id, **changes)
            with pytest.raises(Unreadable):
                await result(await place.begin(audience=[ANA, BO]))
            assert asking.outcome is None
        async with open_on(store) as again:
            assert not (await again.viewer()).open.value
            with pytest.raises(Unreadable):
                await result(await again.begin())


@rule("Q-SEC-1")
async def test_a_record_that_asks_for_a_secret_is_shown_to_nobody(store):
    async with open_on(store) as place:
        await place.begin(Text("Code?"))
        [id] = place.store._open
        [row] = (await store.backend.get(ASKS, [id])).rows
        await rewritten(store, place, id, question=json.loads(row.value)["question"] | {"secret": True})
    async with open_on(store) as place:
        assert not (await place.viewer()).open.value


async def test_many_records_that_cannot_be_read_hide_none_behind_them(engines, monkeypatch):
    monkeypatch.setattr("questions.durable.asks._AT_ONCE", 2)
    async with engines.open(safety_poll_ms=50) as store:
        columns: dict[str, str | int | None] = {
            "open": 1,
            "opened": T - 1,
            "asker": "a",
            "scope": "s",
            "deadline": T - 1,
        }
        writes = [Write(ASKS, f"ask_bad{number}", 0, "{}", columns) for number in range(7)]
        await store.backend.commit(Commit(new_token(), writes, [Notice("asks", "ask_bad0", 1, "ask.open")]))
        async with open_on(store) as first:
            await first.begin(key="stays")
            await engines.set_clock(T + 1)
            await first.begin(Confirm("Soon?"), key="ends", timeout=60)
        async with open_on(store) as second:
            await shown(await second.viewer(), "Go?", "Soon?")
            asking = await second.begin(Confirm("Soon?"), key="ends", timeout=60)
            await engines.set_clock(T + 60_001)
            with pytest.raises(Expired):
                await result(asking)


async def test_logic_that_fails_for_what_is_due_keeps_no_host_from_starting(engines, monkeypatch):
    async with engines.open(safety_poll_ms=50) as store:
        async with open_on(store) as first:
            await first.begin(key="late", timeout=60)
            await first.begin(Confirm("Open?"), key="open")
            logic = first.host._running["questions"].logic.settlement
        await engines.set_clock(T + 60_000)

        def failing(entry, event):
            raise ZeroDivisionError

        with monkeypatch.context() as patched:
            patched.setattr(logic, "step", failing)
            async with open_on(store) as second:
                await shown(await second.viewer(), "Open?")


# Crowds


async def test_hundreds_of_cards_that_somebody_opens_do_not_hold_up_what_others_do(engines, monkeypatch):
    monkeypatch.setattr("questions.durable.asks._AT_ONCE", 5)
    async with (
        engines.open() as other,
        engines.open_intercepted() as (store, between),
        open_on(store) as here,
        open_on(other) as there,
    ):
        for number in range(30):
            await there.begin(key=f"k{number}")
        viewer, bo = await here.viewer(), await there.viewer()
        await shown(viewer, *["Go?"] * 30)
        first = next(iter(viewer.open.value))
        between.forget()
        await bo.answer(first, True)
        with within("the answer to be shown"):
            while first in viewer.open.value:
                await viewer.open.changed(viewer.open.version)
        assert between.calls["commit"] < 25, "before all of them are written down as shown"
        await settled_down(here)


async def test_more_asks_at_once_than_names_have_rows_are_all_opened(engines, monkeypatch):
    monkeypatch.setattr("questions.durable.asks_opening._NAME_ROWS", 0)  # one row for all names
    monkeypatch.setattr("questions.durable.asks_opening._ROUNDS", 4)
    async with engines.open() as store, open_on(store) as place, trio.open_nursery() as nursery:

        async def begin(number):
            await place.begin(key=f"k{number}")

        for number in range(20):
            nursery.start_soon(begin, number)
        await shown(await place.viewer(), *["Go?"] * 20)


# Races with time, and asks that are cut off


@rule("Q-SET-5", "Q-KEY-2")
@pytest.mark.parametrize("is_late", [False, True])
async def test_a_question_is_replaced_before_its_deadline_and_not_at_it(engines, is_late):
    async with engines.open_intercepted() as (store, between), open_on(store) as place:
        old = await place.begin(timeout=60)
        await settled_down(place)
        between.before = [lambda: engines.set_clock(T + (60_000 if is_late else 59_999))]
        new = await place.begin(Confirm("Delete?"))
        with pytest.raises(Expired if is_late else Superseded):
            await result(old)
        viewer = await place.viewer()
        [question] = await shown(viewer, "Delete?")
        await viewer.answer(question.id, True)
        assert (await result(new)).answer is True


@rule("Q-SET-1", "Q-SET-6")
async def test_an_ask_cut_off_at_any_step_is_open_once_or_never_was_and_is_asked_again(engines):
    async with engines.open_intercepted() as (store, between), open_on(store) as place:
        asker, viewer = await place.asker(), await place.viewer()
        for verb in ("get", "scan", "commit"):
            for times in range(3):
                key, scope = f"{verb}{times}", trio.CancelScope()
                real = getattr(between.engine, verb)
                left = [times]

                async def cut(*arguments, real=real, left=left, scope=scope):
                    if not left[0]:
                        scope.cancel()
                    left[0] -= 1
                    return await real(*arguments)

                async with trio.open_nursery() as nursery:
                    nursery.start_soon(cancel_a_waiting_one, place, scope)
                    with pytest.MonkeyPatch.context() as patched, scope:
                        patched.setattr(type(between), verb, lambda self, *arguments, cut=cut: cut(*arguments))
                        await asker.ask(GO, audience=[ANA], key=key, durable=True, timeout=3600)
                again = await place.begin(key=key, timeout=3600)
                [question] = await shown(viewer, "Go?")
                await viewer.answer(question.id, True)
                assert (await result(again)).answer is True
        await settled_down(place)
        assert not place.waiters()
        assert not any(place.host.check().values())


async def cancel_a_waiting_one(place, scope):
    while not (place.waiters() or scope.cancel_called):
        await trio.lowlevel.checkpoint()
    scope.cancel()


async def test_taking_back_and_answering_at_once_ends_it_once(engines):
    async with engines.open() as a, engines.open() as b, open_on(a) as here, open_on(b) as there:
        viewer, asker = await there.viewer(), await here.asker()
        for number in range(6):
            asking = await here.begin(key=f"k{number}", audience=[ANA, BO], policy=Quorum(1))
            [question] = await shown(viewer, "Go?")
            taken: list[bool] = []
            told: list[str] = []

            async def take_back(key=f"k{number}", taken=taken):
                taken.append(await asker.withdraw(key))

            async def answer(id=question.id, told=told):
                try:
                    await viewer.answer(id, True)
                except NoLongerActive as error:
                    told.append(error.how)
                else:
                    told.append("answered")

            async with trio.open_nursery() as nursery:
                for act in (take_back, answer) if number % 2 else (answer, take_back):
                    nursery.start_soon(act)
            assert (taken, told) in (([True], ["withdrawn"]), ([False], ["answered"]))
            outcome = await settled(asking)
            assert type(outcome).__name__ == ("Withdrawn" if taken[0] else "Collected")


async def settled(asking):
    try:
        return await result(asking)
    except Exception as error:
        return error
