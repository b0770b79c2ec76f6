"""Keyed readables: a snapshot to read, differences to follow, and the cost of one change is one change."""

from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import wait_all_tasks_blocked

from facets import Difference, KeyedCell, KeyedReadable, Readable, derive
from tests.rules import rule

pytestmark = rule("Q-VIEW-2")


@pytest.fixture
def cell():
    return KeyedCell(lambda key, raw: f"{key}={raw}")


Written = KeyedCell[Any, Any, Any]


def filled(*keys, order=None):
    cell: Written = KeyedCell(lambda _, raw: raw, order)
    for key in keys:
        cell.put(key, key)
    return cell


def test_snapshot_shows_what_was_put(cell):
    cell.put("a", 1)
    cell.put("b", 2)
    cell.put("a", 3)
    assert dict(cell.value) == {"a": "a=3", "b": "b=2"}
    assert ("a" in cell, "c" in cell, len(cell), cell.raw["a"], cell.version) == (True, False, 2, 3, 3)


def test_snapshot_stays_the_same_object_until_something_changes(cell):
    cell.put("a", 1)
    before = cell.value
    assert cell.value is before
    cell.put("b", 2)
    assert (dict(before), dict(cell.value)) == ({"a": "a=1"}, {"a": "a=1", "b": "b=2"})


def test_snapshot_cannot_be_written_to(cell):
    with pytest.raises(TypeError):
        cell.value["a"] = "b"


def test_values_are_made_when_read_and_only_those_that_changed():
    shown: list[Any] = []
    cell: Written = KeyedCell(lambda key, _: shown.append(key))
    for key in "abc":
        cell.put(key, 0)
    assert shown == []
    _ = cell.value
    cell.touch("b")
    _ = cell.value
    assert shown == ["a", "b", "c", "b"]


def test_touch_shows_a_value_again():
    suffix = ["old"]
    cell: Written = KeyedCell(lambda key, _: key + suffix[0])
    cell.put("a", 0)
    assert cell.value["a"] == "aold"
    suffix[0] = "new"
    cell.touch("a")
    assert cell.value["a"] == "anew"


@pytest.mark.parametrize("write", [lambda cell: cell.touch("x"), lambda cell: cell.drop("x", "why")])
def test_touching_or_dropping_what_is_not_there_does_nothing(cell, write):
    write(cell)
    assert cell.version == 0


def test_snapshot_is_in_the_order_of_first_puts_whatever_was_touched_meanwhile():
    cell = filled("x")
    _ = cell.value
    for key in "abc":
        cell.put(key, key)
    cell.touch("a")
    cell.put("b", "B")
    assert list(cell.value) == ["x", "a", "b", "c"]


def test_key_that_comes_back_goes_to_the_end():
    cell = filled(*"abc")
    _ = cell.value
    cell.drop("a", "gone")
    cell.put("a", "again")
    assert list(cell.value) == ["b", "c", "a"]


@pytest.mark.parametrize("read_between", [False, True])
@pytest.mark.parametrize("keys", [[1, 2, 3], [3, 1, 2], [2, 2.0, 1]])
def test_snapshot_is_in_the_order_that_was_asked_for(keys, read_between):
    cell: Written = KeyedCell(lambda _, raw: raw, order=lambda raw: raw)
    _ = cell.value
    for at, key in enumerate(keys):
        cell.put(at, key)
        cell.touch(0)
        if read_between:
            _ = cell.value
    assert list(cell.value.values()) == sorted(keys)


def test_replacing_a_value_by_one_of_another_order_moves_it():
    cell = filled(1, 2, 3, order=lambda raw: raw)
    assert list(cell.value) == [1, 2, 3]
    cell.put(1, 9)
    assert list(cell.value) == [2, 3, 1]
    assert list(cell.since(-1).put) == [2, 3, 1]


# Differences


def test_first_difference_holds_everything(cell):
    cell.put("a", 1)
    assert cell.since(-1) == Difference(1, {"a": "a=1"}, {}, True)


def test_first_difference_of_an_empty_mapping_is_news_too(cell):
    difference = cell.since(-1)
    assert bool(difference)
    assert difference == Difference(0, {}, {}, True)


