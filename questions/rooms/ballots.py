"""Ballots, and cleaning them: one a voter, the latest, and only those that the mechanism can read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeGuard, TypeVar

import attrs

from .errors import InvalidParams

__all__ = ["LARGEST", "Ballot", "Cleaned", "clean", "is_list", "is_number", "is_text", "latest_of", "on_slate"]

LARGEST = 1e100
"""The largest weight or score, either way: no sum of such numbers leaves the doubles."""

Content = TypeVar("Content")


def is_number(value: object) -> bool:
    """Whether it is a finite number of at most `LARGEST` either way. True and False are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def is_text(value: object) -> bool:
    """Whether it is text that can be written: receipts and draws are made over its bytes."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


_LISTS = (list, tuple)


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether it is a list, as opposed to text and to whatever else goes by numbers."""
    return isinstance(value, _LISTS)


@attrs.frozen
class Ballot:
    """What one voter has chosen. Raises `InvalidParams` for a voter that is no text or a weight that is no number.

    Whether the choice can be read is for the mechanism to say: a ballot that cannot counts as invalid; it is no error.
    """

    voter: str
    choice: str | Sequence[str] | Mapping[str, float]
    """By mechanism: an option, options (of rankings: the best first), or a number for each option."""
    weight: float = 1.0

    def __attrs_post_init__(self) -> None:
        voter: object = self.voter
        faults = [] if is_text(voter) else ["$.voter: must be text"]
        if not is_number(self.weight):
            faults.append(f"$.weight: must be a number, at most {LARGEST:g} either way")
        if faults:
            raise InvalidParams(faults)
        object.__setattr__(self, "weight", float(self.weight))


@attrs.frozen
class Cleaned(Generic[Content]):
    """The ballots that count, in order, and beside each what the mechanism has read in it."""

    ballots: Sequence[Ballot]
    contents: Sequence[Content]
    invalid: int
    """How many voters' latest ballot could not be read."""
    duplicate_voters: tuple[str, ...]
    """A voter for each ballot that replaced an earlier one, in order."""

    @property
    def cast(self) -> int:
        """How many ballots are valid."""
        return len(self.ballots)

    @property
    def are_whole(self) -> bool:
        """Whether all weights are whole numbers whose sums doubles hold exactly, in whatever order they are added."""
        weights = [ballot.weight for ballot in self.ballots]
        return all(map(float.is_integer, weights)) and len(weights) * max(weights, default=0.0) < 2**53


def on_slate(ballot: Ballot, slate: frozenset[str]) -> Mapping[str, float] | None:
    """What a ballot gives to options of the slate; None if it has no weight or is no such ballot."""
    choice = ballot.choice
    if ballot.weight <= 0 or not (type(choice) is dict or isinstance(choice, Mapping)):
        return None
    return choice if choice.keys() <= slate else {option: given for option, given in choice.items() if option in slate}


def clean(ballots: Iterable[Ballot], read: Callable[[Ballot], Content | None]) -> Cleaned[Content]:
    """One ballot a voter, those that `read` makes None of left out.

    A later ballot replaces its voter's earlier one even if it is invalid, and counts at its own place.
    """
    latest, repeated = latest_of(ballots)
    contents = list(map(read, latest))
    valid = [content for content in contents if content is not None]
    if len(valid) < len(latest):
        kept = [ballot for ballot, content in zip(latest, contents, strict=True) if content is not None]
        return Cleaned(kept, valid, len(latest) - len(kept), repeated)
    return Cleaned(latest, valid, 0, repeated)


def latest_of(ballots: Iterable[Ballot]) -> tuple[list[Ballot], tuple[str, ...]]:
    """Each voter's latest ballot, at its own place; and a voter for each ballot that replaced an earlier one."""
    given = list(ballots)
    if len({ballot.voter for ballot in given}) == len(given):
        return given, ()
    latest: dict[str, Ballot] = {}
    repeated = []
    for ballot in given:
        if latest.pop(ballot.voter, None) is not None:
            repeated.append(ballot.voter)
        latest[ballot.voter] = ballot
    return list(latest.values()), tuple(repeated)
