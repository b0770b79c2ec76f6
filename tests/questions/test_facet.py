"""The questions facet: which face a principal gets of a scope, what a release takes, what a reload hands over."""

import attrs
import pytest

from facets import Forbidden, Principal
from facets.context import Ctx
from questions import Asker, InvalidAsk, OwnerScope, Questions, SessionScope, Viewer, questions_facet
from questions.testing import open_rig
from tests.questions.steps import opened, store_of
from tests.rules import rule

ANA = Principal.user("ana")


async def face(rig, principal, scope=None):
    return await Ctx(rig.host, principal).get(Questions, scope or rig.scope)


@rule("Q-AUTH-1")
@pytest.mark.parametrize(
    ("principal", "kind"),
    [
        (Principal.server("host"), Asker),
        (Principal.worker("s1"), Asker),
        (ANA, Viewer),
        (Principal.guest("gil"), Viewer),
        (Principal.program("run"), Viewer),
    ],
    ids=str,
)
async def test_servers_and_workers_get_an_asker_and_others_a_viewer(principal, kind):
    async with open_rig() as rig:
        assert type(await face(rig, principal)) is kind


@rule("Q-AUTH-1", "Q-AUTH-2")
@pytest.mark.parametrize(
    ("principal", "scope"), [(Principal.worker("s2"), SessionScope("s1")), (ANA, OwnerScope(Principal.user("bo")))]
)
async def test_who_has_no_right_in_a_scope_gets_no_face_of_it(principal, scope):
    async with open_rig() as rig:
        with pytest.raises(Forbidden):
            await face(rig, principal, scope)


@pytest.mark.parametrize("principal", [ANA, Principal.server("host")], ids=str)
async def test_a_bare_value_is_no_scope(principal):
    async with open_rig() as rig:
        with pytest.raises(InvalidAsk) as caught:
            await face(rig, principal, "s1")
        assert [fault.split(":")[0] for fault in caught.value.faults] == ["$.scope"]


async def test_a_viewer_that_is_released_is_empty_and_an_asker_is_not_asked(autojump_clock):
    async with open_rig(reference_linger=0) as rig:
        ctx = Ctx(rig.host, ANA)
        viewer = await ctx.get(Questions, rig.scope)
        asking, id = await opened(rig, audience=[ANA])
        assert list(viewer.open.value) == [id]
        ctx.end()
        await rig.quiet()
        assert list(viewer.open.value) == []
        assert asking.outcome is None


async def test_a_new_version_of_the_store_is_the_store_itself(autojump_clock):
    """What is pending is data, so whoever declares the resource anew keeps every question and every waiter."""
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana])
        store, config = store_of(rig), rig.host._running["questions"].facet.config
        resource, *others = questions_facet.resources
        resources = (attrs.evolve(resource, version=2), *others)
        newer = attrs.evolve(questions_facet, resources=resources, config=config)
        await rig.host.reload(newer)
        assert store_of(rig) is store
        await ana.answer(True, id)
        assert (await asking.wait()).answer is True
