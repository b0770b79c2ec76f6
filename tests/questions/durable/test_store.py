"""Keys and values beside decisions, and the records that cannot be read."""

import json

import pytest

from questions.durable import BadArgument, Conflict, ReservedKey
from questions.durable.store import Store
from tests.questions.durable.acts import raise_one, rows
from tests.questions.durable.cases import HOP, ID, MAIN, T, climbing
from tests.questions.durable.rewriting import rewrite

FORGED = "decisions/dec_forged0000"


async def test_nobody_writes_under_the_prefix_of_decisions(store):  # case 34
    raised = await raise_one(store)
    for key in (FORGED, f"decisions/{raised.id}", "decisions/"):
        with pytest.raises(ReservedKey):
            await store.put(key, "{}", expected=1)
        with pytest.raises(ReservedKey):
            await store.delete(key, expected=1)
    assert await rows(store, raised.id, "dec_forged0000") == await rows(store, raised.id)


async def test_decisions_can_be_read_by_their_keys(store):  # case 34
    raised = await raise_one(store)
    entry = await store.get(f"decisions/{raised.id}")
    assert (entry.key, entry.version, json.loads(entry.value)["title"]) == (f"decisions/{raised.id}", 1, "Ship it?")
    assert await store.list("decisions/") == [entry]
    assert await store.list(f"decisions/{raised.id}") == [entry]
    assert await store.list("decisions/dec_?") == []
    assert await store.get(FORGED) is None


async def test_who_reads_a_decision_by_its_key_applies_its_deadline(engines, store):
    raised = await raise_one(store, **climbing())
    await engines.set_clock(T + HOP)
    entry = await store.get(f"decisions/{raised.id}")
    assert (entry.version, json.loads(entry.value)["holder"]) == (2, "root")
    assert [(row.version, row.value) for row in await rows(store, raised.id)] == [(2, entry.value)]


async def test_a_value_has_versions(store):
    assert await store.get("a") is None
    assert await store.put("a", "1") == 1
    assert await store.put("a", "2", expected=1) == 2
    entry = await store.get("a")
    assert (entry.key, entry.version, entry.value) == ("a", 2, "2")


@pytest.mark.parametrize("expected", [0, 1, 3])
async def test_a_value_of_another_version_is_left(store, expected):
    await store.put("a", "1")
    await store.put("a", "2", expected=1)
    with pytest.raises(Conflict):
        await store.put("a", "3", expected=expected)
    with pytest.raises(Conflict):
        await store.delete("a", expected=expected)
    assert (await store.get("a")).value == "2"


async def test_a_deleted_key_stays_deleted(store):
    await store.put("a", "1")
    await store.delete("a", expected=1)
    assert await store.get("a") is None
    for expected in range(3):
        with pytest.raises(Conflict):
            await store.put("a", "2", expected=expected)


async def test_keys_are_listed_in_order_by_their_beginning(store):
    for key in ("b/2", "a", "b/1", "b", "bb", "b/é", "c"):
        await store.put(key, key)
    assert [row.key for row in await store.list("b/")] == ["b/1", "b/2", "b/é"]
    assert [row.key for row in await store.list()] == ["a", "b", "b/1", "b/2", "b/é", "bb", "c"]
    assert [row.key for row in await store.list("b", limit=2)] == ["b", "b/1"]


@pytest.mark.parametrize(
    "act",
    [
        lambda store: store.put("", "1"),
        lambda store: store.put("x" * 501, "1"),
        lambda store: store.put("a\0", "1"),
        lambda store: store.put("a", "1\0"),
        lambda store: store.put("a", 7),
        lambda store: store.put("a", "x" * 262_145),
        lambda store: store.put("\ud800", "1"),
        lambda store: store.get(7),
        lambda store: store.list(7),
        lambda store: store.list(limit=0),
        lambda store: store.list(limit=201),
        lambda store: store.list(limit=True),
    ],
)
async def test_keys_and_values_out_of_range_are_refused(store: Store, act):
    with pytest.raises(BadArgument):
        await act(store)


BROKEN = {
    "no JSON": lambda record: record.clear(),
    "no record": lambda record: record.pop("title"),
    "a status that is not known": lambda record: record.update(status="pondering"),
    "another's record": lambda record: record.update(id=ID),
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN)
async def test_what_cannot_be_read_is_told_and_stays(store, change):
    bad, good = await raise_one(store), await raise_one(store)
    await rewrite(store, bad.id, change)
    [found] = await store.unreadable()
    assert (found.id, found.version) == (bad.id, 2)
    assert found.why
    with pytest.raises(Exception, match="there is no decision"):
        await store.decisions(MAIN).answer(bad.id, text="done")
    assert (await store.decisions(MAIN).list()) == [good]
    assert [row.version for row in await rows(store, bad.id)] == [2]
    assert (await store.get(f"decisions/{bad.id}")).version == 2


async def test_what_cannot_be_read_is_found_among_many(store, monkeypatch):
    monkeypatch.setattr("questions.durable.store._PAGE", 4)
    ids = [(await raise_one(store)).id for _ in range(30)]
    for id in sorted(ids)[7:22]:
        await rewrite(store, id, lambda record: record.pop("title"))
    assert sorted(found.id for found in await store.unreadable()) == sorted(ids)[7:22]


@pytest.mark.parametrize("forged", [{"holder": "us\0er"}, {"raisedBy": {"participantId": "\0"}}])
async def test_a_record_that_no_engine_could_write_again_stops_nobody(engines, store, forged):
    bad, sound = [await raise_one(store, timeout_ms=1_000) for _ in range(2)]
    await rewrite(store, bad.id, lambda record: record.update(forged))
    await engines.set_clock(T + 1_000)
    await store.records.sweep(T + 1_000)
    assert [one.id for one in await store.decisions(MAIN).list("expired")] == [sound.id]
    assert [one.id for one in await store.unreadable()] == [bad.id]
