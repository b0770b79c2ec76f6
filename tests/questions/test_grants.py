"""Approvals for more than once: they cover what was shown, in one scope, and can be taken back."""

from typing import Any

import pytest

from facets import Who
from questions import Answered, Collected, DigestMismatch, Grant, Grants, NotApproved, OwnerScope, Quorum, SessionScope
from questions.testing import open_rig
from tests.questions.tools import ANA, BO, Says, Tool

S1, S2 = SessionScope("s1"), SessionScope("s2")


def says(*answers):
    """Ana's answers, one an ask."""
    return [Answered(Who(ANA, "Ana"), answer) for answer in answers]


def grant(scope=S1, tool="pay", digest="sha256:1", at=0.0):
    return Grant(scope, tool, digest, (Who(ANA, "Ana"),), at)


# What a guard does with them


async def test_three_choices_are_offered():
    asker = Says(*says("once"))
    await Tool().guarded(asker, grants=Grants())(100)
    assert [option.id for option in asker.asked[0][0].options] == ["once", "session", "deny"]


async def test_once_allows_this_call_and_the_next_is_asked_about():
    asker, tool, grants = Says(*says("once", "deny")), Tool(), Grants()
    pay = tool.guarded(asker, grants=grants)
    await pay(100)
    with pytest.raises(NotApproved, match="denied by Ana"):
        await pay(100)
    assert (len(tool.runs), grants.list()) == (1, [])


