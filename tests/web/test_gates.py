"""Gates on the page: shown as in every channel, answered with keys alone and to the character, and how they ended."""

import json
import re

import pytest
from playwright.sync_api import expect

from questions.gates import (
    Bullets,
    Choices,
    ChoiceTerms,
    Field,
    Fields,
    Paragraph,
    Preformatted,
    Presentation,
    Section,
    TextInput,
    document,
    view_of,
)
from tests.questions.gates.cases import AUTOMATIC, EXACT, REPLAN
from tests.web.browsing import button, card
from tests.web.gating import Gating
from tests.web.serving import wait_until
from tests.web.test_access import faults

BLOCKS = (
    Section("Steps"),
    Bullets(["stop it", "start it"]),
    Paragraph("It takes\na minute."),
    Fields([Field("host", "h1"), Field("port", "80")]),
    Preformatted("  $ restart\n"),
)


@pytest.fixture(scope="module")
def gating():
    server = Gating()
    server.start()
    yield server
    server.close()


@pytest.fixture
def served(gating):
    gating.ahead = 0.0
    return gating


def test_a_choice_without_a_text_is_made_and_then_says_what_was_chosen(served, ana):
    made = served.ask("Restart it?")
    its = card(ana, "Restart it?")
    expect(its.get_by_role("heading")).to_have_text(re.compile(r"Run run-web-\d+ of workflow-a waits at approve"))
    its.get_by_label("Continue").check()
    button(its, "Answer").click()
    expect(its).to_contain_text("Answered by you. You said: Continue.")
    decision = served.resolution(made)
    assert (decision.source.channel, decision.source.actor_id) == ("web", "user:ana")
    assert decision.response.choice == "continue"


def test_the_page_shows_what_every_channel_shows_and_nothing_of_the_subject(served, ana):
    made = served.ask(
        "Ship it?",
        presentation=Presentation("All of it.", BLOCKS),
        timeout=AUTOMATIC,
        subject={"plan": "unseen-by-people"},
    )
    its, text = card(ana, "Ship it?"), document(view_of(made))
    expect(its.locator(".message")).to_have_text(text.title, use_inner_text=True)
    assert its.locator("pre").text_content() == "\n\n".join((text.summary, *text.blocks))
    assert its.locator(".option span").all_text_contents() == list(text.choices)
    expect(its.locator(".facts")).to_contain_text(text.deadline)
    expect(its.locator(".kind")).to_have_text(f"Fingerprint {text.fingerprint}")
    expect(its.get_by_role("timer")).to_contain_text(re.compile(r"(10|9):\d\d left"))
    assert "unseen-by-people" not in ana.content()
    served.cancel(made)


def test_a_text_arrives_exactly_as_it_was_typed_by_keys_alone(served, ana):  # case 73
    made = served.ask("Exactly?")
    its = card(ana, "Exactly?")
    its.get_by_label("Continue").focus()
    ana.keyboard.press("ArrowDown")
    expect(its.get_by_role("textbox")).to_be_visible()
    ana.keyboard.press("Tab")
    expect(its.get_by_label("What should change?", exact=True)).to_be_focused()
    for number, line in enumerate(EXACT.split("\n")):
        if number:
            ana.keyboard.press("Enter")
        ana.keyboard.insert_text(line)
    button(its, "Answer").wait_for()
    ana.keyboard.press("Tab")
    ana.keyboard.press("Enter")
    expect(its).to_contain_text("You said: Replan.")
    assert served.resolution(made).response == REPLAN


def test_pasted_line_ends_of_another_system_arrive_as_line_feeds(served, ana):
    made = served.ask("Pasted?")
    its = card(ana, "Pasted?")
    its.get_by_label("Replan").check()
    its.get_by_role("textbox").fill("one\r\ntwo\rthree ")
    button(its, "Answer").click()
    expect(its).to_contain_text("You said: Replan.")
    assert served.resolution(made).response.input.text == "one\ntwo\nthree "


def test_a_fault_names_one_character_as_one_and_goes_when_somebody_chooses(served, ana):
    served.ask("One?")
    its = card(ana, "One?")
    button(its, "Answer").click()
    expect(its.get_by_role("alert")).to_have_text("Choose one first.")
    its.get_by_label("Replan").check()
    expect(its.get_by_role("alert")).to_have_count(0)
    button(its, "Answer").click()
    expect(its.get_by_role("alert")).to_have_text("Too short: at least 1 character.")


def test_lengths_are_counted_in_code_points_and_nothing_is_sent_that_is_too_long_or_too_short(served, ana):
    only = Choices({"note": ChoiceTerms("Note", TextInput("text", "What?", 2, 3))})
    made = served.ask("How long?", choices=only)
    its = card(ana, "How long?")
    its.get_by_label("Note").check()
    field, send = its.get_by_role("textbox"), button(its, "Answer")
    for text, words in (("𝄞", "Too short: at least 2 characters."), ("𝄞𝄞𝄞𝄞", "Too long: at most 3 characters.")):
        field.fill(text)
        send.click()
        expect(its.get_by_role("alert")).to_contain_text(words)
    assert served.resolution(made) is None
    field.fill("𝄞𝄞𝄞")
    send.click()
    expect(its).to_contain_text("You said: Note.")
    assert served.resolution(made).response.input.text == "𝄞𝄞𝄞"


