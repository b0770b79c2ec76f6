"""Links that are lost, servers that start again, tokens that are not taken: what was typed stays."""

import json

import pytest
from playwright.sync_api import expect

from questions import Confirm, OwnerScope, Quorum, SessionScope, Text
from tests.rules import rule
from tests.web.browsing import button, card
from tests.web.serving import ANA, BO, wait_until


def test_the_server_starts_again_in_the_middle_of_typing(served, ana):
    """The work asks the same again, under the same key: what was typed is there, and so is the cursor."""
    served.ask(Text("What else?"), ANA, key="k")
    card(ana, "What else?").get_by_role("textbox").focus()
    ana.keyboard.type("half a sen")
    served.stop()
    ana.get_by_text("Connection lost").wait_for()
    expect(card(ana, "What you have typed stays").get_by_role("button")).to_have_count(0)
    ana.keyboard.type("ten")  # nobody stops writing for that
    served.start()
    ana.get_by_text("Connected as Ana").wait_for()
    asked = served.ask(Text("What else?"), ANA, key="k")
    again = ana.locator(".card.text").get_by_role("textbox")
    expect(again).to_have_value("half a senten")
    expect(again).to_be_focused()
    ana.keyboard.type("ce")
    ana.keyboard.press("Control+Enter")
    assert asked.result().answer == "half a sentence"


def test_the_rest_of_a_secret_is_not_sent_for_all_of_it(served, ana):
    """The field for the same secret, asked again, begins empty: the cursor does not go there by itself."""
    served.ask(Text("The code?", secret=True), ANA, key="k")
    card(ana, "The code?").locator("input").focus()
    ana.keyboard.type("1234")
    served.stop()
    ana.get_by_text("Connection lost").wait_for()
    served.start()
    ana.get_by_text("Connected as Ana").wait_for()
    asked = served.ask(Text("The code?", secret=True), ANA, key="k")
    field = ana.locator(".card.text").locator("input")
    field.wait_for()
    ana.keyboard.type("56\n")
    expect(field).to_have_value("")
    asked.withdraw()


@pytest.fixture
def refused(served, ana):
    """The token is taken back in the middle of typing: that sends everybody with it away, for good."""
    asked = served.ask(Text("What else?"), ANA, BO)
    card(ana, "What else?").get_by_role("textbox").focus()
    ana.keyboard.type("all")
    served.tokens.revoked.add("user:ana")
    ana.get_by_text("That token was not taken.").wait_for()
    ana.keyboard.type(" of it")
    served.tokens.revoked.clear()
    return asked


def test_who_is_refused_goes_on_typing_where_they_were(ana, refused):
    expect(card(ana, "What else?").get_by_role("textbox")).to_have_value("all of it")
    expect(card(ana, "What else?").get_by_role("button", name="Answer")).to_have_attribute("aria-disabled", "true")
    expect(ana.get_by_label("Your token")).to_have_value("")


@pytest.mark.parametrize("way", ["form", "link"])
def test_another_token_of_the_same_person_goes_on_with_what_was_typed(served, ana, refused, way):
    if way == "form":
        ana.get_by_label("Your token").fill("user:ana")
        ana.get_by_role("button", name="Connect").click()
    else:
        ana.goto(f"{served.url}#token=user:ana&session=s1")
    ana.get_by_text("Connected as Ana").wait_for()
    expect(ana.get_by_label("Your token")).to_be_hidden()
    expect(card(ana, "What else?").get_by_role("textbox")).to_have_value("all of it")
    button(card(ana, "What else?"), "Answer").click()
    assert refused.result().answer == "all of it"
    assert ana.url == f"{served.url}#session=s1"


def test_what_one_person_has_typed_is_not_for_another(ana, refused):
    ana.get_by_label("Your token").fill("user:bo")
    ana.get_by_role("button", name="Connect").click()
    ana.get_by_text("Connected as Bo B.").wait_for()
    expect(card(ana, "What else?").get_by_role("textbox")).to_have_value("")


CUT = """() => {
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (frame) {
    if (!frame.includes('"answer"')) return send.call(this, frame);
    WebSocket.prototype.send = send;
    this.close();
  };
}"""


def test_an_answer_that_may_be_lost_is_said_to_be_and_can_be_given_again(served, ana):
    asked = served.ask(Confirm("Run it?"), ANA)
    press = button(card(ana, "Run it?"), "Allow")
    ana.evaluate(CUT)
    press.click()
    expect(card(ana, "Run it?").get_by_role("alert")).to_contain_text("not known whether your answer has arrived")
    ana.get_by_text("Connected as Ana").wait_for()
    button(card(ana, "Run it?"), "Allow").click()
    assert asked.result().answer is True


CUT_AFTER = CUT.replace("this.close();", "send.call(this, frame); this.close();")