async def test_for_the_session_the_same_call_is_asked_about_once(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tool, grants = Tool(), Grants()
        pay = tool.guarded(await rig.asker(), grants=grants)
        rig.at(5, ana.answer, "session")
        for _ in range(3):
            await pay(100)
        assert (len(tool.runs), len(rig.settled)) == (3, 1)
        [given] = grants.list()
        assert (given.scope, given.tool, [who.principal for who in given.by]) == (rig.scope, "pay", [ANA])
        assert given.at == rig.host.now()


async def test_a_denial_is_not_remembered():
    asker, tool = Says(*says("deny", "session")), Tool()
    pay = tool.guarded(asker, grants=Grants())
    with pytest.raises(NotApproved):
        await pay(100)
    await pay(100)
    assert len(tool.runs) == 1


@pytest.mark.parametrize("answer", [True, "yes", "allow", "Session", "", None, 1, {}, ["session"], "always"])
async def test_an_option_that_was_not_offered_allows_nothing(answer):
    tool, grants = Tool(), Grants()
    with pytest.raises(NotApproved, match="undecided"):
        await tool.guarded(Says(*says(answer)), grants=grants)(100)
    assert (tool.runs, grants.list()) == ([], [])


@pytest.mark.parametrize("answer", ["once", "session"])
async def test_without_grants_no_option_allows_anything(answer):
    tool = Tool()
    with pytest.raises(NotApproved):
        await tool.guarded(Says(*says(answer)))(100)
    assert tool.runs == []


async def test_the_same_arguments_written_in_another_way_are_the_same_call():
    asker, tool = Says(*says("session")), Tool()
    pay = tool.guarded(asker, grants=Grants())
    await pay({"a": 1, "b": [2]}, "shop")
    await pay(to="shop", amount={"b": [2], "a": 1})
    await pay({"b": (2,), "a": 1})
    assert (len(asker.asked), len(tool.runs)) == (1, 3)


@pytest.mark.parametrize("other", [(101,), ("100",), (100, "bank"), (True,), (None,)])
async def test_other_arguments_are_asked_about(other):
    asker, tool = Says(*says("session", "deny")), Tool()
    pay = tool.guarded(asker, grants=Grants())
    await pay(100)
    with pytest.raises(NotApproved):
        await pay(*other)
    assert len(tool.runs) == 1


async def test_another_tool_is_asked_about():
    asker, tool, grants = Says(*says("session", "deny")), Tool(), Grants()
    await tool.guarded(asker, grants=grants)(100)
    with pytest.raises(NotApproved):
        await tool.guarded(asker, grants=grants, name="refund")(100)


async def test_another_scope_is_asked_about():
    here, there, grants = Says(*says("session")), Says(*says("deny")), Grants()
    there.scope = S2
    await Tool().guarded(here, grants=grants)(100)
    with pytest.raises(NotApproved):
        await Tool().guarded(there, grants=grants)(100)


async def test_two_guards_of_the_same_tool_share_grants_only_if_they_are_given_the_same():
    asker, grants = Says(*says("session", "deny")), Grants()
    await Tool().guarded(asker, grants=grants)(100)
    await Tool().guarded(asker, grants=grants)(100)
    with pytest.raises(NotApproved):
        await Tool().guarded(asker, grants=Grants())(100)


async def test_a_grant_that_is_taken_back_is_asked_about_again():
    asker, tool, grants = Says(*says("session", "deny")), Tool(), Grants()
    pay = tool.guarded(asker, grants=grants)
    await pay(100)
    assert grants.revoke(grants.list()[0])
    with pytest.raises(NotApproved):
        await pay(100)
    assert len(tool.runs) == 1


@pytest.mark.parametrize(("second", "granted"), [("session", 1), ("once", 0)])
async def test_several_grant_for_the_session_only_if_all_of_them_do(second, granted):
    answers = (Answered(Who(ANA, "Ana"), "session"), Answered(Who(BO, "Bo"), second))
    tool, grants = Tool(), Grants()
    await tool.guarded(Says(Collected(answers, (), (), "reached")), Quorum(2), grants=grants)(100)
    assert (len(tool.runs), len(grants.list())) == (1, granted)


async def test_what_has_changed_after_the_answer_is_not_granted():
    basket, grants = ["apple"], Grants()

    class Changing(Says):
        async def ask(self, question, **terms):
            basket.append("yacht")
            return await super().ask(question, **terms)

    with pytest.raises(DigestMismatch):
        await Tool().guarded(Changing(*says("session")), grants=grants)(basket)
    assert grants.list() == []


async def test_a_granted_call_still_needs_arguments_that_can_be_compared():
    tool, grants = Tool(), Grants()
    arguments: Any = object()
    with pytest.raises(Exception, match="plain JSON data"):
        await tool.guarded(Says(), grants=grants)(arguments)
    assert tool.runs == []


async def test_a_second_call_that_waits_with_the_same_key_runs_on_the_grant_of_the_first(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tool = Tool()
        pay = tool.guarded(await rig.asker(), key=lambda amount: "k", grants=Grants())
        calls = [rig.start(pay, 100) for _ in range(2)]
        rig.at(5, ana.answer, "session")
        assert [await call.wait() for call in calls] == ["paid 100"] * 2
        assert len(rig.settled) == 1


# Grants by themselves


def test_grants_are_found_by_scope_tool_and_digest_and_by_nothing_less():
    grants, given = Grants(), grant()
    grants.give(given)
    assert grants.find(S1, "pay", "sha256:1") is given
    assert grants.find(S2, "pay", "sha256:1") is None
    assert grants.find(S1, "refund", "sha256:1") is None
    assert grants.find(S1, "pay", "sha256:2") is None


def test_grants_are_listed_oldest_first_and_by_scope():
    grants = Grants()
    one, two, three = grant(at=1), grant(digest="sha256:2", at=2), grant(OwnerScope(ANA), at=3)
    for given in (one, two, three):
        grants.give(given)
    assert grants.list() == [one, two, three]
    assert grants.list(S1) == [one, two]
    assert grants.list(S2) == []


def test_a_newer_grant_takes_the_place_of_the_same():
    grants = Grants()
    for given in (grant(at=1), grant(digest="sha256:2", at=2), grant(at=3)):
        grants.give(given)
    assert [given.at for given in grants.list()] == [2, 3]


def test_revoking_says_whether_the_grant_was_there():
    grants = Grants()
    grants.give(grant())
    assert [grants.revoke(grant()), grants.revoke(grant())] == [True, False]


def test_all_grants_of_a_scope_can_be_taken_back():
    grants = Grants()
    for given in (grant(), grant(digest="sha256:2"), grant(S2)):
        grants.give(given)
    assert grants.revoke_all(S1) == 2
    assert grants.list() == [grant(S2)]
    assert (grants.revoke_all(), grants.revoke_all()) == (1, 0)


def test_grants_are_bounded_and_the_oldest_are_forgotten():
    grants = Grants(most=2)
    for number in range(4):
        grants.give(grant(digest=f"sha256:{number}"))
    assert [given.digest for given in grants.list()] == ["sha256:2", "sha256:3"]


@pytest.mark.parametrize("most", [0, -1])
def test_grants_that_could_keep_none_are_refused(most):
    with pytest.raises(ValueError, match="1 or more"):
        Grants(most)
