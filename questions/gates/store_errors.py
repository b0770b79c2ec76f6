"""What runs and stored requests can refuse.

QuestionError
├── InvalidRun (Invalid)            ids, names or an input that cannot be
├── UnknownRun                      there is no such run
├── UnknownAttempt                  the run has entered no such attempt
├── RunEnded                        it takes no more attempts and answers; says how it ended
├── Differs                         the same id is stored with other content
├── NotWaiting                      the run does not wait for this request: it has gone on, or was never there
├── ResumedElsewhere                another process is going on with the run after this gate
├── LeaseLost                       this gate server is not the one that applies deadlines any more
├── TooManyRuns, TooManyRequests (LimitExceeded)    a limit of the store
└── NotChosen                       a gate that came to no choice
    ├── StillWaiting                nobody has chosen yet; ask again later, or wait
    ├── GateCancelled               it was taken back
    └── GateExpired                 the time was over, and nothing was to be chosen: not a denial
"""

from __future__ import annotations

import attrs

from questions.errors import Invalid, LimitExceeded, QuestionError

__all__ = [
    "Differs",
    "GateCancelled",
    "GateExpired",
    "InvalidRun",
    "LeaseLost",
    "NotChosen",
    "NotWaiting",
    "ResumedElsewhere",
    "RunEnded",
    "StillWaiting",
    "TooManyRequests",
    "TooManyRuns",
    "UnknownAttempt",
    "UnknownRun",
]


class InvalidRun(Invalid):
    """A run or an attempt that cannot be: each fault with its path. Nothing was written."""


@attrs.define(eq=False, slots=False, str=False)
class UnknownRun(QuestionError):
    """There is no run `id` in this store, or none any more: start it first."""

    id: str

    def __str__(self) -> str:
        return f"there is no run {self.id!r} here; start it first"


@attrs.define(eq=False, slots=False, str=False)
class UnknownAttempt(QuestionError):
    """Run `run_id` has entered no attempt `id`: enter it first."""

    run_id: str
    id: str

    def __str__(self) -> str:
        return f"run {self.run_id!r} has entered no attempt {self.id!r}; enter it first"


@attrs.define(eq=False, slots=False, str=False)
class RunEnded(QuestionError):
    """Run `id` has ended and stays as it is: `state` is done, cancelled or expired."""

    id: str
    state: str

    def __str__(self) -> str:
        return f"run {self.id!r} has ended ({self.state}); start another one"


@attrs.define(eq=False, slots=False, str=False)
class Differs(QuestionError):
    """The `what` (run, attempt or request) `id` is stored already, with other content. That stays; nothing was written.

    Give each its own id.
    """

    what: str
    id: str

    def __str__(self) -> str:
        return f"the {self.what} {self.id!r} is stored with other content, which stays; give each its own id"


@attrs.define(eq=False, slots=False, str=False)
class NotWaiting(QuestionError):
    """The run of decision `id` does not wait for it: its attempt is `state`. Nothing was changed."""

    id: str
    state: str

    def __str__(self) -> str:
        return f"no run waits for decision {self.id!r}: its attempt is {self.state}"


@attrs.define(eq=False, slots=False, str=False)
class ResumedElsewhere(QuestionError):
    """Decision `id` was made, and `owner` is going on with the run: to go on here, too, would do everything twice."""

    id: str
    owner: str

    def __str__(self) -> str:
        return f"{self.owner} is going on with the run after decision {self.id!r}; leave it to that one"


@attrs.define(eq=False, slots=False, str=False)
class LeaseLost(QuestionError):
    """`owner` does not hold the lease of the gate server any more. Nothing was changed; whoever holds it sees to it."""

    owner: str

    def __str__(self) -> str:
        return f"{self.owner!r} does not hold the lease of the gate server any more; another one sees to deadlines"


class TooManyRuns(LimitExceeded):
    """The store keeps `limit` runs, and none of them can go. Nothing was written: finish some."""

    def __str__(self) -> str:
        return f"{self.what}: the limit of {self.limit} is reached; finish some, or change the limits of gates"


class TooManyRequests(LimitExceeded):
    """`limit` requests are open, or attempts entered. Nothing was written: have some answered or cancelled."""

    def __str__(self) -> str:
        return f"{self.what}: the limit of {self.limit} is reached; have some answered, or change the limits of gates"


@attrs.define(eq=False, slots=False, str=False)
class NotChosen(QuestionError):
    """The root of how a gate can come to no choice. `id`: of its decision."""

    id: str

    def __str__(self) -> str:
        return f"decision {self.id!r} has not come to a choice"


class StillWaiting(NotChosen):
    """Nobody has chosen yet. Ask again later, or wait in place."""

    def __str__(self) -> str:
        return f"decision {self.id!r} still waits for somebody to choose"


class GateCancelled(NotChosen):
    """The decision was taken back, and its run with it. Not a denial: nobody has chosen."""

    def __str__(self) -> str:
        return f"decision {self.id!r} was cancelled; nothing was chosen"


class GateExpired(NotChosen):
    """The time was over, and nothing was to be chosen then. Not a denial: nobody has chosen."""

    def __str__(self) -> str:
        return f"the time of decision {self.id!r} was over; nothing was chosen"
