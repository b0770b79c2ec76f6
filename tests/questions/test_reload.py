"""Real modules, edited on disk and imported again while an ask, a viewer and a watcher are alive."""

import importlib
import re
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

import questions
from facets import Forbidden, ReloadFailed, open_host
from facets.nursery import open_serving_nursery
from facets.reloading import current_modules, install_modules
from questions import (
    All,
    Answered,
    Collected,
    Confirm,
    Expired,
    First,
    LimitExceeded,
    Limits,
    NotInAudience,
    Questions,
    Quorum,
    SessionScope,
    StoreClosed,
    questions_facet,
)
from questions.testing import Rig
from tests.questions.steps import DEPLOY, crash, names, opened, said, state, store_of, team
from tests.rules import rule

pytestmark = rule("Q-FAC-1")

LOGIC = ("authority", "settlement", "showing")

VERDICT = ("settlement", "entry.answers.count >= entry.ask.policy.least", "entry.answers.count >= 2")
NO_GUESTS = ("authority", "return principal in entry.members and", 'return principal.kind != "guest" and')
SHOWN = ("showing", "OpenQuestion(entry, entry.ask.question,", "OpenQuestion(entry, again(entry.ask.question),")
SHOWN_HOW = "\n\ndef again(question):\n    return type(question)('Once more: ' + question.message)\n"
NO_ASKING = ("authority", 'return principal.kind == "server"', "return False")


class Code:
    """The logic modules of the questions facet, copied into a package that can be edited."""

    def __init__(self, folder):
        self.folder = folder / "livelogic"
        self.folder.mkdir()
        (self.folder / "__init__.py").touch()
        for name in LOGIC:
            source = (Path(questions.__file__).parent / f"{name}.py").read_text()
            (self.folder / f"{name}.py").write_text(re.sub(r"from \.(\w+) import", r"from questions.\1 import", source))

    @property
    def facet(self):
        return attrs.evolve(questions_facet, logic=tuple(f"livelogic.{name}" for name in LOGIC))

    def edit(self, name, old, new, more=""):
        path = self.folder / f"{name}.py"
        source = path.read_text()
        assert old in source
        path.write_text(source.replace(old, new) + more)


@pytest.fixture
def code(tmp_path, monkeypatch):
    """The copies, importable for the length of a test."""
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Code(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "livelogic"]:
        del sys.modules[name]


@asynccontextmanager
async def open_live(facet, **settings):
    """A rig whose questions facet is `facet`."""
    reports: list[Any] = []
    facet = facet.configured(observe=reports.append, **settings)
    async with open_host([facet]) as host, open_serving_nursery() as nursery:
        yield Rig(host, nursery, SessionScope("s1"), reports)


# The new code rules over what is pending


async def test_new_verdict_settles_the_ask(autojump_clock, code):
    async with open_live(code.facet) as rig:
        ana, bo, cy = people = await rig.people("ana", "bo", "cy")
        asking, id = await opened(rig, audience=people, policy=Quorum(3))
        await ana.answer(True)
        code.edit(*VERDICT)
        await rig.host.reload(code.facet)
        assert (asking.outcome, list(cy.viewer.open.value)) == (None, [id])
        await bo.answer(True, id)
        collected = await asking.wait()
        assert collected.unanimous(True)
        assert names(one.by for one in collected.answers) == ["ana", "bo"]


async def test_new_authority_judges_answers_to_the_ask(autojump_clock, code):
    async with open_live(code.facet) as rig:
        [ana] = await rig.people("ana")
        guest = rig.person("gil", "guest")
        await guest.join()
        asking, id = await opened(rig, audience=[ana, guest])
        code.edit(*NO_GUESTS)
        await rig.host.reload(code.facet)
        assert [one.may_answer for one in guest.see()] == [False]
        assert isinstance(said(guest, True, id), NotInAudience)
        await ana.answer(False)
        assert (await asking.wait()).by.principal == ana.principal


async def test_new_authority_judges_askers_that_were_there_before(autojump_clock, code):
    async with open_live(code.facet) as rig:
        asker = await rig.asker()
        code.edit(*NO_ASKING)
        await rig.host.reload(code.facet)
        with pytest.raises(Forbidden):
            await asker.ask(DEPLOY, audience=[rig.person("ana").principal])


async def test_new_view_logic_shows_the_ask(autojump_clock, code):
    async with open_live(code.facet) as rig:
        [ana] = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana])
        before = ana.see()
        code.edit(*SHOWN, SHOWN_HOW)
        await rig.host.reload(code.facet)
        assert [one.question.message for one in before + ana.see()] == ["Deploy?", "Once more: Deploy?"]
        await ana.answer(True, id)
        assert (await asking.wait()).answer is True


