"""`Response`: what a participant has said in a decision, a choice or a formal abstention. One each, the latest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import attrs

from .ballots import Ballot

__all__ = ["Choice", "Response", "replaced"]

Choice = str | Sequence[str] | Mapping[str, float]


@attrs.frozen(kw_only=True)
class Response:
    """What one participant has said last. Either a choice or the reason for an abstention; never both."""

    participant_id: str
    at: int
    """Epoch milliseconds; of a revision, when it was revised."""
    choice: Choice | None = None
    reason: str | None = None
    """Why somebody abstains. None: it is a choice."""
    rationale: str | None = None
    """Why somebody chooses so, if they say."""
    weight: float = 1.0
    mandate_ref: str | None = None

    @property
    def is_abstention(self) -> bool:
        """Whether it counts for the quorum alone."""
        return self.reason is not None

    @property
    def ballot(self) -> Ballot:
        """As it is counted. Not of an abstention."""
        assert self.choice is not None
        return Ballot(self.participant_id, self.choice, self.weight)


def replaced(responses: Iterable[Response], new: Response) -> tuple[Response, ...]:
    """All responses with one more, which takes the place of whatever its participant has said before."""
    return (*(one for one in responses if one.participant_id != new.participant_id), new)
