"""What only the client of plain scripts has to decide: Ctrl-C, several threads at once, and waits that are bounded."""

import signal
import subprocess
import sys
import threading
import time

import pytest
import trio

import facets.link.sync
from facets import LinkLost, Principal
from questions import BlockingQuestions, Confirm, Questions
from tests.house.source import ROOT
from tests.link.relays import sees
from tests.link.scripted import open_script
from tests.link.stages import SCOPE, open_stage_over_links
from tests.link.test_clients_cancelling import YES
from tests.rules import rule

ANA = Principal.user("ana")

SCRIPT = """
import sys
from facets import Principal
from facets.link.sync import open_link
from questions import BlockingQuestions, Confirm, SessionScope
with open_link(sys.argv[1], "server:host") as link:
    asker = link.get(BlockingQuestions, SessionScope("s1"))
    try:
        print(asker.ask(Confirm("Go?"), audience=[Principal.user("ana")]).answer, flush=True)
        print(link.state.value, next(link.state.changes()))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


class Program:
    """A plain script in a process of its own, which can be sent Ctrl-C."""

    def __init__(self, url):
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", SCRIPT, url], stdout=subprocess.PIPE, text=True, cwd=ROOT
        )

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    async def end(self):
        with trio.fail_after(20):
            out, _ = await trio.to_thread.run_sync(self.process.communicate, abandon_on_cancel=True)
        return self.process.returncode, out.split()


@pytest.fixture
def start():
    started = []

    def start(url):
        started.append(Program(url))
        return started[-1]

    yield start
    for program in started:
        program.process.kill()
        with program.process:
            pass


@rule("Q-SET-6")
async def test_ctrl_c_withdraws_the_question(start):
    async with open_stage_over_links() as stage:
        viewer, program = await stage.viewer(ANA), start(stage.server.url)
        await sees(viewer, "Go?")
        program.interrupt()
        await sees(viewer)
        assert await program.end() == (0, ["interrupted"])
        assert [one.how for one in viewer.closed.value] == ["withdrawn"]


@rule("Q-SET-2")
async def test_an_answer_that_came_before_ctrl_c_is_returned_and_the_interrupt_comes_next(start):
    async with open_script("asker") as script:
        program = start(script.url)
        talk = await script.next()
        call = await talk.hear("call")
        program.interrupt()
        await talk.hear("cancel")
        await talk.say({"type": "returned", "id": call["id"], "value": YES})
        assert await program.end() == (0, ["True", "interrupted"])


async def test_several_threads_call_at_once():
    async with open_stage_over_links() as stage, trio.open_nursery() as nursery:
        viewer, answers = await stage.viewer(ANA), []

        def ask(asker, number):
            answers.append(asker.ask(Confirm(f"{number}?"), audience=[ANA], key=f"k{number}").answer)

        def work():
            with facets.link.sync.open_link(stage.server.url, "server:host") as link:
                asker = link.get(BlockingQuestions, SCOPE)
                threads = [threading.Thread(target=ask, args=(asker, number)) for number in range(20)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()

        nursery.start_soon(trio.to_thread.run_sync, work)
        turns = viewer.to_answer()
        for _ in range(20):
            await viewer.answer((await anext(turns)).id, True)
    assert answers == [True] * 20


async def test_a_value_is_waited_for_and_each_step_can_be_bounded():
    async with open_stage_over_links() as stage, trio.open_nursery() as nursery:
        asker = await stage.asker()
        nursery.start_soon(lambda: asker.ask(Confirm("Go?"), audience=[ANA]))
        await stage.quiet()

        def work():
            with facets.link.sync.open_link(stage.server.url, "user:ana") as link:
                viewer = link.get(BlockingQuestions, SCOPE)
                assert [one.message for one in viewer.open.value.values()] == ["Go?"]
                steps = (viewer.open.changes(0.01), viewer.open.differences(0.01), viewer.to_answer(0.01))
                for iterator in steps:
                    next(iterator)
                    for _ in range(2):
                        with pytest.raises(TimeoutError):
                            next(iterator)
                assert not link.parked

        await trio.to_thread.run_sync(work)
        nursery.cancel_scope.cancel()


async def test_threads_that_still_follow_when_the_block_ends_are_told():
    async with open_script("viewer") as script:
        ended = []

        def follow(readable):
            try:
                for _ in readable.changes():
                    pass
            except LinkLost as error:
                ended.append(error)

        def work():
            with facets.link.sync.open_link(script.url, "t") as link:
                opened = link.get(Questions, SCOPE).open
                threads = [threading.Thread(target=follow, args=(one,)) for one in (opened, link.state)]
                for thread in threads:
                    thread.start()
                until = time.monotonic() + 10
                while len(link.parked) < 2 and time.monotonic() < until:
                    time.sleep(0.005)
            for thread in threads:
                thread.join(10)

        await trio.to_thread.run_sync(work)
    assert [error.where for error in ended] == [script.url] * 2


async def test_no_thread_is_left():
    before = set(threading.enumerate())
    async with open_script("viewer") as script:

        def work():
            with facets.link.sync.open_link(script.url, "t"):
                assert len(set(threading.enumerate()) - before) > 1

        await trio.to_thread.run_sync(work)
        left = [one for one in set(threading.enumerate()) - before if "link" in one.name or "recv" in one.name]
        for thread in left:
            thread.join(10)
        assert not any(thread.is_alive() for thread in left)
