"""Votes at a command line and in the inbox: ballots in a line of text, revised until the end, and who has won."""

import json
from typing import Any

import pytest

from questions import Option, Select
from questions.cli import codes, main
from questions.cli.ballots import vote_in_words
from questions.policies import First
from questions.rooms import MECHANISMS, Mechanism, explain
from questions.rooms.forms import ballot_faults, how_to_write, read_ballot, write_ballot
from tests.cli.house import ALICE, BOB, open_house
from tests.cli.inboxes import ANA, BO, opened, play
from tests.cli.test_ask import answered, asking
from tests.questions.rooms.elections import BALLOTS, DRINK, OPTIONS

WRITTEN = {
    "plurality": ("tea", "tea"),
    "approval": ("tea, cocoa", ("tea", "cocoa")),
    "ranked_choice": ("cocoa > tea", ("cocoa", "tea")),
    "ranked_pairwise": ("cocoa tea", ("cocoa", "tea")),
    "score_vote": ("tea=5 cocoa=1.5", {"tea": 5, "cocoa": 1.5}),
    "quadratic_vote": ("tea=4, cocoa=1", {"tea": 4, "cocoa": 1}),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_ballot_that_was_written_is_read_as_it_was(name):
    policy = Mechanism(name)
    for ballot in BALLOTS[name]:
        assert read_ballot(policy.ballot, write_ballot(ballot)) == ballot
        assert not ballot_faults(policy.ballot, policy.params, OPTIONS, ballot)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("approval", ""),
        ("approval", "tea tea"),
        ("ranked_choice", " "),
        ("ranked_choice", "tea > beer"),
        ("score_vote", "tea=1 tea=2"),
        ("score_vote", "tea"),
        ("score_vote", "tea=much"),
        ("score_vote", "tea=nan"),
        ("quadratic_vote", "tea=inf"),
        ("quadratic_vote", "tea=1.5"),
    ],
)
def test_what_cannot_be_read_is_no_ballot(name, text):
    policy = Mechanism(name)
    assert policy.check(DRINK, read_ballot(policy.ballot, text))


def test_brackets_approve_of_nothing_since_a_dash_stands_for_standard_input():
    assert read_ballot("approvals", "[]") == read_ballot("approvals", "-") == []
    assert write_ballot([]) == "[]"


@pytest.mark.parametrize("name", [name for name in MECHANISMS if Mechanism(name).ballot != "one"])
@pytest.mark.parametrize("options", [OPTIONS, OPTIONS[:1]])
def test_how_a_ballot_is_written_is_told_by_one_that_counts(name, options):
    policy = Mechanism(name)
    told = how_to_write(policy.ballot, policy.params, options)
    example = told.partition("such as ")[2].partition(";")[0]
    assert not ballot_faults(policy.ballot, policy.params, options, read_ballot(policy.ballot, example))


async def test_nothing_is_approved_of_on_the_command_line(tmp_path):
    async with open_house(tmp_path) as house:
        id = await house.ask(DRINK, policy=Mechanism("approval"), audience=(ALICE,))
        assert (await house.run("answer", id, "[]")).returncode == codes.DONE
        (tallied,) = await house.settled()
        assert [one.answer for one in tallied.ballots] == [()]


@pytest.mark.parametrize("name", WRITTEN)
async def test_a_ballot_is_answered_and_revised_on_the_command_line(tmp_path, name):
    text, ballot = WRITTEN[name]
    async with open_house(tmp_path) as house:
        id = await house.ask(DRINK, policy=Mechanism(name, ends="complete"), audience=(ALICE, BOB))
        for given in (text, text):
            done = await house.run("answer", id, given)
            assert (done.returncode, done.stderr) == (codes.DONE, "")
        done = await house.run("answer", id, "beer")
        assert done.returncode == codes.USAGE
        assert "of tea: Tea, coffee: Coffee, cocoa: Cocoa" in done.stderr
        assert (await house.run("answer", id, text, who="user:bob")).returncode == codes.DONE
        (tallied,) = await house.settled()
        assert [one.answer for one in tallied.ballots] == [ballot, ballot]


def test_the_inbox_takes_a_ballot_as_a_line():
    policy = {"kind": "mechanism", "name": "ranked_choice", "params": {"tie_break": "no_pass"}, "quorum": 2}

    async def vote(played):
        await played.show(opened(1, DRINK, policy={**policy, "ends": "complete"}, waiting_for=[ANA, BO]))
        assert "a vote by ranked choice, 2 voters at least, until everybody has voted" in played.words("question")
        assert "cocoa        Cocoa" in played.words("question")
        assert "the best first, such as coffee > tea; then Ctrl+S" in played.words("how")
        await played.press("2")
        assert played.sent == []
        await played.press("enter", *"beer", "f2")
        assert "The answer[0]: must be the id of one of the options" in played.words("note")
        await played.press(*["backspace"] * 4, *"cocoa>tea", "f2")
        assert played.sent == [("q_1", ["cocoa", "tea"])]
        await played.show(opened(1, DRINK, policy={**policy, "ends": "complete"}, answered_by_me=True))
        assert "to revise your ballot: questions answer q_1" in played.words("how")

    play(vote)


def test_the_inbox_picks_where_a_ballot_is_one_option():
    policy: dict[str, Any] = {"kind": "mechanism", "name": "plurality", "params": {}}

    async def vote(played):
        await played.show(opened(1, DRINK, policy=policy))
        await played.press("2", "enter")
        assert played.sent == [("q_1", "coffee")]

    play(vote)


ASKED = ["select", "Where?", "--option", "eu", "--option", "us", "--to", "alice", "--to", "bob"]


@pytest.mark.parametrize(
    ("policy", "ballots", "code", "out", "said"),
    [
        ("vote:plurality", {"alice": "us", "bob": "us"}, codes.DONE, "us\n", "us has won; 2 of 2 have voted."),
        ("vote:simple_majority", {"alice": "us", "bob": "eu"}, codes.DENIED, "", "no option has what it takes"),
        ("vote:approval:2", {"alice": ["us"]}, codes.EXPIRED, "", "Too few votes in time: 1 of 2 have voted, and not"),
    ],
)
async def test_a_vote_that_was_asked_in_a_shell_says_who_has_won(tmp_path, capsys, policy, ballots, code, out, said):
    async with open_house(tmp_path) as house:
        async with asking(house, capsys, *ASKED, "--policy", policy, "--timeout", "2s") as ask:
            await answered(house, ask.id, **ballots)
        assert (ask.code, ask.out) == (code, out)
        assert said in ask.err


async def test_a_vote_in_json_can_be_counted_again(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        async with asking(house, capsys, *ASKED, "--policy", "vote:ranked_choice", "--json") as ask:
            await answered(house, ask.id, alice=["us"], bob=["us", "eu"])
        told = json.loads(ask.out)
        assert (told["outcome"], told["answer"], told["vote"]["id"]) == ("answered", "us", ask.id)
        assert explain(told["vote"]).winner == "us"


def test_how_a_vote_is_decided_is_told_in_words():
    assert vote_in_words(Mechanism("score_vote")) == "a vote by score vote, until nobody can change the result"
    assert First().check(Select("?", [Option("a", "A")]), "a") == []


def test_a_policy_that_cannot_be_is_refused_before_anything_is_asked(capsys):
    for policy, said in (("vote:dice", "Mechanisms: simple_majority"), ("vote:plurality:0", "$.quorum")):
        code = main(["ask", "select", "Where?", "--option", "a", "--to", "ana", "--policy", policy])
        told = capsys.readouterr()
        assert (code, said in told.err) == (codes.USAGE, True), json.dumps(told.err)
