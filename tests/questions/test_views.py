"""What a viewer sees: open questions as they are, and how others have ended."""

from datetime import UTC, datetime

import pytest

from facets import Principal
from questions import All, Confirm, Limits, Quorum, SessionScope, Text
from questions.testing import EPOCH, open_rig
from tests.questions.steps import DEPLOY, names, opened, said, store_of, team
from tests.rules import rule


@rule("Q-VIEW-1")
async def test_an_open_question_says_what_who_when_and_for_whom(autojump_clock):
    async with open_rig(names={Principal.user("ana"): "Ana"}) as rig:
        ana, bo = await rig.people("ana", "bo")
        await rig.until(10)
        _, id = await opened(rig, audience=[ana, bo], policy=Quorum(2), timeout=60)
        said(ana, True, id)
        [one] = bo.see()
        assert (one.id, one.scope, one.question, one.policy) == (id, rig.scope, DEPLOY, Quorum(2))
        assert one.asker.principal == rig.host.principal
        assert (names(one.answered), names(one.waiting_for)) == (["Ana"], ["bo"])
        assert (one.may_answer, one.answered_by_me, ana.see()[0].answered_by_me) == (True, False, True)
        assert one.asked_at == datetime.fromtimestamp(EPOCH + 10, UTC)
        assert one.deadline == datetime.fromtimestamp(EPOCH + 70, UTC)


@rule("Q-VIEW-1")
async def test_the_open_questions_are_a_mapping_by_id_oldest_first(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        ids = [(await opened(rig, audience=[ana]))[1] for _ in range(12)]
        assert list(ana.viewer.open.value) == ids
        assert [one.id for one in ana.viewer.open.value.values()] == ids


@rule("Q-VIEW-1")
async def test_who_joins_an_older_question_late_finds_it_in_its_place(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana)
        _, older = await opened(rig, audience=audience)
        _, newer = await opened(rig, audience=[bo])
        assert [one.id for one in bo.see()] == [newer]
        audience.set((ana.principal, bo.principal))
        await rig.quiet()
        assert [one.id for one in bo.see()] == [older, newer]


@rule("Q-VIEW-1")
async def test_the_remaining_time_is_worked_out_when_read_and_changes_no_value(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], timeout=60)
        before, version = ana.see()[0], ana.viewer.open.version
        assert before.remaining == 60
        await rig.until(45)
        assert (before.remaining, ana.see()[0].remaining) == (15, 15)
        assert (ana.viewer.open.version, ana.see()[0]) == (version, before)


@rule("Q-VIEW-1")
async def test_remaining_is_never_negative(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], timeout=60)
        [kept] = ana.see()
        await rig.until(100)
        assert kept.remaining == 0


