"""What counting a vote can refuse. Whatever is refused has counted nothing.

QuestionError
├── InvalidParams (Invalid)     a mechanism, parameter, option or ballot that cannot be; `faults` lists all
├── InvalidCase (Invalid)       what is to be replayed is no case
└── ParticipationOutOfRange     more took part than may
"""

from __future__ import annotations

import attrs

from questions.errors import Invalid, QuestionError

__all__ = ["InvalidCase", "InvalidParams", "ParticipationOutOfRange"]


class InvalidParams(Invalid):
    """A vote that cannot be counted as it was given: each fault with its path (`$.params.quorum: ...`)."""


class InvalidCase(Invalid):
    """A case to replay that lacks a field, or is of an unknown kind."""


@attrs.define(eq=False, slots=False, str=False)
class ParticipationOutOfRange(QuestionError):
    """`participation`, valid ballots and abstentions together, is more than the `eligible` voters."""

    participation: int
    eligible: int

    def __str__(self) -> str:
        return f"{self.participation} took part and {self.eligible} may; count each voter once, and all who may vote"
