"""A count of ballots as it is written down, with all that it takes to count them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from .ballots import Ballot
from .errors import InvalidCase, InvalidParams
from .lock import Lock
from .mechanisms import tally
from .outcome import Outcome

__all__ = ["Case", "read_case"]

_FIELDS = ("mechanism", "params", "options", "eligible", "abstentions", "seed", "ballots")


@attrs.frozen
class Case:
    """What `tally` takes. Nothing in it has been checked but the ballots, each by itself."""

    mechanism: str
    params: Mapping[str, Any]
    options: Sequence[str]
    eligible: int
    abstentions: int
    seed: str
    ballots: Sequence[Ballot]

    def counted(self) -> Outcome:
        """What it comes to. Raises as `tally` does."""
        return tally(
            self.mechanism, self.params, self.options, self.eligible, self.ballots, self.abstentions, self.seed
        )

    def lock_trace(self, largest_outstanding_weight: float = 1.0) -> list[bool]:
        """Whether it was locked before the first ballot, and after each. Raises `InvalidParams`."""
        lock = Lock(self.mechanism, self.params, self.options, self.eligible, self.abstentions)
        trace = [lock.is_locked(largest_outstanding_weight)]
        for ballot in self.ballots:
            lock.add(ballot)
            trace.append(lock.is_locked(largest_outstanding_weight))
        return trace

    def as_json(self) -> dict[str, Any]:
        """As plain data, to be written down: with what it comes to as `expected`."""
        ballots = [{"voter": one.voter, "ballot": one.choice, "weight": one.weight} for one in self.ballots]
        written = {**{name: getattr(self, name) for name in _FIELDS}, "ballots": ballots}
        return {**written, "expected": {**self.counted().as_json(), "lock_trace": self.lock_trace()}}


def read_case(written: Mapping[str, Any]) -> Case:
    """The case in plain data. Raises `InvalidCase` for what is missing, `InvalidParams` for ballots that cannot be."""
    if missing := [name for name in _FIELDS if name not in written]:
        raise InvalidCase([f"$.{name}: is missing" for name in missing])
    fields: dict[str, Any] = {name: _plain(written[name]) for name in _FIELDS}
    return Case(**{**fields, "ballots": _read_ballots(fields["ballots"])})


def _plain(value: Any) -> Any:
    """In JSON 5.0 is the number 5."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _read_ballots(written: object) -> list[Ballot]:
    """The ballots of a case. Raises `InvalidParams` with every fault of them."""
    if not isinstance(written, list):
        raise InvalidParams(["$.ballots: must be a list"])
    ballots, faults = [], []
    for place, one in enumerate(written):
        path = f"$.ballots[{place}]"
        if not isinstance(one, Mapping) or not {"voter", "ballot"} <= one.keys():
            faults.append(f"{path}: must be an object with voter and ballot")
            continue
        try:
            ballots.append(Ballot(one["voter"], one["ballot"], one.get("weight", 1.0)))
        except InvalidParams as error:
            faults += [fault.replace("$", path, 1) for fault in error.faults]
    if faults:
        raise InvalidParams(faults)
    return ballots
