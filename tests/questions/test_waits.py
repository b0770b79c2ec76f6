"""What a program puts around its waits is entered by each task that waits, and can fail without harm."""

from contextlib import contextmanager

import pytest
import trio

from questions import Expired, work_clock
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, said


def noting(notes):
    @contextmanager
    def around(id):
        notes.append(("waits", trio.lowlevel.current_task()))
        try:
            yield
        except BaseException as error:
            notes.append((type(error).__name__, trio.lowlevel.current_task()))
            raise
        else:
            notes.append(("goes on", trio.lowlevel.current_task()))

    return around


async def test_it_is_entered_in_each_task_that_waits_and_left_when_that_goes_on(autojump_clock):
    notes: list = []
    async with open_rig(around=noting(notes)) as rig:
        (ana,) = await rig.people("ana")
        askings = [rig.ask(DEPLOY, audience=[ana], key="k") for _ in range(2)]
        await rig.quiet()
        said(ana, True)
        assert [(await asking.wait()).answer for asking in askings] == [True, True]
    assert sorted(what for what, _ in notes) == ["goes on", "goes on", "waits", "waits"]
    assert len({task for _, task in notes}) == 2


@pytest.mark.parametrize("end", ["Expired", "Cancelled"])
async def test_it_hears_how_a_wait_ends_that_has_no_result(autojump_clock, end):
    notes: list = []
    async with open_rig(around=noting(notes)) as rig:
        asking = rig.ask(DEPLOY, audience=[rig.person("ana")], timeout=5)
        await rig.quiet()
        if end == "Cancelled":
            asking.cancel()
        await rig.until(6)
        if end == "Expired":
            with pytest.raises(Expired):
                await asking.wait()
    assert [what for what, _ in notes] == ["waits", end]


class Faulty:
    """Fails where it is told to."""

    def __init__(self, at):
        self.at = at

    def __call__(self, id):
        self.fail("called")
        return self

    def __enter__(self):
        self.fail("entered")

    def __exit__(self, *_):
        self.fail("left")
        return True

    def fail(self, at):
        if at == self.at:
            raise ValueError(at)


@pytest.mark.parametrize("at", ["called", "entered", "left", "never"])
async def test_what_it_raises_is_logged_and_the_ask_goes_on(autojump_clock, caplog, at):
    async with open_rig(around=Faulty(at)) as rig:
        (ana,) = await rig.people("ana")
        asking = rig.ask(DEPLOY, audience=[ana])
        await rig.quiet()
        said(ana, True)
        assert (await asking.wait()).answer is True
    assert [record.exc_info is not None for record in caplog.records if record.levelname == "ERROR"] == (
        [] if at == "never" else [True]
    )


async def test_it_swallows_no_error_of_the_wait(autojump_clock):
    async with open_rig(around=Faulty("never")) as rig:  # which says that it has dealt with everything
        asking = rig.ask(DEPLOY, audience=[rig.person("ana")], timeout=5)
        with pytest.raises(Expired):
            await asking.wait()


async def test_a_work_clock_stands_still_all_the_same(autojump_clock):
    async with open_rig(around=noting([])) as rig:
        (ana,) = await rig.people("ana")

        async def work(asker):
            with work_clock(1) as clock:
                await asker.ask(DEPLOY, audience=[ana.principal])
                return clock.left

        asking = rig.start(work, await rig.asker())
        rig.at(50, ana.answer, True)
        assert await asking.wait() == pytest.approx(1)
