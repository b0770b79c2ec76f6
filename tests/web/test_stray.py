"""Presses that were meant for something else: what has moved takes none, and what has not moved is not held up."""

import pytest
from playwright.sync_api import expect

from questions import Confirm, Option, Quorum, Select, Text
from tests.web.browsing import button, card
from tests.web.serving import ANA, BO

CHOICE = Select("The first?", [Option(f"o{number}", f"Option {number}") for number in range(5)])
WATCH = """(button) => {
  globalThis.changes = [];
  const note = () => changes.push(button.ariaDisabled);
  new MutationObserver(note).observe(button, { attributes: true, attributeFilter: ["aria-disabled"] });
}"""
SENT = """() => {
  globalThis.sent = [];
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (frame) {
    if (frame.includes('"answer"')) globalThis.sent.push(frame);
    send.call(this, frame);
  };
}"""
# In one step, so that nothing is painted in between: what the pointer was over makes room, and it clicks.
SHIFT_AND_CLICK = """(button) => {
  button.closest("li").previousElementSibling.hidden = true;
  button.dispatchEvent(new MouseEvent("click", { detail: 1, bubbles: true, cancelable: true }));
}"""


@pytest.fixture
def under(served, ana):
    """A card under one that will make room; returns a function that gives its button for a question."""
    served.ask(CHOICE, ANA, BO, policy=Quorum(2))
    card(ana, "The first?").wait_for()
    ana.evaluate(SENT)

    def ask(question, name):
        served.ask(question, ANA, BO, policy=Quorum(2))
        return button(card(ana, "The second?"), name)

    return ask


@pytest.mark.parametrize(("question", "name"), [(Confirm("The second?"), "Allow"), (Text("The second?"), "Answer")])
def test_what_has_moved_has_to_be_still_before_it_is_pressed(ana, under, question, name):
    """The card above is answered and shrinks, so that another button is under the second half of a double click."""
    press = under(question, name)
    press.evaluate(WATCH)
    card(ana, "The first?").get_by_label("Option 3").check()
    button(card(ana, "The first?"), "Answer").click()
    ana.get_by_text("You have answered: Option 3.").wait_for()
    expect(press).to_have_attribute("aria-disabled", "true")
    button(card(ana, "The second?"), name).click()
    card(ana, "The second?").get_by_text("You have answered").wait_for()
    assert ana.evaluate("changes.slice(0, 2)") == ["true", "false"]


@pytest.mark.parametrize(("question", "name"), [(Confirm("The second?"), "Deny"), (Text("The second?"), "Answer")])
def test_a_click_in_the_very_step_in_which_it_moves_is_not_taken(ana, under, question, name):
    press = under(question, name)
    press.evaluate(SHIFT_AND_CLICK)
    expect(press).to_have_attribute("aria-disabled", "true")
    assert ana.evaluate("sent") == []


def test_a_page_that_shrinks_to_its_end_moves_what_is_above_under_the_pointer(served, ana):
    """Scrolled to its end, the page slides down when its last card becomes a note."""
    for number in range(4):
        served.ask(Confirm(f"Number {number}?", details="\n" * 9), ANA)
        card(ana, f"Number {number}?").wait_for()
    press = button(card(ana, "Number 2?"), "Allow")
    last = button(card(ana, "Number 3?"), "Allow")
    ana.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    ana.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    press.evaluate(WATCH)
    last.click()
    card(ana, "Number 3?").locator(".ending").wait_for()
    expect(press).to_have_attribute("aria-disabled", "false")
    assert ana.evaluate("changes") == ["true", "false"]


def test_who_scrolls_to_a_button_can_press_it_at_once(served, ana):
    for number in range(4):
        served.ask(Confirm(f"Number {number}?", details="\n" * 9), ANA)
        card(ana, f"Number {number}?").wait_for()
    ana.evaluate("scrollTo(0, 0)")
    press = button(card(ana, "Number 3?"), "Allow")
    press.evaluate("(button) => { button.scrollIntoView(); button.click(); }")
    expect(card(ana, "Number 3?")).to_contain_text("You said: Allow.")


def test_what_comes_and_goes_below_holds_nothing_up(served, ana):
    served.ask(Confirm("The first?"), ANA)
    press = button(card(ana, "The first?"), "Allow")
    press.evaluate(WATCH)
    for number in range(3):
        asked = served.ask(Confirm(f"Number {number}?"), ANA)
        card(ana, f"Number {number}?").wait_for()
        asked.withdraw()
        card(ana, f"Number {number}?").locator(".ending").wait_for()
    assert ana.evaluate("changes") == []


def test_200_at_once_are_all_there_and_can_be_answered(served, ana):
    served.ask_all([Confirm(f"Number {number}?") for number in range(200)], ANA)
    expect(ana.get_by_role("heading", name="Waiting for you: 200")).to_be_visible()
    button(card(ana, "Number 150?"), "Allow").click()
    expect(card(ana, "Number 150?")).to_contain_text("Answered by you. You said: Allow.")
    expect(ana.get_by_role("heading", name="Waiting for you: 199")).to_be_visible()


def test_notes_of_very_many_questions_do_not_bury_what_is_open(served, ana):
    field = served.ask(Text("What else?"), ANA) and card(ana, "What else?").get_by_role("textbox")
    field.fill("half a sen")
    many = [served.ask(Confirm(f"Number {number}?"), ANA) for number in range(25)]
    for number in range(25):  # one that goes before it was sent was never there for the page
        expect(card(ana, f"Number {number}?")).to_be_visible()
    for asked in many:
        asked.withdraw()
    ana.get_by_text("History of this visit: 25").wait_for()
    expect(ana.locator(".card.note")).to_have_count(20)
    expect(field).to_have_value("half a sen")
