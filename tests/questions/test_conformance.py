"""The conformance suite: what is in this process conforms, in virtual and in real time, and what is broken does not."""

from contextlib import asynccontextmanager, suppress

import pytest
import trio.testing

from facets import Principal, open_background_host, open_host
from facets.context import Ctx
from questions import NoLongerActive, Questions, SessionScope, questions_facet
from questions.testing import QUESTION_CASES, check_questions

EVE = Principal.user("eve")
SCOPE = SessionScope("s1")
FACET = questions_facet.configured(may_view=lambda principal, scope: "all" if principal == EVE else "own")

every_case = pytest.mark.parametrize("case", QUESTION_CASES, ids=lambda case: case.__name__)


class Local:
    """A stage on a host of this process."""

    overseer: Principal | None = EVE

    def __init__(self, host, second):
        self.host = host
        self.second = second

    async def asker(self):
        return await Ctx(self.host, self.host.principal).get(Questions, SCOPE)

    async def viewer(self, principal):
        return await Ctx(self.host, principal).get(Questions, SCOPE)

    async def quiet(self):
        await trio.testing.wait_all_tasks_blocked()


class ByAWorker(Local):
    """The same, with a worker that asks, and without anybody who may view everything."""

    overseer = None

    async def asker(self):
        return await Ctx(self.host, Principal.worker("s1")).get(Questions, SCOPE)


def opening(kind=Local, second=1.0):
    @asynccontextmanager
    async def open_stage():
        async with open_host([FACET]) as host:
            yield kind(host, second)

    return open_stage


@every_case
async def test_local_askers_and_viewers_conform(autojump_clock, case):
    await case(opening())


@every_case
async def test_a_worker_that_asks_conforms(autojump_clock, case):
    await case(opening(ByAWorker))


@pytest.fixture(scope="module")
def portal():
    with open_background_host(facets=[]) as portal:
        yield portal


@every_case
def test_a_host_in_a_thread_of_its_own_conforms_in_real_time(portal, case):
    portal.call(case, opening(second=0.1))


async def test_the_whole_suite_can_be_run_at_once(autojump_clock):
    await check_questions(opening())


def test_every_case_says_what_it_shows():
    assert len({case.__name__ for case in QUESTION_CASES}) == len(QUESTION_CASES) >= 20
    assert all((case.__doc__ or "").endswith(".") for case in QUESTION_CASES)


# Stages that are broken


class Through:
    """A viewer seen through something that goes wrong."""

    def __init__(self, viewer):
        self.viewer = viewer

    def __getattr__(self, name):
        return getattr(self.viewer, name)


class SaysOkToEverything(Through):
    async def answer(self, id, value):
        with suppress(NoLongerActive):
            await self.viewer.answer(id, value)


class IsAskedByUsers(Through):
    async def ask(self, question, **options):
        return None


class TakesWords(Through):
    async def answer(self, id, value):
        await self.viewer.answer(id, True if value in (1, "yes") else value)


def behind(broken):
    class Broken(Local):
        async def viewer(self, principal):
            return broken(await super().viewer(principal))

    return opening(Broken)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (SaysOkToEverything, "a late answer must be refused with NoLongerActive, but it was accepted"),
        (IsAskedByUsers, "an ask by a user must be refused with Forbidden, but it was accepted"),
        (TakesWords, "1 to Deploy[?] must be refused with InvalidAnswer, but it was accepted"),
    ],
)
async def test_what_is_broken_is_told_in_plain_words(autojump_clock, broken, words):
    with pytest.raises(ExceptionGroup, match=r"of \d+ cases failed") as group:
        await check_questions(behind(broken))
    assert group.group_contains(AssertionError, match=words)


async def test_a_failure_names_its_case_and_what_that_shows(autojump_clock):
    with pytest.raises(ExceptionGroup) as group:
        await check_questions(behind(IsAskedByUsers))
    [error] = group.value.exceptions
    assert error.__notes__ == ["face_of_a_user_cannot_ask: A viewer has no `ask`, or one that is `Forbidden`."]


async def test_what_never_happens_fails_the_case_rather_than_hang(autojump_clock):
    class Deaf(Through):
        async def answer(self, id, value):
            pass

    case = next(case for case in QUESTION_CASES if case.__name__ == "first_answer_settles")
    with pytest.raises(AssertionError, match="waited 10 s for the ask to end, and it still waits"):
        await case(behind(Deaf))