async def test_watchers_are_given_everything_afresh(autojump_clock, code):
    async with open_live(code.facet) as rig:
        [ana] = await rig.people("ana")
        _, id = await opened(rig, audience=[ana])
        differences, values = ana.viewer.open.differences(), ana.viewer.open.changes()
        await anext(differences), await anext(values)
        code.edit(*SHOWN, SHOWN_HOW)
        await rig.host.reload(code.facet)
        difference, value = await anext(differences), await anext(values)
        assert (difference.whole, list(difference.put), dict(difference.drop)) == (True, [id], {})
        assert difference.put[id].question.message == value[id].question.message == "Once more: Deploy?"


async def test_last_of_several_edits_within_a_second_counts(autojump_clock, code):
    async with open_live(code.facet) as rig:
        people = await rig.people("ana", "bo", "cy")
        asking, _ = await opened(rig, audience=people, policy=Quorum(1))
        for old, new in (("entry.ask.policy.least", "9"), ("9", "8"), ("8", "2")):
            code.edit("settlement", f"answers.count >= {old}", f"answers.count >= {new}")
            await rig.host.reload(code.facet)
        for person in people[:2]:
            await person.answer(True)
        assert len((await asking.wait()).answers) == 2


# What stays


async def test_keys_and_ids_are_kept(autojump_clock, code):
    async with open_live(code.facet) as rig:
        [ana] = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana], key="k")
        await rig.host.reload(code.facet)
        again = rig.ask(DEPLOY, [ana], key="k")
        await rig.quiet()
        assert [one["id"] for one in state(rig)["open"]] == [id]
        await ana.answer(True)
        assert (await asking.wait()) == (await again.wait())
        _, other = await opened(rig, audience=[ana])
        assert other != id


async def test_results_that_were_kept_are_kept(autojump_clock, code):
    async with open_live(code.facet) as rig:
        [ana] = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana], key="k")
        await ana.answer(False)
        await rig.host.reload(code.facet)
        assert (await rig.ask(DEPLOY, [ana], key="k").wait()) == (await asking.wait())


async def test_who_has_seen_it_and_when_it_ends_are_kept(autojump_clock, code):
    async with open_live(code.facet) as rig:
        ana, _ = people = await rig.people("ana", "bo")
        asking, _ = await opened(rig, audience=people, timeout=60)
        await rig.until(10)
        ana.see()
        await rig.host.reload(code.facet)
        with pytest.raises(Expired) as caught:
            await asking.wait()
        assert rig.now == 60
        assert names(caught.value.seen) == ["ana"]


async def test_live_audience_is_followed_on(autojump_clock, code):
    async with open_live(code.facet) as rig:
        ana, _ = people = await rig.people("ana", "bo")
        audience = team(*people)
        asking, _ = await opened(rig, audience=audience, policy=All())
        await ana.answer(True)
        await rig.host.reload(code.facet)
        audience.set((ana.principal,))
        assert (await asking.wait()).unanimous(True)


async def test_cancellation_after_a_reload_withdraws_the_question(autojump_clock, code):
    async with open_live(code.facet) as rig:
        [ana] = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana])
        await rig.host.reload(code.facet)
        asking.cancel()
        await rig.quiet()
        assert (asking.cancelled, ana.see(), [one.how for one in ana.viewer.closed.value]) == (True, [], ["withdrawn"])


async def test_data_classes_are_never_imported_again(autojump_clock, code):
    async with open_live(code.facet) as rig:
        [ana] = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana])
        old = sys.modules["livelogic.settlement"]
        await rig.host.reload(code.facet)
        new = sys.modules["livelogic.settlement"]
        assert new is not old
        assert {new.Entry, new.State, new.First, new.Answered} == {old.Entry, old.State, First, Answered}
        await ana.answer(True)
        assert type(await asking.wait()) is Answered


# The real one, in place


@pytest.fixture
def real_logic():
    """The modules as they were imported, put back after the test."""
    modules = current_modules(questions_facet.logic)
    yield modules
    install_modules(modules)


async def test_real_facet_is_reloaded_under_a_pending_ask(autojump_clock, real_logic):
    async with open_live(questions_facet) as rig:
        [ana] = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana], policy=Quorum(1))
        await rig.host.reload(questions_facet)
        for name, old in real_logic.items():
            assert importlib.import_module(name) is not old
        assert isinstance(ana.viewer, Questions)
        assert isinstance(await rig.asker(), Questions)
        await ana.answer(True)
        assert isinstance(await asking.wait(), Collected)


# New code that cannot be taken

FAULTS = {
    "syntax": "def (",
    "import": "import no_such_module",
    "time": "raise RuntimeError('bad day')",
    "name": "nobody",
}


