"""Scripted people answer alike in every run: what is risky is denied, and Bob is away when he is on call."""

from types import SimpleNamespace
from typing import Any

import trio

from questions.cli.demo.cards import details_of, message_of
from questions.cli.demo.cast import ALICE, BOB
from questions.cli.demo.habits import answer_of
from questions.cli.demo.pace import AUTO
from questions.cli.demo.person import ScriptedPerson
from questions.cli.demo.rules import passing_rule
from questions.cli.demo.ways import Way, way_to_ask
from questions.policies import All
from questions.question import Confirm
from questions.testing import open_rig
from tests.cli.example import CALLS

ASK = Confirm("Bash: make release")


async def settled_after(seconds, audience, *, at_home=False, arrival=None, **options):
    """The settlements of one question that a scripted Bob may answer, after some virtual seconds."""
    async with open_rig() as rig, trio.open_nursery() as nursery:
        late = {"arrival": arrival} if arrival else {}
        bob = ScriptedPerson(BOB, AUTO, frozenset([rig.scope]) if at_home else frozenset(), **late)
        if arrival:
            nursery.start_soon(bob.take_part, rig.host, [rig.scope])
        else:
            await nursery.start(bob.take_part, rig.host, [rig.scope])
        rig.ask(ASK, audience, **options)
        await rig.until(seconds)
        found = list(rig.settled)
        nursery.cancel_scope.cancel()
    return found


async def test_a_scripted_person_answers_after_a_while(autojump_clock):
    assert not await settled_after(AUTO.slow - 0.01, [ALICE, BOB])
    assert [end.answers[0][1] for end in await settled_after(AUTO.slow + 0.01, [ALICE, BOB])] == [True]


async def test_sessions_of_their_own_are_answered_sooner(autojump_clock):
    assert await settled_after(AUTO.quick + 0.01, [ALICE, BOB], at_home=True)


async def test_on_call_bob_is_away(autojump_clock):
    (end,) = await settled_after(AUTO.on_call + 0.01, [BOB], timeout=AUTO.on_call)
    assert (end.how, [who.principal for who in end.seen]) == ("expired", [BOB])


async def test_a_question_to_somebody_else_is_not_answered(autojump_clock):
    assert not await settled_after(60, [ALICE])


async def test_who_comes_late_answers_what_is_open(autojump_clock):
    async def arrival():
        await trio.sleep(5)

    (end,) = await settled_after(20, [BOB], policy=All(), arrival=arrival)
    assert end.settled_at - end.opened_at > 5


DENIED = (
    "| sh", ".env", "u202e", "id_ed25519", "thub.com/handbook", "key.pem", "mv docs/chapter", "--force", "/etc/shadow",
    "chmod -R", "000e0100",
)  # fmt: skip


def asked(question) -> Any:
    return SimpleNamespace(question=question)


def test_what_is_risky_is_denied_and_nothing_else():
    for call in CALLS:
        if passing_rule(call) is None and way_to_ask(call) is Way.FIRST:
            message, details = message_of(call), details_of(call)
            risky = any(words in f"{message}\n{details}".encode("unicode_escape").decode() for words in DENIED)
            assert answer_of(asked(Confirm(message, details=details))) is not risky, message
