"""Each kind of question, asked of a person at a browser and answered there."""

from playwright.sync_api import expect

from questions import Confirm, Option, Select, Text
from tests.web.browsing import button, card
from tests.web.serving import ANA

REGIONS = Select("Where to?", [Option("eu", "Europe"), Option("us", "America"), Option("ap", "Asia")])


def test_a_yes_is_a_yes_and_a_no_a_no(served, ana):
    for label, answer in [("Run it", True), ("Better not", False)]:
        asked = served.ask(Confirm(f"Shall I? {label}", allow="Run it", deny="Better not"), ANA)
        button(card(ana, f"Shall I? {label}"), label).click()
        assert asked.result().answer is answer
        expect(card(ana, f"Shall I? {label}")).to_contain_text(f"Answered by you. You said: {label}.")


def test_a_choice_answers_the_id_of_the_option(served, ana):
    asked = served.ask(REGIONS, ANA)
    card(ana, "Where to?").get_by_label("America").check()
    button(card(ana, "Where to?"), "Answer").click()
    assert asked.result().answer == "us"
    assert asked.result().by.principal == ANA


def test_nothing_is_sent_before_something_is_chosen(served, ana):
    served.ask(REGIONS, ANA)
    button(card(ana, "Where to?"), "Answer").click()
    expect(card(ana, "Where to?").get_by_role("alert")).to_have_text("Choose one first.")
    expect(ana.get_by_label("Europe")).to_be_focused()


def test_text_is_sent_as_it_was_typed(served, ana):
    asked = served.ask(Text("What else?"), ANA)
    card(ana, "What else?").get_by_role("textbox").fill(" grün\n\n<b>日本</b> ")
    button(card(ana, "What else?"), "Answer").click()
    assert asked.result().answer == " grün\n\n<b>日本</b> "


def test_an_empty_text_is_an_answer(served, ana):
    asked = served.ask(Text("Anything?"), ANA)
    button(card(ana, "Anything?"), "Answer").click()
    assert asked.result().answer == ""


def test_what_is_too_short_or_too_long_is_counted_said_and_not_sent(served, ana):
    asked = served.ask(Text("A name?", min_length=2, max_bytes=6), ANA)
    field, alert = card(ana, "A name?").get_by_role("textbox"), card(ana, "A name?").get_by_role("alert")
    for typed, counted, fault in [
        ("x", "1 character, at least 2, 1 of 6 bytes", "Too short: at least 2 characters."),
        ("日本語", "3 characters, 9 of 6 bytes", "Too long: at most 6 bytes. Nothing was sent."),
    ]:
        field.fill(typed)
        expect(card(ana, "A name?").locator(".counter")).to_have_text(counted)
        button(card(ana, "A name?"), "Answer").click()
        expect(alert).to_have_text(fault)
        expect(field).to_have_value(typed)
    field.fill("Anna")
    button(card(ana, "A name?"), "Answer").click()
    assert asked.result().answer == "Anna"


def test_control_and_enter_send_a_text_and_enter_alone_is_a_new_line(served, ana):
    asked = served.ask(Text("Which branch?"), ANA)
    field = card(ana, "Which branch?").get_by_role("textbox")
    field.focus()
    ana.keyboard.type("main")
    field.press("Enter")
    field.press("Control+Enter")
    assert asked.result().answer == "main\n"


def test_a_secret_is_covered_until_it_is_revealed_and_nothing_remembers_it(served, ana):
    asked = served.ask(Text("The code?", secret=True), ANA)
    field = card(ana, "The code?").locator("input")
    expect(field).to_have_attribute("type", "password")
    expect(field).to_have_attribute("autocomplete", "off")
    field.fill("481516")
    reveal = card(ana, "The code?").get_by_role("button", name="Show")
    reveal.click()
    expect(reveal).to_have_attribute("aria-pressed", "true")
    expect(field).to_have_attribute("type", "text")
    field.press("Enter")
    assert asked.result().answer == "481516"
    expect(card(ana, "The code?")).to_contain_text("Answered by you.")
    stored = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.documentElement.outerHTML])"
    assert "481516" not in ana.evaluate(stored)


def test_what_the_deadline_answers_is_said_in_advance(served, ana):
    served.ask(Confirm("Keep the logs?"), ANA, timeout=3600, default=False)
    served.ask(Text("Which one?"), ANA, timeout=3600, default="the first")
    expect(card(ana, "Keep the logs?")).to_contain_text("the answer is “Deny”, automatically.")
    expect(card(ana, "Which one?")).to_contain_text("the answer is “the first”, automatically.")
