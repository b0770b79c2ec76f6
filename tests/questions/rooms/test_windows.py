"""Windows and the slate: when a decision goes on by itself, and that a late reader finds what a punctual one would."""

import pytest

from questions.rooms.refusals import DecisionNotOpen, InvalidInput
from questions.rooms.room_log import LogEntry
from questions.rooms.room_value import catch_up
from tests.questions.rooms.group_rooms import AT_ONCE, NOW, life, voted


def test_without_a_slate_phase_choosing_starts_at_once():
    room = life()
    assert room.ask("ship", "wait").status == room.room.status == "voting"


def test_with_a_slate_phase_options_come_first():
    room = life("bo")
    assert room.ask(proposal_window=60).status == room.room.status == "proposing"
    room.propose("bo", "ship").propose("bo", "wait")
    room.pass_(60)
    assert (room.decision.status, room.decision.voting_started_at) == ("voting", NOW + 60_000)
    assert room.logged[-1] == "decision.voting_phase_started"


def test_starting_to_choose_closes_the_slate():
    room = life("bo")
    room.ask("ship", proposal_window=60)
    room.start()
    with pytest.raises(DecisionNotOpen):
        room.propose("bo", "wait")
    assert room.propose("bo", "ship").decision.options == ("ship",), "what is there already is no news"


def test_starting_to_choose_once_more_changes_nothing():
    room = life()
    room.ask("ship", proposal_window=60)
    room.start()
    before = room.room
    assert (room.start().room, room.start().log) == (before, ())


def test_a_slate_without_an_option_is_not_chosen_from():
    room = life()
    room.ask(proposal_window=60)
    with pytest.raises(InvalidInput):
        room.start()
    room.pass_(60)
    assert (room.room.status, room.sealed.status, room.sealed.winner) == ("resolved", "no_quorum", None)


def test_in_a_fluid_decision_options_are_proposed_while_others_choose():
    room = life("bo")
    room.ask("ship")
    assert room.propose("bo", "wait").choose("bo", "wait").decision.options == ("ship", "wait")
    assert room.logged[-2:] == ["option.proposed", "vote.cast"]


def test_the_voting_window_is_that_of_the_room_or_of_the_question():
    room = life(voting_window=120, max_open_decisions=2)
    assert room.ask("ship", "wait").due_at == NOW + 120_000
    assert room.ask("ship", "wait", voting_window=1).due_at == NOW + 1000


def test_a_window_belongs_to_those_who_choose_until_its_last_millisecond():
    room = voted("ship", None)
    room.now = NOW + 3_600_000 - 1
    room.choose("p1", "ship")
    room.now += 1
    with pytest.raises(DecisionNotOpen):
        room.choose("p1", "wait")


def test_no_act_finds_an_overdue_decision_open():
    room = voted("ship", None)
    room.now = NOW + 3_600_000
    assert room.ask("again", "never").seq == 2, "the one before was resolved first"
    assert room.room.decisions[0].sealed.at == NOW + 3_600_000
    assert room.logged[-2:] == ["decision.completed", "decision.opened"]


def test_a_room_at_which_nothing_is_due_is_the_very_same():
    room = voted("ship", None)
    assert catch_up(room.room, NOW + 3_599_999).room is room.room


def busy():
    """A room in which something is due now and then, and one thing makes another due."""
    room = life("bo", "cleo", early_close=True, settle_window=30, max_open_decisions=3)
    room.ask("ship", "wait", proposal_window=60, voting_window=90)
    room.ask("tea", "coffee", voting_window=200)
    room.ask("now", proposal_window=10, voting_window=60)
    room.invite("dan", expected=True, expires_at=NOW + 100_000)
    for who in ("ana", "bo", "cleo"):
        room.choose(who, "tea", decision=2)
    return room


def test_a_late_reader_finds_what_a_punctual_one_would_have_found():
    room, now = busy().room, NOW
    log: list[LogEntry] = []
    while now < NOW + 300_000:
        now += 250
        change = catch_up(room, now)
        room, log = change.room, [*log, *change.log]
        assert catch_up(room, now).room is room
    late = catch_up(busy().room, now)
    assert (late.room, list(late.log)) == (room, log)


def test_each_thing_happens_at_its_own_instant():
    room = busy()
    room.pass_(1000)
    ends = [one.sealed.at - NOW for one in room.room.decisions]
    assert ends == [150_000, 130_000, 70_000], "the second waits for dan, whose invite expires, and then settles"
    assert room.room.seal_order == (3, 2, 1)
    times = [entry.occurred_at for entry in room.log]
    assert times == sorted(times)
    assert [entry.seq for entry in room.log] == list(range(1, len(room.log) + 1))


def test_a_quorum_that_is_not_met_fails_the_decision_at_the_end_of_its_window():
    room = voted("ship", None, config={"quorum": 2})
    room.pass_(3600)
    assert (room.sealed.status, room.sealed.winner, room.sealed.word) == ("no_quorum", None, "no_pass")


def test_a_decision_in_which_nobody_said_anything_has_no_quorum():
    room = voted(None, None)
    room.pass_(10_000)
    assert (room.sealed.status, room.sealed.cast, room.sealed.eligible) == ("no_quorum", 0, 2)


def test_with_nobody_to_choose_nothing_ends_early():
    room = life(creator_votes=False, **AT_ONCE)
    room.ask("ship", "wait")
    assert room.join("watcher").decision.is_open
