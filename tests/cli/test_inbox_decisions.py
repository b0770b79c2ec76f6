"""Decisions in the inbox: beside questions, answered in place, passed on for a reason, and how they have ended."""

import time
from functools import partial

import pytest

from facets import Principal
from questions import Confirm
from questions.durable import Caller
from questions.durable.errors import NotOpen, StoreUnavailable
from questions.durable.expiry import catch_up
from questions.durable.open_decision import ClosedDecision, OpenDecision
from questions.durable.steps import Escalating, step
from tests.cli.inboxes import opened, play
from tests.cli.test_inbox import scene
from tests.questions.durable.cases import OPTS, climbing, raised

NAMES = {"supervisor:lead": "ana's team lead"}


def shown(decision, **may):
    """An open decision as it comes over a link."""
    flags = {"may_answer": True, "may_escalate": decision.next_holder is not None, "may_cancel": True} | may
    return OpenDecision(decision=decision, **flags, names=NAMES, _deadline=None, _now=time.monotonic)


def gone(decision, how, **more):
    fields = {"by": None, "via": None, "answer": None, "at": 0.0} | more
    return ClosedDecision(decision.id, decision.title, how, **fields)


HELD = raised(holder="user", input="confirm")
CLIMBING = raised(**climbing("supervisor:lead"), options=OPTS, timeout_ms=60_000)


@scene
async def test_it_stands_in_the_list_beside_questions_the_oldest_first(played):
    await played.show(opened(1, Confirm("Go?")), shown(HELD))
    assert played.rows == [">* Go?", "* [decision] Ship it?"]


@scene
async def test_everything_about_it_is_shown(played):
    await played.show(shown(CLIMBING))
    words = played.words("question")
    assert "Held by     ana's team lead (lead): hop 1 of 3, next: root, then a person" in words
    assert "Asked by    session:main" in words
    assert "[e] Pass it on to root" in played.words("how")


@pytest.mark.parametrize(("key", "option"), [("y", "yes"), ("n", "no")])
def test_one_key_answers_a_yes_or_no(key, option):
    async def one_key(played):
        one = shown(HELD)
        await played.show(one)
        await played.press(key)
        assert [(id, one.answer_of(value)) for id, value in played.sent] == [(HELD.id, {"option": option})]

    play(one_key)


@scene
async def test_a_key_passes_it_on_with_a_reason(played):
    played.inbox._pass_on = partial(_pass_on, played)
    await played.show(shown(CLIMBING))
    await played.press("e", *"not y me", "enter")
    assert played.sent == [(CLIMBING.id, "not y me")]
    assert "Passed on: Ship it?" in played.words("note")
    assert not played.inbox._reason.display


async def _pass_on(played, one, reason):
    if played.refusal is not None:
        raise played.refusal
    played.sent.append((one.id, reason))


@scene
async def test_escape_passes_nothing_on_and_neither_does_a_key_that_comes_at_once(played):
    played.inbox._pass_on = partial(_pass_on, played)
    await played.show(shown(CLIMBING))
    await played.pilot.press("e")
    assert not played.inbox._reason.display
    await played.press("e", "x", "escape")
    assert played.sent == []
    assert played.inbox.focused is played.inbox._list


@scene
async def test_at_the_end_of_its_chain_there_is_nobody_to_pass_it_on_to(played):
    await played.show(shown(HELD))
    await played.press("e")
    assert not played.inbox._reason.display
    assert "Pass it on" not in played.words("how")


@scene
async def test_a_reason_that_was_refused_stays_to_be_sent_again(played):
    played.refusal = StoreUnavailable("it is away")
    played.inbox._pass_on = partial(_pass_on, played)
    await played.show(shown(CLIMBING))
    await played.press("e", *"not y me", "enter")
    assert (played.sent, played.inbox._reason.value) == ([], "not y me")
    assert "it is away" in played.words("note")
    played.refusal = None
    await played.press("enter")
    assert (played.sent, played.inbox._reason.display) == ([(CLIMBING.id, "not y me")], False)


