"""What is left when an act is cancelled at any of its steps, or goes on after its store is closed: nothing."""

import fcntl
import os
import threading
from pathlib import Path

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from questions.durable import Caller, MemoryBackend, Status, StoreLimits, StoreUnavailable, UnknownDecision, open_store
from questions.durable.backend import Commit, Scan
from questions.durable.sqlite_commits import Writer
from questions.durable.store import TABLES
from questions.durable.table import DECISIONS
from tests.questions.durable.acts import raise_one, rows
from tests.questions.durable.cases import ALICE, LEAD, MAIN, OPTS, WORKER, climbing
from tests.questions.durable.engines import OUTLIVING
from tests.questions.durable.intercepting import Intercepting

PATIENCE = 20
MOST_STEPS = 60
ACTS = {
    "raise": lambda decisions, id: decisions.raise_decision("Another?"),
    "answer": lambda decisions, id: decisions.answer(id, option="keep"),
    "answer with a token": lambda decisions, id: decisions.answer(id, option="keep", token="mine"),
    "escalate": lambda decisions, id: decisions.escalate(id),
    "cancel": lambda decisions, id: decisions.cancel(id),
    "get": lambda decisions, id: decisions.get(id),
    "list": lambda decisions, id: decisions.list(),
    "wait": lambda decisions, id: decisions.wait(id, timeout_ms=1),
}
READS = {
    "get": lambda backend: backend.get(DECISIONS, ["a"]),
    "get many": lambda backend: backend.get(DECISIONS, [str(number) for number in range(100)]),
    "scan": lambda backend: backend.scan(Scan(DECISIONS, "all", (), 5)),
    "count": lambda backend: backend.count(DECISIONS, "all", ()),
    "changes": lambda backend: backend.changes(0),
    "moved": lambda backend: backend.moved(0),
}


class Interrupted(trio.abc.Instrument):
    """Cancels `scope` when this task comes to its step of this number."""

    def __init__(self, scope, steps):
        self.task = trio.lowlevel.current_task()
        self.scope = scope
        self.left = steps

    def before_task_step(self, task):
        if task is self.task:
            self.left -= 1
            if not self.left:
                self.scope.cancel()


async def interrupted(steps, act, *arguments):
    """Whether the act came to its end though it was cancelled at this step, and whether that step was ever reached."""
    done = False
    with trio.CancelScope() as scope:
        instrument = Interrupted(scope, steps)
        trio.lowlevel.add_instrument(instrument)
        try:
            await act(*arguments)
            done = True
        finally:
            trio.lowlevel.remove_instrument(instrument)
    return done, instrument.left <= 0


@pytest.mark.parametrize("act", ACTS)
async def test_what_is_cancelled_at_any_step_has_happened_or_not_and_leaves_nothing(engines, act):
    async with engines.open(limits=StoreLimits(retention_ms=0)) as store:
        decisions = store.decisions(ALICE)
        for steps in range(1, MOST_STEPS):
            raised = await raise_one(store, options=OPTS, **climbing("root"))
            done, reached = await interrupted(steps, ACTS[act], decisions, raised.id)
            [row] = await rows(store, raised.id)
            assert row.version in ((2,) if done and act in ("answer", "escalate", "cancel") else (1, 2))
            assert store.follower.watched == 0
            with trio.fail_after(PATIENCE):  # nothing holds what others need
                if (await decisions.get(raised.id)).status is Status.OPEN:
                    await decisions.cancel(raised.id)
            if not reached:
                return
    raise AssertionError("it has no end")


def files_in(folder):
    """The files of a folder that this process has open."""
    paths = [one.readlink() for one in Path("/proc/self/fd").iterdir() if one.exists()]
    return [path for path in paths if path.is_relative_to(folder)]


@pytest.mark.parametrize("engines", OUTLIVING, indirect=True)
@pytest.mark.parametrize("read", READS)
async def test_a_closed_engine_is_not_opened_by_who_comes_late(engines, tmp_path, read):
    async with engines.engine() as engine:
        await READS["get"](engine)
    with trio.fail_after(PATIENCE), pytest.raises(StoreUnavailable, match="closed here"):
        await READS[read](engine)
    assert not files_in(tmp_path)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("questions:")]


def test_who_comes_when_a_file_is_closed_touches_no_file(tmp_path):
    writer = Writer(tmp_path / "decisions.sqlite3", TABLES, lambda: 0, 0.1)
    writer.open()
    assert files_in(tmp_path)
    writer.close()
    files = [os.open(tmp_path / "another", os.O_RDWR | os.O_CREAT) for _ in range(8)]  # which get the numbers
    fcntl.flock(files[-1], fcntl.LOCK_EX)
    [refusal] = writer.take([Commit("token")])
    writer.tidy()
    assert "closed here" in str(refusal)
    for file in files:
        os.close(file)


async def test_hints_of_a_closed_store_end(store):
    async with open_store(store.backend, sweep_ms=None) as closed:
        decisions = closed.decisions(ALICE)
    with trio.fail_after(PATIENCE), pytest.raises(StoreUnavailable, match="closed here"):
        await anext(decisions.hints())


async def test_who_holds_it_now_is_not_refused_by_what_was_read_before(autojump_clock):
    backend = MemoryBackend(TABLES)
    between = Intercepting(backend)
    root = Caller(MAIN.principal, main=True, via="link")
    ended = []

    async def wait(caller):
        ended.append(await here.decisions(caller).wait(raised.id))

    async with open_store(between) as here, open_store(backend) as elsewhere, trio.open_nursery() as nursery:
        raised = await raise_one(here, caller=LEAD, **climbing())
        nursery.start_soon(wait, ALICE)
        await wait_all_tasks_blocked()
        between.away = {"get"}
        await elsewhere.decisions(ALICE).escalate(raised.id)
        nursery.start_soon(wait, root)
        await wait_all_tasks_blocked()
        assert not ended
        between.away.clear()
        answered = await elsewhere.decisions(MAIN).answer(raised.id, text="done")
    assert ended == [answered, answered]


async def test_a_stranger_is_refused_at_once_though_others_wait(autojump_clock):
    stranger = Caller(WORKER.principal, via="link")
    async with open_store(":memory:") as store, trio.open_nursery() as nursery:
        raised = await raise_one(store, caller=LEAD)
        nursery.start_soon(store.decisions(ALICE).wait, raised.id)
        await wait_all_tasks_blocked()
        with trio.fail_after(5), pytest.raises(UnknownDecision):
            await store.decisions(stranger).wait(raised.id)
        nursery.cancel_scope.cancel()


async def test_nobody_looks_for_who_has_gone(autojump_clock):
    between = Intercepting(MemoryBackend(TABLES))
    async with open_store(between, sweep_ms=None) as store:
        raised = await raise_one(store, timeout_ms=10_000)
        with trio.move_on_after(0.5):
            await store.decisions(ALICE).wait(raised.id)
        between.forget()
        await trio.sleep(60)
        assert between.calls["get"] == 0
