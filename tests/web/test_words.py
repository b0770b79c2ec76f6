"""What the page says, word for word: who is who, when a question settles, and how it has ended."""

import pytest
from playwright.sync_api import expect

from questions import Confirm, Text
from tests.web.browsing import card
from tests.web.serving import ANA, BO

NAMES = [
    (("user", "ana", "Ana"), "you"),
    (("user", "bo", "bo"), "bo"),
    (("user", "bo", "Bo B."), "Bo B. (bo)"),
    (("guest", "bo", "Bo B."), "Bo B. (guest bo)"),
    (("guest", "ana", "Ana"), "Ana (guest ana)"),
    (("guest", "you", "you"), "you (guest)"),
    (("user", "you", "you"), "you (user)"),
    (("user", "bo", "you"), "you (bo)"),
    (("server", "nobody", "nobody"), "nobody (server)"),
]
POLICIES = [
    ({"kind": "first"}, 2, "Settles with the first answer."),
    ({"kind": "quorum", "count": 2}, 3, "Settles when 2 of 3 have answered."),
    ({"kind": "quorum", "count": 3}, 1, "Settles when 3 have answered; up to now 1 is asked."),
    ({"kind": "quorum", "count": 3}, 0, "Settles when 3 have answered; up to now 0 are asked."),
    ({"kind": "all", "join": "snapshot"}, 2, "Settles when all 2 have answered."),
    ({"kind": "all", "join": "live"}, 2, "Settles when all 2 have answered; who joins is asked too."),
    ({"kind": "newest"}, 2, "Settles by the policy newest."),
]


def named(kind, id, name):
    return {"kind": kind, "id": id, "name": name}


@pytest.fixture
def words(visit, served):
    """Call a function of `words.js`."""
    page = visit.blank("ana")
    page.goto(served.url)

    def call(name, *arguments):
        return page.evaluate("async ([name, given]) => (await import('/words.js'))[name](...given)", [name, arguments])

    return call


def test_nobody_looks_like_somebody_else(words):
    me = named("user", "ana", "Ana")
    assert [(who, words("nameOf", named(*who), me)) for who, _ in NAMES] == NAMES


def test_policies_are_said_in_words(words):
    for policy, asked, said in POLICIES:
        waiting = [named("user", str(number), "") for number in range(asked)]
        assert words("policyOf", {"policy": policy, "answered": [], "waiting_for": waiting}) == said


def test_what_the_deadline_has_answered_is_not_said_to_be_somebodys(served, ana):
    served.ask(Confirm("Run it?"), ANA, timeout=0.5, default=False)
    expect(card(ana, "Run it?")).to_contain_text("Answered automatically, by the deadline.")


def test_a_text_that_was_typed_while_another_answered_is_still_there_and_said_not_to_be_sent(served, ana):
    served.ask(Text("What else?"), ANA, BO)
    field = card(ana, "What else?").get_by_role("textbox")
    field.focus()
    ana.keyboard.type("half a sen")
    [question] = served.portal.call(served.open_ids, BO)
    served.answer(BO, question, "nothing")
    expect(card(ana, "What else?")).to_contain_text("Answered by Bo B. (bo).")
    expect(card(ana, "What else?")).to_contain_text("What you have typed was not sent; you can still copy it.")
    expect(field).to_be_focused()
    expect(field).to_have_value("half a sen")
    expect(card(ana, "What else?").get_by_role("button")).to_have_count(0)