@scene
async def test_one_that_moves_while_the_reason_is_typed_is_not_passed_on_by_the_next_holder_unawares(played):
    played.inbox._pass_on = partial(_pass_on, played)
    await played.show(shown(CLIMBING))
    await played.press("e", *"busy")
    moved = catch_up(CLIMBING, CLIMBING.deadline)
    await played.show(shown(moved))
    await played.press("enter")
    assert played.sent == []
    assert "It has gone on meanwhile. Enter again passes it on to a person." in played.words("note")
    await played.press("enter")
    assert played.sent == [(moved.id, "busy")]


def test_a_reason_is_seen_as_it_is_typed_on_the_smallest_terminal_whatever_the_choices_are():
    async def typed(played):
        options = [{"id": f"o{number}", "label": f"{number}" * 200} for number in range(9)]
        await played.show(shown(raised(**climbing("supervisor:lead"), options=options, timeout_ms=60_000)))
        await played.press("e", *"busy")
        region = played.inbox._reason.region
        assert played.inbox.screen.region.contains_region(region)
        assert region.height == 1

    play(typed, (20, 6))


@scene
async def test_with_its_last_holder_there_is_nobody_to_whom_what_was_typed_passes_it_on(played):
    played.inbox._pass_on = partial(_pass_on, played)
    await played.show(shown(CLIMBING))
    await played.press("e", *"busy")
    await played.show(shown(catch_up(CLIMBING, CLIMBING.deadline + CLIMBING.escalation.hop_timeout_ms)))
    await played.press("enter")
    assert (played.sent, "nobody to pass it on to" in played.words("note")) == ([], True)


@scene
async def test_nobody_approves_by_a_choice_what_they_have_not_read_to_the_end(played):
    one = raised(options=OPTS, body="\n".join(map(str, range(40))))
    await played.show(shown(one))
    await played.press("enter", "1", "enter")
    assert (played.sent, "Read to the end first" in played.words("note")) == ([], True)
    await played.press("escape", *["space"] * 8, "enter", "1", "enter")
    assert played.sent == [(one.id, "keep")]


ENDS = {
    "was answered by bo: Keep": {"how": "answered", "by": "bo", "via": "web", "answer": "Keep"},
    "was answered by itself: Drop": {"how": "expired", "by": "deadline", "via": "expiry", "answer": "Drop"},
    "ran out of time": {"how": "expired"},
    "was cancelled by ana": {"how": "cancelled", "by": "ana", "via": "cli"},
    "has gone on to somebody else": {"how": "moved"},
    "is not there any more": {"how": "gone"},
}


@pytest.mark.parametrize("words", ENDS)
def test_how_it_has_ended_is_said_where_it_was(words):
    async def ended(played):
        await played.show(shown(HELD))
        await played.show(closed=[gone(HELD, **ENDS[words])])
        assert f"ENDED: this decision {words}." in played.words("how")

    play(ended)


@scene
async def test_a_hop_that_moves_while_it_is_in_front_is_shown_and_what_was_chosen_stays(played):
    await played.show(shown(CLIMBING))
    await played.press("2")
    lead = Caller(Principal.program("lead"))
    moved = step(CLIMBING, Escalating("not mine"), lead, CLIMBING.created_at)
    await played.show(shown(moved))
    assert "Held by     root: hop 2 of 3, next: a person" in played.words("question")
    assert "Before      ana's team lead (lead), passed on at" in played.words("question")
    await played.press("enter")
    assert played.sent == [(CLIMBING.id, "drop")]


@scene
async def test_a_late_answer_is_told(played):
    played.refusal = NotOpen(HELD.id, "answered")
    await played.show(shown(HELD))
    await played.press("y")
    assert "it is answered" in played.words("note")
