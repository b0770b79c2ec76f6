"""The machine against a model written from the design: every sequence of events up to length 5, for each policy.

The model keeps nothing but the history, and works out from all of it, each time, who may answer and what is settled.
A sequence is walked once: what is refused, or changes nothing, leaves the entry as it was, which is asserted, so
whatever comes after it has been walked without it.
"""

import attrs
import pytest

from facets import Principal, Retryable, Who
from questions import (
    All,
    Answered,
    Collected,
    Confirm,
    Expired,
    First,
    IllegalTransition,
    NoLongerActive,
    NotInAudience,
    Quorum,
    Secret,
    StoreClosed,
    Superseded,
    Text,
    Withdrawn,
)
from questions.deadlines import instant
from questions.entry import Answer, Close, Due, Joined, Left, State, Supersede, Withdraw
from questions.settlement import DEADLINE, TRANSITIONS, result, step, verdict
from tests.questions.samples import ANA, BO, CY, NOON, RUN, after, an_entry, outcome, who
from tests.rules import rule

ANSWERS = {ANA: False, BO: "", CY: "0"}  # none of them true, and all of them answers (Q-TYPE-3)
ENDS = [Due(), Withdraw(), Supersede(), Close()]
FROZEN = [*(Answer(one, value) for one, value in ANSWERS.items()), *ENDS]
LIVE = [*FROZEN, *(Joined((one,)) for one in ANSWERS), *(Left((one,)) for one in ANSWERS)]
EVENT_TYPES = [Answer, Joined, Left, Due, Withdraw, Supersede, Close]
SEEN = (CY, ANA)


# --- the model ------------------------------------------------------------------------------------------------------


@attrs.frozen
class Model:
    policy: object
    start: tuple
    default: object = None
    history: tuple = ()

    def members(self):
        found = list(self.start)
        for event in self.history:
            match event:
                case Joined(principals=(who,)) if who not in found:
                    found.append(who)
                case Left(principals=(who,)) if who in found:
                    found.remove(who)
        return found

    def answers(self):
        return [(event.by, event.value) for event in self.history if isinstance(event, Answer)]

    def missing(self):
        return [who for who in self.members() if who not in dict(self.answers())]

    def enough(self):
        match self.policy:
            case First():
                return bool(self.answers())
            case Quorum(count=count):
                return len({by for by, _ in self.answers()}) >= count
        return bool(self.answers()) and not self.missing()

    def refusal(self, event):
        if not isinstance(event, Answer):
            return None
        if event.by not in self.members():
            return NotInAudience
        return NoLongerActive if event.by in dict(self.answers()) else None

    def state(self):
        match self.history[-1:]:
            case (Due(),):
                return "expired" if self.default is None else "answered"
            case (Withdraw(),):
                return "withdrawn"
            case (Supersede(),):
                return "superseded"
            case (Close(),):
                return "closed"
        return "answered" if self.enough() else "open"

    def result(self):
        """As plain data: what kind of result, and everything in it."""
        answers = [(*answer, False) for answer in self.answers()]
        lapsed = isinstance(self.history[-1], Due)
        match self.state():
            case "closed":
                return (StoreClosed,)
            case "withdrawn":
                return (Withdrawn, "q_1")
            case "superseded":
                return (Superseded, "q_1")
        if not isinstance(self.policy, First):
            return (Collected, answers, self.missing(), list(SEEN), "deadline" if lapsed else "reached")
        if self.default is not None and lapsed:
            return (Answered, DEADLINE, self.default, True)
        return (Expired, self.missing(), list(SEEN)) if lapsed else (Answered, *answers[0])


def told(given):
    """A result as plain data."""
    match given:
        case Answered():
            return (Answered, given.by.principal, given.answer, given.automatic)
        case Collected():
            answers = [(one.by.principal, one.answer, one.automatic) for one in given.answers]
            return (Collected, answers, principals(given.missing), principals(given.seen), given.ended)
        case Expired():
            assert given.deadline == instant(NOON + 60)
            return (Expired, principals(given.missing), principals(given.seen))
        case Superseded() | Withdrawn():
            return (type(given), given.id)
    return (type(given),)


def principals(whos):
    return [one.principal for one in whos]


# --- the walk -------------------------------------------------------------------------------------------------------


def assert_agree(entry, model):
    members, missing = model.members(), model.missing()
    assert (list(entry.members), list(entry.missing)) == (members, missing)
    assert (entry.unanswered, entry.state.value) == (len(missing), model.state())
    people = [one.by for one in entry.answers if not one.automatic]
    assert people == [by for by, _ in model.answers()]
    assert not set(people) & set(entry.missing)
    once = {*model.start, *(one for event in model.history if isinstance(event, Joined) for one in event.principals)}
    assert set(entry.former) == once - set(members)


def refusal(entry, event):
    """The kind of it, or None; much faster than `pytest.raises`."""
    try:
        step(entry, event)
    except Exception as error:
        return type(error)
    return None


def assert_refused(entry, event, error):
    before = entry.state, list(entry.members), list(entry.answers)
    assert refusal(entry, event) is error
    assert (entry.state, list(entry.members), list(entry.answers)) == before


