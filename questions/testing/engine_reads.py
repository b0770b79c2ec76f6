"""Cases of engines: what is read back, by key, by index, and from the feed."""

from __future__ import annotations

import random
from operator import itemgetter

import trio

from questions.durable.backend import Backend, Commit, Conflict, Feed, Notice, Scan, Write

from .engine_stage import THINGS, WORDS, EngineCase, EngineStage, commit, engine_case, keys, put
from .stage import PATIENCE, require

__all__ = ["READS"]

_TEXTS = (
    "",
    "ünïcødé 🙂",
    '{"a": "\\u0000"}',
    "line\nand\ttab\r\n",
    "'; drop table things; --",
    "\x01\x7f\u202e",
    "x" * 262_144,
)
_KEYS = ("a", "decisions/dec_1", "' OR 1=1 --", "ключ", "%_*?", "\\", "k" * 500)


@engine_case
async def any_text_comes_back_as_it_was(_: EngineStage, backend: Backend) -> None:
    """Values and keys are text of any kind, save U+0000, and come back the same."""
    for number, text in enumerate(_TEXTS):
        await backend.commit(commit(put(f"text{number}", value=text)))
    for key in _KEYS:
        await backend.commit(commit(put(key, value=key, owner=key)))
    rows = (await backend.get(THINGS, [f"text{number}" for number in range(len(_TEXTS))])).rows
    require([row.value for row in rows] == list(_TEXTS), "a value came back as something else")
    rows = (await backend.get(THINGS, _KEYS)).rows
    require([row.key for row in rows] == [row.value for row in rows] == list(_KEYS), "a key came back changed")
    for key in _KEYS:
        require(await keys(backend, "by_owner", key, "open") == [key], f"{key!r} is not found by its column")


@engine_case
async def keys_are_read_in_the_order_asked_for(_: EngineStage, backend: Backend) -> None:
    """`get` gives the rows that exist, in the order of the keys, and skips the others."""
    await backend.commit(commit(put("a"), put("b"), put("c")))
    rows = (await backend.get(THINGS, ["c", "nobody", "a"])).rows
    require([row.key for row in rows] == ["c", "a"], f"asked for c, nobody, a: got {[row.key for row in rows]}")
    require(not (await backend.get(WORDS, ["a"])).rows, "tables share keys")
    require(not (await backend.get(THINGS, [])).rows, "no keys gave rows")


@engine_case
async def an_index_keeps_its_order(_: EngineStage, backend: Backend) -> None:
    """Rows come in the order of the index, up or down, and those of the same order by key."""
    ranks = {"a": 2, "b": 1, "c": 2, "d": 3, "e": 1}
    await backend.commit(commit(*(put(key, owner="ana", rank=rank) for key, rank in ranks.items())))
    require(await keys(backend, "by_state", "open") == list("dacbe"), "down: the largest first, the same by key")
    require(await keys(backend, "by_owner", "ana", "open") == list("beacd"), "up: the smallest first, the same by key")
    require(await keys(backend, "by_state", "open", limit=2) == list("da"), "at most as many as asked for")
    require(await keys(backend, "by_state", "open", until=2) == list("dac"), "down to a value, itself included")
    require(await keys(backend, "by_owner", "ana", "open", until=1) == list("be"), "up to a value, itself included")


@engine_case
async def pages_of_an_index_leave_nothing_out(_: EngineStage, backend: Backend) -> None:
    """Walking on from the last row read gives every row once, up and down, also among rows of the same order."""
    ranks = {f"k{number:02}": number % 4 for number in range(23)}
    await backend.commit(commit(*(put(key, owner="ana", rank=rank) for key, rank in ranks.items())))
    by_key = sorted(ranks.items())
    up = [key for key, _ in sorted(by_key, key=itemgetter(1))]
    down = [key for key, _ in sorted(by_key, key=itemgetter(1), reverse=True)]
    for index, equal, whole in [("by_owner", ("ana", "open"), up), ("by_state", ("open",), down)]:
        for size in (1, 3, 23, 50):
            walked: list[str] = []
            after = None
            while page := (await backend.scan(Scan(THINGS, index, equal, size, after=after))).rows:
                walked += [row.key for row in page]
                after = (ranks[page[-1].key], page[-1].key)
            require(walked == whole, f"pages of {size} of {index} gave {walked}")


