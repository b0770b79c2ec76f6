"""Figures about a store: how it stands, and what must never be."""

from msgspec.structs import replace

from questions import Confirm
from questions.entry import State
from questions.figures import Tally, figures, violations
from questions.testing import open_rig
from tests.questions.steps import crash, said, store_of
from tests.rules import rule

GO = Confirm("Go?")


def figures_of(rig):
    return store_of(rig).describe()["figures"]


@rule("Q-KEY-3")
async def test_age_of_the_oldest_and_those_without_an_asker_are_figures_from_the_start(autojump_clock):
    """Three are open since 0 without a deadline, and the asker of one has gone."""
    async with open_rig(linger=float("inf")) as rig:
        (ana,) = await rig.people("ana")
        for key in ("a", "b", "c"):
            rig.ask(GO, audience=[ana], key=key)
        await rig.quiet()
        crash(rig)
        for key in ("a", "b"):
            rig.ask(GO, audience=[ana], key=key)
        await rig.until(90_000)
        assert figures_of(rig) == {"open": 3, "oldest_age": 90_000, "orphaned": 1, "never_shown": 3}
        ana.see()
        assert figures_of(rig)["never_shown"] == 0


async def test_nothing_that_must_never_be_is(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        rig.ask(GO, audience=[ana], key="k", timeout=5)
        await rig.quiet()
        assert set(rig.host.check().values()) == {0}
        assert "questions.settled_with_waiter" in rig.host.check()
        await rig.until(9)
        assert set(rig.host.check().values()) == {0}


async def test_a_settled_question_that_still_has_a_waiter_is_counted(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        rig.ask(GO, audience=[ana])
        await rig.quiet()
        [pending] = store_of(rig)._open.values()
        entry, pending.entry = pending.entry, replace(pending.entry, state=State.CLOSED)
        found = violations({}, Tally(), [pending])
        pending.entry = entry
        assert found == {
            "settled_with_waiter": 1,
            "settled_but_referred_to": 1,
            "referred_to_but_not_open": 1,
            "mistallied": 0,
        }


async def test_the_tally_is_kept_through_every_way_of_being_shown_left_and_ended(autojump_clock):
    async with open_rig(linger=10) as rig:
        ana, bo = await rig.people("ana", "bo")
        for key in ("a", "b", "c", None):
            rig.ask(GO, audience=[ana, bo], key=key)
            await rig.quiet()
        ana.see()
        crash(rig)
        rig.ask(GO, audience=[ana, bo], key="a")  # comes back, one more comes, and one more with it
        for _ in range(2):
            rig.ask(GO, audience=[bo], key="d")
        await rig.quiet()
        assert figures_of(rig) == {"open": 4, "oldest_age": 0, "orphaned": 2, "never_shown": 1}
        assert rig.host.check()["questions.mistallied"] == 0
        said(bo, True)
        await rig.until(11)  # those that linger have gone
        assert figures_of(rig) == {"open": 1, "oldest_age": 11, "orphaned": 0, "never_shown": 0}
        assert rig.host.check()["questions.mistallied"] == 0


async def test_a_tally_that_is_off_is_seen_by_the_check(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        rig.ask(GO, audience=[ana])
        await rig.quiet()
        store_of(rig).publishing.tally.unseen += 1
        assert rig.host.check()["questions.mistallied"] == 1
        store_of(rig).publishing.tally.unseen -= 1


def test_the_figures_are_read_without_going_through_what_is_open():
    class Many(dict):
        def __iter__(self):
            yield Oldest
            raise AssertionError("it looks at more than the oldest")

    class Oldest:
        class entry:  # noqa: N801  # as of a pending question
            class ask:  # noqa: N801
                opened = 5.0

    found = figures(Many({1: 1, 2: 2}), Tally(), 7.0)
    assert found == {"open": 2, "oldest_age": 2.0, "orphaned": 0, "never_shown": 0}
