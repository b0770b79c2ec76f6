"""What a channel gets of a request: everything but the subject."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from .asked import NEEDED, OPTIONAL, Asked, asked_faults, asked_fields
from .digests import fingerprint, sealed
from .errors import InvalidRecord, PresentationAltered
from .identifiers import digest_faults, record_id_faults
from .records import checked_record
from .request import REQUEST, Request

__all__ = ["VIEW", "ChannelView", "read_view", "view_of"]

VIEW = "questions.human-decision-channel-request.v1"


@attrs.frozen(kw_only=True)
class ChannelView(Asked):
    """A request as channels and people see it. Immutable; `view_of` and `read_view` make it.

    There is no subject in it, and no digest of one: nothing that is shown can be derived from it.
    """

    decision_id: str
    request_digest: str
    presentation_digest: str

    @property
    def fingerprint(self) -> str:
        """12 digits by which people compare two screens."""
        return fingerprint(self.presentation_digest)

    def as_json(self) -> dict[str, Any]:
        """As it is sent to a channel."""
        return {
            "schema": VIEW,
            "sourceSchema": REQUEST,
            "decisionId": self.decision_id,
            "requestDigest": self.request_digest,
            "presentationDigest": self.presentation_digest,
            **self.asked_json(),
        }


def view_of(request: Request) -> ChannelView:
    """What channels get of a request."""
    return ChannelView(**{field.name: getattr(request, field.name) for field in attrs.fields(ChannelView)})


def read_view(given: Mapping[str, Any]) -> ChannelView:
    """The view that a channel was sent.

    Raises `IncompatibleState`, `InvalidRecord` with every fault, for a subject in it too, and `PresentationAltered`.
    """
    digests = ("requestDigest", "presentationDigest")
    view = checked_record(given, VIEW, ("schema", "sourceSchema", "decisionId", *digests, *NEEDED), OPTIONAL)
    faults = asked_faults(view) + record_id_faults("$.decisionId", view["decisionId"])
    faults += [] if view["sourceSchema"] == REQUEST else [f"$.sourceSchema: must be {REQUEST}"]
    if faults := faults + [fault for name in digests for fault in digest_faults(f"$.{name}", view[name])]:
        raise InvalidRecord(faults)
    id, request, presentation = view["decisionId"], view["requestDigest"], view["presentationDigest"]
    read = ChannelView(**asked_fields(view), decision_id=id, request_digest=request, presentation_digest=presentation)
    if (actual := sealed(read.presentation.as_json())) != presentation:
        raise PresentationAltered(id, presentation, actual)
    return read
