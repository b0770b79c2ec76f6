"""Whether a vote can end early: no ballot that is outstanding can change its winner and its status any more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from .ballots import Ballot, is_number
from .errors import InvalidParams
from .mechanisms import Rules, is_quorum_met, rules_of
from .presets import Electorate

__all__ = ["AdditiveRules", "Lock", "is_locked"]

_ROUNDING = 2.0**-52
_MOST_STEPS = 1_000_000


@runtime_checkable
class AdditiveRules(Rules, Protocol):
    """A mechanism under which a ballot only adds to scores, so that what is outstanding has bounds."""

    @property
    def reach(self) -> float:
        """How far one more ballot of weight 1 can bring an option up to another."""

    @property
    def most(self) -> float:
        """The most that such a ballot can give to an option."""

    @property
    def least(self) -> float:
        """The least that such a ballot can give to an option."""

    @property
    def open_slate(self) -> bool:
        """Whether options that are yet to be proposed are always reckoned with."""

    @property
    def options(self) -> Sequence[str]:
        """The options, as listed."""

    def count(self, ballots: Iterable[Ballot], contents: Iterable[Any], scores: Any) -> None:
        """Add what the ballots say to the scores, in order."""

    def stands(self, top: float, cast: int, total_weight: float, outstanding: int) -> bool:
        """Whether the leader wins, and would if all outstanding ballots went to others."""

    def newcomer(self, total_weight: float) -> float:
        """The score that an option would have that was proposed now."""


class Lock:
    """The lock of one vote, brought up to date with every ballot.

    A ballot costs as much as it names options, and the question whether it is locked nothing that grows. Only replacing
    a ballot costs more: all options; and where a weight or score is no whole number, so that doubles have to be added
    in order, all ballots once more when it is asked next, if it is near to being locked.
    """

    def __init__(
        self,
        mechanism: str,
        params: Mapping[str, Any],
        options: Sequence[str],
        eligible: int,
        abstentions: int = 0,
        *,
        open_slate: bool = False,
    ) -> None:
        """As for `tally`. `open_slate` says that options may still be proposed while ballots come in.

        The first four mechanisms reckon with such options in any case. Raises `InvalidParams` with every fault.
        """
        self._rules = rules_of(mechanism, params, options, eligible, abstentions)
        self._eligible, self._abstentions = eligible, abstentions
        self._quorum: float = self._rules.params.quorum
        self._abstained: set[str] = set()
        self._latest: dict[str, Ballot] = {}
        self._sums = _Sums(self._rules, open_slate) if isinstance(self._rules, AdditiveRules) else None
        self._cast = 0

    @property
    def outstanding(self) -> int:
        """How many who may vote have neither a valid ballot nor abstained; below 0 if more took part than may."""
        return self._eligible - self._participation

    @property
    def _participation(self) -> int:
        return self._cast + self._abstentions + len(self._abstained)

    def seat(self, electorate: Electorate) -> None:
        """Others may vote from now on than was said at first: so many, and so many of them have to. Costs nothing."""
        self._eligible, self._quorum = electorate.eligible, electorate.quorum

    def add(self, ballot: Ballot) -> None:
        """Take a ballot in. It replaces what its voter has said before, be it a ballot or an abstention."""
        self._withdraw(ballot.voter)
        self._latest[ballot.voter] = ballot
        if (content := self._rules.read(ballot)) is not None:
            self._cast += 1
            if self._sums is not None:
                self._sums.add(ballot, content)

    def abstain(self, voter: str) -> None:
        """Take an abstention in. It replaces its voter's ballot."""
        self._withdraw(voter)
        self._abstained.add(voter)

    def is_locked(self, largest_outstanding_weight: float = 1.0) -> bool:
        """Whether no completion changes winner or status, if no outstanding ballot weighs more than the largest.

        True is never wrong; False may come late. Once all have taken part it is True whatever the outcome, save for an
        agreement, which only unanimity ends early. The ranked mechanisms are not locked before. Raises `InvalidParams`
        for a weight that is no number.
        """
        if not is_number(largest_outstanding_weight):
            raise InvalidParams(["$.largest_outstanding_weight: must be a number"])
        if getattr(self._rules.params, "agreement", False):
            return self._cast == self._eligible > 0 and self._sums_in_order().top == self._cast
        if self.outstanding <= 0:
            return True
        if self._sums is None or not is_quorum_met(self._quorum, self._participation, self._eligible):
            return False
        weight = max(0.0, largest_outstanding_weight)
        if self._sums.are_surely_open(self.outstanding, weight):
            return False
        return self._sums_in_order().are_decided(self._cast, self.outstanding, weight)

    def _withdraw(self, voter: str) -> None:
        self._abstained.discard(voter)
        earlier = self._latest.pop(voter, None)
        if earlier is None or (content := self._rules.read(earlier)) is None:
            return
        self._cast -= 1
        if self._sums is not None:
            self._sums.take_back(earlier, content)

    def _sums_in_order(self) -> _Sums:
        """The sums as adding up the ballots in order gives them."""
        assert self._sums is not None, "asked of mechanisms that add up"
        if not self._sums.are_in_order:
            self._sums.clear()
            for ballot in self._latest.values():
                if (content := self._rules.read(ballot)) is not None:
                    self._sums.add(ballot, content)
        return self._sums


