"""The machine of a live question: a table of transitions, and `step`, the only place that knows states.

`step(entry, event)` looks the pair up, applies the change, and takes the next state from the table: a fixed one, or
what the policy's verdict says. A pair that is not in the table is an error naming both. Everything here is plain and
pure, so "exactly once" holds because nothing can come in between (Q-SET-2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from facets.principal import Principal, Who

from .answers import Given
from .deadlines import instant
from .entry import Answer, Close, Due, Entry, Event, Joined, Left, State, Supersede, Withdraw
from .errors import Expired, IllegalTransition, NoLongerActive, NotInAudience, StoreClosed, Superseded, Withdrawn
from .policies import All, Answered, Collected, CustomPolicy, First, Policy, Quorum
from .redaction import Secret

__all__ = ["DEADLINE", "TRANSITIONS", "Transition", "result", "step", "verdict"]

DEADLINE = Principal.server("deadline")
"""Who answers when a default does (Q-ASK-2)."""


_OPEN, _ANSWERED = State.OPEN, State.ANSWERED  # an attribute of an enum is slow to read


class Transition(NamedTuple):
    """What an event does: a change of the entry, then the state that follows from the changed entry."""

    change: Callable[[Entry, Any], Entry]
    then: Callable[[Entry], State]


def step(entry: Entry, event: Event) -> Entry:
    """The entry after the event.

    Raises `IllegalTransition` for a pair that is not in the table, `NotInAudience` for an answer from outside, and
    `NoLongerActive` (already_answered) for a second answer by the same principal; the entry is what it was.
    """
    transition = TRANSITIONS[entry.state].get(type(event))
    if transition is None:
        raise IllegalTransition(entry.state.value, type(event).__name__)
    changed = transition.change(entry, event)
    state = transition.then(changed)
    return changed if state is _OPEN else replace(changed, state=state)


def verdict(entry: Entry) -> State:
    """Whether the answers are enough: the state that the policy gives an open entry."""
    return _ANSWERED if _ENOUGH[type(entry.ask.policy)](entry) else _OPEN


class _Verdicts(dict[type[Policy], Callable[[Entry], bool]]):
    """The verdicts by policy; what is not in it judges by itself."""

    def __missing__(self, kind: type[Policy]) -> Callable[[Entry], bool]:
        return _its_own


def _its_own(entry: Entry) -> bool:
    policy = entry.ask.policy
    return isinstance(policy, CustomPolicy) and policy.is_enough(entry)


# Q-POL-1. `All` needs one answer at least: an audience that empties before anybody answered waits (Q-POL-3).
_ENOUGH = _Verdicts(
    {
        First: lambda entry: entry.answers.count >= 1,
        Quorum: lambda entry: entry.answers.count >= entry.ask.policy.least,
        All: lambda entry: entry.unanswered == 0 and entry.answers.count >= 1,
    }
)


def _record(entry: Entry, event: Answer) -> Entry:
    by, answers = event.by, entry.answers
    if by not in entry.members:
        raise NotInAudience(entry.ask.id)
    if by in answers:  # Q-POL-6: one principal counts once, whatever number of devices
        if entry.ask.policy.revisable:
            return replace(entry, answers=answers.revised(Given(by, event.value)))
        raise NoLongerActive(entry.ask.id, "already_answered", (), True)
    return replace(entry, answers=answers.plus(Given(by, event.value)), unanswered=entry.unanswered - 1)


def _admit(entry: Entry, event: Joined) -> Entry:
    joined = dict.fromkeys(principal for principal in event.principals if principal not in entry.members)
    joined.pop(entry.ask.on_behalf_of, None)  # type: ignore[arg-type]  # Q-AUTH-4; None is not in it
    members = {**entry.members, **joined}
    former = {who: None for who in entry.former if who not in members}
    fresh = sum(1 for principal in joined if principal not in entry.answers)
    return replace(entry, members=members, former=former, unanswered=entry.unanswered + fresh)


def _dismiss(entry: Entry, event: Left) -> Entry:
    left = dict.fromkeys(principal for principal in event.principals if principal in entry.members)
    members = {who: None for who in entry.members if who not in left}
    waited_for = sum(1 for principal in left if principal not in entry.answers)
    # Q-POL-2: an answer already given stays and keeps counting.
    former = {**entry.former, **left}
    return replace(entry, members=members, former=former, unanswered=entry.unanswered - waited_for)


def _lapse(entry: Entry, _: Due) -> Entry:
    if entry.ask.default is None:
        return entry
    # Q-ASK-2: only `First` takes a default, so nobody has answered.
    return replace(entry, answers=entry.answers.plus(Given(DEADLINE, entry.ask.default, automatic=True)))


def _lapsed(entry: Entry) -> State:
    return State.EXPIRED if entry.ask.default is None else State.ANSWERED


def _same(entry: Entry, _: object) -> Entry:
    return entry


def _always(state: State) -> Callable[[Entry], State]:
    return lambda entry: state


TRANSITIONS: Mapping[State, Mapping[type[Event], Transition]] = {
    State.OPEN: {
        Answer: Transition(_record, verdict),
        Joined: Transition(_admit, _always(State.OPEN)),
        Left: Transition(_dismiss, verdict),
        Due: Transition(_lapse, _lapsed),
        Withdraw: Transition(_same, _always(State.WITHDRAWN)),
        Supersede: Transition(_same, _always(State.SUPERSEDED)),
        Close: Transition(_same, _always(State.CLOSED)),
    },
    State.ANSWERED: {},
    State.EXPIRED: {},
    State.WITHDRAWN: {},
    State.SUPERSEDED: {},
    State.CLOSED: {},
}


_ENDED: Mapping[State, Callable[[str], Exception]] = {State.SUPERSEDED: Superseded, State.WITHDRAWN: Withdrawn}
"""What is told to those who wait for a question whose asker wants it no more."""


def result(entry: Entry, seen: tuple[Principal, ...], who: Callable[[Principal], Who]) -> object:
    """What a waiter gets for a settled entry: what its policy gives, or the error to raise, made afresh."""
    state, policy = entry.state, entry.ask.policy
    if state is not _ANSWERED and state is not State.EXPIRED:
        return _ENDED[state](entry.ask.id) if state in _ENDED else StoreClosed("closed")
    if type(policy) is First:
        for given in entry.answers:
            return _answered(given, who)
        return _expired(entry, seen, who)
    answers = [_answered(given, who) for given in entry.answers]
    missing, shown = tuple(map(who, entry.missing)), tuple(map(who, seen))
    collected = Collected(tuple(answers), missing, shown, "reached" if state is _ANSWERED else "deadline")
    return policy.result(entry.ask, collected) if isinstance(policy, CustomPolicy) else collected


def _answered(given: Given, who: Callable[[Principal], Who]) -> Answered[Any]:
    if given.automatic:
        return Answered(Who(DEADLINE, "deadline"), given.answer, True)
    if type(given.answer) is Secret:
        return Answered(who(given.by), given.answer.reveal(), False, True)
    return Answered(who(given.by), given.answer)


def _expired(entry: Entry, seen: tuple[Principal, ...], who: Callable[[Principal], Who]) -> Expired:
    deadline = entry.ask.deadline
    assert deadline is not None, "only a deadline expires a question"
    return Expired(tuple(map(who, entry.missing)), tuple(map(who, seen)), instant(deadline.epoch))
