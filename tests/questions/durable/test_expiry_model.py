"""Reading late against a plain model, and against reading at any instants before (each boundary, and one beside it)."""

import attrs
import msgspec
from hypothesis import given
from hypothesis import strategies as st

from questions.durable.decision import flat
from questions.durable.expiry import catch_up
from tests.questions.durable.cases import OPTS, T, climbing, raised, stored

CHAIN = ["supervisor:a", "root", "supervisor:b", "user", "supervisor:c", "supervisor:d", "supervisor:e", "supervisor:f"]


@attrs.frozen
class Plan:
    """What decides how a decision runs out: the first deadline, the time of each hop, and the rule at the end."""

    first: int
    hop: int = 1_000
    length: int = 0
    """Of the chain; 0: none."""
    rule: str = "cancel"

    @property
    def deadlines(self):
        """Each instant at which somebody's time is over, from T."""
        return [self.first + number * self.hop for number in range(max(self.length, 1))]

    def raised(self):
        fields = {"options": OPTS, "default_option_id": "keep", "timeout_ms": self.first}
        if not self.length:
            return raised(on_expire=self.rule, **fields)
        escalation = {"chain": CHAIN[: self.length], "hop_timeout_ms": self.hop, "on_final": self.rule}
        return raised(**fields, **climbing(CHAIN[0], escalation=escalation))

    def model(self, instants):
        """The record after reads at these instants: found from the last, save when the end was noticed."""
        passed = [deadline for deadline in self.deadlines if deadline <= instants[-1]]
        has_ended = len(passed) == len(self.deadlines)
        hop = len(passed) - has_ended
        record = flat(self.raised()) | {"deadline": T + self.deadlines[hop]}
        if self.length:
            record |= {"holder": CHAIN[hop], "escalation": record["escalation"] | {"hop": hop}}
            history = zip(CHAIN, passed[:hop], strict=False)
            moves = [{"holder": holder, "until": T + until, "reason": "expired"} for holder, until in history]
            record |= {"history": moves} if moves else {}
        if has_ended:
            noticed = T + next(instant for instant in instants if instant >= self.deadlines[-1])
            record |= {"status": "expired", "resolvedAt": noticed}
            if self.rule == "default":
                by = {"answeredBy": "deadline", "via": "expiry"}
                record["answer"] = {"optionId": "keep", "at": noticed, **by}
        return record


RULES = st.sampled_from(["cancel", "default"])
TIMES = st.integers(1_000, 5_000)
PLANS = st.builds(Plan, TIMES, TIMES, st.integers(0, 8), RULES)


def boundaries(plan):
    """Each deadline, and one millisecond on both sides of it."""
    return [deadline + beside for deadline in plan.deadlines for beside in (-1, 0, 1)]


@st.composite
def readings(draw):
    """A plan, and increasing instants at which it is read."""
    plan = draw(PLANS)
    any_instant = st.one_of(st.sampled_from(boundaries(plan)), st.integers(0, plan.deadlines[-1] + 10_000))
    return plan, sorted(draw(st.sets(any_instant, min_size=1, max_size=12)))


def read_at(plan, instants):
    decision, version = plan.raised(), 1
    for instant in instants:
        later = catch_up(decision, T + instant)
        assert (later is decision) == (later == decision)
        if later is not decision:
            version += 1
            decision = stored(later, version)
        assert_sound(decision, instant)
    return decision


def assert_sound(decision, instant):
    history = decision.history or ()
    assert len(history) <= 7
    if decision.escalation is not None:
        assert len(history) == decision.escalation.hop
        assert decision.holder == decision.escalation.chain[decision.escalation.hop]
        assert [move.holder for move in history] == list(decision.escalation.chain[: len(history)])
    if decision.status == "open" and decision.deadline is not None:
        assert decision.deadline > T + instant
    assert catch_up(decision, T + instant) is decision


@given(readings())
def test_any_readings_find_what_the_model_finds(reading):
    plan, instants = reading
    found = flat(read_at(plan, instants))
    assert found | {"version": 1} == plan.model(instants)


@given(readings())
def test_one_reading_finds_what_many_have_found(reading):
    plan, instants = reading
    many, one = read_at(plan, instants), read_at(plan, instants[-1:])
    assert without_noticing(many) == without_noticing(one)
    assert one.version == 1 + (plan.deadlines[0] <= instants[-1])  # all of it in one change


def without_noticing(decision):
    """The record without when its end was noticed, which is not when it came."""
    shown = flat(decision)
    for part in (shown, shown.get("answer", {})):
        part.pop("resolvedAt", None)
        part.pop("at", None)
    return {name: value for name, value in shown.items() if name != "version"}


def test_every_plan_is_the_same_at_every_boundary_read_once_or_at_all_of_them():
    for length, rule in ((length, rule) for length in range(9) for rule in ("cancel", "default")):
        plan = Plan(1_500, 1_000, length, rule)
        instants = boundaries(plan)
        for count in range(1, len(instants) + 1):
            until = instants[:count]
            assert flat(read_at(plan, until)) | {"version": 1} == plan.model(until)
            assert flat(read_at(plan, until[-1:])) | {"version": 1} == plan.model(until[-1:])


def test_a_chain_is_frozen_while_it_is_gone_along():
    decision = Plan(1_000, 1_000, 8, "default").raised()
    ended = catch_up(decision, T + 10**9)
    frozen = ("title", "options", "default_option_id", "on_expire", "created_at", "raised_by")
    assert all(getattr(ended, name) == getattr(decision, name) for name in frozen)
    assert ended.escalation is not None
    assert decision.escalation is not None
    assert msgspec.structs.replace(ended.escalation, hop=0) == decision.escalation