class _Sums:
    """The scores so far, with the highest and the next at hand."""

    def __init__(self, rules: AdditiveRules, open_slate: bool) -> None:
        self._rules = rules
        self._open_slate = open_slate or rules.open_slate
        self.clear()

    def clear(self) -> None:
        """Forget all ballots."""
        self._scores = dict.fromkeys(self._rules.options, 0.0)
        self._total_weight = 0.0
        self._are_whole = True
        self.are_in_order = True
        """Whether they are what adding up the ballots in order gives, to the last bit."""
        self._highest, self._changes = 0.0, 0
        self._rank()

    def _rank(self) -> None:
        """Find the leader and the score of the next anew."""
        self._leader = max(self._scores, key=self._scores.__getitem__)
        others = [score for option, score in self._scores.items() if option != self._leader]
        self._next = max(others, default=-1.0)

    @property
    def top(self) -> float:
        """The highest score."""
        return self._scores[self._leader]

    def add(self, ballot: Ballot, content: Any) -> None:
        """Add a ballot. Scores only grow, so that the leader and the next follow from what it names."""
        self._total_weight += ballot.weight
        self._changes += 1
        self._are_whole = self._are_whole and ballot.weight.is_integer()
        for option, amount in self._given(ballot, content).items():
            self._are_whole = self._are_whole and amount.is_integer()
            before, self._scores[option] = self.top, self._scores[option] + amount
            if option != self._leader and self._scores[option] > before:
                self._leader, self._next = option, before
            elif option != self._leader:
                self._next = max(self._next, self._scores[option])

    def take_back(self, ballot: Ballot, content: Any) -> None:
        """Subtract a ballot. Doubles that are not whole are then near to what adding up the others would give."""
        self._highest = max(self._highest, self.top)
        self.are_in_order = self.are_in_order and self._are_whole and max(self.top, self._total_weight) < 2**53
        self._changes += 1
        self._total_weight -= ballot.weight
        for option, amount in self._given(ballot, content).items():
            self._scores[option] -= amount
        self._rank()

    def are_surely_open(self, outstanding: int, weight: float) -> bool:
        """Whether so many more ballots of up to that weight can make another option win, wherever the doubles stand."""
        if self._next < 0:
            return False
        # Each change has rounded a score by half of its last bit at most, here and where ballots are added in order.
        off = 0.0 if self.are_in_order else 4 * self._changes * max(self._highest, self.top) * _ROUNDING
        return self.top - self._next + off <= outstanding * weight * self._rules.reach

    def _given(self, ballot: Ballot, content: Any) -> Mapping[str, float]:
        given: defaultdict[str, float] = defaultdict(float)
        self._rules.count([ballot], [content], given)
        return given

    def are_decided(self, cast: int, outstanding: int, weight: float) -> bool:
        """Whether so many more ballots of up to that weight cannot make another option win, or none."""
        rules = self._rules
        if not rules.stands(self.top, cast, self._total_weight, outstanding):
            return False
        rival = max(self._next, rules.newcomer(self._total_weight)) if self._open_slate else self._next
        if rival < 0:
            return True  # there is no other option
        lead, bound = self.top - rival, outstanding * weight * rules.reach
        if lead <= bound:
            return False
        # Doubles are rounded at each addition. Where that could make up for the rest of the lead, add it all up.
        if lead - bound > (self.top + bound) * outstanding * _ROUNDING:
            return True
        return outstanding <= _MOST_STEPS and not self._catches_up(
            rival, outstanding, rules.most * weight, rules.least * weight
        )

    def _catches_up(self, rival: float, outstanding: int, most: float, least: float) -> bool:
        """Whether adding it all up, with every rounding, brings the rival as far as the leader."""
        top = self.top
        for _ in range(outstanding):
            rival, top = rival + most, top + least
        return rival >= top


def is_locked(
    mechanism: str,
    params: Mapping[str, Any],
    options: Sequence[str],
    eligible: int,
    ballots: Iterable[Ballot],
    abstentions: int = 0,
    *,
    largest_outstanding_weight: float = 1.0,
    open_slate: bool = False,
) -> bool:
    """Whether the vote is locked after these ballots; `Lock` says so after each of many."""
    lock = Lock(mechanism, params, options, eligible, abstentions, open_slate=open_slate)
    for ballot in ballots:
        lock.add(ballot)
    return lock.is_locked(largest_outstanding_weight)
