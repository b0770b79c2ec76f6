"""Being told of a question while looking elsewhere, for those who want to be."""

import pytest
from playwright.sync_api import expect

from questions import Confirm
from tests.web.browsing import button, card
from tests.web.serving import ANA, BO, wait_until

# Headless browsers have no desktop to show notifications on: what would be shown is kept.
ELSEWHERE = """(permission) => {
  globalThis.shown = [];
  globalThis.Notification = class {
    static permission = "default";
    static requestPermission = async () => (globalThis.Notification.permission = permission);
    constructor(title, options) { globalThis.shown.push([title, options.body]); }
    close() { globalThis.shown.push("closed"); }
  };
  document.hasFocus = () => false;
}"""


def look_elsewhere(page, permission="granted"):
    page.evaluate(ELSEWHERE, permission)
    page.evaluate("localStorage.clear()")


def test_nobody_is_told_who_has_not_asked_for_it(served, ana):
    look_elsewhere(ana)
    served.ask(Confirm("Run it?"), ANA)
    card(ana, "Run it?").wait_for()
    assert ana.evaluate("shown") == []
    assert ana.title() == "Questions"


def test_who_has_asked_for_it_is_told_by_a_notification_and_by_the_title(served, ana):
    look_elsewhere(ana)
    toggle = ana.get_by_role("button", name="Notify me")
    toggle.click()
    expect(toggle).to_have_attribute("aria-pressed", "true")
    served.ask(Confirm(f"Run\u200b it? {'x' * 200}"), ANA)
    expect(ana).to_have_title("(1) Questions")
    told = [["Build agent (server host) asks", rf"Run\u200b it? {'x' * 111} … (89 more characters)"]]
    wait_until(lambda: ana.evaluate("shown") == told)
    expect(ana.locator("link[rel=icon]")).to_have_attribute("href", "icon-waiting.svg")
    button(card(ana, "Run"), "Deny").click()
    expect(ana).to_have_title("Questions")
    assert ana.evaluate("shown") == [*told, "closed"]
    toggle.click()
    expect(toggle).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("permission", ["denied", "default"])
def test_a_browser_that_allows_none_still_counts_in_the_title(served, ana, permission):
    look_elsewhere(ana, permission)
    ana.get_by_role("button", name="Notify me").click()
    ana.get_by_text("Your browser allows no notifications here").wait_for()
    served.ask(Confirm("Run it?"), ANA)
    served.ask(Confirm("Not for Ana?"), BO)
    expect(ana).to_have_title("(1) Questions")
    assert ana.evaluate("shown") == []
    ana.get_by_role("button", name="Notify me").click()


def test_of_many_that_come_at_once_the_number_is_told_and_not_each(served, visit):
    page = visit.blank("ana")
    page.goto(served.url)
    page.evaluate("localStorage.setItem('questions.notify', 'on')")
    page.reload()
    page.evaluate(ELSEWHERE, "granted")
    page.evaluate("Notification.permission = 'granted'")
    for number in range(5):
        served.ask(Confirm(f"Number {number}?"), ANA)
    wait_until(lambda: len(served.portal.call(served.open_ids, ANA)) == 5)
    page.get_by_label("Session, if you were told one").fill("s1")
    page.get_by_label("Your token").fill("user:ana")
    page.keyboard.press("Enter")
    expect(page.locator("#announcer")).to_have_text("5 new questions.")
    wait_until(lambda: page.evaluate("shown") == [["5 new questions", ""]])
    page.evaluate("localStorage.clear()")
