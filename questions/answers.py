"""The answers that a question has so far: a value that grows in constant time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, final

import msgspec

from facets.principal import Principal

__all__ = ["Answers", "Given", "own"]


def own(answer: Any) -> Any:
    """An answer as nobody else can change it: lists as tuples, and copies of mappings."""
    if type(answer) is str or type(answer) is bool:
        return answer  # nearly always
    if isinstance(answer, list | tuple):
        return tuple(map(own, answer))
    return {name: own(one) for name, one in answer.items()} if isinstance(answer, Mapping) else answer


class Given(msgspec.Struct, frozen=True, gc=False):
    """One answer as it is stored. `answer` is a `Secret` for a secret question."""

    by: Principal
    answer: Any
    automatic: bool = False


@final
class Answers(msgspec.Struct, frozen=True, eq=False, gc=False):
    """An immutable sequence of answers in order of arrival, one a principal.

    `plus` shares storage between the old value and the new one, as slices of a growing array do, so `All` over n
    members costs n and not n times n. Growing the same value twice copies, so every value stays what it was.
    """

    _given: list[Given] = []
    _places: dict[Principal, int] = {}
    count: int = 0
    """How many there are; as `len`."""

    def plus(self, given: Given) -> Answers:
        """These answers and one more, by a principal who is not among them."""
        count, grown, places = self.count, self._given, self._places
        if count == 0:
            return Answers([given], {given.by: 0}, 1)
        if len(grown) != count:
            grown = grown[:count]
            places = {one.by: place for place, one in enumerate(grown)}
        places[given.by] = count
        grown.append(given)
        return Answers(grown, places, count + 1)

    def revised(self, given: Given) -> Answers:
        """These answers with another one by one who is among them, which is now the last. Costs their number."""
        answers = Answers()
        for one in self:
            if one.by != given.by:
                answers = answers.plus(one)
        return answers.plus(given)

    def __contains__(self, principal: object) -> bool:
        return self._places.get(principal, self.count) < self.count  # type: ignore[call-overload,no-any-return]

    @property
    def by(self) -> tuple[Principal, ...]:
        """Who has answered, in order."""
        return tuple(self._places)[: self.count]

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Given]:
        return iter(self._given[: self.count])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answers) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(one.by for one in self))

    def __repr__(self) -> str:
        return f"Answers({list(self)!r})"
