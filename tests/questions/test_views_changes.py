"""Following a view: nothing is missed, nobody is slowed, and a change costs those whom it concerns."""

import pytest
import trio.testing

import questions.showing
from questions import All, Confirm
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, names, opened, said, store_of
from tests.rules import rule


def followed(rig, iterator):
    """Follow in a task of its own; what it has yielded so far."""
    seen = []

    async def follow():
        async for value in iterator:
            seen.append(value)  # noqa: PERF401  # they are looked at before it ends

    rig._nursery.start_soon(follow)
    return seen


@rule("Q-VIEW-2")
async def test_changes_begin_with_the_current_value(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, id = await opened(rig, audience=[ana])
        assert list(await anext(ana.viewer.open.changes())) == [id]


@rule("Q-VIEW-2")
async def test_an_empty_view_begins_with_an_empty_value(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        assert not await anext(ana.viewer.open.changes())
        first = await anext(ana.viewer.open.differences())
        assert (first.put, first.drop, first.whole) == ({}, {}, True)


@rule("Q-VIEW-2")
async def test_every_step_of_a_question_is_told(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        seen = followed(rig, ana.viewer.open.changes())
        await opened(rig, audience=[ana, bo], policy=All())
        await bo.answer(True)
        await rig.quiet()
        await ana.answer(True)
        await rig.quiet()
        assert [[names(one.answered) for one in value.values()] for value in seen] == [[], [[]], [["bo"]], []]


@rule("Q-VIEW-2")
async def test_the_first_difference_holds_everything_and_later_ones_what_changed(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        _, one = await opened(rig, audience=[ana, bo], policy=All())
        _, two = await opened(rig, audience=[ana])
        seen = followed(rig, ana.viewer.open.differences())
        await rig.quiet()
        await bo.answer(True)
        await rig.quiet()
        said(ana, True, two)
        await rig.quiet()
        assert [(list(difference.put), dict(difference.drop)) for difference in seen] == [
            ([one, two], {}),
            ([one], {}),
            ([], {two: "answered"}),
        ]
        revisions = [difference.revision for difference in seen]
        assert revisions == sorted(set(revisions))


@rule("Q-VIEW-2", "Q-SET-6")
async def test_a_drop_says_why(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        seen = followed(rig, ana.viewer.open.differences())
        withdrawn, one = await opened(rig, audience=[ana])
        _, two = await opened(rig, audience=[ana], timeout=5)
        withdrawn.cancel()
        await rig.until(5)
        assert {id: why for difference in seen for id, why in difference.drop.items()} == {
            one: "withdrawn",
            two: "expired",
        }


@rule("Q-VIEW-2")
async def test_a_stalled_watcher_costs_one_value(autojump_clock):
    """It gets the newest one; what came and went meanwhile is not in it."""
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        stalled = ana.viewer.open.differences()
        await anext(stalled)
        for _ in range(100):
            await opened(rig, audience=[ana])
            said(ana, True)
        _, last = await opened(rig, audience=[ana])
        difference = await anext(stalled)
        assert (list(difference.put), difference.drop) == ([last], {})


@rule("Q-VIEW-2")
async def test_a_watcher_that_stayed_away_for_long_knows_what_the_store_knows(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, old = await opened(rig, audience=[ana])
        stalled = ana.viewer.open.differences()
        known = dict((await anext(stalled)).put)
        said(ana, True, old)
        for _ in range(1100):
            asking = rig.ask(DEPLOY, audience=[ana])
            await rig.quiet()
            asking.cancel()
        _, last = await opened(rig, audience=[ana])
        difference = await anext(stalled)
        kept = {} if difference.whole else {id: one for id, one in known.items() if id not in difference.drop}
        assert list(kept | dict(difference.put)) == [last]


@rule("Q-VIEW-3")
async def test_many_changes_in_one_step_wake_a_watcher_once(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        ids = [(await opened(rig, audience=[ana]))[1] for _ in range(20)]
        seen = followed(rig, ana.viewer.open.changes())
        await rig.quiet()
        for id in ids:
            said(ana, True, id)
        await rig.quiet()
        assert [len(value) for value in seen] == [20, 0]


@rule("Q-VIEW-3")
async def test_a_change_is_shown_to_those_whom_it_concerns_and_shows_nothing_else(autojump_clock, monkeypatch):
    shown = []
    show = questions.showing.show

    def counted(entry, viewer, *rest):
        shown.append((viewer.id, entry.ask.question.message))
        return show(entry, viewer, *rest)

    monkeypatch.setattr(questions.showing, "show", counted)
    async with open_rig() as rig:
        people = await rig.people(*(f"p{number}" for number in range(50)))
        for person in people:
            await opened(rig, Confirm(f"For {person.principal.id}?"), audience=[person, people[0]], policy=All())
        for person in people:
            person.see()
        shown.clear()
        said(people[0], True, people[7].see()[0].id)
        for person in people:
            person.see()
        assert sorted(shown) == [("p0", "For p7?"), ("p7", "For p7?")]


@rule("Q-VIEW-3")
async def test_a_change_wakes_nobody_whom_it_does_not_concern(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        seen = followed(rig, bo.viewer.open.changes())
        await rig.quiet()
        version = bo.viewer.open.version
        await opened(rig, audience=[ana])
        said(ana, True)
        await rig.quiet()
        assert (len(seen), bo.viewer.open.version) == (1, version)


@rule("Q-VIEW-2")
async def test_nothing_is_made_for_a_viewer_who_does_not_look(autojump_clock, monkeypatch):
    def fail(*_):
        raise AssertionError("shown to nobody")

    async with open_rig() as rig:
        await rig.people("ana", "bo")
        (cy,) = await rig.people("cy")
        monkeypatch.setattr(questions.showing, "show", fail)
        asking, id = await opened(rig, audience=rig.present)
        said(cy, True, id)
        await asking.wait()


@rule("Q-VIEW-2")
async def test_a_stalled_watcher_slows_nobody(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        await anext(ana.viewer.open.changes())  # and looks no more
        for _ in range(10):
            asking, id = await opened(rig, audience=[ana, bo])
            with trio.testing.assert_no_checkpoints():
                said(bo, True, id)
            assert (await asking.wait()).by.principal == bo.principal
        assert rig.now == 0


async def test_a_watcher_of_a_released_view_sees_it_emptied(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, id = await opened(rig, audience=[ana])
        seen = followed(rig, ana.viewer.open.differences())
        await rig.quiet()
        ana.leave()
        await rig.quiet()
        assert dict(seen[-1].drop) == {id: "released"}


@rule("Q-VIEW-2")
async def test_a_watcher_sees_the_last_questions_closed_with_the_host(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, id = await opened(rig, audience=[ana])
        seen = followed(rig, ana.viewer.open.differences())
        await rig.quiet()
        store_of(rig).call(store_of(rig).close)
        await rig.quiet()
        assert dict(seen[-1].drop) == {id: "closed"}


@rule("Q-SET-6")
@pytest.mark.parametrize("key", [None, "k"])
async def test_a_cancelled_question_leaves_every_view_in_the_same_step(autojump_clock, key):
    async with open_rig(may_view=lambda principal, _: "all" if principal.id == "boss" else "own") as rig:
        people = await rig.people("ana", "bo", "boss")
        asking, _ = await opened(rig, audience=people[:2], key=key)
        assert [len(person.see()) for person in people] == [1, 1, 1]
        asking.cancel()
        assert [len(person.see()) for person in people] == [0, 0, 0]
        assert [person.viewer.closed.value[0].how for person in people] == ["withdrawn"] * 3
