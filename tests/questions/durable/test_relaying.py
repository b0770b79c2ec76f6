"""The relay of a child as a machine: each dialog ends once, whatever comes in which order."""

import itertools
import json

import pytest

from questions.durable.dialogs import CANCELLED, Dialog, Reply, response_line
from questions.durable.relaying import MOST_PENDING, BlockedOn, Relay, Settled


def question(id="1", **changes):
    return {"requestId": id, "method": "select", "title": "Pick", "options": ["Alpha", "Beta"], **changes}


def answer(id="1", value="Beta"):
    return response_line(id, Reply(value))


def test_an_answer_settles_it_once():
    relay = Relay()
    assert isinstance(relay.ask(question(), 0), Dialog)
    assert relay.receive(answer(), 5) == Settled("1", Reply("Beta"))
    assert relay.receive(answer(value="Alpha"), 6) is None
    assert relay.due(10**9) == []


def test_its_deadline_cancels_it_and_a_later_answer_is_ignored():  # case 117
    relay = Relay()
    relay.ask(question(timeout=1_000), 0)
    assert (relay.nearest(), relay.due(999)) == (1_000, [])
    assert relay.due(1_000) == [Settled("1", CANCELLED)]
    assert relay.receive(answer(), 1_001) is None
    assert relay.due(2_000) == []


def test_an_answer_at_the_instant_of_the_deadline_is_too_late():
    relay = Relay()
    relay.ask(question(timeout=1_000), 0)
    assert relay.receive(answer(), 1_000) is None
    assert relay.due(1_000) == [Settled("1", CANCELLED)]


@pytest.mark.parametrize("refused", [question("0"), question("new"), question("s", options=[])])
def test_a_second_of_an_id_a_seventeenth_and_a_choice_of_nothing_are_cancelled_at_once(refused):  # case 116
    relay = Relay()
    for number in range(MOST_PENDING):
        assert isinstance(relay.ask(question(str(number)), 0), Dialog)
    assert relay.ask(refused, 0) == CANCELLED
    assert len(relay.lines(0)) == 16


def test_an_id_that_was_given_up_is_not_asked_with_until_its_response_has_come():
    relay = Relay()
    relay.ask(question(), 0)
    relay.line("1", 0)
    relay.give_up("1")
    assert relay.ask(question(title="Delete?"), 1) == CANCELLED
    assert relay.receive(answer(), 2) is None
    assert isinstance(relay.ask(question(title="Delete?"), 3), Dialog)


@pytest.mark.parametrize("asked_of", ["nobody", "one that has gone"])
def test_an_id_that_no_parent_can_respond_to_is_free_again(asked_of):
    relay = Relay()
    relay.ask(question(), 0)
    if asked_of != "nobody":
        relay.line("1", 0)
    relay.give_up("1")
    assert relay.lines(1) == []
    assert isinstance(relay.ask(question(), 2), Dialog)


def test_ids_that_a_silent_parent_owes_responses_to_are_bounded():
    relay = Relay()
    for number in range(3_000):
        assert isinstance(relay.ask(question(str(number)), 0), Dialog)
        relay.line(str(number), 0)
        relay.give_up(str(number))
    assert isinstance(relay.ask(question("0"), 1), Dialog)


def test_what_is_no_dialog_is_not_handled():
    assert Relay().ask({"method": "notify"}, 0) is None
    assert Relay().ask(None, 0) is None


def test_an_answer_that_does_not_fit_ends_it_as_cancelled():
    relay = Relay()
    relay.ask(question(), 0)
    assert relay.receive(answer(value="Gamma"), 1) == Settled("1", CANCELLED)
    assert relay.receive(answer(), 2) is None


def test_the_next_parent_is_asked_all_that_is_pending_with_the_time_that_is_left():
    relay = Relay()
    relay.ask(question("1", timeout=1_000), 0)
    relay.ask(question("2", timeout=2_000), 100)
    relay.receive(answer("1"), 200)
    [line] = relay.lines(600)
    assert json.loads(line)["data"]["timeout"] == 1_500


def test_it_is_blocked_from_the_first_question_until_none_is_left():
    relay = Relay()
    assert relay.blocked_on is None
    relay.ask(question("1"), 5)
    relay.ask(question("2"), 9)
    relay.receive(answer("1"), 10)
    assert relay.blocked_on == BlockedOn(5)
    relay.give_up("2")
    assert relay.blocked_on is None
    relay.ask(question("3"), 20)
    assert relay.blocked_on == BlockedOn(20)


STEPS = {
    "ask": lambda relay, now: relay.ask(question(timeout=3), now),
    "yes": lambda relay, now: relay.receive(answer(), now),
    "bad": lambda relay, now: relay.receive(answer(value="Gamma"), now),
    "due": lambda relay, now: relay.due(now),
    "leave": lambda relay, now: relay.give_up("1"),
}


@pytest.mark.parametrize("steps", [pytest.param(length, id=str(length)) for length in range(1, 6)])
def test_in_every_order_what_was_asked_ends_at_most_once_and_never_with_what_nobody_said(steps):
    for names in itertools.product(STEPS, repeat=steps):
        relay, asked = Relay(), 0
        ends: list[Settled] = []
        for now, name in enumerate(names):
            came = STEPS[name](relay, now)
            asked += isinstance(came, Dialog)
            ends += [came] if isinstance(came, Settled) else came if isinstance(came, list) else []
        assert len(ends) <= asked
        assert all(end.reply in (CANCELLED, Reply("Beta")) for end in ends)
        assert "yes" in names or all(end.reply.cancelled for end in ends)
