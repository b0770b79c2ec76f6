"""Gates in the inbox: shown as everywhere, answered by a choice and its exact text, and how they have ended."""

import time

from questions import Confirm
from questions.gates import AcceptedDecision, Presentation, Response, Standing, document, view_of
from questions.gates.errors import SettledAlready
from questions.gates.open_gate import OpenGate, closed_gate
from questions.gates.resolution import accepted, cancelled
from tests.cli.inboxes import opened
from tests.cli.test_inbox import scene
from tests.questions.gates.cases import AUTOMATIC, CONTINUE, REPLAN, request, submission

MADE = request(timeout=AUTOMATIC, presentation=Presentation("Review the plan."))


def shown(made=MADE):
    """An open gate as it comes over a link."""
    return OpenGate(view_of(made), None, time.monotonic)


def gone(resolution, made=MADE):
    return closed_gate(view_of(made), Standing(made, resolution), 0.0)


@scene
async def test_it_stands_in_the_list_beside_questions_and_says_all_that_every_channel_says(played):
    await played.show(opened(1, Confirm("Go?")), shown())
    assert played.rows == [">* Go?", "* [gate] Approve plan"]
    await played.press("down")
    words, text = played.words("question"), document(view_of(MADE))
    assert all(part in words for part in (text.title, text.summary, text.deadline, f"Fingerprint {text.fingerprint}"))
    assert [str(option.prompt)[4:] for option in played.inbox._choices.options] == list(text.choices)


@scene
async def test_a_choice_without_a_text_is_given_at_once(played):
    await played.show(shown())
    await played.press("1", "enter")
    assert played.sent == [(MADE.decision_id, CONTINUE)]
    assert "Your answer counts: Approve plan" in played.words("note")


@scene
async def test_a_choice_with_a_text_asks_for_it_and_gives_it_exactly(played):  # case 73
    await played.show(shown())
    await played.press("2", "enter")
    assert "What should change?" in played.words("how")
    assert not played.inbox._choices.display
    await played.press(*"  use the smaller API", "enter", *"keep this line  ", "ctrl+s")
    assert played.sent == [(MADE.decision_id, REPLAN)]


@scene
async def test_a_text_that_is_too_short_is_not_sent_and_stays(played):
    await played.show(shown())
    await played.press("2", "enter", "ctrl+s")
    assert "0 code points, and at least 1 are needed" in played.words("note")
    assert played.sent == []
    assert played.inbox.focused is played.inbox._field


@scene
async def test_who_goes_back_to_the_choices_takes_another_one_and_finds_the_text_again(played):
    await played.show(shown())
    await played.press("2", "enter", *"half", "escape")
    assert played.inbox._choices.display
    await played.press("2", "enter")
    assert played.inbox._field.value == "half"
    await played.press("escape", "1", "enter")
    assert played.sent == [(MADE.decision_id, CONTINUE)]


@scene
async def test_what_was_settled_elsewhere_under_the_hands_says_so_and_is_sent_no_more(played):  # case 111
    await played.show(shown())
    await played.press("2", "enter", *"half")
    await played.show(closed=[gone(accepted(MADE, submission(MADE), 0))])
    assert "ENDED. Settled elsewhere. Chosen: Continue" in played.words("how")
    await played.press("ctrl+s")
    assert (played.sent, played.inbox._field.value) == ([], "half")


@scene
async def test_what_the_timeout_has_chosen_is_nobodys_answer(played):  # case 148
    await played.show(shown())
    decision = accepted(MADE, CONTINUE, 0)
    assert isinstance(decision, AcceptedDecision)
    await played.show(closed=[gone(decision)])
    assert "ENDED. Automatic at the deadline, since there was no answer: Continue" in played.words("how")


@scene
async def test_one_that_was_taken_back_says_that_nothing_was_chosen(played):
    await played.show(shown())
    await played.show(closed=[gone(cancelled(MADE, "cancelled", 0))])
    assert "ENDED. Cancelled. Nothing was chosen." in played.words("how")


@scene
async def test_a_late_answer_is_told_what_was_chosen(played):
    played.refusal = SettledAlready(MADE.decision_id, "human", "Chosen: Replan")
    await played.show(shown())
    await played.press("1", "enter")
    assert "was not counted. Chosen: Replan" in played.words("note")


def test_a_response_carries_a_text_only_where_the_choice_takes_one():
    one = shown()
    assert one.response_of("continue", "unwanted") == Response("continue")
    assert one.response_of("replan", " a ").input.text == " a "