@rule("Q-VIEW-1", "Q-AUTH-2")
async def test_a_view_holds_only_what_its_viewer_is_asked(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        _, anas = await opened(rig, audience=[ana])
        _, bos = await opened(rig, audience=[bo])
        assert ([one.id for one in ana.see()], [one.id for one in bo.see()]) == ([anas], [bos])


@rule("Q-VIEW-1")
async def test_a_view_holds_only_its_own_scope(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        elsewhere = await rig.asker(scope=SessionScope("elsewhere"))
        await opened(rig, audience=[ana], asker=elsewhere)
        assert not ana.see()


@rule("Q-VIEW-1", "Q-SEC-1")
async def test_no_view_ever_contains_an_answer(autojump_clock):
    async with open_rig(may_view=lambda principal, scope: "all") as rig:
        ana, bo = await rig.people("ana", "bo")
        _, id = await opened(rig, Text("Why?"), audience=[ana, bo], policy=All())
        said(ana, "canary", id)
        [one] = bo.see()
        shown = [getattr(one, name) for name in dir(one) if not name.startswith("_")]
        assert "canary" not in repr(shown) + repr(bo.see()) + repr(rig.host.waiting.value)
        said(bo, "canary", id)
        assert "canary" not in repr(bo.viewer.closed.value)


@rule("Q-VIEW-2")
async def test_a_value_is_an_immutable_snapshot(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, id = await opened(rig, audience=[ana])
        snapshot = ana.viewer.open.value
        with pytest.raises(TypeError):
            snapshot[id] = None  # type: ignore[index]
        with pytest.raises(AttributeError):
            snapshot[id].may_answer = False  # type: ignore[misc]
        said(ana, True)
        assert (list(snapshot), list(ana.viewer.open.value)) == ([id], [])


@rule("Q-VIEW-2")
async def test_a_snapshot_keeps_what_was_known_when_it_was_taken(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        _, id = await opened(rig, audience=[ana, bo], policy=All())
        before = ana.viewer.open.value[id]
        said(bo, True, id)
        assert (names(before.answered), names(ana.viewer.open.value[id].answered)) == ([], ["bo"])


@rule("Q-VIEW-2")
async def test_an_unchanged_view_gives_the_same_snapshot_again(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        await opened(rig, audience=[ana])
        snapshot = ana.viewer.open.value
        await opened(rig, audience=[bo])
        assert ana.viewer.open.value is snapshot


async def test_two_devices_of_one_person_share_a_view(autojump_clock):
    async with open_rig() as rig:
        phone, laptop = await rig.people("ana", "ana")
        assert phone.viewer is laptop.viewer
        phone.leave()
        await opened(rig, audience=[laptop])
        assert len(laptop.see()) == 1


async def test_a_released_view_is_empty_and_a_new_one_is_whole(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, id = await opened(rig, audience=[ana])
        released = ana.viewer
        ana.leave()
        assert not released.open.value
        await ana.join()
        assert list(ana.viewer.open.value) == [id]
        assert ana.viewer is not released


# --- closed ---------------------------------------------------------------------------------------------------------


@rule("Q-VIEW-4")
async def test_closed_says_what_has_ended_how_by_whom_and_when(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        _, id = await opened(rig, audience=[ana, bo])
        await rig.until(7)
        said(bo, True, id)
        [closed] = ana.viewer.closed.value
        assert (closed.id, closed.message, closed.how, names(closed.by)) == (id, "Deploy?", "answered", ["bo"])
        assert closed.at == EPOCH + 7


@rule("Q-VIEW-4", "Q-SET-6")
async def test_every_way_to_end_is_told_apart(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], timeout=5)
        withdrawn, _ = await opened(rig, audience=[ana])
        withdrawn.cancel()
        await opened(rig, audience=[ana], key="k")
        await opened(rig, Confirm("Else?"), audience=[ana], key="k")
        await rig.until(5)
        store_of(rig).call(store_of(rig).close)
        assert [one.how for one in ana.viewer.closed.value] == ["withdrawn", "superseded", "expired", "closed"]


@rule("Q-VIEW-4")
async def test_closed_has_only_what_left_this_viewers_open(autojump_clock):
    async with open_rig(may_view=lambda principal, _: "all" if principal.id == "boss" else "own") as rig:
        ana, bo, boss = await rig.people("ana", "bo", "boss")
        await opened(rig, audience=[ana])
        said(ana, True)
        cy = rig.person("cy")
        await cy.join()
        counts = [len(person.viewer.closed.value) for person in (ana, bo, boss, cy)]
        assert counts == [1, 0, 1, 0]


@rule("Q-VIEW-4")
async def test_closed_is_bounded_in_number(autojump_clock):
    async with open_rig(limits=Limits(closed=3)) as rig:
        (ana,) = await rig.people("ana")
        ids = []
        for _ in range(5):
            ids.append((await opened(rig, audience=[ana]))[1])
            said(ana, True)
        assert [one.id for one in ana.viewer.closed.value] == ids[2:]


@rule("Q-VIEW-4")
async def test_closed_is_bounded_in_time(autojump_clock):
    async with open_rig(limits=Limits(closed_seconds=60)) as rig:
        (ana,) = await rig.people("ana")
        for seconds in (0, 30):
            await rig.until(seconds)
            await opened(rig, audience=[ana])
            said(ana, True)
        counts = []
        for seconds in (60, 61, 90, 91):
            await rig.until(seconds)
            counts.append(len(ana.viewer.closed.value))
        assert counts == [2, 1, 1, 0]


@rule("Q-VIEW-4")
async def test_a_watcher_of_closed_is_told_of_each_ending(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        closed = ana.viewer.closed.changes()
        assert await anext(closed) == ()
        await opened(rig, audience=[ana])
        rig.at(5, ana.answer, True)
        assert [one.how for one in await anext(closed)] == ["answered"]
        assert rig.now == 5
