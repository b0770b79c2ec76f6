"""What a host has left is reported once, by one of those who start later, with its title, and is gone then."""

import logging

import attrs
import pytest
import trio

from facets import Principal
from questions import OwnerScope, SessionScope
from questions.durable import Commit, Lost, Notice, Write
from questions.durable.journal_lines import JOURNAL
from tests.questions.durable.asking import within
from tests.questions.durable.cases import T
from tests.questions.durable.journalling import (
    JOB,
    LEASE,
    has_rows,
    journal_on,
    keys,
    left_by_a_killed_host,
    opened,
    settled,
)

ANA = Principal.user("ana")


async def test_the_next_start_names_what_was_lost_and_the_one_after_that_nothing(store, engines, caplog):
    hers = attrs.evolve(opened(2, T / 1000 + 5), scope=OwnerScope(ANA))
    await left_by_a_killed_host(store, opened(1), hers)
    await engines.set_clock(T + LEASE)
    told: list = []
    with caplog.at_level(logging.WARNING):
        async with journal_on(store, tell=told.append) as journal:
            assert (
                journal.lost
                == told
                == [
                    Lost("q_1", "Go 1?", SessionScope("s1"), JOB, T / 1000, "server:host"),
                    Lost("q_2", "Go 2?", OwnerScope(ANA), JOB, T / 1000 + 5, "server:host"),
                ]
            )
            assert journal.lost[0].asker.name == "Host"
            assert journal.figures()["lost"] == 2
            await has_rows(store, 0)
    events = [vars(one) for one in caplog.records if vars(one).get("questions.event") == "lost"]
    assert [one["questions.title"] for one in events] == ["Go 1?", "Go 2?"]
    assert events[1]["questions.scope"] == "owner:user:ana"
    assert events[1]["questions.since"] == "2023-11-14T22:13:25.000+00:00"
    assert "den" not in caplog.text
    async with journal_on(store) as journal:
        assert journal.lost == []


async def test_what_was_still_leased_at_the_start_is_reported_once_its_lease_is_over(store, engines):
    await left_by_a_killed_host(store, opened(1), lease_ms=1_000)
    async with journal_on(store, lease_ms=1_000) as journal:
        assert journal.lost == []
        await engines.set_clock(T + 1_000)
        with within("it to be reported"):
            while not journal.lost:  # noqa: ASYNC110  # nobody tells of it
                await trio.sleep(0.02)
        assert [one.id for one in journal.lost] == ["q_1"]


async def test_what_a_host_that_lives_has_open_is_left_to_it(store, engines):
    async with journal_on(store) as first:
        first.observe(opened(1))
        await has_rows(store, 1)
        async with journal_on(store, principal=Principal.server("other")) as second:
            assert second.lost == []
        assert await has_rows(store, 1) == ["q_1"]


@pytest.mark.parametrize("count", [3, 1_100])
async def test_of_two_that_start_at_once_one_reports_each(store, engines, count):
    await left_by_a_killed_host(store, *map(opened, range(count)))
    await engines.set_clock(T + LEASE)
    found: list = []

    async def start(name):
        async with journal_on(store, principal=Principal.server(name)) as journal:
            found.extend(journal.lost)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(start, "one")
        nursery.start_soon(start, "two")
    assert sorted(one.id for one in found) == sorted(opened(number).id for number in range(count))
    assert await keys(store) == []


async def test_a_host_that_was_taken_for_dead_goes_on_under_another_name(store, engines):
    async with journal_on(store) as first:
        for number in (1, 2):
            first.observe(opened(number))
        before = set(await keys(store)) if await has_rows(store, 2) else set()
        await engines.set_clock(T + LEASE)
        async with journal_on(store) as second:
            assert [one.id for one in second.lost] == ["q_1", "q_2"]
        await has_rows(store, 0)
        first.observe(settled(1))
        await first._hold()
        assert await has_rows(store, 1) == ["q_2"]
        assert not before & set(await keys(store))
        first.observe(settled(2))
        await has_rows(store, 0)


async def test_what_dies_after_it_has_taken_them_over_leaves_them_to_be_reported(store, engines):
    await left_by_a_killed_host(store, opened(1))
    await engines.set_clock(T + LEASE)
    async with journal_on(store, batch_ms=60_000) as second:  # which does not come to delete it
        assert [one.id for one in second.lost] == ["q_1"]
        second.end = trio.lowlevel.checkpoint
    await engines.set_clock(T + 2 * LEASE)
    async with journal_on(store) as third:
        assert [one.id for one in third.lost] == ["q_1"]


async def test_a_row_that_cannot_be_read_is_left_and_hides_no_other(store, engines, caplog):
    await left_by_a_killed_host(store, opened(1))
    [key] = await keys(store)
    owner = key.rpartition("/")[0]
    bad = [Write(JOURNAL, f"{owner}/q_{id}", 0, value, {"owner": owner, "opened": 0}) for id, value in BAD.items()]
    await store.backend.commit(Commit("t", bad, [Notice(JOURNAL.name, key, 1, "test")]))
    await engines.set_clock(T + LEASE)
    async with journal_on(store) as journal:
        assert [one.id for one in journal.lost] == ["q_1"]
        assert sorted(await has_rows(store, len(BAD))) == sorted(f"q_{id}" for id in BAD)
    assert caplog.text.count("cannot be read and is left as it is") == len(BAD)


BAD = {
    "no-json": "{",
    "another": '{"id":"q_1","message":"m","asker":{"kind":"user","id":"a"},"name":"a","opened":1,"session":"s"}',
    "nowhere": '{"id":"q_nowhere","message":"m","asker":{"kind":"user","id":"a"},"name":"a","opened":1}',
    "nobody": '{"id":"q_nobody","message":"m","asker":{"kind":"x","id":"a"},"name":"a","opened":1,"session":"s"}',
}


async def test_who_cannot_be_told_keeps_nobody_from_being_told(store, engines, caplog):
    await left_by_a_killed_host(store, opened(1), opened(2))
    await engines.set_clock(T + LEASE)

    def fail(one):
        raise OSError(one.id)

    async with journal_on(store, tell=fail) as journal:
        assert len(journal.lost) == 2
        await has_rows(store, 0)
    assert caplog.text.count("nobody could be told") == 2