def test_an_answer_that_has_arrived_after_all_is_no_fault_any_more(served, ana):
    served.ask(Confirm("Run it?"), ANA, BO, policy=Quorum(2))
    press = button(card(ana, "Run it?"), "Allow")
    ana.evaluate(CUT_AFTER)
    press.click()
    expect(card(ana, "Run it?")).to_contain_text("You have answered.")
    expect(card(ana, "Run it?").get_by_role("alert")).to_be_hidden()


def test_a_question_that_goes_before_it_is_known_whether_the_answer_has_arrived_says_so(served, ana):
    served.ask(Confirm("Run it?"), ANA)
    press = button(card(ana, "Run it?"), "Allow")
    ana.evaluate(CUT)
    served.tokens.revoked.add("user:ana")
    press.click()
    ana.get_by_text("That token was not taken.").wait_for()
    served.stop()
    served.tokens.revoked.clear()
    served.start()
    ana.get_by_label("Your token").fill("user:ana")
    ana.keyboard.press("Enter")
    expect(card(ana, "Run it?")).to_contain_text("It is not known whether your answer had arrived.")


def test_a_reload_keeps_the_token_and_the_address_shows_none(served, ana):
    served.ask(Confirm("Run it?"), ANA)
    assert ana.url == f"{served.url}#session=s1"
    ana.reload()
    expect(card(ana, "Run it?")).to_be_visible()
    assert "user:ana" not in ana.evaluate("location.href + document.documentElement.outerHTML")


def test_the_token_stands_in_no_request(served, visit):
    page, requested = visit.blank("ana"), []
    page.on("request", lambda request: requested.append(request.url.split("#")[0] + json.dumps(request.headers)))
    page.on("websocket", lambda socket: requested.append(socket.url))
    page.goto(f"{served.url}#token=user:ana&session=s1")
    page.get_by_text("Connected as Ana").wait_for()
    assert len(requested) > 10
    assert not [one for one in requested if "user:ana" in one or "user%3Aana" in one]


def test_without_a_token_the_page_asks_for_one_and_for_nothing_else(served, visit):
    page = visit.blank("ana")
    page.goto(served.url)
    expect(page.get_by_label("Your token")).to_be_focused()
    expect(page.get_by_label("Your token")).to_have_attribute("type", "password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Without a token there is nothing to see.")
    page.keyboard.type("user:ana")
    page.get_by_label("Session, if you were told one").fill("s1")
    page.keyboard.press("Enter")
    page.get_by_text("Connected as Ana").wait_for()
    assert page.url == f"{served.url}#session=s1"


def test_signing_out_forgets_the_token(served, ana):
    ana.get_by_role("button", name="Sign out").click()
    expect(ana.get_by_label("Your token")).to_be_visible()
    assert ana.evaluate("sessionStorage.length") == 0
    ana.reload()
    expect(ana.get_by_label("Your token")).to_be_visible()


@pytest.mark.parametrize("token", ["nobody", "user:ana "])
def test_a_token_that_is_refused_is_said_to_be_in_plain_words(served, visit, monkeypatch, token):
    monkeypatch.setattr(served.tokens, "authenticate", lambda token, now: None)
    page = visit.blank("ana")
    page.goto(f"{served.url}#token={token}&session=s1")
    expect(page.get_by_role("alert")).to_contain_text("That token was not taken. It may have expired")
    expect(page.get_by_label("Your token")).to_be_focused()
    assert page.evaluate("sessionStorage.length") == 0


TURN = """(state) => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@rule("Q-POL-5")
def test_a_question_counts_as_seen_once_it_was_shown_on_a_page_that_can_be_seen(served, ana):
    """A tab in the background has got it, and nobody has looked at it."""
    ana.evaluate(TURN, "hidden")
    served.ask(Confirm("Run it?"), ANA)
    other = served.ask(Confirm("And that?"), ANA)
    ana.evaluate("new Promise(requestAnimationFrame)")
    button(card(ana, "And that?"), "Allow").click()
    other.result()  # by now an acknowledgement would have come, since they do not overtake each other
    assert served.seen("Run it?") == []
    ana.evaluate(TURN, "visible")
    wait_until(lambda: served.seen("Run it?") == ["user:ana"])


def test_what_is_asked_of_a_person_in_no_session_is_shown_too(served, ana):
    asked = served.ask(Confirm("Is it you?"), ANA, scope=OwnerScope(ANA))
    expect(card(ana, "Is it you?")).to_contain_text("personal matters of user ana")
    button(card(ana, "Is it you?"), "Allow").click()
    assert asked.result().answer is True


def test_several_sessions_are_shown_on_one_page(served, visit):
    page = visit.blank("ana")
    page.goto(f"{served.url}#token=user:ana&session=s1&session=s+2")
    page.get_by_text("Connected as Ana").wait_for()
    served.ask(Confirm("Run it?"), ANA)
    served.ask(Confirm("Run that?"), ANA, scope=SessionScope("s 2"))
    expect(card(page, "Run it?")).to_contain_text("session s1")
    expect(card(page, "Run that?")).to_contain_text("session s 2")
