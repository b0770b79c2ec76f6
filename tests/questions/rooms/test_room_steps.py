"""The table of a decision's phases, walked from every phase with every event, and what it never does."""

from itertools import pairwise, product

import attrs
import pytest

from questions.rooms.counting import Around
from questions.rooms.refusals import DecisionNotOpen, DecisionProposing, RoomError
from questions.rooms.responses import Response
from questions.rooms.room_config import read_config
from questions.rooms.room_decision import Phase, RoomDecision
from questions.rooms.room_steps import TRANSITIONS, CloseSlate, Due, Event, Offer, Post, Recheck, Respond, step

NOW = 1_790_000_000_000
CONFIG = read_config({"early_close": True, "settle_window": 30}, has_question=True)
AROUND = Around(CONFIG, {"ana": 1.0, "bo": 1.0})
AT_ONCE = attrs.evolve(AROUND, config=attrs.evolve(CONFIG, settle_window=0))

PROPOSING = RoomDecision(
    id="d",
    seq=1,
    question="Ship it?",
    mechanism="simple_majority",
    opened_at=NOW,
    opened_by="ana",
    voting_window=600,
    options=("ship", "wait"),
    proposal_ends_at=NOW + 60_000,
)
EVENTS: dict[str, Event] = {
    "offer": Offer("later"),
    "close slate": CloseSlate(),
    "ana ships": Respond(Response(participant_id="ana", at=NOW, choice="ship")),
    "ana waits": Respond(Response(participant_id="ana", at=NOW, choice="wait")),
    "bo ships": Respond(Response(participant_id="bo", at=NOW, choice="ship")),
    "bo abstains": Respond(Response(participant_id="bo", at=NOW, reason="no view")),
    "post": Post("ana"),
    "recheck": Recheck(),
    "due": Due(),
}


def run(names, decision=PROPOSING, around=AROUND):
    """The decision after each of these events, at once or when it is due; refusals change nothing."""
    now, path = NOW, [decision]
    for name in names:
        now = max(now, decision.due_at or now) if name == "due" else now
        try:
            decision = step(decision, EVENTS[name], around, now)
        except RoomError:
            assert decision is path[-1]
        path.append(decision)
    return path


def in_phase(phase):
    """A decision in this phase, with the first events that lead there."""
    ways = {
        Phase.PROPOSING: [],
        Phase.VOTING: ["close slate"],
        Phase.SETTLING: ["close slate", "ana ships", "bo ships"],
        Phase.RESOLVED: ["close slate", "due"],
    }
    decision = run(ways[phase])[-1]
    assert decision.phase is phase
    return decision


def test_the_table_has_every_phase_and_in_all_but_the_last_every_event():
    kinds = {Offer, CloseSlate, Respond, Post, Recheck, Due}
    assert {phase: set(events) for phase, events in TRANSITIONS.items()} == {
        **dict.fromkeys(Phase, kinds),
        Phase.RESOLVED: set(),
    }


@pytest.mark.parametrize(("phase", "name"), [*product(Phase, EVENTS)])
def test_an_event_leads_where_the_table_says_and_nowhere_else(phase, name):
    before, after = run([name], in_phase(phase))
    row = TRANSITIONS[phase].get(type(EVENTS[name]))
    assert after is before or (row is not None and after.phase in row.to)


@pytest.mark.parametrize("around", [AROUND, AT_ONCE], ids=["settling", "at once"])
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_no_order_of_events_breaks_what_always_holds(length, around):
    order = list(Phase)
    for names in product(EVENTS, repeat=length):
        path = run(names, around=around)
        for before, after in pairwise(path):
            assert after is before or before.phase is not Phase.RESOLVED, "what is sealed stays"
            assert order.index(after.phase) >= order.index(before.phase), "no majority goes back to an earlier phase"
            assert (after.sealed is not None) == (after.phase is Phase.RESOLVED)
            assert (after.settling is not None) == (after.phase is Phase.SETTLING)
            assert (after.voting_started_at is None) == (after.phase is Phase.PROPOSING)
            who = [one.participant_id for one in after.responses]
            assert len(who) == len(set(who)), "one response each"


@pytest.mark.parametrize("around", [AROUND, AT_ONCE], ids=["settling", "at once"])
def test_an_agreement_ends_before_its_window_by_unanimity_alone(around):
    open_vote = attrs.evolve(in_phase(Phase.VOTING), agreement=True)
    ends = [run(names, open_vote, around)[-1] for names in product(EVENTS, repeat=4)]
    early = [one.sealed for one in ends if one.sealed and one.sealed.at < (open_vote.voting_ends_at or 0)]
    assert {(one.status, one.winner, one.cast) for one in early} == {("completed", "ship", 2)}


@pytest.mark.parametrize("name", EVENTS)
def test_nothing_happens_to_a_decision_that_is_resolved(name):
    with pytest.raises(DecisionNotOpen):
        step(in_phase(Phase.RESOLVED), EVENTS[name], AROUND, NOW)


@pytest.mark.parametrize("name", [name for name in EVENTS if name != "due"])
@pytest.mark.parametrize("phase", [Phase.PROPOSING, Phase.VOTING, Phase.SETTLING])
def test_what_is_overdue_takes_nothing_before_that_is_applied(phase, name):
    decision = in_phase(phase)
    with pytest.raises(DecisionNotOpen):
        step(decision, EVENTS[name], AROUND, decision.due_at)


@pytest.mark.parametrize("phase", [Phase.PROPOSING, Phase.VOTING, Phase.SETTLING])
def test_nothing_is_due_a_millisecond_early(phase):
    decision = in_phase(phase)
    with pytest.raises(DecisionNotOpen):
        step(decision, Due(), AROUND, decision.due_at - 1)


def test_nobody_chooses_while_options_are_gathered():
    with pytest.raises(DecisionProposing) as caught:
        step(PROPOSING, EVENTS["ana ships"], AROUND, NOW)
    assert (caught.value.code, caught.value.status) == ("decision.proposing", 400)