def test_difference_holds_what_was_put_and_why_others_have_gone():
    cell = filled(*"abc")
    assert cell.version == 3
    cell.drop("a", "expired")
    cell.put("d", "d")
    assert cell.since(3) == Difference(5, {"d": "d"}, {"a": "expired"}, False)


def test_nothing_changed_is_no_news(cell):
    cell.put("a", 1)
    assert not cell.since(1)


def test_key_that_came_and_went_unseen_is_left_out():
    cell = filled("a")
    cell.put("b", 1)
    assert cell.version == 2
    cell.drop("b", "gone")
    assert not cell.since(1)
    assert cell.since(2).drop == {"b": "gone"}


def test_key_that_went_and_came_back_is_put():
    cell = filled("a")
    cell.drop("a", "gone")
    cell.put("a", "again")
    assert cell.since(1) == Difference(3, {"a": "again"}, {}, False)


def test_key_that_went_came_back_and_went_is_dropped_for_who_knew_it_first():
    cell = filled("a")
    assert cell.version == 1
    cell.drop("a", "first")
    cell.put("a", "again")
    cell.drop("a", "second")
    assert cell.since(1).drop == {"a": "second"}


def test_revision_from_the_future_gives_everything():
    """A follower that comes from an earlier life of the mapping knows nothing that counts."""
    assert filled("a").since(99).whole


def test_who_is_further_behind_than_there_are_keys_gets_everything():
    cell = filled("a")
    known = cell.version
    for _ in range(100):
        cell.touch("a")
    assert cell.since(known) == Difference(cell.version, {"a": "a"}, {}, True)
    assert cell.since(cell.version - 5) == Difference(cell.version, {"a": "a"}, {}, False)


def test_memory_of_changes_is_bounded_by_the_number_of_keys():
    cell = filled(*range(100))
    known = cell.version
    for key in range(30):
        cell.drop(key, "gone")
    assert len(cell.since(known).drop) == 30
    for _ in range(1_000):
        cell.touch(95)
    assert cell.since(known).whole


def test_refresh_gives_everything_again():
    prefix = ["old "]
    cell: Written = KeyedCell(lambda key, _: prefix[0] + key)
    cell.put("a", 0)
    assert dict(cell.value) == {"a": "old a"}
    prefix[0] = "new "
    cell.refresh()
    assert dict(cell.value) == {"a": "new a"}
    assert cell.since(1).whole
    assert not cell.since(2)


def test_cost_of_a_difference_is_the_number_of_changes():
    shown: list[Any] = []
    cell: Written = KeyedCell(lambda key, _: shown.append(key))
    for key in range(500):
        cell.put(key, key)
    before = cell.version
    cell.touch(7)
    cell.put(500, 0)
    _ = cell.since(before)
    assert shown == [7, 500]


# Followers


async def test_follower_gets_everything_first_then_differences_coalesced():
    cell = filled("a", "b")
    differences = cell.differences()
    assert (await anext(differences)).put == {"a": "a", "b": "b"}
    cell.put("c", 1)
    cell.put("c", 2)
    cell.drop("a", "gone")
    assert await anext(differences) == Difference(5, {"c": 2}, {"a": "gone"}, False)


async def test_follower_sleeps_through_what_came_and_went(nursery):
    cell, seen = filled("a"), list[Any]()

    async def follow():
        async for difference in cell.differences():
            seen.append(difference)  # it never ends

    nursery.start_soon(follow)
    await wait_all_tasks_blocked()
    cell.put("b", 1)
    cell.drop("b", "gone")
    await wait_all_tasks_blocked()
    cell.put("c", 1)
    await wait_all_tasks_blocked()
    assert [dict(difference.put) for difference in seen] == [{"a": "a"}, {"c": 1}]


