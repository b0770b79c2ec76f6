"""Figures about a store: how it stands, and what must never be."""

from msgspec.structs import replace

from questions import Confirm
from questions.entry import State
from questions.figures import violations
from questions.testing import open_rig
from tests.questions.steps import crash, store_of
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
        found = violations({}, [pending])
        pending.entry = entry
        assert found == {"settled_with_waiter": 1, "settled_but_referred_to": 1, "referred_to_but_not_open": 1}
