"""Where a run goes on after each choice: every choice has a case, and every case a choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

import attrs

from .choice_classes import Choice, choice_id
from .choices import Choices
from .errors import InvalidGate
from .forms import at
from .responses import Response

__all__ = ["Routes"]

T = TypeVar("T")


def _by_id(cases: Mapping[str | type[Choice], T]) -> dict[str, T]:
    return {choice_id(key) if isinstance(key, type) else key: case for key, case in cases.items()}


@attrs.frozen
class Routes(Generic[T]):
    """The way out of a gate at `node`: one target for each choice. Immutable.

    `cases`: by the ids of choices, or by their classes. Raises `InvalidGate`, which names every choice without a case
    and every case without a choice. The gate itself stays the plain node that it is.
    """

    node: str
    choices: Choices
    cases: Mapping[str, T] = attrs.field(converter=_by_id)

    def __attrs_post_init__(self) -> None:
        missing = [
            f"{at('$.cases', id)}: missing; every choice needs a case" for id in self.choices.keys() - self.cases
        ]
        unknown = [f"{at('$.cases', id)}: no such choice" for id in self.cases if id not in self.choices]
        if missing or unknown:
            raise InvalidGate(sorted(missing) + unknown)

    def target(self, response: Response) -> T:
        """The case of the choice that was made. Raises `KeyError` for a response to other choices."""
        return self.cases[response.choice]