def walk(entry, model, events, depth):
    """Take every event in every order; returns how many entries were looked at."""
    assert_agree(entry, model)
    if entry.state is not State.OPEN:
        for event in events:  # no way out
            assert_refused(entry, event, IllegalTransition)
        assert told(result(entry, SEEN, who)) == model.result()
        return 1
    seen = 1
    for event in events if depth else ():
        if refused := model.refusal(event):
            assert_refused(entry, event, refused)
        elif (changed := step(entry, event)) != entry:
            seen += walk(changed, attrs.evolve(model, history=(*model.history, event)), events, depth - 1)
    return seen


@rule("Q-POL-1", "Q-POL-2", "Q-POL-3", "Q-POL-5", "Q-POL-6", "Q-SET-2", "Q-ASK-2")
@pytest.mark.parametrize("start", [(ANA, BO), (), (BO, ANA, CY)], ids=["two", "nobody", "three"])
@pytest.mark.parametrize(
    ("policy", "default", "events"),
    [
        (First(), None, LIVE),
        (First(), False, LIVE),
        (Quorum(1), None, LIVE),
        (Quorum(2), None, LIVE),
        (All(), None, LIVE),
        (All("snapshot"), None, FROZEN),
    ],
    ids=["first", "first-or-default", "quorum-1", "quorum-2", "all-live", "all-snapshot"],
)
def test_every_sequence_of_events_ends_as_the_design_says(policy, default, events, start):
    entry = an_entry(*start, policy=policy, default=default)
    seen = walk(entry, Model(policy, start, default), events, depth=5)
    assert seen > (4 if events is FROZEN else 100)


# --- the table ------------------------------------------------------------------------------------------------------

FINAL = {"answered": Answer(ANA, True), "expired": Due(), "withdrawn": Withdraw(), "superseded": Supersede()}
FINAL["closed"] = Close()


@rule("Q-SET-2")
@pytest.mark.parametrize("event", LIVE, ids=lambda event: type(event).__name__)
@pytest.mark.parametrize(("state", "end"), FINAL.items(), ids=FINAL)
def test_a_pair_that_is_not_in_the_table_is_an_error_naming_both(state, end, event):
    with pytest.raises(IllegalTransition) as caught:
        step(after(an_entry(ANA, BO), end), event)
    assert (caught.value.state, caught.value.event) == (state, type(event).__name__)


def test_the_table_knows_every_state_and_every_event_of_an_open_question():
    assert list(TRANSITIONS) == list(State)
    assert {state: list(row) for state, row in TRANSITIONS.items() if row} == {State.OPEN: EVENT_TYPES}


def test_an_event_that_nobody_knows_is_an_error_too():
    with pytest.raises(IllegalTransition, match="no step leads from open by str"):
        after(an_entry(ANA), "shrug")


# --- what single rules say ------------------------------------------------------------------------------------------


@rule("Q-POL-2")
def test_an_answer_that_was_given_stays_and_counts_when_its_giver_leaves():
    left = after(an_entry(ANA, BO, CY, policy=Quorum(2)), Answer(ANA, True), Left((ANA,)))
    assert left.state is State.OPEN
    assert ANA in left.answers
    assert step(left, Answer(CY, True)).state is State.ANSWERED


@rule("Q-POL-2")
def test_a_leave_settles_what_waited_for_the_leaver_only():
    """Of three, one answers and two leave, the one that has answered among them; the third settles it."""
    entry = after(an_entry(ANA, BO, CY, policy=All()), Answer(ANA, True), Left((ANA, CY)))
    assert entry.state is State.OPEN
    collected = outcome(step(entry, Answer(BO, False)))
    assert [(one.by.principal, one.answer) for one in collected.answers] == [(ANA, True), (BO, False)]
    assert collected.missing == ()
    assert after(an_entry(ANA, BO, policy=All()), Answer(ANA, True), Left((BO,))).state is State.ANSWERED


@rule("Q-POL-2")
def test_who_comes_back_is_a_member_again_and_waited_for_once():
    entry = after(an_entry(ANA, BO, policy=All()), Answer(ANA, True), Left((ANA, ANA)), Joined((ANA, CY, CY)))
    assert (list(entry.members), list(entry.former), entry.unanswered) == ([BO, ANA, CY], [], 2)
    with pytest.raises(NoLongerActive):
        step(entry, Answer(ANA, False))


@rule("Q-AUTH-2")
def test_the_former_members_are_remembered_until_they_return():
    entry = after(an_entry(ANA, BO), Left((BO, CY)), Left((ANA,)))
    assert (list(entry.members), list(entry.former)) == ([], [BO, ANA])
    assert list(step(entry, Joined((BO,))).former) == [ANA]


@rule("Q-POL-3")
@pytest.mark.parametrize("policy", [First(), Quorum(1), All()])
def test_an_audience_that_empties_before_anybody_answers_waits_for_the_deadline(policy):
    entry = after(an_entry(ANA, policy=policy), Left((ANA,)))
    assert entry.state is State.OPEN
    assert step(entry, Due()).state is State.EXPIRED


