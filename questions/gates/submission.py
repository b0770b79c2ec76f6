"""What somebody submits: a response, to which request, from where, and by which event."""

from __future__ import annotations

from typing import Any

import attrs

from .digests import hashed
from .errors import InvalidSubmission
from .identifiers import channel_faults
from .responses import Response

__all__ = ["Attempt", "Source", "Submission", "given_faults"]

LONGEST_TEXT = 500  # code points


@attrs.frozen
class Source:
    """Where an answer comes from, as the server has found out; neither a workflow nor a program can supply one.

    `channel`: 1 to 200 letters, digits and `._:-`, such as `terminal` or `telegram:approval`. `actor_id`: who it was
    there. `event_id`: what they did, named by the channel. Both have 1 to 500 code points. It stays private: no view,
    receipt or log has it.
    """

    channel: str
    actor_id: str = attrs.field(repr=False)
    event_id: str = attrs.field(repr=False)

    def __attrs_post_init__(self) -> None:
        faults = channel_faults("$.source.channel", self.channel)
        faults += given_faults("$.source.actorId", self.actor_id) + given_faults("$.source.eventId", self.event_id)
        if faults:
            raise InvalidSubmission(faults)

    def as_json(self) -> dict[str, Any]:
        """As it is stored."""
        return {"channel": self.channel, "actorId": self.actor_id, "eventId": self.event_id}


@attrs.frozen
class Submission:
    """An answer of a person. Immutable.

    `decision_id`, `request_digest`: the request that they were shown. `idempotency_key`: 1 to 500 code points, the
    same for the same act and for no other. Raises `InvalidSubmission`. Whether the response is one that the request
    offers is seen when it is judged.
    """

    decision_id: str
    request_digest: str
    response: Response
    source: Source
    idempotency_key: str = attrs.field(repr=False)

    def __attrs_post_init__(self) -> None:
        given: tuple[object, object] = self.response, self.source
        faults = [] if isinstance(given[0], Response) else ["$.response: must be a Response"]
        faults += [] if isinstance(given[1], Source) else ["$.source: must be a Source"]
        for name, text in (("decisionId", self.decision_id), ("requestDigest", self.request_digest)):
            faults += given_faults(f"$.{name}", text)
        if faults := faults + given_faults("$.idempotencyKey", self.idempotency_key):
            raise InvalidSubmission(faults)

    @property
    def attempt_id(self) -> str:
        """Under which it is written down: it follows from the decision and the key."""
        return hashed({"decisionId": self.decision_id, "idempotencyKey": self.idempotency_key})


@attrs.frozen
class Attempt:
    """A submission as it was first recorded, and what has become of it. Kept for refused ones too.

    `at`: epoch milliseconds. `outcome`: accepted, conflict, or the code of the error that refused it.
    """

    submission: Submission
    at: int
    outcome: str

    @property
    def id(self) -> str:
        """Follows from the decision and the key."""
        return self.submission.attempt_id


def given_faults(path: str, text: object) -> list[str]:
    """What is wrong with an id or a key that a channel has given: 1 to 500 code points, not all of them blank."""
    if not isinstance(text, str) or not text.strip():
        return [f"{path}: must be text that is not blank"]
    if len(text) > LONGEST_TEXT:
        return [f"{path}: {len(text)} code points, and at most {LONGEST_TEXT} are allowed"]
    has_surrogate = any("\ud800" <= char <= "\udfff" for char in text)
    return [f"{path}: must be Unicode text, without lone surrogates"] if has_surrogate else []
