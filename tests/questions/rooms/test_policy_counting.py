"""A question that is settled by a vote counts each ballot once, and ends where a recount would end it."""

from hypothesis import given
from hypothesis import strategies as st

from facets import Principal
from questions.entry import Answer, Entry, Joined, Left, State
from questions.rooms import MECHANISMS, Ballot, Mechanism, electorate, is_locked
from questions.settlement import step
from tests.questions.rooms.elections import DRINK, OPTIONS
from tests.questions.rooms.votes import choices_of
from tests.questions.samples import an_ask

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
