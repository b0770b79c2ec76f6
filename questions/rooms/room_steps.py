"""The machine of a room's decision: a table of transitions, and `step`, which goes one on in it.

`step(decision, event, around, now)` looks up the phase and the event, and applies the change; the table says to which
phases it can lead. Whoever acts on a decision applies what is due first, which is an event of its own, at its instant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import attrs

from .counting import Around, count, is_determined, may_end_early, params_of
from .refusals import DecisionNotOpen, DecisionProposing, InvalidInput, NotEligible, TooManyMessages
from .responses import Response, replaced
from .room_decision import Phase, RoomDecision, Settling
from .slate import read_choice

__all__ = [
    "TRANSITIONS",
    "CloseSlate",
    "Due",
    "Event",
    "Offer",
    "Post",
    "Recheck",
    "Respond",
    "Transition",
    "step",
]

MOST_RESTARTS = 4
"""How often in a row another winner makes a decision that settles wait anew."""


@attrs.frozen
class Offer:
    """Somebody proposes an option; one that is there already changes nothing."""

    option: str


@attrs.frozen
class CloseSlate:
    """Somebody has choosing start; if it has, nothing changes."""


@attrs.frozen
class Respond:
    """Somebody chooses, as they wrote it, or abstains."""

    response: Response


@attrs.frozen
class Post:
    """Somebody says something in it."""

    participant_id: str


@attrs.frozen
class Recheck:
    """Who may choose, or whom the room waits for, may have changed."""


@attrs.frozen
class Due:
    """The instant has come at which something happens to it by itself."""


Event = Offer | CloseSlate | Respond | Post | Recheck | Due


class Transition(NamedTuple):
    """What an event does, which may be to refuse, and the phases that it can lead to."""

    change: Callable[[RoomDecision, Any, Around, int], RoomDecision]
    to: frozenset[Phase]


def step(decision: RoomDecision, event: Event, around: Around, now: int) -> RoomDecision:
    """The decision after the event; the very same object if nothing has changed. `now`: epoch milliseconds.

    Raises, with nothing changed: `DecisionNotOpen` for what has ended or is overdue, `DecisionProposing`,
    `NotEligible`, `InvalidOption`, `InvalidInput`, `TooManyMessages`.
    """
    transition = TRANSITIONS[decision.phase].get(type(event))
    if transition is None:
        raise DecisionNotOpen(decision.seq, "is resolved")
    due = decision.due_at is not None and decision.due_at <= now
    if due is not isinstance(event, Due):
        raise DecisionNotOpen(decision.seq, "is overdue" if due else "is not due")
    changed = transition.change(decision, event, around, now)
    assert changed.phase in transition.to, (decision.phase, event, changed.phase)
    return changed


# --- options and phases ---------------------------------------------------------------------------------------------


def _offer(decision: RoomDecision, event: Offer, around: Around, _now: int) -> RoomDecision:
    if event.option in decision.options:
        return decision
    if len(decision.options) >= around.config.max_options:
        raise InvalidInput([f"$.option: there are {len(decision.options)} already, as many as the room takes"])
    return attrs.evolve(decision, options=(*decision.options, event.option))


def _offer_late(decision: RoomDecision, event: Offer, around: Around, now: int) -> RoomDecision:
    """A slate that was gathered first stays as it is."""
    if not decision.is_fluid and event.option not in decision.options:
        raise DecisionNotOpen(decision.seq, "its slate is closed; choose among its options")
    return _offer(decision, event, around, now)


def _close_slate(decision: RoomDecision, _event: CloseSlate, _around: Around, now: int) -> RoomDecision:
    if not decision.options:
        raise InvalidInput(["$.options: there is nothing to choose among yet; propose an option first"])
    return attrs.evolve(decision, phase=Phase.VOTING, voting_started_at=now)


def _slate_due(decision: RoomDecision, _event: Due, around: Around, _now: int) -> RoomDecision:
    """At the end of its window choosing starts; without an option there is nothing to choose, and it has failed."""
    start = decision.proposal_ends_at
    assert start is not None
    if not decision.options:
        return _sealed(decision, around, start)
    return attrs.evolve(decision, phase=Phase.VOTING, voting_started_at=start)


def _same(decision: RoomDecision, _event: object, _around: Around, _now: int) -> RoomDecision:
    return decision


# --- choosing -------------------------------------------------------------------------------------------------------


def _too_early(decision: RoomDecision, _event: Respond, _around: Around, _now: int) -> RoomDecision:
    raise DecisionProposing(decision.seq)


def _respond(decision: RoomDecision, event: Respond, around: Around, now: int) -> RoomDecision:
    return _recheck(_responded(decision, event.response, around), event, around, now)


def _respond_again(decision: RoomDecision, event: Respond, around: Around, now: int) -> RoomDecision:
    return _settle_on(_responded(decision, event.response, around), event, around, now)


def _responded(decision: RoomDecision, response: Response, around: Around) -> RoomDecision:
    if response.participant_id not in around.voters:
        raise NotEligible(decision.seq)
    if not response.is_abstention:
        params = params_of(decision, around)
        choice = read_choice(decision.mechanism, params, decision.options, response.choice)
        response = attrs.evolve(response, choice=choice)
    if decision.agreement and (response.is_abstention or response.weight != 1):
        what = "$.reason: nobody abstains from" if response.is_abstention else "$.weight: must be 1 in"
        raise InvalidInput([f"{what} an agreement, which takes everybody alike"])
    return attrs.evolve(decision, responses=replaced(decision.responses, response))


# --- ending early, and settling -------------------------------------------------------------------------------------


def _recheck(decision: RoomDecision, _event: object, around: Around, now: int) -> RoomDecision:
    """Seal it if it is determined, or let it settle."""
    if not is_determined(decision, around):
        return decision
    if around.config.settle_window == 0:
        return _sealed(decision, around, now)
    return _settling(decision, around, now, 0)


def _settle_on(decision: RoomDecision, _event: object, around: Around, now: int) -> RoomDecision:
    """Another winner makes it wait anew, so often and then no more.

    What must not end early any more is left to its window again, and so is an agreement that is none any more.
    """
    settling = decision.settling
    assert settling is not None
    if not is_determined(decision, around):
        settles_on = may_end_early(decision, around) and not decision.agreement
        return decision if settles_on else attrs.evolve(decision, phase=Phase.VOTING, settling=None)
    if count(decision, around, now).winner == settling.presumptive:
        return decision
    if settling.restarts >= MOST_RESTARTS:
        return _sealed(decision, around, now)
    return _settling(decision, around, now, settling.restarts + 1)


def _settling(decision: RoomDecision, around: Around, now: int, restarts: int) -> RoomDecision:
    winner = count(decision, around, now).winner
    settling = Settling(now + 1000 * around.config.settle_window, winner, restarts)
    return attrs.evolve(decision, phase=Phase.SETTLING, settling=settling)


def _seal_due(decision: RoomDecision, _event: Due, around: Around, _now: int) -> RoomDecision:
    """Whoever looks late finds what a punctual one would have found."""
    assert decision.due_at is not None
    return _sealed(decision, around, decision.due_at)


def _sealed(decision: RoomDecision, around: Around, at: int) -> RoomDecision:
    return attrs.evolve(decision, phase=Phase.RESOLVED, settling=None, sealed=count(decision, around, at))


# --- discussion -----------------------------------------------------------------------------------------------------


def _post(decision: RoomDecision, event: Post, around: Around, _now: int) -> RoomDecision:
    mine, config = decision.messages.get(event.participant_id, 0), around.config
    if mine >= config.max_deliberation_messages_per_participant:
        raise TooManyMessages(config.max_deliberation_messages_per_participant, "of a participant in a decision")
    if decision.message_count >= config.max_total_deliberation_messages:
        raise TooManyMessages(config.max_total_deliberation_messages, "in a decision")
    return attrs.evolve(decision, messages={**decision.messages, event.participant_id: mine + 1})


def _to(*phases: Phase) -> frozenset[Phase]:
    return frozenset(phases)


_PROPOSING, _VOTING, _SETTLING, _RESOLVED = Phase

TRANSITIONS: Mapping[Phase, Mapping[type[Event], Transition]] = {
    _PROPOSING: {
        Offer: Transition(_offer, _to(_PROPOSING)),
        CloseSlate: Transition(_close_slate, _to(_VOTING)),
        Respond: Transition(_too_early, _to()),
        Post: Transition(_post, _to(_PROPOSING)),
        Recheck: Transition(_same, _to(_PROPOSING)),
        Due: Transition(_slate_due, _to(_VOTING, _RESOLVED)),
    },
    _VOTING: {
        Offer: Transition(_offer_late, _to(_VOTING)),
        CloseSlate: Transition(_same, _to(_VOTING)),
        Respond: Transition(_respond, _to(_VOTING, _SETTLING, _RESOLVED)),
        Post: Transition(_post, _to(_VOTING)),
        Recheck: Transition(_recheck, _to(_VOTING, _SETTLING, _RESOLVED)),
        Due: Transition(_seal_due, _to(_RESOLVED)),
    },
    _SETTLING: {
        Offer: Transition(_offer_late, _to(_SETTLING)),
        CloseSlate: Transition(_same, _to(_SETTLING)),
        Respond: Transition(_respond_again, _to(_VOTING, _SETTLING, _RESOLVED)),
        Post: Transition(_post, _to(_SETTLING)),
        Recheck: Transition(_settle_on, _to(_VOTING, _SETTLING, _RESOLVED)),
        Due: Transition(_seal_due, _to(_RESOLVED)),
    },
    _RESOLVED: {},
}
