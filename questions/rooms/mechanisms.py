"""`tally`: the eight mechanisms, pure. The same inputs give the same outcome, in any process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from .ballots import Ballot, Cleaned, clean, is_text
from .errors import InvalidParams, ParticipationOutOfRange
from .generic import choice_rules
from .outcome import Outcome, Verdict
from .presets import read_params
from .quadratic import QuadraticRules
from .ranked_choice import RankedChoiceRules
from .ranked_pairwise import RankedPairwiseRules
from .scored import ScoreRules

__all__ = ["Rules", "is_quorum_met", "rules_of", "tally"]


class Rules(Protocol):
    """What a mechanism has to know: how to read a ballot, and what clean ballots come to."""

    @property
    def params(self) -> Any:
        """Its parameters, with a `quorum` among them."""

    def read(self, ballot: Ballot) -> Any:
        """What a ballot says, or None if it is invalid."""

    def decide(self, cleaned: Cleaned[Any], quorum_met: bool, seed: str) -> Verdict:
        """The verdict over ballots that are clean."""


_RULES: Mapping[str, Callable[[Any, Sequence[str]], Rules]] = {
    "simple_majority": choice_rules,
    "supermajority": choice_rules,
    "plurality": choice_rules,
    "approval": choice_rules,
    "ranked_choice": RankedChoiceRules,
    "ranked_pairwise": RankedPairwiseRules,
    "score_vote": ScoreRules,
    "quadratic_vote": QuadraticRules,
}


def tally(
    mechanism: str,
    params: Mapping[str, Any],
    options: Sequence[str],
    eligible: int,
    ballots: Iterable[Ballot],
    abstentions: int = 0,
    seed: str = "",
) -> Outcome:
    """Count the ballots, in the order in which they came, and say what they come to.

    `params` is as written in receipts; what is left out is as in `PRESETS`, and `quorum` (a share of `eligible`, from 0
    to 1) has to be there. `eligible` is how many may vote, `abstentions` how many have formally abstained. `seed` is
    what draws depend on: a room passes the id of the decision. A later ballot of a voter replaces the earlier one.

    Raises `InvalidParams` with every fault, or `ParticipationOutOfRange`.

    If all who took part have abstained, the two ranked mechanisms draw a winner among all options, as the protocol has
    it. Look at `cast` first if that must not be.
    """
    rules = rules_of(mechanism, params, options, eligible, abstentions)
    if not is_text(seed):
        raise InvalidParams(["$.seed: must be text"])
    cleaned = clean(ballots, rules.read)
    participation = cleaned.cast + abstentions
    if participation > eligible:
        raise ParticipationOutOfRange(participation, eligible)
    quorum_met = is_quorum_met(rules.params.quorum, participation, eligible)
    verdict = rules.decide(cleaned, quorum_met, seed)
    return Outcome(
        verdict.word,
        verdict.winner,
        verdict.scores,
        cleaned.cast,
        eligible,
        quorum_met,
        cleaned.invalid,
        cleaned.duplicate_voters,
        verdict.trace,
    )


def rules_of(
    mechanism: str, params: Mapping[str, Any], options: Sequence[str], eligible: int, abstentions: int
) -> Rules:
    """The rules for a count. Raises `InvalidParams` with every fault of what it is given."""
    faults = [*_option_faults(options), *_number_faults(eligible=eligible, abstentions=abstentions)]
    try:
        checked = read_params(mechanism, params)
    except InvalidParams as error:
        raise InvalidParams([*error.faults, *faults]) from None
    if faults:
        raise InvalidParams(faults)
    return _RULES[mechanism](checked, tuple(options))


def is_quorum_met(quorum: float, participation: int, eligible: int) -> bool:
    """Whether enough take part, by a plain division: 2 of 3 meet a quorum of 2 / 3 exactly."""
    return eligible > 0 and participation / eligible >= quorum


def _option_faults(options: Sequence[str]) -> list[str]:
    if not isinstance(options, list | tuple) or not options:
        return ["$.options: there must be one at least"]
    faults = [f"$.options[{place}]: must be text" for place, option in enumerate(options) if not is_text(option)]
    if not faults and len(set(options)) < len(options):
        seen: set[str] = set()
        for place, option in enumerate(options):
            if option in seen:
                faults.append(f"$.options[{place}]: is there already")
            seen.add(option)
    return faults


def _number_faults(**numbers: object) -> list[str]:
    return [
        f"$.{name}: must be a whole number of 0 or more, at most 2**53"
        for name, number in numbers.items()
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= 2**53
    ]
