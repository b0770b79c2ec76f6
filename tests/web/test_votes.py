"""Votes at a browser: a form for each kind of ballot, by keyboard too, and ballots revised until the end."""

import pytest
from playwright.sync_api import expect

from questions import Option, Select
from questions.rooms import Mechanism
from tests.web.browsing import button, card
from tests.web.serving import ANA, BO

DRINK = Select("What to drink?", [Option("tea", "Tea"), Option("coffee", "Coffee"), Option("cocoa", "Cocoa")])


def asked_of_both(served, name, **params):
    return served.ask(DRINK, ANA, BO, policy=Mechanism(name, params, ends="complete"))


async def open_ids(host):
    return list(host.waiting.value)


def revise(place):
    place.get_by_role("button", name="Change my ballot").click()


def ends_with(served, asked, ballot):
    """Bo votes elsewhere, which ends it."""
    [id] = served.portal.call(open_ids, served.portal.host)
    served.answer(BO, id, ballot)
    tallied = asked.result()
    return [one.answer for one in tallied.ballots]


def test_one_option_is_picked_as_in_any_choice(served, ana):
    asked = asked_of_both(served, "plurality")
    place = card(ana, DRINK.message)
    expect(place).to_contain_text("A vote by plurality. Ends when everybody has voted.")
    place.get_by_label("Coffee").check()
    button(place, "Vote").click()
    expect(place).to_contain_text("You have answered: Coffee.")
    assert ends_with(served, asked, "tea") == ["coffee", "tea"]


def test_approvals_are_ticked_and_none_is_a_ballot(served, ana):
    asked = asked_of_both(served, "approval")
    place = card(ana, DRINK.message)
    button(place, "Vote").click()
    expect(place).to_contain_text("You have answered: none of them.")
    revise(place)
    for name in ("Tea", "Cocoa"):
        place.get_by_label(name).check()
    button(place, "Vote").click()
    expect(place).to_contain_text("You have answered: Tea, Cocoa.")
    assert ends_with(served, asked, []) == [("tea", "cocoa"), ()]


def test_options_are_ranked_by_keyboard(served, ana):
    asked = asked_of_both(served, "ranked_choice")
    place = card(ana, DRINK.message)
    button(place, "Vote").click()
    expect(place.get_by_role("alert")).to_have_text("Rank one at least.")
    expect(button(place, "Better: Tea")).to_be_focused()
    ana.keyboard.press("Enter")
    expect(place.get_by_role("status")).to_have_text("Tea is number 1 of 1")
    button(place, "Better: Cocoa").focus()
    ana.keyboard.press("Space")
    expect(button(place, "Better: Cocoa")).to_be_focused()
    ana.keyboard.press("ArrowUp")
    expect(place.get_by_role("status")).to_have_text("Cocoa is number 1 of 2")
    button(place, "Worse: Tea").focus()
    ana.keyboard.press("ArrowDown")
    expect(place.get_by_role("status")).to_have_text("Tea has no rank")
    ana.keyboard.press("ArrowUp")
    button(place, "Vote").focus()
    ana.keyboard.press("Enter")
    expect(place).to_contain_text("You have answered: Cocoa, Tea.")
    assert ends_with(served, asked, ["tea"]) == [("cocoa", "tea"), ("tea",)]


def test_credits_are_spent_and_what_is_left_is_said(served, ana):
    asked = asked_of_both(served, "quadratic_vote")
    place = card(ana, DRINK.message)
    left = place.get_by_role("status")
    expect(left).to_have_text("9 of 9 credits left")
    place.get_by_label("Tea").fill("4")
    place.get_by_label("Cocoa").fill("7")
    expect(left).to_contain_text("2 more than the 9 credits")
    button(place, "Vote").click()
    expect(place.get_by_role("alert")).to_have_text("At most 9 credits in all.")
    place.get_by_label("Cocoa").fill("5")
    expect(left).to_have_text("0 of 9 credits left")
    button(place, "Vote").click()
    expect(place).to_contain_text("You have answered: Tea 4, Cocoa 5.")
    assert ends_with(served, asked, {"tea": 9}) == [{"tea": 4, "cocoa": 5}, {"tea": 9}]


def test_points_are_given_within_their_limits(served, ana):
    asked = asked_of_both(served, "score_vote", max_score=3)
    place = card(ana, DRINK.message)
    alert = place.get_by_role("alert")
    button(place, "Vote").click()
    expect(alert).to_have_text("Give something more than 0.")
    place.get_by_label("Tea").fill("4")
    button(place, "Vote").click()
    expect(alert).to_have_text("A number from 0 to 3.")
    place.get_by_label("Tea").fill("2.5")
    button(place, "Vote").click()
    expect(place).to_contain_text("You have answered: Tea 2.5.")
    assert ends_with(served, asked, {"cocoa": 3}) == [{"tea": 2.5}, {"cocoa": 3}]


@pytest.mark.parametrize("name", ["plurality", "ranked_pairwise"])
def test_a_ballot_is_revised_from_what_it_was(served, ana, name):
    asked = asked_of_both(served, name)
    place = card(ana, DRINK.message)
    if name == "plurality":
        place.get_by_label("Tea").check()
        button(place, "Vote").click()
        revise(place)
        expect(place.get_by_label("Tea")).to_be_checked()
        place.get_by_label("Cocoa").check()
        button(place, "Vote").click()
    else:
        button(place, "Better: Tea").click()
        button(place, "Vote").click()
        revise(place)
        button(place, "Better: Cocoa").click()
        button(place, "Better: Cocoa").click()
        button(place, "Vote").click()
    expect(place).to_contain_text("You have answered: Cocoa")
    revised = "cocoa" if name == "plurality" else ("cocoa", "tea")
    assert ends_with(served, asked, revised) == [revised, revised]


def test_a_vote_that_ends_while_a_ballot_is_revised_takes_no_more_of_it(served, ana):
    asked = asked_of_both(served, "plurality")
    place = card(ana, DRINK.message)
    place.get_by_label("Tea").check()
    button(place, "Vote").click()
    revise(place)
    place.get_by_label("Cocoa").check()
    assert ends_with(served, asked, "tea") == ["tea", "tea"]
    expect(place).to_contain_text("The vote has ended, with ballots by you and Bo B. (bo). You said: Tea.")
    expect(place.get_by_role("button", name="Vote")).to_have_count(0)


def test_a_vote_that_the_time_has_ended_is_not_told_as_expired(served, ana):
    asked = served.ask(DRINK, ANA, policy=Mechanism("plurality", ends="deadline"), timeout=0.5)
    expect(card(ana, DRINK.message)).to_contain_text("The vote has ended without a ballot.")
    assert asked.result().winner is None


def test_the_rows_of_a_ballot_are_as_high_as_those_of_a_choice(served, ana):
    asked = asked_of_both(served, "approval")
    row = card(ana, DRINK.message).locator(".option").first
    box, words = (row.locator(part).bounding_box() for part in ("input", "span"))
    middle = [one["y"] + one["height"] / 2 for one in (box, words)]
    assert abs(middle[0] - middle[1]) < 4
    asked.withdraw()
