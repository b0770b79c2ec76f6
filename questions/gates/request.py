"""`Request`: what was asked, as it is stored, digested and never changed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import attrs

from .asked import Asked, asked_faults, asked_fields
from .digests import fingerprint, hashed, sealed
from .values import frozen, read_json, value_faults

__all__ = ["REQUEST", "Request", "content_faults", "request_of"]

REQUEST = "questions.human-decision-request.v1"


@attrs.frozen(kw_only=True)
class Request(Asked):
    """What was asked, with digests over all of it. Immutable; `make_request` and `read_request` make it.

    Equal if all of it is, the subject down to the last byte of its canonical JSON.
    """

    subject_json: str
    """The subject, as canonical JSON."""

    @property
    def subject(self) -> Any:
        """The subject: a new copy each time."""
        return read_json(self.subject_json)

    @cached_property
    def subject_digest(self) -> str:
        """Over the subject."""
        return sealed(self.subject)

    @cached_property
    def presentation_digest(self) -> str:
        """Over the presentation."""
        return sealed(self.presentation.as_json())

    @cached_property
    def request_digest(self) -> str:
        """Over all that was asked, save for when it was."""
        return sealed({name: value for name, value in self._content().items() if name != "createdAt"})

    @cached_property
    def decision_id(self) -> str:
        """What the decision is called: it follows from the run, the attempt and what was asked."""
        place = {"runId": self.run_id, "nodeId": self.node_id, "attemptId": self.attempt_id}
        return "decision-" + hashed({**place, "requestDigest": self.request_digest})

    @property
    def fingerprint(self) -> str:
        """12 digits that every screen shows, so that people can see that they are shown the same."""
        return fingerprint(self.presentation_digest)

    def as_json(self) -> dict[str, Any]:
        """As it is stored."""
        return {
            **self._content(),
            "decisionId": self.decision_id,
            "requestDigest": self.request_digest,
            "subjectDigest": self.subject_digest,
            "presentationDigest": self.presentation_digest,
        }

    def _content(self) -> dict[str, Any]:
        return {"schema": REQUEST, **self.asked_json(), "subject": self.subject}


def content_faults(content: Mapping[str, Any]) -> list[str]:
    """What is wrong with the fields of what was asked, of those that are there."""
    return asked_faults(content) + (value_faults("$.subject", content["subject"]) if "subject" in content else [])


def request_of(content: Mapping[str, Any]) -> Request:
    """The request of a record without faults."""
    return Request(**asked_fields(content), subject_json=frozen(content["subject"]))
