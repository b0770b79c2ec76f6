"""A viewer's open questions as links carry them: written once for all, and shown only once it has arrived."""

import json

import pytest

from facets import Cell
from questions import All, Confirm, Limits, Quorum, questions_facet
from questions.pending import FRESH, SENT, STALE, UNSEEN
from questions.remote.boards import BoardOverLink, ClosedOverLink
from questions.testing import open_rig
from tests.questions.steps import opened, said, store_of, team
from tests.rules import rule


def board(person):
    return BoardOverLink.of(person.viewer.board)


def sent(person, revision=-1):
    """What a link sends of somebody's board, by id, with the revision that it leads to."""
    difference = board(person).since(revision)
    return {id: json.loads(bytes(raw)) for id, raw in difference.put.items()}, difference.revision


def shown(person, id):
    """How far a question has got to somebody."""
    return person.viewer.board.open.raw_of(id).boards[person.viewer.board]


def seen(rig):
    [pending] = store_of(rig)._open.values()
    return [who.id for who in pending.seen]


async def people_asked(rig, *names, **options):
    people = await rig.people(*names)
    _, id = await opened(rig, audience=people, **options)
    return *people, id


async def test_a_board_is_one_over_links_too(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        assert board(ana) is board(ana)


async def test_it_holds_what_the_viewer_sees(autojump_clock):
    async with open_rig() as rig:
        ana, _, id = await people_asked(rig, "ana", "bo", policy=All())
        [(key, question)] = sent(ana)[0].items()
        assert (key, question["id"], question["number"], question["question"]["message"]) == (id, id, 1, "Deploy?")
        assert (question["may_answer"], question["answered_by_me"]) == (True, False)
        assert [who["id"] for who in question["waiting_for"]] == ["ana", "bo"]
        assert board(ana).value.keys() == {id}
        assert board(ana).version == ana.viewer.open.version


# --- sent is not seen ---------------------------------------------------------------------------------------------


@rule("Q-POL-5")
async def test_sent_is_not_seen_until_it_is_acknowledged(autojump_clock):
    async with open_rig() as rig:
        ana, _, id = await people_asked(rig, "ana", "bo")
        _, revision = sent(ana)
        assert (seen(rig), shown(ana, id)) == ([], SENT)
        board(ana).acknowledge(revision - 1)
        assert seen(rig) == []
        board(ana).acknowledge(revision)
        assert (seen(rig), shown(ana, id)) == (["ana"], FRESH)
        board(ana).acknowledge(revision)
        assert seen(rig) == ["ana"]


@rule("Q-POL-5")
async def test_who_has_seen_it_is_told_in_the_order_of_arrival(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy, _ = await people_asked(rig, "ana", "bo", "cy")
        for person in (ana, bo):
            sent(person)
        cy.see()
        for person in (bo, ana):
            board(person).acknowledge(99)
        assert seen(rig) == ["cy", "bo", "ana"]
        [waiting] = rig.host.waiting.value.values()
        assert [who.name for who in waiting.shown_to] == ["cy", "bo", "ana"]


@rule("Q-POL-5")
async def test_what_was_sent_later_is_not_acknowledged_with_what_came_before(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, first = await opened(rig, audience=[ana])
        _, revision = sent(ana)
        _, second = await opened(rig, audience=[ana])
        sent(ana, revision)
        board(ana).acknowledge(revision)
        assert (shown(ana, first), shown(ana, second)) == (FRESH, SENT)


@rule("Q-POL-5")
async def test_the_report_names_only_who_has_been_shown_it(autojump_clock):
    async with open_rig() as rig:
        ana, bo, _ = await people_asked(rig, "ana", "bo", timeout=60)
        for person in (ana, bo):
            sent(person)
        board(bo).acknowledge(99)
        await rig.until(61)
        assert [who.name for who in rig.settled[-1].seen] == ["bo"]


@rule("Q-POL-5")
async def test_a_changed_question_that_has_not_arrived_is_still_unseen(autojump_clock):
    async with open_rig() as rig:
        ana, bo, id = await people_asked(rig, "ana", "bo", policy=All())
        _, revision = sent(ana)
        said(bo, True)
        assert shown(ana, id) == UNSEEN
        _, later = sent(ana, revision)
        assert (seen(rig), shown(ana, id)) == (["bo"], SENT)
        board(ana).acknowledge(later)
        assert (seen(rig), shown(ana, id)) == (["bo", "ana"], FRESH)


@rule("Q-POL-5")
async def test_an_acknowledgement_of_an_earlier_value_is_one_of_the_question(autojump_clock):
    async with open_rig() as rig:
        ana, bo, id = await people_asked(rig, "ana", "bo", policy=All())
        _, revision = sent(ana)
        said(bo, True)
        board(ana).acknowledge(revision)
        assert (seen(rig), shown(ana, id)) == (["bo", "ana"], STALE)
        put, _ = sent(ana, revision)
        assert (list(put), shown(ana, id)) == ([id], FRESH)


@rule("Q-POL-5")
async def test_who_answers_has_been_shown_it(autojump_clock):
    async with open_rig() as rig:
        ana, _, id = await people_asked(rig, "ana", "bo")
        sent(ana)
        board(ana).has_shown(id)
        assert seen(rig) == ["ana"]
        board(ana).has_shown(id)
        board(ana).has_shown("q_nothing")


@rule("Q-POL-5")
async def test_what_was_sent_and_has_gone_is_forgotten(autojump_clock):
    async with open_rig() as rig:
        ana, bo, id = await people_asked(rig, "ana", "bo")
        _, revision = sent(ana)
        said(bo, True)
        difference = board(ana).since(revision)
        assert (difference.drop, board(ana)._sent) == ({id: "answered"}, {})
        board(ana).acknowledge(99)


@rule("Q-POL-5")
async def test_what_has_gone_before_its_acknowledgement_was_not_seen(autojump_clock):
    async with open_rig() as rig:
        ana, bo, _ = await people_asked(rig, "ana", "bo")
        sent(ana)
        said(bo, True)
        board(ana).acknowledge(99)
        assert [who.name for who in rig.settled[-1].seen] == ["bo"]
        sent(ana)
        assert board(ana)._sent == {}


async def test_somebody_who_also_looks_here_has_seen_it(autojump_clock):
    async with open_rig() as rig:
        ana, _, id = await people_asked(rig, "ana", "bo")
        sent(ana)
        ana.see()
        assert (seen(rig), shown(ana, id)) == (["ana"], FRESH)
        board(ana).acknowledge(99)
        assert seen(rig) == ["ana"]


# --- written once -------------------------------------------------------------------------------------------------


@rule("Q-VIEW-3")
async def test_a_question_is_written_once_for_all_who_see_the_same(autojump_clock):
    async with open_rig() as rig:
        *people, id = await people_asked(rig, "ana", "bo", "cy")
        raws = [board(person).since(-1).put[id] for person in people]
        assert all(raw is raws[0] for raw in raws)


@rule("Q-VIEW-3")
async def test_after_an_answer_it_is_written_anew_once_for_each_kind_of_viewer(autojump_clock):
    async with open_rig() as rig:
        *people, id = await people_asked(rig, "ana", "bo", "cy", "dan", policy=All())
        before = [board(person).since(-1).put[id] for person in people]
        said(people[0], True)
        ana, bo, cy, dan = [board(person).since(-1).put[id] for person in people]
        assert bo is cy is dan is not before[1]
        assert ana is not bo
        assert json.loads(bytes(ana))["answered_by_me"] is True
        assert [who["id"] for who in json.loads(bytes(bo))["answered"]] == ["ana"]


def boss_sees_all(principal, scope):
    return "all" if principal.id == "boss" else "own"


@rule("Q-AUTH-2")
async def test_who_oversees_is_written_another_one(autojump_clock):
    async with open_rig(may_view=boss_sees_all) as rig:
        ana, boss = await rig.people("ana", "boss")
        _, id = await opened(rig, audience=[ana])
        assert (sent(ana)[0][id]["may_answer"], sent(boss)[0][id]["may_answer"]) == (True, False)
        board(boss).acknowledge(99)
        assert seen(rig) == ["boss"]


@rule("Q-AUTH-2")
async def test_nothing_is_sent_of_questions_that_are_not_for_the_viewer(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        await opened(rig, audience=[bo])
        assert sent(ana)[0] == {}


@rule("Q-POL-2")
async def test_who_leaves_the_audience_is_told_so_and_who_joins_is_sent_it(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana)
        _, id = await opened(rig, audience=audience, policy=Quorum(2))
        _, revision = sent(ana)
        audience.set((bo.principal,))
        await rig.quiet()
        assert board(ana).since(revision).drop == {id: "left"}
        assert list(sent(bo)[0]) == [id]


# --- reload, listening --------------------------------------------------------------------------------------------


@rule("Q-FAC-1")
async def test_after_a_reload_everything_is_written_and_sent_anew(autojump_clock):
    async with open_rig() as rig:
        ana, bo, id = await people_asked(rig, "ana", "bo")
        before = board(ana).since(-1)
        board(ana).acknowledge(before.revision)
        board(bo).since(-1)
        await rig.host.reload(questions_facet)
        after = board(ana).since(before.revision)
        assert (after.whole, list(after.put)) == (True, [id])
        assert seen(rig) == ["ana"]


class Heard:
    times = 0

    def invalidate(self):
        self.times += 1


async def test_who_listens_hears_of_changes_and_not_of_being_shown(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        heard, other = Heard(), Heard()
        board(ana).listen(heard)
        board(ana).listen(other)
        board(ana).unlisten(other)
        await opened(rig, Confirm("Go?"), audience=[ana, bo], policy=All())
        assert (heard.times, other.times) == (1, 0)
        _, revision = sent(ana)
        board(ana).listen(heard)
        board(ana).acknowledge(revision)
        assert heard.times == 1
        said(bo, True)
        assert heard.times == 2


async def test_a_viewer_that_is_let_go_has_nothing_more(autojump_clock):
    async with open_rig() as rig:
        ana, _, id = await people_asked(rig, "ana", "bo")
        _, revision = sent(ana)
        over_link = board(ana)
        ana.leave()
        difference = over_link.since(revision)
        assert (difference.drop, over_link.value) == ({id: "released"}, {})
        over_link.acknowledge(99)
        assert seen(rig) == []


@pytest.mark.parametrize("acknowledged", [True, False])
async def test_a_viewer_that_comes_back_is_not_taken_to_have_seen_what_was_only_sent(autojump_clock, acknowledged):
    async with open_rig() as rig:
        ana, _, id = await people_asked(rig, "ana", "bo")
        sent(ana)
        if acknowledged:
            board(ana).acknowledge(99)
        ana.leave()
        await ana.join()
        assert (seen(rig), list(sent(ana)[0])) == (["ana"] if acknowledged else [], [id])


# --- closed questions ---------------------------------------------------------------------------------------------


@rule("Q-VIEW-3", "Q-VIEW-4")
async def test_a_closed_question_is_written_once_for_all_viewers(autojump_clock):
    async with open_rig() as rig:
        ana, bo, id = await people_asked(rig, "ana", "bo")
        said(ana, True)
        closed = [ClosedOverLink.of(person.viewer.board) for person in (ana, bo)]
        first, second = (json.loads(bytes(one.value[id])) for one in closed)
        assert first == second
        assert (first["id"], first["how"], [who["id"] for who in first["by"]]) == (id, "answered", ["ana"])
        [mine], [others] = (list(person.viewer.board.closed.recent()) for person in (ana, bo))
        assert mine.written is others.written is not None


async def test_who_listens_to_closed_questions_hears_of_the_next(autojump_clock):
    async with open_rig() as rig:
        ana, _, _ = await people_asked(rig, "ana", "bo")
        closed = ClosedOverLink.of(ana.viewer.board)
        heard, other = Heard(), Heard()
        closed.listen(heard)
        closed.listen(other)
        closed.unlisten(other)
        version = closed.version
        said(ana, True)
        assert (heard.times, other.times, closed.version) == (1, 0, version + 1)


@rule("Q-VIEW-3", "Q-VIEW-4")
async def test_what_has_closed_is_told_by_what_is_new_and_what_is_old(autojump_clock):
    async with open_rig(limits=Limits(closed=2)) as rig:
        [ana] = await rig.people("ana")
        closed = ClosedOverLink.of(ana.viewer.board)
        ids, differences = [], [closed.since(-1)]
        for _ in range(3):
            _, id = await opened(rig, audience=[ana])
            ids.append(id)
            said(ana, True)
            differences.append(closed.since(differences[-1].revision))
            assert (list(differences[-1].put), differences[-1].whole) == ([id], False)
        assert (differences[-1].drop, list(closed.value)) == ({ids[0]: "old"}, ids[1:])


async def test_who_left_and_came_back_has_closed_a_question_once(autojump_clock):
    async with open_rig() as rig:
        [ana] = await rig.people("ana")
        members = Cell([ana.principal])
        await opened(rig, audience=members)
        closed = ClosedOverLink.of(ana.viewer.board)
        ends = []
        for audience in ([], [ana.principal]):
            members.set(audience)
            await rig.quiet()
            ends += [json.loads(bytes(one))["how"] for one in closed.value.values()]
        said(ana, True)
        ends += [json.loads(bytes(one))["how"] for one in closed.value.values()]
        assert ends == ["left", "left", "answered"]
