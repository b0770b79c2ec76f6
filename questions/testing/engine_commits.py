"""Cases of engines: what a commit does, and what it refuses."""

from __future__ import annotations

import trio

from questions.durable.backend import Backend, Before, Below, Conflict, GuardFailed, TooLate, Unchanged
from questions.durable.errors import CommitRefused

from .engine_stage import THINGS, WORDS, EngineCase, EngineStage, commit, engine_case, keys, put, refused
from .stage import require

__all__ = ["COMMITS"]


@engine_case
async def a_write_makes_version_one_and_each_further_one_steps_by_one(_: EngineStage, backend: Backend) -> None:
    """Versions start at 1 and rise by one with every write of the key."""
    for expected in range(3):
        await backend.commit(commit(put("a", expected, f"v{expected}")))
        [row] = (await backend.get(THINGS, ["a"])).rows
        require((row.version, row.value) == (expected + 1, f"v{expected}"), f"a has {row} after write {expected + 1}")


@engine_case
async def another_version_than_expected_is_a_conflict(_: EngineStage, backend: Backend) -> None:
    """A wrong expectation, too low, too high, or of a key that is not there, changes nothing and tells the version."""
    await backend.commit(commit(put("a")))
    await backend.commit(commit(put("a", 1)))
    for key, expected, actual in [("a", 0, 2), ("a", 1, 2), ("a", 3, 2), ("b", 1, 0)]:
        try:
            await backend.commit(commit(put(key, expected, "wrong")))
        except Conflict as conflict:
            told = (conflict.table, conflict.key, conflict.version)
            require(told == ("things", key, actual), f"the conflict says {told}, and {key} has version {actual}")
        else:
            raise AssertionError(f"expecting version {expected} of {key!r} must be refused with Conflict")
    found = await backend.get(THINGS, ["a", "b"])
    require([(row.key, row.version) for row in found.rows] == [("a", 2)], f"a refused write left {found.rows}")


@engine_case
async def one_conflict_among_several_writes_changes_nothing(_: EngineStage, backend: Backend) -> None:
    """A commit over several tables is all or nothing, whichever of its writes conflicts."""
    await backend.commit(commit(put("taken")))
    edge = (await backend.changes(-1)).upto
    writes = [put("taken"), put("x", rank=1), put("y", table=WORDS, word="why")]
    for turn in range(3):
        async with refused(Conflict, "a commit with one wrong version"):
            await backend.commit(commit(*writes[turn:], *writes[:turn]))
    rows = [*(await backend.get(THINGS, ["x"])).rows, *(await backend.get(WORDS, ["y"])).rows]
    require(not rows, f"a refused commit left {rows}")
    require(await keys(backend, "all") == ["taken"], "a refused commit left something in an index")
    require(not (await backend.changes(edge)).lines, "a refused commit left a line in the feed")
    require(await backend.count(THINGS, "all", ()) == 1, "a refused commit was counted")


@engine_case
async def several_tables_are_written_at_once(_: EngineStage, backend: Backend) -> None:
    """A commit writes, changes and deletes keys of several tables together."""
    await backend.commit(commit(put("a"), put("b"), put("w", table=WORDS, word="one")))
    await backend.commit(commit(put("a", 1, "new"), put("b", 1, None), put("w", 1, "new", WORDS, word="two")))
    things = (await backend.get(THINGS, ["a", "b"])).rows
    [word] = (await backend.get(WORDS, ["w"])).rows
    require([(row.key, row.version, row.value) for row in things] == [("a", 2, "new")], f"things are {things}")
    require((word.version, word.value) == (2, "new"), f"the word is {word}")


@engine_case
async def a_deleted_key_is_gone_and_is_not_taken_again(_: EngineStage, backend: Backend) -> None:
    """A deleted key is in no index, is not read, and can be written neither as new nor over what it was."""
    await backend.commit(commit(put("a")))
    await backend.commit(commit(put("a", 1, None)))
    require(not (await backend.get(THINGS, ["a"])).rows, "a deleted key can be read")
    require(not await keys(backend, "all"), "a deleted key is in an index")
    require(await backend.count(THINGS, "by_state", ("open",)) == 0, "a deleted key is counted")
    for expected in (0, 1, 2):
        async with refused(Conflict, f"a write over a deleted key, expecting version {expected}"):
            await backend.commit(commit(put("a", expected)))


@engine_case
async def below_counts_what_was_there_before(_: EngineStage, backend: Backend) -> None:
    """A commit guarded by `Below` happens up to the limit, and not at it; what it writes itself does not count."""
    guard = Below(THINGS, "by_state", ("open",), 2)
    await backend.commit(commit(put("a"), put("other", state="closed"), guards=[guard]))
    await backend.commit(commit(put("b"), guards=[guard]))
    async with refused(GuardFailed, "one above the limit"):
        await backend.commit(commit(put("c"), guards=[guard]))
    await backend.commit(commit(put("a", 1, state="closed")))
    await backend.commit(commit(put("c"), put("d"), guards=[guard]))
    require(sorted(await keys(backend, "by_state", "open")) == ["b", "c", "d"], "the guard let the wrong ones in")


