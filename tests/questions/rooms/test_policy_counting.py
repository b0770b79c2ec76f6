"""A question that is settled by a vote counts each ballot once, and ends where a recount would end it."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from facets import Principal
from questions.answers import Answers, Given
from questions.entry import Answer, Entry, Joined, Left, State
from questions.policies import Answered, Collected
from questions.rooms import MECHANISMS, Ballot, Lock, Mechanism, electorate, is_locked, tally
from questions.settlement import step
from tests.questions.rooms.elections import BALLOTS, DRINK, OPTIONS
from tests.questions.rooms.votes import choices_of
from tests.questions.samples import ANA, BO, CY, an_ask, who

CROWD = tuple(Principal.user(f"p{number}") for number in range(7))
HAPPENINGS = st.lists(st.tuples(st.sampled_from(CROWD), st.sampled_from(["votes", "votes", "votes", "leaves", "joins"]),
    st.integers(0, 99)), max_size=20)  # fmt: skip


@given(st.sampled_from(sorted(MECHANISMS)), st.sampled_from([None, 3]), HAPPENINGS)
def test_a_vote_ends_when_a_recount_finds_it_locked_whoever_has_come_and_gone(name, quorum, happenings):
    """Ballots in halves, too, and roots: the sums that are kept are those of a count from the first ballot on."""
    policy = Mechanism(name, quorum=quorum)
    choices = [one for one in choices_of(name, OPTIONS) if not policy.check(DRINK, one)]
    entry = Entry.opened(an_ask(question=DRINK, policy=policy, fixed=CROWD[:4]), dict.fromkeys(CROWD[:4]))
    for who_acts, act, number in happenings:
        if act == "votes" and who_acts in entry.members:
            choice = choices[number % len(choices)]
            if name == "score_vote" and number % 2:
                choice = {option: score * 0.7 for option, score in choice.items()}
            entry = step(entry, Answer(who_acts, choice))
        elif act != "votes":
            entry = step(entry, (Left if act == "leaves" else Joined)((who_acts,)))
        of = electorate(len(entry.answers) + entry.unanswered, quorum)
        ballots = [Ballot(str(one.by), one.answer) for one in entry.answers]
        is_due = len(ballots) >= policy.least and is_locked(
            name, {"quorum": of.quorum, **policy.params}, OPTIONS, of.eligible, ballots
        )
        assert (entry.state is State.ANSWERED) == (is_due and act != "joins")
        if is_due:
            break


PEOPLE = (ANA, BO, CY)
POLICIES = st.builds(
    Mechanism, st.sampled_from(sorted(MECHANISMS)), ends=st.sampled_from(["determined", "complete", "deadline"])
)
MOVES = st.lists(st.tuples(st.sampled_from(PEOPLE), st.booleans()), max_size=8)


@given(POLICIES, MOVES)
def test_what_the_asker_gets_is_the_count_of_the_last_ballots(policy, moves):
    entry = Entry.opened(an_ask(question=DRINK, policy=policy, fixed=PEOPLE), dict.fromkeys(PEOPLE))
    given_by: dict[Any, Any] = {}
    lock = Lock(policy.name, {"quorum": 1 / 3, **policy.params}, OPTIONS, 3)
    for principal, is_best in moves:
        if entry.state is not State.OPEN:
            break
        ballot = BALLOTS[policy.name][not is_best]
        entry = step(entry, Answer(principal, ballot))
        given_by.pop(principal, None)
        given_by[principal] = ballot
        lock.add(Ballot(str(principal), ballot))
        ends = {"determined": lock.is_locked(), "complete": len(given_by) == 3, "deadline": False}[policy.ends]
        assert (entry.state is State.ANSWERED) == ends
    answers = tuple(Answered(who(one.by), one.answer) for one in entry.answers)
    tallied = policy.result(entry.ask, Collected(answers, tuple(map(who, entry.missing)), (), "reached"))
    ballots = [Ballot(str(principal), ballot) for principal, ballot in given_by.items()]
    counted = tally(policy.name, {"quorum": 1 / 3, **policy.params}, OPTIONS, 3, ballots, seed=entry.ask.id)
    assert tallied.outcome == counted


@given(st.lists(st.tuples(st.sampled_from(PEOPLE), st.integers(0, 9)), max_size=12))
def test_revised_answers_are_the_last_of_each_in_order(moves):
    plain: dict[Any, Any] = {}
    answers = Answers()
    for principal, value in moves:
        before = list(answers)
        grown = answers.revised if principal in answers else answers.plus
        grown_answers = grown(Given(principal, value))
        assert list(answers) == before
        answers = grown_answers
        plain.pop(principal, None)
        plain[principal] = value
    assert [(one.by, one.answer) for one in answers] == list(plain.items())
    assert answers.by == tuple(plain)