@pytest.mark.parametrize("name", LOGIC)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_old_code_serves_on_when_the_new_one_cannot_be_imported(autojump_clock, code, name, fault):
    """Also the modules that were fine: all of them or none."""
    async with open_live(code.facet) as rig:
        ana, bo = people = await rig.people("ana", "bo")
        asking, _ = await opened(rig, audience=people, policy=Quorum(2))
        code.edit("settlement", VERDICT[1], "False")
        code.edit(*SHOWN, SHOWN_HOW)
        code.edit(name, "__all__", f"{fault}\n__all__")
        with pytest.raises(ReloadFailed):
            await rig.host.reload(code.facet)
        assert [one.question for one in ana.see()] == [DEPLOY]
        await ana.answer(True)
        await bo.answer(True)
        assert (await asking.wait()).unanimous(True)


async def test_failed_reload_can_be_repeated_once_the_code_is_mended(autojump_clock, code):
    async with open_live(code.facet) as rig:
        people = await rig.people("ana", "bo", "cy")
        asking, _ = await opened(rig, audience=people, policy=Quorum(3))
        code.edit(*VERDICT, "\n1 / 0\n")
        with pytest.raises(ReloadFailed, match="ZeroDivisionError"):
            await rig.host.reload(code.facet)
        code.edit("settlement", "1 / 0", "")
        await rig.host.reload(code.facet)
        for person in people[:2]:
            await person.answer(True)
        assert (await asking.wait()).unanimous(True)


async def test_reloads_take_turns(autojump_clock, code):
    """One that fails between two that do not."""
    async with open_live(code.facet) as rig:
        [ana] = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana])
        code.edit(*SHOWN, SHOWN_HOW)
        failures = []

        async def reload(facet):
            try:
                await rig.host.reload(facet)
            except ReloadFailed as error:
                failures.append(error)

        async with trio.open_nursery() as nursery:
            for facet in (code.facet, attrs.evolve(code.facet, logic=("livelogic.nothing",)), code.facet):
                nursery.start_soon(reload, facet)
        assert len(failures) == 1
        assert [one.question.message for one in ana.see()] == ["Once more: Deploy?"]
        await ana.answer(True)
        assert (await asking.wait()).answer is True


# Other settings


async def test_linger_can_be_changed(autojump_clock):
    async with open_live(questions_facet, linger=30) as rig:
        [ana] = await rig.people("ana")
        await rig.host.reload(questions_facet.configured(linger=5))
        asking, _ = await opened(rig, audience=[ana], key="k")
        crash(rig)
        await rig.until(4)
        assert ana.see()
        await rig.until(5)
        assert (ana.see(), type(asking.outcome.error)) == ([], StoreClosed)


async def test_time_for_which_results_are_kept_can_be_changed(autojump_clock):
    async with open_live(questions_facet, retain=600) as rig:
        [ana] = await rig.people("ana")
        await rig.host.reload(questions_facet.configured(retain=5))
        await opened(rig, audience=[ana], key="k")
        await ana.answer(True)
        await rig.until(6)
        await opened(rig, audience=[ana], key="k")
        assert len(ana.see()) == 1


async def test_limits_can_be_changed_and_touch_no_question_that_is_open(autojump_clock):
    async with open_live(questions_facet) as rig:
        [ana] = await rig.people("ana")
        askings = [rig.ask(Confirm(message), [ana]) for message in ("One?", "Two?")]
        await rig.quiet()
        await rig.host.reload(questions_facet.configured(limits=Limits(open=1)))
        with pytest.raises(LimitExceeded):
            await rig.ask(DEPLOY, [ana]).wait()
        for _ in askings:
            await ana.answer(True)
        assert [(await asking.wait()).answer for asking in askings] == [True, True]


async def test_rights_to_view_can_be_changed(autojump_clock):
    async with open_live(questions_facet) as rig:
        ana, boss = await rig.people("ana", "boss")
        _, id = await opened(rig, audience=[ana])
        assert boss.see() == []
        await rig.host.reload(questions_facet.configured(may_view=lambda principal, scope: "all"))
        assert [(one.id, one.may_answer) for one in boss.see()] == [(id, False)]
        await rig.host.reload(questions_facet.configured(may_view=lambda principal, scope: "none"))
        assert ana.see() == boss.see() == []


async def test_settings_that_are_not_given_stay(autojump_clock):
    async with open_live(questions_facet, linger=7) as rig:
        await rig.host.reload(questions_facet.configured(retain=5))
        await rig.host.reload(questions_facet)
        config = store_of(rig)._environment.config
        assert (config.linger, config.retain) == (7, 5)
        assert config.observe is not None