@engine_case
async def rows_move_between_indexes_with_their_columns(_: EngineStage, backend: Backend) -> None:
    """A write moves its row in every index; a row without a value in a column of an index is not in it."""
    await backend.commit(commit(put("a", owner="ana", due=5), put("b", owner="ana")))
    require(await keys(backend, "due", "open") == ["a"], "b has no due, and is found by it")
    await backend.commit(commit(put("a", 1, owner="bo", state="closed", rank=9)))
    found = {
        "due": await keys(backend, "due", "open") + await keys(backend, "due", "closed"),
        "ana": await keys(backend, "by_owner", "ana", "open"),
        "bo": await keys(backend, "by_owner", "bo", "closed"),
        "all": await keys(backend, "all"),
    }
    require(found == {"due": [], "ana": ["b"], "bo": ["a"], "all": ["a", "b"]}, f"after the move: {found}")
    counts = [await backend.count(THINGS, "by_state", (state,)) for state in ("open", "closed", "never")]
    require(counts == [1, 1, 0], f"open, closed and never are counted as {counts}")


@engine_case
async def the_feed_tells_every_commit_in_order(_: EngineStage, backend: Backend) -> None:
    """Lines come in the order of the commits, with what they were given and the token, and pages leave none out."""
    start = (await backend.changes(-1)).upto
    tokens = [f"tok-{number}" for number in range(9)]
    for number, token in enumerate(tokens):
        await backend.commit(commit(put(f"k{number}"), put(f"w{number}", table=WORDS, word="x"), token=token))
    lines: list[Feed] = []
    after = start
    while page := (await backend.changes(after, 4)).lines:
        lines += page
        after = page[-1].sequence
    told = [(line.token, line.notice) for line in lines]
    expected = [
        (token, Notice(table, f"{letter}{number}", 1, "put", f"{letter}{number}!"))
        for number, token in enumerate(tokens)
        for table, letter in [("things", "k"), ("words", "w")]
    ]
    require(told == expected, f"the feed tells {told}")
    rising = [line.sequence for line in lines]
    require(rising == sorted(set(rising)), f"sequences do not rise: {rising}")
    end = await backend.changes(-1)
    require(not end.lines and end.upto == rising[-1], f"the feed ends at {rising[-1]} and says {end}")


@engine_case
async def a_reader_of_the_feed_misses_nothing_of_a_crowd(stage: EngineStage, backend: Backend) -> None:
    """Who follows the feed while two openers commit sees every line once."""
    expected = {f"k{number}" for number in range(60)}
    seen: list[str] = []

    async def follow() -> None:
        after = start
        while len(seen) < len(expected):
            changes = await backend.moved(after)
            after = changes.upto
            seen.extend(line.notice.key for line in changes.lines)

    async with stage.open() as second:
        start = (await backend.changes(-1)).upto
        async with trio.open_nursery() as nursery:
            nursery.start_soon(follow)
            for number in range(60):
                nursery.start_soon((backend, second)[number % 2].commit, commit(put(f"k{number}")))
    require(sorted(seen) == sorted(expected), f"of 60 lines {len(set(seen))} were seen, {len(seen)} times")


@engine_case
async def a_trimmed_feed_says_so(_: EngineStage, backend: Backend) -> None:
    """Who comes back for lines that are not kept any more is told of the gap, and who was near is not."""
    await backend.commit(commit(put("first")))
    early = (await backend.changes(-1)).upto
    for number in range(40):
        notices = [Notice("things", f"n{number}", 1, "put") for _ in range(1000)]
        await backend.commit(Commit(f"t{number}", [put(f"n{number}")], notices))
    late = (await backend.changes(-1)).upto
    changes = await backend.changes(early)
    require(changes.gap, "40,000 lines later the feed still claims to be whole")
    require(changes.upto > early, "past a gap one has to get on")
    require(not (await backend.changes(late)).gap, "who is at the end was told of a gap")


