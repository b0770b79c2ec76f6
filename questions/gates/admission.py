"""Who may answer at the doors of a host: one function for the page and for links, and for what they show.

A gate is a person's, so it takes a user, who has come in by a door with a token of their own. Programs, models,
workers, servers and guests see nothing and settle nothing, whatever they say. Which users: see `GatesConfig`.
"""

from __future__ import annotations

from collections.abc import Callable

from facets.errors import FacetError
from facets.principal import Principal
from questions.durable.errors import UnknownDecision

from .asked import Asked
from .digests import hashed
from .errors import HumanRequired
from .responses import Response
from .submission import Source, Submission
from .view import ChannelView

__all__ = ["MayAnswer", "admits", "authorize_answering", "submission_from"]

MayAnswer = Callable[[Principal, str], bool]
"""Whether a user may answer what is asked of an audience."""


def authorize_answering(
    principal: Principal, door: str | None, id: str, asked: Asked | None, may_answer: MayAnswer
) -> None:
    """Return if the principal may answer decision `id`.

    `door`: by which they have come in; None: by none. `asked`: None if there is no such request. Raises
    `HumanRequired` for who is no user, or acts in this very process, where only programs do; and `UnknownDecision`
    also for a user whom the audience does not include.
    """
    if principal.kind != "user" or door is None:
        raise HumanRequired(id)
    if asked is None or not may_answer(principal, asked.audience):
        raise UnknownDecision(id)


def admits(principal: Principal, view: ChannelView, may_answer: MayAnswer) -> bool:
    """Whether a request is shown to somebody: to those who may answer it by a door, and to nobody else."""
    try:
        authorize_answering(principal, "any", view.decision_id, view, may_answer)
    except FacetError:
        return False
    return True


def submission_from(
    principal: Principal, door: str, decision_id: str, request_digest: str, response: Response, act: str
) -> Submission:
    """The submission of a person who has come in by a door: where it is from is stamped here.

    `act`: what they did, 1 to 500 code points: the same act sent twice is one submission, also at another server.
    Raises `InvalidSubmission`.
    """
    source = Source(door, str(principal), act)
    return Submission(decision_id, request_digest, response, source, hashed(source.as_json()))
