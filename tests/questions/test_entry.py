"""An entry is a value: the ask, who may answer, who could, and what has come."""

import pickle

import pytest

from questions import All
from questions.entry import Answer, Close, Due, Entry, Event, Joined, Left, State, Supersede, Withdraw
from tests.questions.samples import ANA, BO, CY, after, an_ask, an_entry


def test_a_new_entry_is_open_and_nobody_has_answered():
    entry = an_entry(ANA, BO)
    assert (entry.state, list(entry.members), list(entry.former)) == (State.OPEN, [ANA, BO], [])
    assert (len(entry.answers), entry.unanswered, entry.missing) == (0, 2, (ANA, BO))


def test_missing_are_the_members_without_an_answer_in_their_order():
    entry = after(an_entry(CY, ANA, BO, policy=All()), Answer(ANA, False))
    assert entry.missing == (CY, BO)


def test_entries_are_equal_by_value_and_asks_by_identity():
    ask = an_ask()
    assert Entry.opened(ask, {ANA: None}) == Entry.opened(ask, {ANA: None})
    assert an_entry(ANA) != an_entry(ANA)


def test_an_entry_cannot_be_changed():
    with pytest.raises(AttributeError):
        an_entry(ANA).state = State.CLOSED


def test_the_states_are_the_words_that_people_read():
    words = ["open", "answered", "expired", "withdrawn", "superseded", "closed"]
    assert [state.value for state in State] == words
    assert [pickle.loads(pickle.dumps(state)) for state in State] == list(State)
    assert [{state: state.value}[State(state.value)] for state in State] == words


@pytest.mark.parametrize("members", [(ANA,), (BO, ANA)])
@pytest.mark.parametrize("event", [Answer, Joined, Left])
def test_events_are_values(event, members):
    fields = (ANA, members) if event is Answer else (members,)
    assert event(*fields) == event(*fields)
    assert event(*fields) != event(*fields[:-1], (CY,))
    assert isinstance(event(*fields), Event)


def test_events_without_data_are_told_apart_by_kind():
    events = [Due(), Withdraw(), Supersede(), Close()]
    assert [[one == other for other in events] for one in events] == [
        [place == other for other in range(4)] for place in range(4)
    ]