@engine_case
async def a_commit_elsewhere_moves_who_waits(stage: EngineStage, backend: Backend) -> None:
    """`moved` gives the lines once another opener has committed, and at once if it has already."""
    async with stage.open() as second:
        start = (await backend.changes(-1)).upto
        with trio.move_on_after(PATIENCE) as patience:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(second.commit, commit(put("a")))
                while not (await backend.moved(start)).lines:
                    pass
            while not (await backend.moved(start)).lines:
                pass
        require(not patience.cancelled_caught, f"waited {PATIENCE:g} s for a commit elsewhere")


@engine_case
async def what_is_stored_outlives_the_engine(stage: EngineStage, backend: Backend) -> None:
    """Rows, versions, counts and the feed are the same to who opens the store later, if it outlives its engine."""
    if not stage.outlives:
        return
    async with stage.open() as first:
        await first.commit(commit(put("a"), put("b"), token="t1"))
        await first.commit(commit(put("a", 1, "new"), put("b", 1, None), token="t2"))
    async with stage.open() as second:
        [row] = (await second.get(THINGS, ["a", "b"])).rows
        require([row] == (await backend.get(THINGS, ["a", "b"])).rows, "an opener from before sees something else")
        require((row.key, row.version, row.value) == ("a", 2, "new"), f"later it is {row}")
        require(await second.count(THINGS, "all", ()) == 1, "later it is counted otherwise")
        tokens = [line.token for line in (await second.changes(0)).lines]
        require(tokens == ["t1", "t1", "t2", "t2"], f"later the feed tells {tokens}")


@engine_case
async def random_commits_match_a_plain_model(_: EngineStage, backend: Backend) -> None:
    """A few hundred random commits leave what a dictionary of the same commits has."""
    chance, model = random.Random(7), dict[str, tuple[int, str | None, int]]()
    for number in range(300):
        picked = chance.sample("abcdefgh", chance.randint(1, 3))
        writes, right = list[Write](), True
        for key in picked:
            version, value, _rank = model.get(key, (0, "", 0))
            expected = version if chance.random() < 0.8 else chance.randint(0, 3)
            right = right and expected == version and value is not None
            deleted = chance.random() < 0.03
            writes.append(put(key, expected, None if deleted else f"v{number}", rank=chance.randint(0, 4)))
        try:
            await backend.commit(commit(*writes))
            happened = True
        except Conflict:
            happened = False
        require(happened is right, f"commit {number} of {picked} {'happened' if happened else 'was refused'}")
        if right:
            model |= {w.key: (w.expected + 1, w.value, int(w.columns["rank"] or 0)) for w in writes}
    living = {key: (version, value) for key, (version, value, _rank) in model.items() if value is not None}
    rows = (await backend.get(THINGS, sorted(living))).rows
    require({row.key: (row.version, row.value) for row in rows} == living, f"stored {rows}, and the model has {living}")
    order = sorted(sorted(living), key=lambda key: model[key][2], reverse=True)
    require(await keys(backend, "all") == order, "the index has another order than the model")


READS: tuple[EngineCase, ...] = (
    any_text_comes_back_as_it_was,
    keys_are_read_in_the_order_asked_for,
    an_index_keeps_its_order,
    pages_of_an_index_leave_nothing_out,
    rows_move_between_indexes_with_their_columns,
    the_feed_tells_every_commit_in_order,
    a_reader_of_the_feed_misses_nothing_of_a_crowd,
    a_trimmed_feed_says_so,
    a_commit_elsewhere_moves_who_waits,
    what_is_stored_outlives_the_engine,
    random_commits_match_a_plain_model,
)
