"""One owner of state, one message at a time, supervised."""

import threading
from functools import partial

import pytest
import trio
from trio.testing import assert_no_checkpoints, wait_all_tasks_blocked

from facets import Actor, ActorBusy, supervise
from tests.rules import rule

pytestmark = rule("Q-FAC-4")


class Log(Actor):
    """Notes every message; ticks when told to."""

    def __init__(self):
        super().__init__("log")
        self.notes = []
        self.ticks = []
        self.threads = set()
        self.crashes = []
        self.failures = []
        self.next_tick = float("inf")
        self.on_tick = lambda: None

    def note(self, text):
        self.threads.add(threading.get_ident())
        self.notes.append(text)
        return len(self.notes)

    def fail(self):
        raise LookupError("this message only")

    def note_around(self, deliver):
        self.note("begin")
        deliver()
        self.note("end")

    def tick(self):
        self.ticks.append(trio.current_time())
        self.on_tick()
        if self.crashes:
            raise self.crashes.pop()
        return self.next_tick

    def failed(self, error):
        self.failures.append(error)


@pytest.fixture
async def log():
    return Log()


@pytest.fixture
async def running(log, nursery):
    nursery.start_soon(log.run)
    await wait_all_tasks_blocked()
    return log


# Messages


async def test_message_to_an_idle_actor_is_handled_at_once(log):
    with assert_no_checkpoints():
        assert log.call(log.note, "now") == 1
        log.post(log.note, "too")
    assert log.notes == ["now", "too"]


async def test_calling_from_its_own_handler_is_an_error_and_does_nothing(log):
    with pytest.raises(ActorBusy) as caught:
        log.call(log.note_around, lambda: log.call(log.note, "inside"))
    assert caught.value.actor == "log"
    assert log.notes == ["begin"]


async def test_message_posted_from_a_handler_is_handled_after_it(log):
    log.call(log.note_around, lambda: log.post(log.note, "posted"))
    assert log.notes == ["begin", "end", "posted"]


async def test_messages_posted_from_posted_ones_keep_their_order(log):
    def deliver():
        log.post(log.note_around, lambda: log.post(log.note, "third"))
        log.post(log.note, "second")

    log.post(log.note_around, deliver)
    assert log.notes == ["begin", "end", "begin", "end", "second", "third"]


async def test_handler_that_raises_fails_its_own_message_only(log):
    with pytest.raises(LookupError, match="this message only"):
        log.call(log.fail)
    assert log.call(log.note, "next") == 1


async def test_what_was_posted_is_handled_though_the_handler_raises(log):
    def post_and_fail():
        log.post(log.note, "posted")
        log.fail()

    with pytest.raises(LookupError):
        log.call(post_and_fail)
    assert log.notes == ["posted"]


async def test_posted_message_that_fails_is_logged_and_the_next_one_is_handled(log, caplog):
    def deliver():
        log.post(log.fail)
        log.post(log.note, "next")

    log.call(deliver)
    assert log.notes == ["next"]
    assert "log: a posted message" in caplog.text
    assert "this message only" in caplog.text


async def test_report_is_made_after_the_handler_and_what_was_posted(log):
    def deliver():
        log.after(log.notes.append, "report")
        log.post(log.note, "posted")

    log.call(log.note_around, deliver)
    assert log.notes == ["begin", "end", "posted", "report"]


async def test_report_may_call_the_actor_again(log):
    log.call(log.note_around, lambda: log.after(log.call, log.note, "called from a report"))
    assert log.notes == ["begin", "end", "called from a report"]


async def test_any_number_of_reports_may_call_the_actor_again(log):
    def report():
        for number in range(2000):
            log.after(log.call, log.note, number)

    log.call(report)
    assert log.notes == list(range(2000))


async def test_report_that_fails_is_logged_and_the_next_one_is_made(log, caplog):
    def report():
        log.after(log.fail)
        log.after(log.note, "next")

    log.call(report)
    assert (log.notes, "this message only" in caplog.text) == (["next"], True)


async def test_actor_is_busy_during_handlers_only(log):
    seen = []

    def look():
        seen.append(log.busy)

    look()
    log.call(look)
    log.post(look)
    log.call(log.after, look)
    assert seen == [False, True, True, False]


# Other threads


async def test_call_from_another_thread_is_handled_in_the_actors_own(log):
    assert await trio.to_thread.run_sync(log.call, log.note, "from afar") == 1
    assert log.threads == {threading.get_ident()}


async def test_call_from_another_thread_raises_there_what_the_handler_raised(log):
    with pytest.raises(LookupError):
        await trio.to_thread.run_sync(log.call, log.fail)


