"""Whole rooms against a plain model of one decision, whatever people do and however long nobody looks."""

from hypothesis import given, settings
from hypothesis import strategies as st

from questions.rooms import PRESETS, Ballot, is_locked, tally
from questions.rooms.presets import electorate
from questions.rooms.refusals import RoomError
from questions.rooms.room_value import catch_up
from tests.questions.rooms.group_rooms import NOW, life

PEOPLE = ("ana", "bo", "cleo")
OPTIONS = ("ship", "wait")
WINDOW = 120
ACTS = st.one_of(
    st.tuples(st.just("choose"), st.sampled_from(PEOPLE), st.sampled_from([*OPTIONS, "later"])),
    st.tuples(st.just("abstain"), st.sampled_from(PEOPLE), st.just("no view")),
    st.tuples(st.just("wait"), st.just(""), st.integers(1, 70)),
)
CONFIGS = st.fixed_dictionaries(
    {
        "mechanism": st.sampled_from(["simple_majority", "supermajority", "plurality"]),
        "quorum": st.sampled_from([None, 1, 2, 4]),
        "early_close": st.booleans(),
        "settle_window": st.sampled_from([0, 10, 90]),
    }
)


class Model:
    """One decision of people who are all there from the beginning, looked at every second."""

    def __init__(self, config):
        self.config, self.said, self.second = config, {}, 0
        self.seals_at, self.presumptive, self.restarts, self.end = None, None, 0, None

    def counted(self):
        """Winner and status, and whether they are determined."""
        of = electorate(len(PEOPLE), self.config["quorum"])
        params = {**PRESETS[self.config["mechanism"]], "quorum": of.quorum}
        ballots = [Ballot(who, choice) for who, choice in self.said.items() if choice]
        about = self.config["mechanism"], params, OPTIONS, of.eligible
        abstained = len(self.said) - len(ballots)
        outcome = tally(*about, ballots, abstained, "decision-1")
        locked = bool(self.said) and is_locked(*about, ballots, abstained, open_slate=True)
        return (outcome.winner, outcome.status), locked and self.config["early_close"]

    def say(self, who, choice):
        self.said.pop(who, None)
        self.said[who] = choice
        result, determined = self.counted()
        if not determined:
            return
        if self.seals_at is not None and result[0] == self.presumptive:
            return
        self.restarts += self.seals_at is not None
        if self.config["settle_window"] == 0 or self.restarts > 4:
            self.seal()
        else:
            self.presumptive, self.seals_at = result[0], self.second + self.config["settle_window"]

    def seal(self):
        self.end = (*self.counted()[0], self.second)

    def wait(self, seconds):
        for _ in range(seconds):
            self.second += 1
            if self.end is None and self.second in (self.seals_at, WINDOW):
                self.seal()


def did(room, act, who, what):
    """Whether the room took it."""
    try:
        room.choose(who, what) if act == "choose" else room.abstain(who, what)
    except RoomError:
        return False
    return True


@settings(max_examples=150, deadline=None)
@given(CONFIGS, st.lists(ACTS, max_size=14))
def test_a_decision_ends_as_the_plain_model_of_it_does(config, acts):
    room, model = life(*PEOPLE[1:], voting_window=WINDOW, **config), Model(config)
    room.ask(*OPTIONS)
    for act, who, what in acts:
        if act == "wait":
            room.now += 1000 * what
            model.wait(what)
            continue
        allowed = model.end is None and what != "later"
        assert did(room, act, who, what) == allowed
        if allowed:
            model.say(who, what if act == "choose" else None)
    room.pass_(WINDOW)
    model.wait(WINDOW)
    assert (room.sealed.winner, room.sealed.status, (room.sealed.at - NOW) // 1000) == model.end


@settings(max_examples=60, deadline=None)
@given(CONFIGS, st.lists(ACTS, max_size=10), st.lists(st.integers(1, 50_000), max_size=8))
def test_how_often_somebody_looks_makes_no_difference(config, acts, looks):
    seldom, often = (life(*PEOPLE[1:], voting_window=WINDOW, max_open_decisions=2, **config) for _ in range(2))
    for room in (seldom, often):
        room.invite("dan", expected=True, expires_at=NOW + 45_000)
        room.ask(*OPTIONS, proposal_window=20)
        room.ask(*OPTIONS)
        for act, who, what in acts:
            if act == "wait":
                room.now += 1000 * what
            else:
                did(room, act, who, what)
    change, now = catch_up(often.room, often.now), often.now
    log = [*change.log]
    for look in [*looks, 400_000]:
        now += look
        change = catch_up(change.room, now)
        log += change.log
    late = catch_up(seldom.room, now)
    assert (late.room, list(late.log)) == (change.room, log)
