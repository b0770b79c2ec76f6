"""Two people in two browsers, and questions that concern both."""

import re

import pytest
from playwright.sync_api import expect

from questions import All, Confirm, Option, Quorum, Select, Text
from tests.rules import rule
from tests.web.browsing import button, card
from tests.web.serving import ANA, BO, CY

REGIONS = Select("Where to?", [Option("eu", "Europe"), Option("us", "America")])


def test_the_other_one_is_told_who_has_answered(served, ana, bo):
    asked = served.ask(Confirm("Run it?"), ANA, BO)
    expect(card(ana, "Run it?")).to_contain_text("Build agent (server host) asks")
    expect(card(ana, "Run it?")).to_contain_text("Waiting foryou and Bo B. (bo)")
    button(card(bo, "Run it?"), "Deny").click()
    assert asked.result().by.principal == BO
    expect(card(ana, "Run it?")).to_contain_text("Answered by Bo B. (bo).")
    expect(card(bo, "Run it?")).to_contain_text("Answered by you. You said: Deny.")


def test_a_quorum_is_told_in_words_and_who_is_still_waited_for(served, ana, bo):
    asked = served.ask(REGIONS, ANA, BO, CY, policy=Quorum(2))
    on_both = card(ana, "Where to?"), card(bo, "Where to?")
    for seen in on_both:
        expect(seen).to_contain_text("Settles when 2 of 3 have answered.")
    on_both[0].get_by_label("Europe").check()
    button(on_both[0], "Answer").click()
    expect(on_both[0]).to_contain_text("You have answered: Europe.")
    expect(on_both[0]).to_contain_text("Waiting forBo B. (bo) and Cy (cy)")
    expect(on_both[1]).to_contain_text("AnsweredAna (ana)")
    on_both[1].get_by_label("America").check()
    button(on_both[1], "Answer").click()
    assert [one.answer for one in asked.result().answers] == ["eu", "us"]
    expect(on_both[0]).to_contain_text("Answered by you and Bo B. (bo).")


@rule("Q-POL-2")
def test_who_joins_is_asked_and_who_leaves_is_waited_for_no_more(served, visit, ana):
    asked = served.ask(Confirm("Shall we?"), policy=All())
    expect(card(ana, "Shall we?")).to_contain_text("Settles when all 1 have answered; who joins is asked too.")
    bo = visit("bo")
    expect(card(bo, "Shall we?")).to_contain_text("Waiting forAna (ana) and you")
    expect(card(ana, "Shall we?")).to_contain_text("Waiting foryou and Bo B. (bo)")
    button(card(ana, "Shall we?"), "Allow").click()
    expect(card(ana, "Shall we?")).to_contain_text("Waiting forBo B. (bo)")
    button(card(bo, "Shall we?"), "Allow").click()
    assert asked.result().unanimous(True)


def test_what_is_typed_stays_while_others_come_and_answer(served, visit, ana):
    served.ask(Text("What else?"), policy=Quorum(3))
    field = card(ana, "What else?").get_by_role("textbox")
    field.focus()
    ana.keyboard.type("half a sen")
    bo = visit("bo")
    card(bo, "What else?").get_by_role("textbox").fill("nothing")
    button(card(bo, "What else?"), "Answer").click()
    expect(card(ana, "What else?")).to_contain_text("AnsweredBo B. (bo)")
    expect(field).to_be_focused()
    ana.keyboard.type("tence")
    expect(field).to_have_value("half a sentence")


@rule("Q-SET-3")
def test_a_late_click_is_told_that_it_was_not_counted(served, ana):
    """Answered elsewhere while the page cannot hear of it, and pressed at that moment."""
    served.ask(Confirm("Run it?"), ANA, BO)
    press = button(card(ana, "Run it?"), "Deny")
    ana.evaluate("""() => {
      const send = WebSocket.prototype.send;
      WebSocket.prototype.send = function (frame) {
        const isAnswer = frame.includes('"answer"');
        if (isAnswer) globalThis.held = () => send.call(this, frame);
        else send.call(this, frame);
      };
    }""")
    press.click()
    id = ana.evaluate("globalThis.held && 'held'")
    assert id == "held"
    [question] = served.portal.call(served.open_ids, BO)
    served.answer(BO, question, True)
    expect(card(ana, "Run it?")).to_contain_text("Answered by Bo B. (bo).")
    ana.evaluate("globalThis.held()")
    expect(card(ana, "Run it?")).to_contain_text("Your answer came too late and was not counted.")


@pytest.mark.parametrize("how", ["withdrawn", "expired", "replaced"])
def test_a_question_that_ends_says_how_before_it_goes(served, ana, how):
    asked = served.ask(Confirm("Run it?"), ANA, timeout=0.5 if how == "expired" else None)
    card(ana, "Run it?").wait_for()
    words = {"withdrawn": "Withdrawn by whoever asked.", "expired": "Expired."}
    if how == "withdrawn":
        asked.withdraw()
    elif how == "replaced":
        asked.withdraw()
        served.ask(Confirm("Run this?"), ANA, key="k")
        card(ana, "Run this?").wait_for()
        served.ask(Confirm("Or this?"), ANA, key="k")
        expect(card(ana, "Run this?")).to_contain_text("Replaced by another question.")
    else:
        expect(card(ana, "Run it?")).to_contain_text(words[how])


def test_the_note_goes_after_a_while_and_the_history_of_the_visit_keeps_it(served, visit):
    ana = visit.blank("ana", locale="en-GB")  # a profile of its own: the clock is the profile's
    ana.clock.install()
    ana.goto(f"{served.url}#token=user:ana&session=s1")
    asked = served.ask(Confirm("Run it?"), ANA)
    card(ana, "Run it?").wait_for()
    asked.withdraw()
    expect(card(ana, "Run it?")).to_contain_text("Withdrawn by whoever asked.")
    ana.clock.fast_forward(9_000)
    expect(card(ana, "Run it?")).to_have_count(0)
    expect(ana.get_by_text("Nothing is asked just now.")).to_be_visible()
    ana.get_by_text("History of this visit: 1").click()
    expect(ana.locator("#history li")).to_contain_text(["Run it?Withdrawn by whoever asked."])


def test_a_browser_whose_clock_is_wrong_says_how_much_time_is_left_all_the_same(served, visit):
    ana = visit.blank("ana", locale="en-NZ")  # a profile of its own: the clock is the profile's
    ana.clock.install(time="2001-02-03")
    ana.goto(f"{served.url}#token=user:ana&session=s1")
    ana.get_by_text("Connected as Ana").wait_for()
    served.ask(Confirm("Run it?"), ANA, timeout=3000)
    expect(card(ana, "Run it?").get_by_role("timer")).to_have_text(re.compile(r"49:\d\d left"))


def test_questions_stand_oldest_first_and_say_how_much_time_is_left(served, ana):
    for words, timeout in [("The first?", 3000), ("The second?", 7200), ("The third?", None)]:
        served.ask(Confirm(words), ANA, timeout=timeout)
        card(ana, words).wait_for()
    expect(ana.locator(".card .message")).to_have_text(["The first?", "The second?", "The third?"])
    expect(card(ana, "The first?").get_by_role("timer")).to_have_text(re.compile(r"49:\d\d left"))
    expect(card(ana, "The second?").get_by_role("timer")).to_have_text(re.compile(r"1:59:\d\d left"))
    expect(card(ana, "The third?").locator(".time")).to_have_text("")