def test_what_was_settled_elsewhere_says_so_and_what_was_typed_can_be_copied(served, ana):  # case 111
    made = served.ask("Elsewhere?")
    its = card(ana, "Elsewhere?")
    its.get_by_label("Replan").check()
    its.get_by_role("textbox").fill("half a tex")
    served.answer(made)
    expect(its).to_contain_text("Settled elsewhere. Chosen: Continue.")
    expect(its).to_contain_text("What you have typed was not sent; you can still copy it.")
    expect(its.get_by_role("textbox")).to_have_value("half a tex")
    expect(its.get_by_role("button")).to_have_count(0)
    assert "session-a" not in ana.content()


def test_what_the_deadline_has_chosen_is_not_put_as_somebodys_answer(served, ana):  # case 148
    served.ask("In time?", timeout=AUTOMATIC)
    its = card(ana, "In time?")
    its.get_by_label("Continue").wait_for()
    served.ahead = 601.0
    expect(its).to_contain_text("Automatic at the deadline, since there was no answer: Continue.")
    assert not re.search("by you|Settled|Answered|denied", its.text_content() or "")


def test_one_that_was_taken_back_says_that_nothing_was_chosen(served, ana):
    made = served.ask("Taken back?")
    card(ana, "Taken back?").get_by_label("Continue").wait_for()
    served.cancel(made)
    expect(card(ana, "Taken back?")).to_contain_text("Cancelled. Nothing was chosen.")


HOLD = """() => {
  const send = WebSocket.prototype.send;
  window.held = new Promise((go) => { window.go = go; });
  WebSocket.prototype.send = function (frame) { window.held.then(() => send.call(this, frame)); };
}"""


def test_who_comes_second_is_told_what_was_chosen_and_that_their_own_answer_was_not_counted(served, ana):
    made = served.ask("Both?")
    its = card(ana, "Both?")
    its.get_by_label("Continue").check()
    press = button(its, "Answer")
    ana.evaluate(HOLD)
    press.click()
    served.answer(made, REPLAN)
    ana.evaluate("window.go()")
    expect(its).to_contain_text("Settled elsewhere. Chosen: Replan. Your answer came too late and was not counted.")
    ana.reload()


LOSE = """() => {
  const send = WebSocket.prototype.send;
  window.sent = [];
  WebSocket.prototype.send = function (frame) {
    if (JSON.parse(frame).method !== "answer") return send.call(this, frame);
    sent.push(frame);
    if (sent.length === 1) return this.close();
    send.call(this, frame);
  };
}"""


def test_an_answer_that_was_lost_and_is_pressed_again_is_the_same_act(served, ana):
    made = served.ask("Lost?")
    its = card(ana, "Lost?")
    its.get_by_label("Continue").check()
    ana.evaluate(LOSE)
    button(its, "Answer").click()
    expect(its.get_by_role("alert")).to_contain_text("it is not known whether your answer has arrived")
    ana.get_by_text("Connected as").wait_for()
    button(its, "Answer").click()
    expect(its).to_contain_text("You said: Continue.")
    acts = [json.loads(frame)["args"]["act"] for frame in ana.evaluate("sent")]
    assert acts[0] == acts[1]
    assert served.resolution(made).source.event_id == acts[0]
    ana.reload()


def test_a_title_that_would_do_something_is_only_shown(served, ana):
    made = served.ask("<img src=x onerror=alert(1)>")
    expect(card(ana, "onerror").locator(".message")).to_have_text("<img src=x onerror=alert(1)>")
    served.cancel(made)


def test_programs_and_guests_are_shown_no_gate(served, visit):
    made = served.ask("Whose?")
    page = visit.blank("eve", locale="en-NZ")
    page.goto(f"{served.url}#token=guest:eve&session=s1")
    page.get_by_text("Connected as").wait_for()
    expect(card(page, "Whose?")).to_have_count(0)
    served.cancel(made)


def test_while_the_store_is_away_nothing_can_be_pressed_and_then_it_goes_on(served, ana):
    made = served.ask("Still there?")
    its = card(ana, "Still there?")
    its.get_by_label("Continue").check()
    button(its, "Answer").wait_for()
    served.engine.away |= {"get", "scan", "count", "now", "changes", "moved"}
    expect(ana.locator("#places")).to_contain_text("No news from the store of workflows: it is away.")
    expect(its.locator("button[aria-disabled=false]")).to_have_count(0)
    served.engine.away.clear()
    expect(ana.locator("#places")).to_have_text("")
    button(its, "Answer").click()
    expect(its).to_contain_text("You said: Continue.")
    wait_until(lambda: served.resolution(made) is not None)


@pytest.mark.parametrize(
    "look", [{"color_scheme": "dark"}, {"viewport": {"width": 320, "height": 700}}], ids=["night", "phone"]
)
def test_its_cards_and_notes_keep_nobody_out(served, visit, look):
    page = visit("ana", locale="en-IE", **look)
    made = [
        served.ask(title, presentation=Presentation("All of it.", BLOCKS), timeout=AUTOMATIC)
        for title in ("Plain?", "Text, too?")
    ]
    card(page, "Text, too?").get_by_label("Replan").check()
    card(page, "Text, too?").get_by_role("textbox").fill("half")
    ended = served.ask("Ended?")
    card(page, "Ended?").wait_for()
    served.cancel(ended)
    expect(card(page, "Ended?")).to_contain_text("Cancelled.")
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for one in made:
        served.cancel(one)
