"""A secret answer is in its asker's result and nowhere else: a canary is looked for in everything that can be read."""

import logging
import types
from pathlib import Path

import pytest

from facets import Principal, Who
from questions import (
    All,
    Answered,
    InvalidAnswer,
    NoLiveAsker,
    NoLongerActive,
    NotInAudience,
    OwnerScope,
    Quorum,
    Secret,
    Text,
    Unavailable,
    UnknownQuestion,
)
from questions.testing import open_rig
from tests.questions.canary import (
    CANARY,
    OURS,
    assert_gone,
    assert_hidden,
    is_canary,
    reachable,
    texts_of,
    watching,
)
from tests.questions.steps import assert_nothing_is_left, crash, opened, said, store_of, team
from tests.rules import rule

pytestmark = rule("Q-SEC-1")

CODE = Text("The login code?", secret=True)


@pytest.fixture
def watch():
    """What is written and raised during a test; at the end the canary must not be in it."""
    with watching() as watch:
        yield watch


def refused(watch, person, value, id=None):
    """Have somebody answer what will be refused, and look at the refusal."""
    refusal = said(person, value, id)
    assert refusal is not None
    watch.refused(refusal)
    return type(refusal)


class Loud:
    """Says the secret whenever it can."""

    def __repr__(self):
        return CANARY

    def __bytes__(self):
        raise ValueError(CANARY)

    def __eq__(self, other):
        raise ValueError(CANARY)

    __hash__ = None  # type: ignore[assignment]


class Markup(str):
    pass


# The asker gets it, and nobody else


@pytest.mark.parametrize("options", [{}, {"policy": Quorum(1)}, {"policy": All()}, {"key": "k"}], ids=str)
async def test_valid_answer_reaches_its_asker_alone(autojump_clock, watch, options):
    async with open_rig() as rig:
        [ana, bo] = await rig.people("ana", "bo")
        asking, _ = await opened(rig, CODE, audience=[ana], **options)
        await ana.answer(CANARY)
        result = await asking.wait()
        [answered] = getattr(result, "answers", [result])
        assert answered.answer == CANARY
        watch.note(repr(result), str(result), f"{result}", f"{answered!r:>300}")
        assert_gone(rig, ana, bo)


async def test_every_waiter_of_a_key_gets_it(autojump_clock, watch):
    async with open_rig() as rig:
        [ana] = await rig.people("ana")
        askings = [rig.ask(CODE, [ana], key="k") for _ in range(2)]
        await rig.quiet()
        await ana.answer(CANARY)
        assert [(await asking.wait()).answer for asking in askings] == [CANARY, CANARY]
        assert_gone(rig, ana)


@pytest.mark.parametrize(
    "code", [f" {CANARY} ", f"{CANARY}\n", f"{CANARY}\t {CANARY}\x00", CANARY * 13, f"{CANARY}\u202e"]
)
async def test_answer_arrives_as_it_was_given(autojump_clock, watch, code):
    """Inner and outer blanks are part of a code; who wants them gone says so before."""
    async with open_rig() as rig:
        [ana] = await rig.people("ana")
        asking, _ = await opened(rig, CODE, audience=[ana])
        await ana.answer(code)
        assert (await asking.wait()).answer == code


@pytest.mark.parametrize("policy", [Quorum(2), All()], ids=str)
async def test_answers_that_wait_for_others_are_held_out_of_sight(autojump_clock, watch, policy):
    async with open_rig(may_view=lambda principal, scope: "all") as rig:
        [ana, bo, _] = people = await rig.people("ana", "bo", "boss")
        asking, id = await opened(rig, CODE, audience=[ana, bo], policy=policy, timeout=60)
        await ana.answer(CANARY)
        assert_hidden(rig, *people)
        assert refused(watch, ana, f"{CANARY} again", id) is NoLongerActive
        await bo.answer(CANARY)
        assert [one.answer for one in (await asking.wait()).answers] == [CANARY, CANARY]
        assert_gone(rig, *people)