@rule("Q-AUTH-4")
def test_the_program_that_asks_never_joins_the_audience():
    entry = after(an_entry(ANA, policy=All(), on_behalf_of=RUN), Joined((RUN, BO)))
    assert (list(entry.members), entry.unanswered) == ([ANA, BO], 2)
    with pytest.raises(NotInAudience):
        step(entry, Answer(RUN, True))
    assert RUN in after(an_entry(ANA), Joined((RUN,))).members


@rule("Q-POL-6", "Q-SET-3")
def test_a_second_answer_by_the_same_principal_is_refused_and_told_why():
    with pytest.raises(NoLongerActive) as caught:
        step(after(an_entry(ANA, BO, policy=All()), Answer(ANA, True)), Answer(Principal.user("ana"), False))
    assert vars(caught.value) == {"id": "q_1", "how": "already_answered", "by": (), "answered_by_me": True}


def test_an_answer_from_outside_is_refused_by_the_id_of_the_question():
    with pytest.raises(NotInAudience) as caught:
        step(an_entry(ANA), Answer(BO, True))
    assert caught.value.id == "q_1"


def test_verdict_is_what_the_policy_says_of_an_open_entry():
    entry = an_entry(ANA, BO, policy=Quorum(1))
    assert verdict(entry) is State.OPEN
    assert verdict(step(entry, Answer(BO, ""))) is State.ANSWERED


@rule("Q-TYPE-3")
@pytest.mark.parametrize("policy", [First(), Quorum(1), All()])
@pytest.mark.parametrize("answer", [False, "", "0"], ids=repr)
def test_false_empty_and_zero_are_answers(policy, answer):
    settled = outcome(step(an_entry(ANA, policy=policy), Answer(ANA, answer)))
    [answered] = [settled] if policy == First() else settled.answers
    assert (answered.answer, type(answered.answer)) == (answer, type(answer))


@rule("Q-ASK-2")
@pytest.mark.parametrize("default", [False, "", "0"], ids=repr)
def test_a_default_that_is_not_true_is_one_and_is_given_by_the_deadline(default):
    settled = outcome(step(an_entry(ANA, default=default), Due()))
    assert settled == Answered(Who(Principal.server("deadline"), "deadline"), default, automatic=True)
    assert settled.by.name == "deadline"


@rule("Q-ASK-2")
def test_the_default_stands_among_the_answers_as_the_deadlines_own():
    settled = step(an_entry(ANA, default=False), Due())
    assert [(given.by, given.answer, given.automatic) for given in settled.answers] == [(DEADLINE, False, True)]
    assert (list(settled.missing), settled.unanswered) == ([ANA], 1)


def test_only_a_deadline_expires_a_question():
    with pytest.raises(AssertionError, match=r"^only a deadline expires a question$"):
        outcome(step(an_entry(ANA, deadline=None), Due()))


@rule("Q-POL-5")
def test_an_expiry_names_who_could_have_answered_and_who_was_shown_it():
    expired = outcome(step(an_entry(ANA, BO), Due()), CY)
    assert (expired.missing, expired.seen) == ((who(ANA), who(BO)), (who(CY),))
    assert [one.name for one in expired.missing + expired.seen] == ["Ana", "Bo", "Cy"]
    assert expired.deadline == instant(NOON + 60)


@rule("Q-TYPE-1")
def test_names_come_from_the_host():
    answered = outcome(after(an_entry(ANA), Answer(ANA, True)))
    collected = outcome(after(an_entry(ANA, policy=Quorum(1)), Due()), BO)
    assert answered.by.name == "Ana"
    assert [one.name for one in collected.missing + collected.seen] == ["Ana", "Bo"]


@rule("Q-SEC-1")
def test_a_secret_answer_is_revealed_in_the_result_and_marked():
    settled = after(an_entry(ANA, question=Text("Code?", secret=True)), Answer(ANA, Secret("hunter2-Ω")))
    answered = outcome(settled)
    assert (answered.by, answered.answer) == (who(ANA), "hunter2-Ω")
    assert (answered.secret, answered.automatic) == (True, False)
    assert "hunter2" not in f"{settled!r} {answered!r}"
    assert outcome(after(an_entry(ANA, question=Confirm("Go?")), Answer(ANA, True))).secret is False


@rule("Q-KEY-3")
def test_a_closed_question_is_no_denial_and_may_be_asked_again():
    closed = outcome(after(an_entry(ANA, policy=All()), Close()))
    assert (type(closed), closed.why, isinstance(closed, Retryable)) == (StoreClosed, "closed", True)


@rule("Q-KEY-3")
def test_a_question_that_was_taken_back_is_not_asked_again_by_those_who_waited_for_it():
    entry = after(an_entry(ANA, policy=All()), Withdraw())
    withdrawn = outcome(entry)
    assert (type(withdrawn), withdrawn.id, isinstance(withdrawn, Retryable)) == (Withdrawn, entry.ask.id, False)


def test_each_waiter_gets_an_error_of_its_own():
    expired = step(an_entry(ANA), Due())
    assert outcome(expired) is not outcome(expired)
