"""Audiences that cannot be read for a while: nobody may answer then, and nothing settles because of it."""

import pytest

from facets import Cell, Principal, derive
from questions import All, Confirm, Expired, First, InvalidAsk, Quorum, Unavailable
from questions.testing import open_rig
from tests.questions.steps import assert_nothing_is_left, endings, names, opened, said, team

LIVE = [First(), Quorum(2), All()]


def set_to(audience, *people):
    audience.set(tuple(person.principal for person in people))


def raising(cell):
    """An audience that raises while `cell` holds no principals."""
    return derive([cell], lambda members: members if members is not None else 1 / 0)


BROKEN = [
    pytest.param(raising, None, id="it raises"),
    pytest.param(lambda cell: cell, "garbage", id="text"),
    pytest.param(lambda cell: cell, None, id="None"),
    pytest.param(lambda cell: cell, ("ana",), id="no principals"),
]


@pytest.mark.parametrize(("audience_of", "broken"), BROKEN)
async def test_while_an_audience_cannot_be_read_nobody_may_answer_and_nothing_settles(
    autojump_clock, audience_of, broken
):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        cell = team(ana, bo)
        asking, id = await opened(rig, audience=audience_of(cell), policy=All())
        said(ana, True, id)
        members = cell.value
        cell.set(broken)
        assert isinstance(said(bo, True, id), Unavailable)
        await rig.until(100)
        assert (asking.outcome, endings(rig)) == (None, [])
        cell.set(members)
        assert said(bo, True, id) is None
        assert len((await asking.wait()).answers) == 2


@pytest.mark.parametrize(("audience_of", "broken"), BROKEN)
async def test_an_audience_that_can_be_read_again_takes_up_what_has_changed(autojump_clock, audience_of, broken):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        cell = team(ana, bo)
        asking, id = await opened(rig, audience=audience_of(cell), policy=All())
        said(ana, True, id)
        cell.set(broken)
        await rig.quiet()
        set_to(cell, ana, cy)
        await rig.quiet()
        assert (len(bo.see()), len(cy.see())) == (0, 1)
        said(cy, True)
        assert len((await asking.wait()).answers) == 2


@pytest.mark.parametrize(("audience_of", "broken"), BROKEN)
async def test_the_deadline_holds_though_the_audience_cannot_be_read(autojump_clock, audience_of, broken):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        cell = team(ana)
        asking, _ = await opened(rig, audience=audience_of(cell), timeout=60)
        cell.set(broken)
        with pytest.raises(Expired) as expired:
            await asking.wait()
        assert (rig.now, names(expired.value.missing)) == (60, ["ana"])
        assert_nothing_is_left(rig)


async def test_a_broken_audience_leaves_other_questions_alone(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        cell = team(ana)
        broken, broken_id = await opened(rig, audience=raising(cell))
        fine, fine_id = await opened(rig, audience=team(ana))
        cell.set(None)
        assert isinstance(said(ana, True, broken_id), Unavailable)
        assert said(ana, True, fine_id) is None
        assert (await fine.wait()).answer is True
        assert broken.outcome is None


async def test_cancelling_works_though_the_audience_cannot_be_read(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        cell = team(ana)
        asking, _ = await opened(rig, audience=raising(cell))
        cell.set(None)
        asking.cancel()
        await rig.quiet()
        assert asking.cancelled
        assert_nothing_is_left(rig)


@pytest.mark.parametrize("members", [set, frozenset, list, dict.fromkeys], ids=["set", "frozenset", "list", "dict"])
async def test_any_iterable_of_principals_is_an_audience(autojump_clock, members):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, audience=Cell(members([ana.principal, Principal.user("bo")])))
        said(ana, True)
        assert (await asking.wait()).answer is True


class Unsteady(Cell):
    """A cell that says of itself what it is told to: a readable of somebody's own, with a fault."""

    failing = False

    @property
    def version(self):
        return 1 // 0 if self.failing else super().version


@pytest.fixture
def unsteady():
    def made(*people):
        return Unsteady(tuple(person.principal for person in people))

    return made


async def test_an_audience_whose_version_cannot_be_read_takes_no_answers_until_it_can(autojump_clock, unsteady):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = unsteady(ana, bo)
        asking, id = await opened(rig, audience=audience, timeout=60)
        audience.failing = True
        assert isinstance(said(ana, True, id), Unavailable)
        audience._notify()
        await rig.until(10)
        audience.failing = False
        set_to(audience, bo)
        assert said(bo, True, id) is None
        assert (await asking.wait()).by.principal == bo.principal
        assert_nothing_is_left(rig)


async def test_cancelling_works_though_the_version_of_the_audience_cannot_be_read(autojump_clock, unsteady):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        audience = unsteady(ana)
        asking, _ = await opened(rig, audience=audience)
        audience.failing = True
        asking.cancel()
        await rig.quiet()
        assert asking.cancelled
        assert_nothing_is_left(rig)


class Once(Cell):
    """A cell that can be read once, and then no more."""

    reads = 0

    @property
    def value(self):
        self.reads += 1
        return super().value if self.reads == 1 else 1 / 0


async def test_an_audience_that_breaks_while_it_is_asked_is_refused_with_nothing_published(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        with pytest.raises(InvalidAsk, match="cannot be read"):
            await (await rig.asker()).ask(Confirm("Go?"), audience=Once((ana.principal,)), key="go", timeout=60)
        assert ana.see() == []
        assert_nothing_is_left(rig)