@pytest.mark.parametrize("policy", [Quorum(2), All()], ids=str)
async def test_deadline_hands_over_what_there_is(autojump_clock, watch, policy):
    async with open_rig() as rig:
        people = await rig.people("ana", "bo")
        asking, _ = await opened(rig, CODE, audience=people, policy=policy, timeout=60, key="k")
        await people[0].answer(CANARY)
        collected = await asking.wait()
        assert (collected.ended, [one.answer for one in collected.answers]) == ("deadline", [CANARY])
        watch.note(repr(collected))
        assert_gone(rig, *people)


# Refusals do not quote it

INVALID = {
    "too short": (Text("Code?", secret=True, min_length=99), CANARY),
    "too long": (Text("Code?", secret=True, max_bytes=8), CANARY),
    "far too long": (CODE, CANARY * 10_000),
    "a lone surrogate": (CODE, f"{CANARY}\ud800"),
    "bytes": (CODE, CANARY.encode()),
    "a list": (CODE, [CANARY]),
    "a mapping": (CODE, {CANARY: CANARY}),
    "a path": (CODE, Path(CANARY)),
    "an exception": (CODE, ValueError(CANARY)),
    "a kind of text": (CODE, Markup(CANARY)),
    "something loud": (CODE, Loud()),
    "another result": (CODE, Answered(Who(Principal.user("eve"), "Eve"), CANARY)),
}


@pytest.mark.parametrize(("question", "value"), INVALID.values(), ids=INVALID)
async def test_answer_that_does_not_fit_is_not_quoted(autojump_clock, watch, question, value):
    async with open_rig() as rig:
        [ana] = await rig.people("ana")
        await opened(rig, question, audience=[ana], key="k")
        assert refused(watch, ana, value) is InvalidAnswer
        assert_gone(rig, ana)
        assert [one.answered_by_me for one in ana.see()] == [False]


@pytest.mark.parametrize("policy", [Quorum(2), All()], ids=str)
@pytest.mark.parametrize("end", ["cancel", "close", "supersede"])
async def test_end_without_a_result_forgets_the_answers_so_far(autojump_clock, watch, policy, end):
    async with open_rig() as rig:
        people = await rig.people("ana", "bo")
        asking, id = await opened(rig, CODE, audience=people, policy=policy, key="k")
        await people[0].answer(CANARY)
        match end:
            case "cancel":
                asking.cancel()
            case "close":
                await rig.host.fence(rig.scope, 0, force=True)
            case "supersede":
                rig.ask(CODE, people[1:], key="k")
        await rig.quiet()
        assert refused(watch, people[0], CANARY, id) is NoLongerActive
        if asking.outcome is not None:
            watch.refused(asking.outcome.error)
        assert_gone(rig, *people)


async def test_late_answer_is_not_quoted(autojump_clock, watch):
    async with open_rig() as rig:
        [ana] = await rig.people("ana")
        asking, id = await opened(rig, CODE, audience=[ana], timeout=5, key="k")
        await rig.until(5)
        assert refused(watch, ana, CANARY, id) is NoLongerActive
        watch.refused(asking.outcome.error)
        assert_gone(rig, ana)


async def test_answer_without_a_live_asker_is_neither_quoted_nor_kept(autojump_clock, watch):
    async with open_rig() as rig:
        [ana] = await rig.people("ana")
        asking, id = await opened(rig, CODE, audience=[ana], key="k")
        crash(rig)
        await rig.quiet()
        assert refused(watch, ana, CANARY, id) is NoLiveAsker
        watch.refused(asking.outcome.error)
        assert_gone(rig, ana)


async def test_answer_in_the_step_of_the_cancellation_is_refused(autojump_clock, watch):
    async with open_rig() as rig:
        [ana] = await rig.people("ana")
        asking, id = await opened(rig, CODE, audience=[ana])
        asking.cancel()
        assert refused(watch, ana, CANARY, id) is NoLongerActive
        assert_gone(rig, ana)
        assert_nothing_is_left(rig)


