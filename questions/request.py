"""An ask on its way in: checked as a whole, so that a refusal names every fault."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import attrs
import msgspec

from facets.principal import Principal
from facets.readable import Readable

from .audience import Audience, distinct
from .deadlines import time_faults
from .errors import InvalidAsk, InvalidPolicy
from .policies import All, CustomPolicy, First, Policy, Quorum
from .question import Confirm, Question, Select, Text
from .visible import text_within

__all__ = ["AskRequest"]

_LONGEST_KEY = 200
_KINDS = (Confirm, Select, Text)
_NO_OPTIONS = (None,) * 5
_POLICIES = frozenset({First, Quorum, All})


class AskRequest(msgspec.Struct, eq=False, gc=False):
    """What `asker.ask` was given. `check` raises `InvalidAsk` or `InvalidPolicy`, and settles the audience's kind."""

    question: Question[Any]
    audience: Audience
    policy: Policy
    key: str | None
    timeout: float | timedelta | None
    deadline: datetime | None
    default: Any
    on_behalf_of: Principal | None
    attach_only: bool = False
    """Q-KEY-2: rather get `Superseded` than supersede."""
    is_away: Callable[[], bool] | None = None
    """Whether a waiter that is cancelled has lost its link, and may come back for its keyed question (Q-KEY-3)."""
    durable: bool = False
    """Whether it is to outlive the process, and the task that asks."""
    waiter: Callable[[Any], None] | None = None
    """What is called with the outcome; None: the asking task is woken with it."""
    members: dict[Principal, None] = {}
    """Set by `check`, as all that follows."""
    live: bool = False
    snapshot: bool = False
    """Whether it is a readable that the ask freezes: its size counts only if the ask opens a question."""
    fixed: tuple[Principal, ...] | None = None
    """The audience if it was given as a list: a part of what makes two asks the same (Q-KEY-1)."""

    def check(self) -> None:
        """Find every fault, and read the audience."""
        if faults := self._faults():
            raise InvalidAsk(faults)
        if self.on_behalf_of is not None:  # Q-AUTH-4
            self.members.pop(self.on_behalf_of, None)
        if not (self.live or self.snapshot):
            self.fixed = tuple(self.members)
            self.check_size()  # Q-POL-4: a live audience may be empty, and may grow to a quorum

    def check_size(self) -> None:
        """Refuse an audience that is empty, or too small for its quorum."""
        members, least = self.members, self.policy.least
        if not members:
            raise InvalidAsk(["$.audience: nobody is left in it who may answer"])
        if least > len(members):
            name = "count" if isinstance(self.policy, Quorum) else "quorum"
            raise InvalidPolicy([f"$.policy.{name}: {least} of an audience of {len(members)} can never answer"])

    def _faults(self) -> list[str]:
        faults: list[str] = []
        if not isinstance(self.question, _KINDS):
            faults.append("$.question: a Text, a Select or a Confirm")
        if type(self.policy) not in _POLICIES:
            faults += self._policy_faults()
        if self.durable or (self.key, self.timeout, self.deadline, self.default, self.on_behalf_of) != _NO_OPTIONS:
            faults += self._option_faults()
        try:
            self._read_audience()
        except InvalidAsk as error:
            faults += error.faults
        if self.durable and (self.live or self.snapshot):
            faults.append("$.audience: of a durable ask a list of Principals; what changes ends with this process")
        return faults

    def _policy_faults(self) -> list[str]:
        """Of what is none of the three that everybody knows."""
        policy: object = self.policy
        if not isinstance(policy, CustomPolicy) or not attrs.has(type(policy)):
            return ["$.policy: First(), Quorum(count), All(), or a CustomPolicy such as a Mechanism"]
        if not isinstance(self.question, _KINDS):
            return []
        return policy.ask_faults(self.question, timed=not (self.timeout is None and self.deadline is None))

    def _option_faults(self) -> list[str]:
        faults = []
        if self.key is not None and not text_within(self.key, _LONGEST_KEY):
            faults.append(f"$.key: text of 1 to {_LONGEST_KEY} code points, without control characters")
        faults += time_faults(self.timeout, self.deadline)
        if self.durable:
            faults += self._durable_faults()
        if not isinstance(self.on_behalf_of, Principal | None):
            faults.append("$.on_behalf_of: a Principal, such as Principal.program(run)")
        if self.default is not None and isinstance(self.question, _KINDS):
            faults += self._default_faults()
        return faults

    def _durable_faults(self) -> list[str]:
        faults = [] if self.durable is True else ["$.durable: True or False"]
        if self.key is None:
            faults.append("$.key: a durable ask needs one, to be found again by")
        if isinstance(self.policy, CustomPolicy) and not self.policy.is_portable:
            faults.append(f"$.policy: a {type(self.policy).__name__} cannot be stored, so its ask cannot be durable")
        if isinstance(self.question, _KINDS) and self.question.secret:
            faults.append("$.question.secret: a secret is never stored, so its ask cannot be durable")
        return faults

    def _default_faults(self) -> list[str]:
        faults = [fault.replace("$.answer", "$.default") for fault in self.question.answer_faults(self.default)]
        if not isinstance(self.policy, First):
            faults.append("$.default: only First() takes one; other policies end with what there is")
        if self.timeout is None and self.deadline is None:
            faults.append("$.default: needs a timeout or a deadline, which is what answers it")
        if self.question.secret:
            faults.append("$.default: a secret question takes none")
        return faults

    def _read_audience(self) -> None:
        audience = self.audience
        if isinstance(audience, Readable):
            self.snapshot = isinstance(self.policy, All) and self.policy.join == "snapshot"
            self.live = not self.snapshot
            self.members = _read(audience)
        else:
            self.members = distinct(audience)


def _read(audience: Readable[Any]) -> dict[Principal, None]:
    try:
        return distinct(audience.value)
    except InvalidAsk:
        raise
    except Exception as error:
        raise InvalidAsk([f"$.audience: cannot be read now ({type(error).__name__})"]) from error