async def test_posts_from_many_threads_are_all_handled_each_threads_in_order(log):
    def post_all(thread):
        for number in range(50):
            log.post(log.note, (thread, number))

    async with trio.open_nursery() as nursery:
        for thread in range(4):
            nursery.start_soon(trio.to_thread.run_sync, post_all, thread)
    while len(log.notes) < 200:
        await trio.lowlevel.checkpoint()
    for thread in range(4):
        assert [number for which, number in log.notes if which == thread] == list(range(50))
    assert log.threads == {threading.get_ident()}


async def test_handlers_never_overlap_whatever_calls(log):
    inside = []

    def handler():
        inside.append("in")
        depth = len(inside)
        inside.clear()
        return depth

    async def call(from_thread):
        call_it = partial(log.call, handler)
        assert (await trio.to_thread.run_sync(call_it) if from_thread else call_it()) == 1

    async with trio.open_nursery() as nursery:
        for number in range(40):
            nursery.start_soon(call, number % 2 == 0)


# Its own task


async def test_tick_is_called_at_the_start_and_when_woken(running):
    assert len(running.ticks) == 1
    running.wake()
    running.wake()
    await wait_all_tasks_blocked()
    assert len(running.ticks) == 2


async def test_wake_during_a_tick_is_not_lost(running):
    def wake_once():
        running.on_tick = lambda: None
        running.wake()

    running.on_tick = wake_once
    running.wake()
    await wait_all_tasks_blocked()
    assert len(running.ticks) == 3


async def test_wake_before_the_task_runs_is_answered_by_the_first_tick(log, nursery):
    log.wake()
    nursery.start_soon(log.run)
    await wait_all_tasks_blocked()
    assert len(log.ticks) == 1


async def test_tick_says_when_to_be_called_again(log, nursery, autojump_clock):
    log.next_tick = trio.current_time() + 60
    nursery.start_soon(log.run)
    await wait_all_tasks_blocked()
    log.next_tick = float("inf")
    await trio.sleep(100)
    assert log.ticks == [0, 60]


async def test_earliest_alarm_counts(running, autojump_clock):
    for at in (50, 20, 30):
        running.alarm(at)
    await trio.sleep(100)
    assert running.ticks == [0, 20]


async def test_alarm_set_by_a_message_during_a_tick_is_not_lost(log, nursery, autojump_clock):
    """The tick asks for 50; what was posted from it wants 20."""
    log.next_tick = 50

    def set_alarm():
        log.on_tick, log.next_tick = (lambda: None), float("inf")
        log.alarm(20)

    log.on_tick = lambda: log.post(set_alarm)
    nursery.start_soon(log.run)
    await trio.sleep(30)
    assert log.ticks == [0, 20]


async def test_alarm_for_the_past_ticks_now(running, autojump_clock):
    await trio.sleep(5)
    running.alarm(1)
    await wait_all_tasks_blocked()
    assert running.ticks == [0, 5]


async def test_plain_actor_waits_for_ever_and_ends_by_cancellation(autojump_clock):
    with trio.move_on_after(1000) as scope:
        await Actor("plain").run()
    assert scope.cancelled_caught


async def test_cancelled_actor_can_be_woken_without_harm(log, nursery):
    with trio.CancelScope() as scope:
        nursery.start_soon(wait_and_cancel, scope)
        await log.run()
    log.wake()
    assert len(log.ticks) == 1


async def wait_and_cancel(scope):
    await wait_all_tasks_blocked()
    scope.cancel()


# Supervision


async def test_crash_is_told_logged_and_followed_by_a_new_start(log, nursery, autojump_clock, caplog):
    crash = RuntimeError("broken")
    log.crashes = [crash]
    nursery.start_soon(supervise, log)
    await trio.sleep(1)
    assert (log.failures, len(log.ticks)) == ([crash], 2)
    assert "log crashed and is started again" in caplog.text
    assert log.call(log.note, "alive") == 1


async def test_pauses_double_up_to_the_longest(log, nursery, autojump_clock):
    log.crashes = [RuntimeError() for _ in range(5)]
    nursery.start_soon(supervise, log, 1, 6)
    await trio.sleep(100)
    assert log.ticks == [0, 1, 3, 7, 13, 19]


async def test_pause_is_short_again_after_a_long_good_run(log, nursery, autojump_clock):
    log.crashes = [RuntimeError() for _ in range(3)]
    nursery.start_soon(supervise, log, 1, 6)
    await trio.sleep(20)
    log.crashes = [RuntimeError()]
    log.wake()
    await trio.sleep(20)
    assert log.ticks == [0, 1, 3, 7, 20, 21]


async def test_message_that_fails_is_no_crash(running):
    with pytest.raises(LookupError):
        running.call(running.fail)
    running.wake()
    await wait_all_tasks_blocked()
    assert (running.failures, len(running.ticks)) == ([], 2)


async def test_failure_of_a_plain_actor_is_nobodys_business():
    Actor("plain").failed(RuntimeError())
