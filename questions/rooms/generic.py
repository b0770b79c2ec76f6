"""simple_majority, supermajority, plurality and approval: options are named, and the share of the ballots decides."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping, Sequence

import attrs

from .ballots import Ballot, Cleaned, is_list
from .draws import leaders_of, tie_winner
from .outcome import ChoiceTrace, Verdict
from .presets import ChoiceParams

__all__ = ["ChoiceRules", "choice_rules"]

Chosen = Sequence[str]


@attrs.frozen
class ChoiceRules:
    """The rules of the first four mechanisms over these options; a ballot names one of them."""

    params: ChoiceParams
    options: Sequence[str]
    _alone: dict[str, Chosen] = attrs.field(init=False)

    reach = 1.0
    """How far one more ballot of weight 1 can bring an option up to another."""
    most, least = 1.0, 0.0
    """The most and the least that such a ballot can give to an option."""
    open_slate = True
    """Options may still be proposed while votes come in; one that is has nothing yet."""

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_alone", {option: (option,) for option in self.options})

    def read(self, ballot: Ballot) -> Chosen | None:
        """The options that a ballot names, or None if it is invalid."""
        choice: object = ballot.choice
        if is_list(choice) and len(choice) == 1:
            choice = choice[0]
        return self._alone.get(choice) if isinstance(choice, str) else None

    def count(self, ballots: Iterable[Ballot], contents: Iterable[Chosen], scores: MutableMapping[str, float]) -> None:
        """Add what the ballots say, in order. A weight of 0 or less adds nothing."""
        for ballot, chosen in zip(ballots, contents, strict=True):
            weight = ballot.weight
            if weight > 0:
                for option in chosen:
                    scores[option] += weight

    def stands(self, top: float, cast: int, total_weight: float, outstanding: int) -> bool:  # noqa: ARG002
        """Whether the leader wins now, and passes still if all outstanding ballots go to others."""
        if self.params.meets(top / cast if cast else 0.0):
            return self.params.meets(top / (cast + outstanding))
        return self.params.plurality_fallthrough and top > 0

    def newcomer(self, total_weight: float) -> float:  # noqa: ARG002
        """The score that an option would have that was proposed now."""
        return 0.0

    def decide(self, cleaned: Cleaned[Chosen], quorum_met: bool, seed: str) -> Verdict:
        """The verdict; the scores are shown whether the quorum is met or not."""
        params, scores = self.params, dict.fromkeys(self.options, 0.0)
        self.count(cleaned.ballots, cleaned.contents, scores)
        top = max(scores.values())
        met = quorum_met and cleaned.cast > 0 and params.meets(top / cleaned.cast)
        trace = ChoiceTrace(met)
        if not met and not (quorum_met and params.plurality_fallthrough and top > 0):
            return Verdict("no_pass", None, scores, trace)
        winner = tie_winner(params.tie_break, leaders_of(scores, self.options), self.options, seed)
        if met:
            return Verdict("tied" if winner is None else "pass", winner, scores, trace)
        return Verdict("no_pass" if winner is None else "plurality_pass", winner, scores, trace)


class _ApprovalRules(ChoiceRules):
    """The same with ballots that name any number of options."""

    def read(self, ballot: Ballot) -> Chosen | None:
        """The options that a ballot approves of, each once, or None if it is invalid."""
        choice = ballot.choice
        if not is_list(choice):
            return None
        try:
            approved = set(choice)
        except TypeError:  # something that is no text
            return None
        if not approved <= self._alone.keys():
            return None
        return choice if len(approved) == len(choice) else tuple(dict.fromkeys(choice))


def choice_rules(params: ChoiceParams, options: Sequence[str]) -> ChoiceRules:
    """The rules for the kind of ballots that the parameters ask for."""
    kind = _ApprovalRules if params.ballot_mode == "approval" else ChoiceRules
    return kind(params, options)
