"""One pending question as the host lists it: who waits for whom, since when, and who was shown it."""

from questions import All
from questions.pending import FRESH, SENT, STALE, UNSEEN
from questions.testing import EPOCH, open_rig
from tests.questions.steps import names, opened, said, store_of, team
from tests.rules import rule


def only(waiting):
    [one] = waiting.value.values()
    return one


async def test_a_question_is_work_that_waits(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        await rig.until(5)
        _, id = await opened(rig, audience=[ana, bo])
        waiting = only(rig.host.waiting)
        assert (waiting.id, waiting.what, waiting.scope, waiting.since) == (id, "Deploy?", rig.scope, EPOCH + 5)
        assert waiting.asker.principal == rig.host.principal
        assert (names(waiting.waiting_for), waiting.shown_to) == (["ana", "bo"], ())


async def test_it_says_who_still_has_to_answer(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        audience = team(ana, bo)
        await opened(rig, audience=audience, policy=All())
        said(ana, True)
        assert names(only(rig.host.waiting).waiting_for) == ["bo"]
        audience.set((bo.principal, cy.principal))
        await rig.quiet()
        assert names(only(rig.host.waiting).waiting_for) == ["bo", "cy"]


async def test_it_says_who_was_shown_it(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        await opened(rig, audience=[ana, bo])
        assert only(rig.host.waiting).shown_to == ()
        bo.see()
        assert names(only(rig.host.waiting).shown_to) == ["bo"]
        ana.see()
        assert names(only(rig.host.waiting).shown_to) == ["bo", "ana"]


async def test_a_watcher_of_the_host_is_told_of_each_step(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        waiting = rig.host.waiting.changes()
        assert not await anext(waiting)
        await opened(rig, audience=[ana, bo], policy=All())
        assert len(await anext(waiting)) == 1
        rig.at(5, bo.see)
        assert [names(one.shown_to) for one in (await anext(waiting)).values()] == [["bo"]]
        rig.at(6, ana.answer, True)
        assert [names(one.shown_to) for one in (await anext(waiting)).values()] == [["bo", "ana"]]
        rig.at(7, bo.answer, True)
        while await anext(waiting):
            pass
        assert rig.now == 7


async def test_a_settled_question_waits_no_more(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, id = await opened(rig, audience=[ana])
        followed = rig.host.waiting.differences()
        await anext(followed)
        said(ana, True)
        assert not rig.host.waiting.value
        assert (await anext(followed)).drop == {id: "answered"}


def pending_and_board(rig, person):
    [pending] = store_of(rig)._open.values()
    return pending, person.viewer.board


@rule("Q-POL-5")
async def test_what_was_sent_is_shown_once_it_has_arrived(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        await opened(rig, audience=[ana, bo])
        pending, board = pending_and_board(rig, ana)
        pending.send(board)
        assert (pending.boards[board], pending.seen, only(rig.host.waiting).shown_to) == (SENT, (), ())
        pending.arrived(board)
        pending.arrived(board)
        assert (pending.boards[board], names(only(rig.host.waiting).shown_to)) == (FRESH, ["ana"])
        assert pending.boards.keys() == {board, bo.viewer.board}


@rule("Q-POL-5")
async def test_what_has_changed_on_its_way_is_unseen_and_stale_once_it_arrives(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        await opened(rig, audience=[ana, bo], policy=All())
        pending, board = pending_and_board(rig, ana)
        pending.send(board)
        version = board.open.version
        said(bo, True)
        assert (pending.boards[board], board.open.version) == (UNSEEN, version + 1)
        pending.arrived(board)
        assert (pending.boards[board], names(only(rig.host.waiting).shown_to)) == (STALE, ["bo", "ana"])
        pending.send(board)
        assert pending.boards[board] == FRESH


@rule("Q-POL-5")
async def test_what_arrives_where_it_is_no_more_is_not_shown(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        await opened(rig, audience=[ana, bo])
        pending, board = pending_and_board(rig, ana)
        pending.send(board)
        ana.leave()
        pending.arrived(board)
        assert (pending.seen, pending.gone) == ((), None)


@rule("Q-VIEW-3")
async def test_what_a_surface_has_written_goes_with_the_value(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        await opened(rig, audience=[ana, bo], policy=All())
        pending, _ = pending_and_board(rig, ana)
        pending.written = "as it is now"
        ana.see()
        assert pending.written == "as it is now"
        said(bo, True)
        assert pending.written is None
