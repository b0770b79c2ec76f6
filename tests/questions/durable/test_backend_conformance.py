"""The conformance suite of engines: every engine keeps it, and what is broken does not."""

from contextlib import asynccontextmanager

import pytest

from questions.durable.errors import CommitRefused
from questions.durable.memory import MemoryBackend
from questions.testing import BACKEND_CASES, check_backend
from tests.questions.durable.engine_stages import TABLES, MemoryStage, open_memory_stage
from tests.questions.durable.postgres_stages import open_postgres_stage
from tests.questions.durable.sqlite_stages import open_sqlite_stage

STAGES = {"memory": open_memory_stage, "sqlite": open_sqlite_stage, "postgres": open_postgres_stage}

every_case = pytest.mark.parametrize("case", BACKEND_CASES, ids=lambda case: case.__name__)
every_engine = pytest.mark.parametrize("open_stage", STAGES.values(), ids=STAGES.keys())


@every_case
@every_engine
async def test_an_engine_conforms(open_stage, case):
    await case(open_stage)


async def test_the_whole_suite_can_be_run_at_once():
    await check_backend(open_memory_stage)


def test_every_case_says_what_it_shows():
    assert len({case.__name__ for case in BACKEND_CASES}) == len(BACKEND_CASES) >= 20
    assert all((case.__doc__ or "").endswith(".") for case in BACKEND_CASES)


# Engines that are broken


class ForgetsVersions(MemoryBackend):
    def _expect(self, table, key, version):
        pass


class IgnoresGuards(MemoryBackend):
    def _check(self, guard):
        pass


class WritesHalf(MemoryBackend):
    async def commit(self, commit):
        for write in commit.writes:
            self._expect(write.table, write.key, write.expected)
            self._write(write)
        self._tell(commit)


class TellsNobody(MemoryBackend):
    def _tell(self, commit):
        pass


class CountsTokensForNothing(MemoryBackend):
    async def commit(self, commit):
        self._tokens.clear()
        await super().commit(commit)


def broken(kind):
    @asynccontextmanager
    async def open_stage():
        stage = MemoryStage()
        stage.backend = kind(TABLES, lambda: stage.clock())
        yield stage

    return open_stage


@pytest.mark.parametrize(
    ("kind", "case"),
    [
        (ForgetsVersions, "another_version_than_expected_is_a_conflict"),
        (IgnoresGuards, "below_counts_what_was_there_before"),
        (IgnoresGuards, "before_belongs_to_the_clock_of_the_engine"),
        (WritesHalf, "one_conflict_among_several_writes_changes_nothing"),
        (TellsNobody, "the_feed_tells_every_commit_in_order"),
        (CountsTokensForNothing, "a_token_is_good_for_one_commit"),
    ],
)
async def test_what_is_broken_is_found(kind, case):
    [found] = [one for one in BACKEND_CASES if one.__name__ == case]
    with pytest.raises((AssertionError, CommitRefused)) as failure:
        await found(broken(kind))
    assert failure.value.__notes__[-1].startswith(f"{case}: ")


async def test_failures_are_told_together():
    with pytest.raises(ExceptionGroup, match=r"\d+ of \d+ cases failed"):
        await check_backend(broken(IgnoresGuards))
