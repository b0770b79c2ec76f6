"""The answers that a question has so far: a value that grows in constant time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, final

import msgspec

from facets.principal import Principal

__all__ = ["Answers", "Given", "own"]

S = TypeVar("S")


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


class _Storage(msgspec.Struct, eq=False, gc=False):
    """What a value and those that it grew from have in common; only added to."""

    given: list[Given] = []
    """Everything that was answered, with what was revised since."""
    places: dict[Principal, int] = {}
    """Where each has answered first."""
    running: Any = None
    """What somebody keeps of the first `reached` answers."""
    reached: int = 0


@final
class Answers(msgspec.Struct, frozen=True, eq=False, gc=False):
    """An immutable sequence of answers in order of arrival, one a principal.

    `plus` shares storage between the old value and the new one, as slices of a growing array do, so `All` over n
    members costs n and not n times n. Growing the same value twice copies, so every value stays what it was.
    """

    _storage: _Storage = msgspec.field(default_factory=_Storage)
    _length: int = 0
    """How much of what is stored is of this value."""
    count: int = 0
    """How many there are; as `len`."""

    def plus(self, given: Given) -> Answers:
        """These answers and one more, by a principal who is not among them."""
        storage, length = self._storage, self._length
        if length == 0:
            return Answers(_Storage([given], {given.by: 0}), 1, 1)
        if len(storage.given) != length:
            storage, length = self._stored_anew()
        storage.places[given.by] = length
        storage.given.append(given)
        return Answers(storage, length + 1, self.count + 1)

    def revised(self, given: Given) -> Answers:
        """These answers with another one by one who is among them, which is now the last."""
        storage, length = self._storage, self._length
        if len(storage.given) != length or length > 2 * self.count:  # more of it is revised than is not
            storage, length = self._stored_anew()
        storage.given.append(given)
        return Answers(storage, length + 1, self.count)

    def _stored_anew(self) -> tuple[_Storage, int]:
        """These answers in a storage of their own, and how many they are."""
        given, earlier = [*self], self._storage
        storage = _Storage(given, {one.by: place for place, one in enumerate(given)})
        if earlier.reached == self._length:  # what is kept of them goes on with the new value
            storage.running, storage.reached = earlier.running, len(given)
            earlier.running, earlier.reached = None, 0
        return storage, len(given)

    def running(self, start: Callable[[], S], add: Callable[[S, Given], object]) -> S:
        """What `add` makes of these answers in order, beginning with what `start` gives: a count, say.

        It goes on from what this gave for the value that this one grew from, so that asking after each answer costs the
        new one alone. For that `add` has to take an answer by one who has answered before as `revised` does: in place
        of the earlier one. The same two have to be passed each time, and what is returned holds until the next answer.
        """
        storage, length = self._storage, self._length
        if length == 0:  # the storage of these is everybody's
            return start()
        state: S | None = storage.running
        reached = storage.reached
        if state is None or reached > length:
            state, reached = start(), 0
        storage.running, storage.reached = None, 0  # should `add` raise, it begins anew
        for one in storage.given[reached:length]:
            add(state, one)
        storage.running, storage.reached = state, length
        return state

    def __contains__(self, principal: object) -> bool:
        return self._storage.places.get(principal, self._length) < self._length  # type: ignore[call-overload,no-any-return]

    @property
    def by(self) -> tuple[Principal, ...]:
        """Who has answered, in order."""
        return tuple([one.by for one in self])

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Given]:
        given = self._storage.given[: self._length]
        if len(given) == self.count:
            return iter(given)
        last: dict[Principal, Given] = {}
        for one in given:
            last.pop(one.by, None)
            last[one.by] = one
        return iter(last.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answers) and list(self) == list(other)

    def __ne__(self, other: object) -> bool:
        return not self == other  # a struct's own would go by identity

    def __hash__(self) -> int:
        return hash(tuple(one.by for one in self))

    def __repr__(self) -> str:
        return f"Answers({list(self)!r})"
