"""A child asks over a pair of streams: its parent's people, its parent's parent, or a decision answers."""

import json
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
from trio.testing import memory_stream_pair

from facets import Principal
from questions.durable import BadArgument, Hint, NotOpen
from questions.durable.child_questions import Child, ChildQuestions
from questions.durable.child_relay import ChildRelay
from questions.durable.dialogs import CANCELLED, Reply
from questions.durable.owning import open_owner
from questions.durable.relaying import BlockedOn
from tests.questions.durable.cases import ALICE, MAIN

CHILD = Child("run-1", "worker")
HOST = Principal.server("agent-1")


@asynccontextmanager
async def connected(*pairs):
    """Each relay with its parent's end, until the block ends."""
    async with trio.open_nursery() as nursery:
        for relay, parent in pairs:
            mine, theirs = memory_stream_pair()
            nursery.start_soon(relay.attach, mine, mine)
            nursery.start_soon(parent.serve, theirs, theirs)
        yield
        nursery.cancel_scope.cancel()


def asking(id, **changes):
    """The line of a child that asks."""
    data = {"requestId": id, "method": "input", "title": "?", **changes}
    return json.dumps({"event": "question", "data": data}).encode() + b"\n"


@pytest.fixture
async def owner(store):
    async with open_owner(store, HOST) as opened:
        yield opened


def select(relay, **changes):
    return lambda: relay.ask("select", "Pick", **{"options": ["Alpha", "Beta"], **changes})


async def open_ones(store):
    return await store.decisions(ALICE).list()


async def asked_meanwhile(store, ask, act):
    """What the child gets, while somebody does `act(decision)`."""
    replies = []

    async def run():
        replies.append(await ask())

    hints = store.decisions(ALICE).hints()
    before = {one.id for one in await store.decisions(ALICE).list(status="all")}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        async for hint in hints:
            if isinstance(hint, Hint) and hint.kind == "decision.raised" and hint.id not in before:
                await act(await store.decisions(MAIN).get(hint.id))
                break
    return replies[0]


# Into a decision


async def test_without_a_ui_root_answers(store, owner):  # case 114
    relay, parent = ChildRelay(), ChildQuestions(CHILD, "route", owner=owner)

    async def answer(raised):
        assert (raised.title, raised.holder, raised.raised_by.participant_id) == ("worker: Pick", "root", "run-1")
        await store.decisions(MAIN).answer(raised.id, option="o2")

    async with connected((relay, parent)):
        assert await asked_meanwhile(store, select(relay), answer) == Reply("Beta")


async def test_texts_and_confirmations_come_back(store, owner):  # case 115
    relay, parent = ChildRelay(), ChildQuestions(CHILD, "route", owner=owner)
    main = store.decisions(MAIN)
    ask_text, ask_go, ask_more = (partial(relay.ask, method, "Well?") for method in ("input", "confirm", "editor"))
    async with connected((relay, parent)):
        text = await asked_meanwhile(store, ask_text, lambda it: main.answer(it.id, text="Ada"))
        no = await asked_meanwhile(store, ask_go, lambda it: main.answer(it.id, option="no"))
        none = await asked_meanwhile(store, ask_more, lambda it: main.cancel(it.id))
    assert (text, no, none) == (Reply("Ada"), Reply(confirmed=False), CANCELLED)


@pytest.mark.parametrize("mode", ["cancel", "", "Route"])
async def test_what_is_not_routed_is_cancelled_and_nothing_is_stored(store, owner, mode):
    relay, parent = ChildRelay(), ChildQuestions(CHILD, mode, owner=owner)
    async with connected((relay, parent)):
        assert (await select(relay)()).cancelled
    assert await open_ones(store) == []


async def test_without_ui_and_store_it_is_cancelled():  # case 116
    relay, parent = ChildRelay(), ChildQuestions(CHILD, "route")
    async with connected((relay, parent)):
        assert (await select(relay)()).cancelled


async def test_another_method_and_a_choice_of_nothing_reach_nobody(store, owner):  # case 116
    relay, parent = ChildRelay(), ChildQuestions(CHILD, "route", owner=owner)
    async with connected((relay, parent)):
        assert (await select(relay, options=[])()).cancelled
        assert await relay.relay({"requestId": "1", "method": "notify", "title": "Hello"}) is None
        with pytest.raises(BadArgument):
            await relay.ask("notify", "Hello")
    assert await store.decisions(ALICE).list(status="all") == []


