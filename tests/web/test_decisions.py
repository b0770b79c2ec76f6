"""Decisions on the page: answered by each input, passed on, cancelled, and what is said of them meanwhile and after."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from facets import Principal
from questions.durable import Status
from tests.questions.durable.cases import OPTS
from tests.web.browsing import button, card
from tests.web.deciding import LEAD, ROOT, Deciding
from tests.web.serving import ANA, BO
from tests.web.test_access import faults

ARMING = re.compile("arming")
CROWD = {"on_expire": "escalate", "escalation": {"chain": ["user", "root"]}}
CHAIN = {"holder": "supervisor:lead", "on_expire": "escalate"}


@pytest.fixture(scope="module")
def deciding():
    server = Deciding()
    server.start()
    yield server
    server.close()


@pytest.fixture
def served(deciding):
    return deciding


def test_a_yes_or_no_is_pressed_and_then_says_what_was_answered(served, ana):
    raised = served.raised("Restart it?", input="confirm", body="systemctl restart \u202eipa")
    its = card(ana, "Restart it?")
    expect(its).to_contain_text("deploy-agent (program) asks for a decision")
    expect(its).to_contain_text("Held bya person")
    expect(its.locator(".escaped")).to_have_text("\\u202e")
    button(its, "No").click()
    expect(its).to_contain_text("Answered by you. You said: No.")
    answered = served.act(ANA, "get", raised.id)
    assert (answered.answer.option_id, answered.answer.via, answered.answer.answered_by) == ("no", "web", "ana")


def test_a_choice_is_made_by_keys_alone(served, ana):
    raised = served.raised("Which one?", options=OPTS)
    its = card(ana, "Which one?")
    its.get_by_label("Keep").focus()
    ana.keyboard.press("ArrowDown")
    ana.keyboard.press("Tab")
    button(its, "Answer").press("Enter")
    expect(its).to_contain_text("You said: Drop.")
    assert served.act(ANA, "get", raised.id).answer.option_id == "drop"


def test_a_long_text_has_room_for_it_and_no_more_than_its_limit(served, ana):
    raised = served.raised("What happened?", input="editor")
    its = card(ana, "What happened?")
    field = its.get_by_role("textbox")
    assert field.bounding_box()["height"] > 200
    field.fill("x" * 4_001)
    button(its, "Answer").click()
    expect(its.get_by_role("alert")).to_have_text("Too long: at most 4,000 characters. Nothing was sent.")
    field.fill("one\ntwo")
    field.press("Control+Enter")
    expect(its).to_contain_text("Answered by you.")
    assert served.act(ANA, "get", raised.id).answer.text == "one\ntwo"


def test_its_raiser_follows_it_from_hop_to_hop_and_what_is_typed_stays(served, ana):
    final = {"hop_timeout_ms": 3_600_000, "on_final": "default"}
    raised = served.raised("Deploy?", ANA, options=OPTS, default_option_id="drop", **CHAIN, escalation=final)
    its = card(ana, "Deploy?")
    expect(its).to_contain_text("Held byana's team lead (program lead): hop 1 of 3, next: root, then a person")
    expect(its).to_contain_text("“Drop”, by itself")
    expect(its).to_contain_text("You ask for a decision")
    expect(its.get_by_role("timer")).to_contain_text("59:")
    its.get_by_label("Keep").check()
    its.get_by_text("Pass it on, or cancel it").click()
    reason = its.get_by_label("Why, if you like to say")
    reason.fill("half a rea")
    served.act(LEAD, "escalate", raised.id, "not mine")
    expect(its).to_contain_text("Held byroot: hop 2 of 3, next: a person")
    expect(its).to_contain_text("Beforeana's team lead (program lead), passed on at ")
    expect(reason).to_be_focused()
    ana.keyboard.type("son")
    expect(its.get_by_label("Keep")).to_be_checked()
    button(its, "Pass on to a person").click()
    expect(its).to_contain_text("hop 3 of 3, the last one")
    assert served.act(ANA, "get", raised.id).history[1].text == "half a reason"
    expect(its.get_by_text("Pass on to")).to_have_count(0)
    button(its, "Cancel this decision").click()
    expect(its).to_contain_text("Cancelled by ana.")
    assert served.act(ANA, "get", raised.id).status is Status.CANCELLED


def test_enter_that_comes_just_as_it_goes_on_passes_it_over_nobody(served, visit):
    ana = visit.blank("ana", locale="en-NZ")  # a profile of its own: the clock is the profile's
    ana.clock.install()
    ana.goto(f"{served.url}#token=user:ana&session=s1")
    raised = served.raised("Whose?", ANA, input="confirm", **CHAIN)
    its = card(ana, "Whose?")
    its.get_by_text("Pass it on, or cancel it").click()
    its.get_by_label("Why, if you like to say").fill("not mine")
    ana.clock.pause_at(ana.evaluate("Date.now() + 1000"))
    served.act(LEAD, "escalate", raised.id)
    expect(its).to_contain_text("hop 2 of 3")
    ana.keyboard.press("Enter")
    ana.clock.run_for(600)
    assert served.act(ANA, "get", raised.id).holder == "root"
    ana.keyboard.press("Enter")
    ana.clock.resume()
    expect(its).to_contain_text("hop 3 of 3, the last one")
    served.act(ANA, "cancel", raised.id)


def test_one_that_has_gone_on_to_somebody_else_says_so_and_tells_no_more(served, ana):
    chain = {"holder": "user", "on_expire": "escalate", "escalation": {"chain": ["user", "root"]}}
    raised = served.raised("Whose?", **chain)
    expect(card(ana, "Whose?")).to_contain_text("hop 1 of 2, next: root")
    served.act(BO, "escalate", raised.id)
    expect(card(ana, "Whose?")).to_contain_text("It has gone on to somebody else.")


def test_of_two_people_who_answer_at_once_the_second_is_told_that_it_was_not_counted(served, ana):
    raised = served.raised("Both?", options=OPTS)
    its = card(ana, "Both?")
    its.get_by_label("Keep").check()
    press = button(its, "Answer")
    ana.evaluate("""() => {
      const send = WebSocket.prototype.send;
      window.held = new Promise((go) => { window.go = go; });
      WebSocket.prototype.send = function (frame) { window.held.then(() => send.call(this, frame)); };
    }""")
    press.click()
    served.act(BO, "answer", raised.id, option="drop")
    ana.evaluate("window.go()")
    expect(its).to_contain_text("Answered by bo: “Drop”. Your answer came too late and was not counted.")
    ana.reload()


@pytest.mark.parametrize("word", ["constructor", "__proto__", "toString"])
def test_who_is_called_as_something_that_every_object_has_is_called_so(served, ana, word):
    options = [{"id": word.strip("_"), "label": "Go"}]
    raised = served.raised(f"May {word} go?", Principal.program(word), input="confirm", options=options)
    its = card(ana, raised.title)
    expect(its.get_by_role("heading")).to_have_text(f"{word} (program) asks for a decision")
    expect(button(its, "Go")).to_have_class("plain")
    button(its, "Go").click()
    expect(its).to_contain_text("Answered by you. You said: Go.")


def test_while_the_store_is_away_nothing_can_be_pressed_and_then_it_goes_on(served, ana):
    raised = served.raised("Still there?", input="confirm")
    its = card(ana, "Still there?")
    button(its, "Yes").wait_for()
    served.engine.away |= {"get", "scan", "count", "now", "changes", "moved"}
    expect(ana.locator("#places")).to_contain_text("No news from the store of decisions: it is away.")
    expect(its.locator("button[aria-disabled=false]")).to_have_count(0)
    served.engine.away.clear()
    expect(ana.locator("#places")).to_have_text("")
    button(its, "Yes").click()
    expect(its).to_contain_text("You said: Yes.")
    assert served.act(ROOT, "get", raised.id).status is Status.ANSWERED


COUNT_LOOKS = """
  const look = Element.prototype.getBoundingClientRect;
  globalThis.looksAtHidden = 0;
  Element.prototype.getBoundingClientRect = function () {
    if (this.closest("details:not([open])")) looksAtHidden += 1;
    return look.call(this);
  };