@pytest.mark.parametrize("write", ["put", "replace", "touch", "drop", "refresh"])
async def test_every_kind_of_change_wakes_a_watcher(write, nursery):
    cell = filled("a")
    woken = []

    async def watch():
        woken.append(await cell.changed(cell.version))

    nursery.start_soon(watch)
    await wait_all_tasks_blocked()
    {
        "put": lambda: cell.put("b", 1),
        "replace": lambda: cell.put("a", 1),
        "touch": lambda: cell.touch("a"),
        "drop": lambda: cell.drop("a", "gone"),
        "refresh": cell.refresh,
    }[write]()
    await wait_all_tasks_blocked()
    assert woken == [2]


async def test_cancelled_follower_leaves_no_listener():
    cell = filled("a")
    differences = cell.differences()
    await anext(differences)
    with trio.move_on_after(0):
        await anext(differences)
    assert cell._listeners == {}


def test_a_derived_readable_can_be_worked_out_from_a_mapping():
    cell = filled("a")
    keys: Readable[Any] = derive([cell], tuple)
    assert keys.value == ("a",)
    cell.put("b", 0)
    assert keys.value == ("a", "b")
    cell.touch("b")
    assert (keys.value, keys.version) == (("a", "b"), 2)


def test_a_bare_keyed_readable_says_that_it_is_abstract():
    with pytest.raises(NotImplementedError):
        KeyedReadable().since(-1)


# Random writes against a plain dict

keys = st.sampled_from("abcd")
writes = st.lists(
    st.one_of(
        st.tuples(st.just("put"), keys, st.integers(0, 5)),
        st.tuples(st.just("touch"), keys, st.just(0)),
        st.tuples(st.just("drop"), keys, st.just(0)),
        st.tuples(st.just("refresh"), keys, st.just(0)),
        st.tuples(st.just("look"), keys, st.just(0)),
    ),
    max_size=40,
)


def write(cell, model, action, key, value):
    match action:
        case "put":
            cell.put(key, value)
            model[key] = value
        case "touch":
            cell.touch(key)
        case "drop":
            cell.drop(key, f"drop of {key}")
            model.pop(key, None)
        case "refresh":
            cell.refresh()
        case "look":
            assert dict(cell.value) == model


def follow(known, difference):
    """What a follower knows after a difference."""
    kept = {} if difference.whole else {key: known[key] for key in known if key not in difference.drop}
    return {**kept, **difference.put}


@pytest.mark.fuzz
@given(writes)
def test_every_follower_from_any_revision_arrives_at_what_is_there(writes):
    cell, model = filled(), dict[Any, Any]()
    history: dict[int, dict[Any, Any]] = {-1: {}, 0: {}}
    for action, key, value in writes:
        write(cell, model, action, key, value)
        history[cell.version] = dict(model)
        for revision, known in history.items():
            difference = cell.since(revision)
            assert follow(known, difference) == model
            assert not difference.put.keys() & difference.drop.keys()
            assert difference.revision == cell.version


@pytest.mark.fuzz
@given(writes, st.booleans())
def test_every_snapshot_is_the_plain_dict_in_its_order(writes, by_value):
    """Without an order that of the first puts, which is what a dict has; else sorted, first puts first."""
    cell: Written = KeyedCell(lambda _, raw: raw, order=(lambda raw: raw) if by_value else None)
    model: dict[Any, Any] = {}
    for action, key, value in writes:
        write(cell, model, action, key, value)
        if action == "look":
            expected = sorted(model, key=model.__getitem__) if by_value else list(model)
            assert list(cell.value) == list(cell.since(-1).put) == expected


@pytest.mark.fuzz
@given(writes, st.lists(st.integers(0, 40), max_size=3))
def test_forgetting_drops_costs_the_follower_only_a_whole_answer(monkeypatch_remembered, writes, looks):
    cell, model = filled(), dict[Any, Any]()
    followers: dict[int, tuple[int, dict[Any, Any]]] = {look: (-1, {}) for look in looks}
    for at, (action, key, value) in enumerate(writes):
        write(cell, model, action, key, value)
        for look, (revision, known) in followers.items():
            if at % (look + 1) == look:
                followers[look] = cell.version, follow(known, cell.since(revision))
                assert followers[look][1] == model


@pytest.fixture(scope="module")
def monkeypatch_remembered():
    """Remember little, so that random writes are enough to forget some."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("facets.keyed._SLACK", 0)
        yield
