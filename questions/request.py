"""An ask on its way in: checked as a whole, so that a refusal names every fault."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import attrs

from facets.principal import Principal
from facets.readable import Readable

from .audience import Audience, distinct
from .deadlines import time_faults
from .errors import InvalidAsk, InvalidPolicy
from .policies import All, First, Policy, Quorum
from .question import Confirm, Question, Select, Text
from .visible import text_within

__all__ = ["AskRequest"]

_LONGEST_KEY = 200
_KINDS = (Confirm, Select, Text)
_NO_OPTIONS = (None,) * 5
_POLICIES = frozenset({First, Quorum, All})


@attrs.define
class AskRequest:
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
    members: dict[Principal, None] = attrs.field(init=False, factory=dict)
    live: bool = attrs.field(init=False, default=False)
    fixed: tuple[Principal, ...] | None = attrs.field(init=False, default=None)
    """The audience if it was given as a list: a part of what makes two asks the same (Q-KEY-1)."""

    def check(self) -> None:
        """Find every fault. After it `members` and `live` are set."""
        if faults := self._faults():
            raise InvalidAsk(faults)
        if self.on_behalf_of in self.members:  # Q-AUTH-4
            self.members = {who: None for who in self.members if who != self.on_behalf_of}
        if not isinstance(self.audience, Readable):
            self.fixed = tuple(self.members)
            self.check_size()  # Q-POL-4: a live audience may be empty, and may grow to a quorum

    @property
    def snapshot(self) -> bool:
        """Whether it is a readable that the ask freezes: its size counts only if the ask opens a question."""
        return not self.live and isinstance(self.audience, Readable)

    def check_size(self) -> None:
        """Refuse an audience that is empty, or too small for its quorum."""
        size = len(self.members)
        if size == 0:
            raise InvalidAsk(["$.audience: nobody is left in it who may answer"])
        if isinstance(self.policy, Quorum) and self.policy.count > size:
            raise InvalidPolicy([f"$.policy.count: {self.policy.count} of an audience of {size} can never answer"])

    def _faults(self) -> list[str]:
        faults = []
        if not isinstance(self.question, _KINDS):
            faults.append("$.question: a Text, a Select or a Confirm")
        if type(self.policy) not in _POLICIES:
            faults.append("$.policy: First(), Quorum(count) or All()")
        options = (self.key, self.timeout, self.deadline, self.default, self.on_behalf_of)
        if options != _NO_OPTIONS:
            faults += self._option_faults()
        return faults + self._audience_faults()

    def _option_faults(self) -> list[str]:
        faults = []
        if self.key is not None and not text_within(self.key, _LONGEST_KEY):
            faults.append(f"$.key: text of 1 to {_LONGEST_KEY} code points, without control characters")
        faults += time_faults(self.timeout, self.deadline)
        if not isinstance(self.on_behalf_of, Principal | None):
            faults.append("$.on_behalf_of: a Principal, such as Principal.program(run)")
        if self.default is not None and isinstance(self.question, _KINDS):
            faults += self._default_faults()
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

    def _audience_faults(self) -> list[str]:
        audience = self.audience
        try:
            if isinstance(audience, Readable):
                self.live = not (isinstance(self.policy, All) and self.policy.join == "snapshot")
                self.members = _read(audience)
            else:
                self.members = distinct(audience)
        except InvalidAsk as error:
            return list(error.faults)
        return []


def _read(audience: Readable[Any]) -> dict[Principal, None]:
    try:
        return distinct(audience.value)
    except InvalidAsk:
        raise
    except Exception as error:
        raise InvalidAsk([f"$.audience: cannot be read now ({type(error).__name__})"]) from error