"""


def test_a_crowd_is_shown_without_a_look_at_what_each_keeps_hidden(served, visit):
    raised = [served.raised(f"No {number}?", input="confirm", **CROWD) for number in range(50)]
    page = visit.blank("ana", locale="en-IE")  # a profile of its own: what counts stays in its pages
    page.add_init_script(COUNT_LOOKS)
    page.goto(f"{served.url}#token=user:ana&session=s1")
    expect(button(card(page, "No 49?"), "Yes")).not_to_have_class(ARMING)
    assert page.evaluate("looksAtHidden") == 0
    its = card(page, "No 49?")
    its.get_by_text("Pass it on, or cancel it").click()
    expect(button(its, "Cancel this decision")).not_to_have_class(ARMING)
    button(its, "Cancel this decision").click()
    expect(its).to_contain_text("Cancelled by ana.")
    for one in raised[:-1]:
        served.act(ANA, "cancel", one.id)


def test_its_cards_and_notes_keep_nobody_out_by_day_or_night_at_a_desk_or_on_a_phone(served, visit):
    page = visit("ana", locale="en-IE")
    chain = {**CHAIN, "escalation": {"hop_timeout_ms": 3_600_000}}
    inputs: dict[str, dict[str, Any]] = {
        "Yes?": {"input": "confirm", **chain},
        "Why?": {"input": "editor", "body": "all"},
        "One?": {"options": OPTS},
    }
    ids = [served.raised(title, ANA, **fields).id for title, fields in inputs.items()]
    for title in inputs:
        card(page, title).get_by_text("ancel it").click()
    served.act(ANA, "cancel", ids[-1])
    expect(card(page, "One?")).to_contain_text("Cancelled by ana.")
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
