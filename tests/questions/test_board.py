"""What is kept for one viewer: as long as somebody views, and no longer."""

import gc
import weakref

from questions import All, SessionScope
from questions.board import Board
from questions.testing import open_rig
from tests.questions.steps import opened, said, store_of, team
from tests.rules import rule


@rule("Q-VIEW-4")
async def test_time_alone_is_no_change_of_closed(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana])
        said(ana, True)
        version = ana.viewer.closed.version
        await rig.until(1000)
        assert (ana.viewer.closed.value, ana.viewer.closed.version) == ((), version)


async def test_a_board_is_one_for_each_principal_and_scope(autojump_clock):
    async with open_rig() as rig:
        store = store_of(rig)
        ana, bo = rig.person("ana").principal, rig.person("bo").principal
        first = store.publishing.board(ana, rig.scope)
        assert isinstance(first, Board)
        assert store.publishing.board(ana, rig.scope) is first
        assert store.publishing.board(bo, rig.scope) is not first
        assert store.publishing.board(ana, SessionScope("elsewhere")) is not first


async def test_a_board_that_comes_late_shows_what_is_open(autojump_clock):
    async with open_rig() as rig:
        ana, bo = rig.person("ana"), rig.person("bo")
        audience = team(ana, bo)
        _, id = await opened(rig, audience=audience, policy=All())
        audience.set((bo.principal,))
        await rig.quiet()
        await ana.join()
        await bo.join()
        assert ([one.id for one in ana.see()], [one.id for one in bo.see()]) == ([], [id])


async def test_nothing_reaches_a_board_that_was_given_up(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        board = ana.viewer
        ana.leave()
        version = board.open.version
        await opened(rig, audience=[ana])
        assert (board.open.version, len(board.open.value)) == (version, 0)


async def test_nothing_is_kept_for_viewers_who_have_gone(autojump_clock):
    async with open_rig(may_view=lambda principal, scope: "all" if principal.id == "boss" else "own") as rig:
        people = await rig.people("ana", "boss")
        await opened(rig, audience=people)
        gone = []
        for person in people:
            person.see()
            gone.append(weakref.ref(person.viewer.open))
            person.leave()
            del person.viewer
        gc.collect()
        assert [ref() for ref in gone] == [None, None]


async def test_the_boards_of_other_viewers_stay_when_one_goes(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        ana.leave()
        asking, _ = await opened(rig, audience=[ana, bo])
        said(bo, True)
        assert (await asking.wait()).by.principal == bo.principal


@rule("Q-POL-5")
async def test_what_a_board_shows_can_be_looked_at_without_being_shown(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, id = await opened(rig, audience=[ana])
        board = ana.viewer.board
        [pending] = store_of(rig)._open.values()
        assert (board.peek(board, pending).id, list(pending.seen)) == (id, [])
        ana.see()
        assert list(pending.seen) == [ana.principal]