async def test_answer_by_one_who_may_not_is_not_quoted(autojump_clock, watch):
    async with open_rig(may_view=lambda principal, scope: "all" if principal.id == "boss" else "own") as rig:
        [ana, bo, boss] = people = await rig.people("ana", "bo", "boss")
        audience = team(ana, bo)
        _, id = await opened(rig, CODE, audience=audience)
        audience.set((ana.principal,))
        eve = rig.person("eve", "guest")
        await eve.join()
        kinds = [refused(watch, one, CANARY, id) for one in (bo, boss, eve)]
        assert kinds == [NotInAudience, NotInAudience, UnknownQuestion]
        ana.leave()
        assert refused(watch, ana, CANARY, id) is Unavailable
        assert_gone(rig, *people)


async def test_answer_in_a_scope_of_another_is_not_quoted(autojump_clock, watch):
    async with open_rig() as rig:
        [ana] = await rig.people("ana")
        owner = OwnerScope(ana.principal)
        _, id = await opened(rig, CODE, audience=[ana], asker=await rig.asker(scope=owner))
        assert refused(watch, ana, CANARY, id) is UnknownQuestion
        assert_gone(rig, ana)


# Faults on the way do not tell it


@pytest.mark.parametrize("name", ["step", "result"])
async def test_logic_that_fails_does_not_tell_it(autojump_clock, watch, name):
    """As new code may, which a reload has brought; and nobody is left waiting because of it."""

    def fail(*args):
        raise RuntimeError(f"broken logic, given {args}")

    async with open_rig() as rig:
        [ana] = await rig.people("ana")
        asking, _ = await opened(rig, CODE, audience=[ana])
        logic = store_of(rig)._logic
        broken = types.ModuleType("settlement")
        vars(broken).update(vars(logic.settlement), **{name: fail})
        logic.swap({"authority": logic.authority, "showing": logic.showing, "settlement": broken})
        refusal = said(ana, CANARY)
        assert isinstance(refusal, RuntimeError) == (name == "step")
        if refusal is not None:
            watch.refused(refusal)
        asking.cancel()
        await rig.quiet()
        assert asking.cancelled == (name == "step")
        assert_gone(rig, ana)


async def test_observer_that_fails_does_not_tell_it(autojump_clock, watch):
    def observe(report):
        raise RuntimeError(f"cannot take {report}")

    async with open_rig(observe=observe) as rig:
        [ana] = await rig.people("ana")
        asking, _ = await opened(rig, CODE, audience=[ana])
        await ana.answer(CANARY)
        assert (await asking.wait()).answer == CANARY
        assert any("cannot take Settled" in text for text in watch.texts)
        assert_gone(rig, ana)


async def test_differences_that_others_follow_do_not_tell_it(autojump_clock, watch):
    async with open_rig() as rig:
        [_, bo] = people = await rig.people("ana", "bo")
        following = bo.viewer.open.differences()
        watch.note(*texts_of(await anext(following)))
        await opened(rig, CODE, audience=people, policy=Quorum(2))
        for person in people:
            watch.note(*texts_of(await anext(following)))
            await person.answer(CANARY)
        watch.note(*texts_of(last := await anext(following)))
        assert list(last.drop.values()) == ["answered"]


def test_what_looks_for_the_canary_would_find_it(watch):
    """The watch itself: each way of letting it out is seen."""
    frame = compile(f"def leak(code):\n    raise ValueError('no')\nleak({CANARY!r})", OURS[0] + "/leak.py", "exec")
    logging.getLogger("facets").debug("given %s", CANARY)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        exec(frame, {})
    watch.refused(caught.value)
    told = [text for text in watch.texts if "hunter2" in text]
    assert len(told) >= 3
    assert list(filter(is_canary, reachable({"a": [Secret(CANARY)]}))) == [CANARY]
    watch.texts.clear()
