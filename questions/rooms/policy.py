"""`Mechanism`: a policy by which a question is settled by a vote."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Literal

import attrs

from questions.answers import Given
from questions.entry import Ask, Entry
from questions.errors import InvalidPolicy
from questions.policies import Collected, CustomPolicy
from questions.question import Question, Select

from .ballots import Ballot
from .errors import InvalidParams
from .forms import BallotKind, ballot_faults, ballot_kind
from .lock import Lock
from .presets import PRESETS, electorate, read_params
from .tallied import Tallied

__all__ = ["Mechanism"]

_ENDS = ("determined", "complete", "deadline")


@attrs.frozen
class Mechanism(CustomPolicy[Tallied]):
    """A vote over the options of a `Select`; `ask` returns a `Tallied`. Raises `InvalidPolicy` with every fault.

    `name`: one of the eight `MECHANISMS`. `params`: what differs from its preset; afterwards all of them. `quorum`: how
    many have to vote for anybody to win, 1 or more; None: one. Everybody may send another ballot until the vote ends.
    """

    name: str
    params: Mapping[str, Any] = attrs.field(factory=dict, hash=False)
    quorum: int | None = None
    ends: Literal["determined", "complete", "deadline"] = "determined"
    """When it ends: when no ballot that is outstanding can change the winner and the status any more; when everybody
    has voted; or at the deadline alone, which the ask then has to have. The deadline ends it in any case."""

    revisable: ClassVar[bool] = True
    is_portable: ClassVar[bool] = True

    def __attrs_post_init__(self) -> None:
        if faults := self._faults():
            raise InvalidPolicy(faults)
        object.__setattr__(self, "params", {**PRESETS[self.name], **self.params})

    def _faults(self) -> list[str]:
        faults = []
        try:
            read = read_params(self.name, {"quorum": 1, **self.params} if self._has_params else self.params)
            if "quorum" in self.params and not getattr(read, "agreement", False):
                faults.append("$.params.quorum: give it beside the parameters, as a number of people")
        except InvalidParams as error:
            faults += [fault.replace("$.mechanism", "$.name", 1) for fault in error.faults]
        if self.quorum is not None and not (type(self.quorum) is int and 1 <= self.quorum < 2**53):
            faults.append("$.quorum: a whole number from 1, below 2**53, or None")
        if self.ends not in _ENDS:
            faults.append(f"$.ends: one of {', '.join(_ENDS)}")
        return faults

    @property
    def _has_params(self) -> bool:
        params: object = self.params
        return isinstance(params, Mapping)

    @property
    def least(self) -> int:
        """The quorum."""
        return self.quorum or 1

    @property
    def ballot(self) -> BallotKind:
        """What its ballots are."""
        return ballot_kind(self.name, self.params)

    def ask_faults(self, question: Question[Any], *, timed: bool) -> list[str]:
        """It takes a `Select`; and a deadline, if nothing else ends it."""
        faults = [] if isinstance(question, Select) else ["$.policy: a Mechanism counts votes over a Select"]
        if self.ends == "deadline" and not timed:
            faults.append("$.policy.ends: a vote that only its deadline ends needs a timeout or a deadline")
        return faults

    def check(self, question: Question[Any], answer: object) -> list[str]:
        """What is wrong with a ballot."""
        return ballot_faults(self.ballot, self.params, _options(question), answer)

    def is_enough(self, entry: Entry) -> bool:
        """Whether the vote has ended by itself."""
        answers = entry.answers
        if answers.count < self.least or self.ends == "deadline":
            return False
        if self.ends == "complete":
            return entry.unanswered == 0
        lock = answers.running(partial(self._lock, entry.ask), _take)
        lock.seat(electorate(answers.count + entry.unanswered, self.quorum))
        return lock.is_locked()

    def _lock(self, ask: Ask) -> Lock:
        params, eligible = self._counted_by(0)
        return Lock(self.name, params, _options(ask.question), eligible)

    def result(self, ask: Ask, collected: Collected[Any]) -> Tallied:
        """What the ballots come to. The seed of draws is the id of the question."""
        params, eligible = self._counted_by(len(collected.answers) + len(collected.missing))
        return Tallied(
            ask.id,
            self.name,
            params,
            _options(ask.question),
            eligible,
            collected.answers,
            collected.missing,
            collected.seen,
            collected.ended,
        )

    def _counted_by(self, seats: int) -> tuple[Mapping[str, Any], int]:
        """The parameters of a count, and how many may vote. An agreement takes everybody, whatever the quorum."""
        of = electorate(seats, self.quorum)
        return {"quorum": of.quorum, **self.params}, of.eligible


def _options(question: Question[Any]) -> tuple[str, ...]:
    return tuple(option.id for option in question.options) if isinstance(question, Select) else ()


def _take(lock: Lock, given: Given) -> None:
    lock.add(Ballot(str(given.by), given.answer))