@engine_case
async def unchanged_guards_what_is_only_read(_: EngineStage, backend: Backend) -> None:
    """`Unchanged` refuses a commit if a key that it does not write has another version, or exists by now."""
    await backend.commit(commit(put("a"), guards=[Unchanged(THINGS, "rules", 0)]))
    await backend.commit(commit(put("rules")))
    await backend.commit(commit(put("a", 1), guards=[Unchanged(THINGS, "rules", 1)]))
    for version in (0, 2):
        async with refused(Conflict, f"a guard that expects version {version} of what has 1"):
            await backend.commit(commit(put("a", 2), guards=[Unchanged(THINGS, "rules", version)]))


@engine_case
async def before_belongs_to_the_clock_of_the_engine(stage: EngineStage, backend: Backend) -> None:
    """`Before` refuses at its very instant and after it, by the engine's clock, which reads tell as well."""
    await stage.set_clock(1_000_000)
    await backend.commit(commit(put("a"), guards=[Before(1_000_001)]))
    for instant in (1_000_000, 999_999):
        async with refused(TooLate, f"a commit at 1,000,000 that had to be before {instant:,}"):
            await backend.commit(commit(put("b"), guards=[Before(instant)]))
    found = await backend.get(THINGS, ["a", "b"])
    require([row.key for row in found.rows] == ["a"], f"there is {found.rows}")
    told = (found.now, await backend.now())
    require(told == (1_000_000, 1_000_000), f"the clock stands at 1,000,000 and is told as {told}")


@engine_case
async def a_token_is_good_for_one_commit(_: EngineStage, backend: Backend) -> None:
    """A commit that has happened is not done again, and the repetition succeeds."""
    first = commit(put("a"), token="tok-1")
    await backend.commit(first)
    await backend.commit(first)
    [row] = (await backend.get(THINGS, ["a"])).rows
    lines = (await backend.changes(0)).lines
    require(row.version == 1 and len(lines) == 1, f"repeated, it left version {row.version} and {len(lines)} lines")


@engine_case
async def of_many_at_once_one_wins(stage: EngineStage, backend: Backend) -> None:
    """Of 40 commits that expect the same version, through two openers, exactly one happens."""
    await backend.commit(commit(put("a")))
    won: list[str] = []

    async def compete(engine: Backend, value: str) -> None:
        try:
            await engine.commit(commit(put("a", 1, value)))
        except Conflict:
            return
        won.append(value)

    async with stage.open() as second, trio.open_nursery() as nursery:
        for number in range(40):
            nursery.start_soon(compete, (backend, second)[number % 2], f"v{number}")
    [row] = (await backend.get(THINGS, ["a"])).rows
    require(won == [row.value] and row.version == 2, f"won by {won}, and stored is {row}")


@engine_case
async def a_limit_holds_under_a_crowd(stage: EngineStage, backend: Backend) -> None:
    """Of 40 commits guarded by a limit of 7, through two openers, exactly 7 happen."""
    guard = Below(THINGS, "by_owner", ("ana", "open"), 7)

    async def enter(engine: Backend, number: int) -> None:
        try:
            await engine.commit(commit(put(f"k{number}", owner="ana", rank=number), guards=[guard]))
        except GuardFailed:
            return

    async with stage.open() as second, trio.open_nursery() as nursery:
        for number in range(40):
            nursery.start_soon(enter, (backend, second)[number % 2], number)
    inside = await keys(backend, "by_owner", "ana", "open")
    counted = await backend.count(THINGS, "by_owner", ("ana", "open"))
    require(len(inside) == counted == 7, f"{len(inside)} are in, {counted} are counted, and the limit is 7")


@engine_case
async def commits_that_wait_together_are_judged_apart(_: EngineStage, backend: Backend) -> None:
    """Of commits that wait at the same time each has its own outcome, whatever becomes of the others."""
    outcomes: dict[str, str] = {}

    async def send(key: str, expected: int) -> None:
        try:
            await backend.commit(commit(put(key, expected)))
            outcomes[key] = "done"
        except CommitRefused as error:
            outcomes[key] = error.code

    async with trio.open_nursery() as nursery:
        for number in range(30):
            nursery.start_soon(send, f"k{number}", number % 2)
    wrong = {key: said for key, said in outcomes.items() if (said == "done") != (int(key[1:]) % 2 == 0)}
    require(not wrong and len(await keys(backend, "all")) == 15, f"these were judged wrongly: {wrong}")


@engine_case
async def under_a_cancelled_scope_nothing_is_committed(_: EngineStage, backend: Backend) -> None:
    """A commit that is cancelled before it began has not happened."""
    with trio.CancelScope() as scope:
        scope.cancel()
        await backend.commit(commit(put("a")))
    require(scope.cancelled_caught, "a commit under a cancelled scope has to be cancelled")
    require(not (await backend.get(THINGS, ["a"])).rows, "a cancelled commit was written")


COMMITS: tuple[EngineCase, ...] = (
    a_write_makes_version_one_and_each_further_one_steps_by_one,
    another_version_than_expected_is_a_conflict,
    one_conflict_among_several_writes_changes_nothing,
    several_tables_are_written_at_once,
    a_deleted_key_is_gone_and_is_not_taken_again,
    below_counts_what_was_there_before,
    unchanged_guards_what_is_only_read,
    before_belongs_to_the_clock_of_the_engine,
    a_token_is_good_for_one_commit,
    of_many_at_once_one_wins,
    a_limit_holds_under_a_crowd,
    commits_that_wait_together_are_judged_apart,
    under_a_cancelled_scope_nothing_is_committed,
)