async def test_a_store_that_cannot_be_reached_cancels(engines):
    async with engines.open_intercepted() as (store, between), open_owner(store, HOST) as owner:
        relay, parent = ChildRelay(), ChildQuestions(CHILD, "route", owner=owner)
        async with connected((relay, parent)):
            between.away = {"commit", "get", "scan", "now"}
            assert (await select(relay)()).cancelled
            between.away.clear()
            ended = await asked_meanwhile(
                store, select(relay), lambda it: store.decisions(MAIN).answer(it.id, option="o1")
            )
            assert ended == Reply("Alpha")


async def test_it_is_shown_what_the_child_is_blocked_on(store, owner):
    relay, parent = ChildRelay(), ChildQuestions(CHILD, "route", owner=owner, clock=lambda: 5.0)

    async def look(raised):
        async for blocked in parent.blocked_on.changes():
            if blocked == BlockedOn(5_000, raised.id):
                break
        await store.decisions(MAIN).answer(raised.id, option="o1")

    async with connected((relay, parent)):
        assert parent.blocked_on.value is None
        await asked_meanwhile(store, select(relay), look)
        assert parent.blocked_on.value is None


async def test_a_child_that_ends_has_its_question_taken_back(store, owner):
    relay, parent = ChildRelay(), ChildQuestions(CHILD, "route", owner=owner)
    mine, theirs = memory_stream_pair()
    hints = store.decisions(ALICE).hints()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(relay.attach, mine, mine)
        nursery.start_soon(select(relay))
        with trio.CancelScope() as serving:
            nursery.start_soon(parent.serve, theirs, theirs)
            raised = await anext(hints)
        await mine.send_stream.aclose()
        async for hint in hints:
            if isinstance(hint, Hint) and hint.kind == "decision.cancelled":
                break
        assert not serving.cancelled_caught
        nursery.cancel_scope.cancel()
    ended = await store.decisions(ALICE).get(raised.id)
    assert (ended.status, ended.answer.via, ended.answer.answered_by) == ("cancelled", "abort", "run-1")


async def test_a_host_that_stops_in_order_takes_it_back_and_the_next_one_asks_anew(store):
    relay, replies = ChildRelay(), []

    async def ask():
        replies.append(await select(relay)())

    old = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        async with open_owner(store, HOST) as owner:
            hints = store.decisions(ALICE).hints()
            async with connected((relay, ChildQuestions(CHILD, "route", owner=owner))):
                old.append(await anext(hints))
        ended = await store.decisions(ALICE).get(old[0].id)
        assert (ended.answer.via, replies) == ("abort", [])
        async with open_owner(store, HOST) as owner:
            hints = store.decisions(ALICE).hints()
            async with connected((relay, ChildQuestions(CHILD, "route", owner=owner))):
                new = await anext(hints)
                assert [one.id for one in await open_ones(store)] == [new.id]
                with pytest.raises(NotOpen):
                    await store.decisions(MAIN).answer(old[0].id, option="o1")
                await store.decisions(MAIN).answer(new.id, option="o2")
                await nursery.start(until, lambda: replies)
    assert replies == [Reply("Beta")]


async def until(condition, task_status):
    while not condition():
        await trio.lowlevel.checkpoint()
    task_status.started()


async def test_what_another_host_has_left_is_cancelled_before_the_child_is_asked_for_again(store, owner, monkeypatch):
    async def nothing(*_):
        await trio.lowlevel.checkpoint()

    async with open_owner(store, HOST) as killed:  # case 119
        monkeypatch.setattr(killed, "_give_up", nothing)
        with trio.CancelScope() as scope:
            await killed.outcome(CHILD.caller, {"title": "Old?", "holder": "root"}, lambda id: scope.cancel())
        [old] = await open_ones(store)
        relay, parent = ChildRelay(), ChildQuestions(CHILD, "route", owner=owner)

        async def answer(raised):
            assert [one.id for one in await open_ones(store)] == [raised.id]
            await store.decisions(MAIN).answer(raised.id, option="o2")

        async with connected((relay, parent)):
            assert await asked_meanwhile(store, select(relay), answer) == Reply("Beta")
    ended = await store.decisions(ALICE).get(old.id)
    assert (ended.status, ended.answer.via) == ("cancelled", "restart")


# People of the parent, and the parent's parent


