"""The agent lets a call run for a clear yes and for nothing else; asked in virtual time."""

from typing import Any

import pytest

from facets import Principal
from questions.cli.demo.agent import Agent
from questions.cli.demo.events import Passed, Verdict
from questions.cli.demo.pace import AUTO
from questions.scopes import SessionScope
from questions.testing import open_rig
from tests.cli.example import bash, call

SESSION = "s1"

FIRST = bash("rm -rf build")
EVERYONE = bash("docker compose -f shared/x.yml down")
QUORUM = bash("terraform apply")
ON_CALL = bash("ssh prod-1 reboot")
LOGIN = bash("npm publish")
CHOICE = call("AskUserQuestion", questions=[{"question": "Which?", "options": [{"label": "Up"}, {"label": "Down"}]}])


async def told_about(one_call, script):
    """What the agent tells of a call. `script`: (seconds, name, answer); an answer "leave" leaves."""
    told: list[Any] = []
    async with open_rig(scope=SessionScope(SESSION)) as rig:
        people = {person.principal.id: person for person in await rig.people("alice", "bob", "carol")}
        for seconds, name, answer in script:
            act = people[name].leave if answer == "leave" else people[name].answer
            rig.at(seconds, act, *([] if answer == "leave" else [answer]))
        worker = await rig.asker(Principal.worker(SESSION))
        agent = Agent(worker, await rig.asker(), rig.present, AUTO, told.append)
        await agent.run([one_call])
        assert not rig.refusals
    return told, rig


async def verdict(one_call, *script):
    (event,), _ = await told_about(one_call, script)
    assert isinstance(event, Verdict)
    return event


async def test_a_harmless_call_passes_without_a_question(autojump_clock):
    told, rig = await told_about(bash("pwd"), [])
    assert told == [Passed("Bash", "Bash: pwd", "only looks")]
    assert rig.reports == []


@pytest.mark.parametrize(("answer", "runs"), [(True, True), (False, False)])
async def test_the_first_answer_decides(autojump_clock, answer, runs):
    event = await verdict(FIRST, (1, "bob", answer))
    assert (event.runs, event.why) == (runs, f"bob: {'Allow' if runs else 'Deny'}")


async def test_silence_lets_nothing_run_and_denies_nothing(autojump_clock):
    event = await verdict(ON_CALL)
    assert not event.runs
    assert "nobody answered in time" in event.why
    assert "den" not in event.why


async def test_two_of_three_have_to_agree(autojump_clock):
    assert (await verdict(QUORUM, (1, "alice", True), (2, "carol", True))).runs
    assert not (await verdict(QUORUM, (1, "alice", True), (2, "carol", False))).runs


async def test_half_a_quorum_is_none(autojump_clock):
    assert not (await verdict(QUORUM, (1, "alice", True))).runs


async def test_everyone_present_has_to_agree(autojump_clock):
    yes = [(1, "alice", True), (2, "bob", True)]
    assert (await verdict(EVERYONE, *yes, (3, "carol", True))).runs
    assert (await verdict(EVERYONE, *yes, (3, "carol", "leave"))).runs
    assert not (await verdict(EVERYONE, *yes, (3, "carol", False))).runs


async def test_a_choice_is_an_answer_for_the_agent(autojump_clock):
    event = await verdict(CHOICE, (1, "alice", "down"))
    assert (event.runs, event.message, event.why) == (True, "Which?", "alice: down")


async def test_a_login_code_is_asked_by_the_host_and_told_to_nobody(autojump_clock):
    told, rig = await told_about(LOGIN, [(1, "alice", "4711-canary")])
    assert told[0].runs
    assert rig.settled[0].asker.principal.kind == "server"
    assert "canary" not in repr(told) + repr(rig.reports)


async def test_what_cannot_be_shown_whole_is_not_asked_and_does_not_run(autojump_clock):
    told, rig = await told_about(bash("echo " + "x " * 40_000), [])
    assert (told[0].runs, rig.reports) == (False, [])
    assert "to be shown to a person" in told[0].why


async def test_the_call_is_the_key_of_its_question(autojump_clock):
    _, rig = await told_about(FIRST, [(1, "bob", True)])
    assert rig.reports[0].key == FIRST.id
