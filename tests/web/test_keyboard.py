"""With the keyboard alone: what can be reached, what a stray key does not do, and where the focus stays."""

from playwright.sync_api import expect

from questions import Confirm, Option, Select, Text
from tests.web.browsing import button, card
from tests.web.serving import ANA


def focus_on(page):
    """What has the focus, as a person would call it."""
    return page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent")


def test_all_of_a_visit_can_be_done_with_the_keyboard(served, ana):
    confirmed = served.ask(Confirm("Run it?"), ANA)
    card(ana, "Run it?").wait_for()
    chosen = served.ask(Select("Where to?", [Option("eu", "Europe"), Option("us", "America")]), ANA)
    button(card(ana, "Run it?"), "Allow").wait_for()
    ana.get_by_role("button", name="Sign out").focus()
    ana.keyboard.press("Tab")
    assert focus_on(ana) == "Allow"
    ana.keyboard.press("Tab")
    ana.keyboard.press("Enter")
    assert confirmed.result().answer is False
    ana.keyboard.press("Tab")
    expect(ana.get_by_label("Europe")).to_be_focused()
    ana.keyboard.press("ArrowDown")
    expect(ana.get_by_label("America")).to_be_checked()
    ana.keyboard.press("Enter")
    assert chosen.result().answer == "us"


def test_a_yes_or_no_takes_nothing_before_it_has_been_there_for_half_a_second(served, visit):
    ana = visit.blank("ana", locale="en-GB")  # a profile of its own: the clock is the profile's
    ana.clock.install()
    sent = []
    ana.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    ana.goto(f"{served.url}#token=user:ana&session=s1")
    ana.get_by_text("Connected as Ana").wait_for()
    ana.clock.pause_at(ana.evaluate("Date.now() + 1000"))
    asked = served.ask(Confirm("Run it?"), ANA)
    allow = card(ana, "Run it?").get_by_role("button", name="Allow")
    allow.focus()
    ana.clock.run_for(450)
    for stray in ("Enter", "Space"):
        ana.keyboard.press(stray)
    allow.click(force=True)
    expect(allow).to_have_attribute("aria-disabled", "true")
    assert not [frame for frame in sent if '"answer"' in frame]
    ana.clock.run_for(60)
    expect(allow).to_have_attribute("aria-disabled", "false")
    ana.clock.resume()
    allow.press("Enter")
    assert asked.result().answer is True


def test_a_key_that_is_held_down_approves_nothing(served, ana):
    served.ask(Confirm("Run it?"), ANA)
    allow = button(card(ana, "Run it?"), "Allow")
    ana.get_by_role("heading", name="Waiting for you").focus()
    ana.keyboard.down("Enter")
    allow.focus()
    for _ in range(3):
        ana.keyboard.down("Enter")  # the same key again and again, as keyboards do
    ana.keyboard.up("Enter")
    expect(card(ana, "Run it?").get_by_role("button", name="Allow")).to_have_attribute("aria-disabled", "false")
    assert served.portal.call(served.open_ids, ANA)


def test_the_focus_stays_where_it_is_when_cards_come_and_go(served, ana):
    first = served.ask(Confirm("The first?"), ANA)
    card(ana, "The first?").wait_for()
    served.ask(Text("The second?"), ANA)
    field = card(ana, "The second?").get_by_role("textbox")
    field.focus()
    first.withdraw()
    card(ana, "Withdrawn by whoever asked.").wait_for()
    served.ask(Confirm("The third?"), ANA)
    card(ana, "The third?").wait_for()
    expect(field).to_be_focused()


def test_the_focus_goes_to_the_note_when_its_own_card_ends(served, ana):
    asked = served.ask(Confirm("Run it?"), ANA)
    button(card(ana, "Run it?"), "Allow").focus()
    asked.withdraw()
    card(ana, "Withdrawn by whoever asked.").wait_for()
    assert focus_on(ana) == "Build agent (server host) asks"


def test_each_field_is_called_by_what_is_asked(served, ana):
    served.ask(Text("The first?", help="Well?"), ANA)
    served.ask(Text("The second?", secret=True), ANA)
    served.ask(Select("The third?", [Option("eu", "Europe")]), ANA)
    for role, words in [("textbox", "The first?"), ("textbox", "The second?"), ("radiogroup", "The third?")]:
        expect(ana.get_by_role(role, name=f"Build agent (server host) asks {words}", exact=True)).to_be_visible()


def test_a_screen_reader_is_told_what_comes_and_how_it_ends(served, ana):
    told = ana.locator("#announcer")
    expect(told).to_have_attribute("aria-live", "polite")
    asked = served.ask(Confirm("Run it?"), ANA)
    expect(told).to_have_text("New question. Build agent (server host) asks: Run it?")
    asked.withdraw()
    expect(told).to_have_text("Withdrawn by whoever asked. The question was: Run it?")