async def test_a_parents_own_people_are_asked_in_the_childs_name():
    async def ui(dialog):
        assert (dialog.title, dialog.options) == ("worker: Pick", ("Alpha", "Beta"))
        return Reply("Beta")

    relay, parent = ChildRelay(), ChildQuestions(CHILD, "route", ui=ui)
    async with connected((relay, parent)):
        assert await select(relay)() == Reply("Beta")


@pytest.mark.parametrize("says", [Reply("Gamma"), Reply(confirmed=True), CANCELLED, RuntimeError("broken")])
async def test_a_ui_that_gives_no_answer_cancels(says):
    async def ui(dialog):
        if isinstance(says, Exception):
            raise says
        return says

    relay, parent = ChildRelay(), ChildQuestions(CHILD, "route", ui=ui)
    async with connected((relay, parent)):
        assert (await select(relay)()).cancelled


async def test_a_parent_that_is_a_child_passes_it_up(store, owner):
    relay, middle = ChildRelay(), ChildRelay()
    parent = ChildQuestions(CHILD, "route", parent=middle)
    top = ChildQuestions(Child("run-lead", "lead"), "route", owner=owner)

    async def answer(raised):
        assert (raised.title, raised.raised_by.participant_id) == ("lead: worker: Pick", "run-lead")
        await store.decisions(MAIN).answer(raised.id, option="o2")

    async with connected((relay, parent), (middle, top)):
        assert await asked_meanwhile(store, select(relay), answer) == Reply("Beta")


# The relay


async def test_a_parent_that_says_nothing_is_not_waited_for(autojump_clock):  # case 117
    mine, theirs = memory_stream_pair()
    relay = ChildRelay()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(relay.attach, mine, mine)
        start = trio.current_time()
        assert (await select(relay, timeout_ms=1_000)()).cancelled
        assert trio.current_time() - start == pytest.approx(1)
        await theirs.send_all(b'{"type":"ui_response","requestId":"d1","value":"Beta"}\n')
        assert relay.blocked_on is None
        nursery.cancel_scope.cancel()


async def test_a_dialog_that_is_given_up_is_answered_into_the_void(nursery):
    mine, theirs = memory_stream_pair()
    relay = ChildRelay()
    nursery.start_soon(relay.attach, mine, mine)
    with trio.CancelScope() as scope:
        scope.cancel()
        await select(relay)()
    await theirs.send_all(b'{"type":"ui_response","requestId":"d1","value":"Beta"}\n')
    await trio.testing.wait_all_tasks_blocked()
    assert relay.blocked_on is None


async def test_lines_that_are_too_long_or_no_json_are_passed_over():
    mine, theirs = memory_stream_pair()
    relay, replies = ChildRelay(), []

    async def ask():
        replies.append(await select(relay)())
        nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(relay.attach, mine, mine)
        nursery.start_soon(ask)
        for _ in range(5):
            await theirs.send_all(b"x" * 1_000_000)
        await theirs.send_all(b'\nhello\n{"type":"ui_response","request')
        await theirs.send_all(b'Id":"d1","value":"Beta"}\n')
    assert replies == [Reply("Beta")]


async def test_a_child_that_asks_too_much_is_refused_and_the_rest_stands(store, owner):
    mine, theirs = memory_stream_pair()
    parent = ChildQuestions(CHILD, "route", owner=owner)
    others: list[bytes] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(parent.serve, theirs, theirs, others.append)
        for number in [*range(17), 0]:
            await mine.send_all(asking(str(number)))
        await mine.send_all(b"just a line\n")
        assert b'"requestId":"16","cancelled":true' in await mine.receive_some()
        await nursery.start(until, lambda: others)
        assert others == [b"just a line"]
        nursery.cancel_scope.cancel()
    assert await open_ones(store) == []


async def test_a_time_that_is_no_whole_number_and_a_title_that_cannot_be_seen_are_asked_all_the_same(store, owner):
    mine, theirs = memory_stream_pair()
    hints = store.decisions(ALICE).hints()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ChildQuestions(CHILD, "route", owner=owner).serve, theirs, theirs)
        await mine.send_all(asking("1", timeout=60_000.5, title="\x1b[2J\x00", message="\x00"))
        raised = await store.decisions(MAIN).get((await anext(hints)).id)
        assert (raised.title, raised.deadline - raised.created_at) == ("worker: \x1b[2J\x00", 60_000)
        nursery.cancel_scope.cancel()
