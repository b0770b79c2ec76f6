"""No fault that axe-core finds: in each state of the page, in light and dark, on a desk and on a phone."""

import itertools
from importlib.resources import files

import pytest
from playwright.sync_api import expect

from questions import Confirm, Option, Quorum, Select, Text
from questions.rooms import Mechanism
from tests.web.browsing import button, card
from tests.web.serving import ANA, BO

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
DESK, PHONE = {"width": 1100, "height": 900}, {"width": 360, "height": 740}
LOOKS = list(itertools.product(["light", "dark"], [DESK, PHONE]))
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
TARGETS = """() => [...document.querySelectorAll("button, textarea, input, summary, label.option")]
  .filter((one) => !["radio", "checkbox"].includes(one.type) && one.checkVisibility())
  .map((one) => [one.textContent || one.id, one.getBoundingClientRect()])
  .filter(([, box]) => box.width < 44 || box.height < 44).map(([name]) => name)"""
STILL = "Promise.all(document.getAnimations().map((one) => one.finished.catch(() => null)))"


def faults(page):
    """What axe finds in any look of the page as it is now, and what is too small for a finger."""
    if not page.evaluate("Boolean(globalThis.axe)"):
        page.evaluate(AXE)
    options = {"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations"], "elementRef": False}
    told = []
    for scheme, size in LOOKS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        page.evaluate(STILL)
        for one in page.evaluate("(options) => axe.run(document, options)", options)["violations"]:
            told += [(scheme, one["id"], node["html"][:200]) for node in one["nodes"]]
        told += [(scheme, "small", name) for name in page.evaluate(TARGETS)]
    return told


@pytest.fixture
def page(visit):
    """A tab in a profile of its own: how it looks is changed."""
    return visit("ana", locale="en-IE")


def test_a_fault_would_be_found_in_every_look(page):
    page.evaluate("document.querySelector('h1').insertAdjacentElement('afterend', document.createElement('button'))")
    assert [name for _, name, _ in faults(page)].count("button-name") == len(LOOKS)


def test_the_form_for_a_token_has_none(served, page):
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Your token")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()
    assert faults(page) == []


def test_a_page_with_nothing_asked_has_none(page):
    page.get_by_text("Nothing is asked just now.").wait_for()
    assert faults(page) == []


def ask_everything(served, page):
    """A card of each kind; returns the question that can be withdrawn."""
    options = [Option("eu", "Europe"), Option("us", "America")]
    run = served.ask(Confirm("Run it?", details="make all\n\u202e" * 40, help="It takes a minute."), ANA, timeout=20)
    served.ask(Select("Where to?", options, help="At once."), ANA, BO, policy=Quorum(2), timeout=9_999)
    served.ask(Text("A name?", min_length=2, max_bytes=9, help="A short one."), ANA)
    served.ask(Text("The code?", secret=True), ANA)
    button(card(page, "Run it?"), "Allow").wait_for()
    card(page, "The code?").get_by_role("button", name="Show").click()
    card(page, "A name?").get_by_role("textbox").fill("much too long")
    button(card(page, "A name?"), "Answer").click()
    card(page, "Where to?").get_by_label("Europe").check()
    return run


def test_cards_of_each_kind_faults_of_answers_notes_and_the_history_have_none(served, page):
    run = ask_everything(served, page)
    assert faults(page) == []
    button(card(page, "Where to?"), "Answer").click()
    expect(card(page, "Where to?")).to_contain_text("You have answered: Europe.")
    run.withdraw()
    page.get_by_text("History of this visit: 1").click()
    assert faults(page) == []


@pytest.mark.parametrize("mechanism", ["approval", "ranked_choice", "score_vote", "quadratic_vote"])
def test_ballots_of_each_form_and_their_faults_have_none(served, page, mechanism):
    options = [Option("a", "<b>Tea</b> & \u05d0\u05d1\u05d2"), Option("b", "x" * 200), Option("c", "C")]
    asked = served.ask(Select("What to drink?", options), ANA, BO, policy=Mechanism(mechanism))
    place = card(page, "What to drink?")
    if mechanism != "approval":  # of which none is a ballot, too
        button(place, "Vote").click()
        place.get_by_role("alert").wait_for()
    assert faults(page) == []
    asked.withdraw()


def test_a_page_whose_link_is_lost_has_none(served, page):
    served.ask(Text("A name?"), ANA, key="k")
    card(page, "A name?").get_by_role("textbox").fill("Anna")
    served.stop()
    page.get_by_text("Connection lost").wait_for()
    assert faults(page) == []
    served.start()


def test_a_page_that_is_refused_with_cards_on_it_has_none(served, page):
    served.ask(Confirm("Run it?"), ANA, timeout=3600, default=True)
    served.ask(Confirm("Not yours?"), ANA, BO, policy=Quorum(2))
    button(card(page, "Not yours?"), "Allow").click()
    page.get_by_text("You have answered: Allow.").wait_for()
    served.tokens.revoked.add("user:ana")
    page.get_by_text("That token was not taken.").wait_for()
    assert faults(page) == []
