"""`Asked`: what a request and what channels get of it have in common: all but the subject."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from .choices import Choices, choices_faults
from .forms import is_whole
from .identifiers import name_faults, record_id_faults
from .instants import instant_faults, iso, milliseconds
from .presentation import Presentation, presentation_faults, read_presentation
from .responses import Response, read_response, response_faults
from .texts import normal, text_faults

__all__ = ["NEEDED", "OPTIONAL", "Asked", "asked_faults", "asked_fields"]

LONGEST_TITLE, LONGEST_NAME = 300, 200  # code points


@attrs.frozen(kw_only=True)
class Asked:
    """What was asked, of whom, in which run, and until when. Immutable; times are epoch milliseconds."""

    run_id: str
    workflow_name: str
    node_id: str
    attempt_id: str
    audience: str
    title: str
    presentation: Presentation
    revision: int
    choices: Choices
    created_at: int
    expires_at: int | None = None
    """From this very instant on it is too late to answer. None: it waits for ever."""
    default_response: Response | None = None
    """What the deadline chooses. None: it chooses nothing, and the request expires."""

    def asked_json(self) -> dict[str, Any]:
        """The fields of this class, as they are stored and sent."""
        asked: dict[str, Any] = {
            "runId": self.run_id,
            "workflowName": self.workflow_name,
            "nodeId": self.node_id,
            "attemptId": self.attempt_id,
            "audience": self.audience,
            "title": self.title,
            "presentation": self.presentation.as_json(),
            "revision": self.revision,
            "choices": self.choices.as_json(),
            "createdAt": iso(self.created_at),
        }
        if self.expires_at is not None:
            asked["expiresAt"] = iso(self.expires_at)
        if self.default_response is not None:
            asked["defaultResponse"] = self.default_response.as_json()
        return asked


def asked_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an `Asked` out of a record without faults, for its constructor."""
    choices = Choices.read(given["choices"])
    expires, default = given.get("expiresAt"), given.get("defaultResponse")
    return {
        "run_id": given["runId"],
        "workflow_name": normal(given["workflowName"]),
        "node_id": normal(given["nodeId"]),
        "attempt_id": given["attemptId"],
        "audience": given["audience"],
        "title": normal(given["title"]),
        "presentation": read_presentation(given["presentation"]),
        "revision": given["revision"],
        "choices": choices,
        "created_at": milliseconds(given["createdAt"]),
        "expires_at": None if expires is None else milliseconds(expires),
        "default_response": None if default is None else read_response(choices, default),
    }


def asked_faults(given: Mapping[str, Any]) -> list[str]:
    """What is wrong with those of the fields that are there."""
    faults = [fault for name, check in _CHECKS.items() if name in given for fault in check(f"$.{name}", given[name])]
    return faults + _time_faults(given) + _default_faults(given)


def _title_faults(path: str, title: object) -> list[str]:
    return text_faults(path, title, LONGEST_TITLE, lines=False)


def _label_faults(path: str, name: object) -> list[str]:
    return text_faults(path, name, LONGEST_NAME, lines=False)


def _revision_faults(path: str, revision: object) -> list[str]:
    return [] if is_whole(revision, 1) else [f"{path}: a whole number of 1 or more"]


_CHECKS: Mapping[str, Callable[[str, object], list[str]]] = {
    "runId": record_id_faults,
    "workflowName": _label_faults,
    "nodeId": _label_faults,
    "attemptId": record_id_faults,
    "audience": name_faults,
    "title": _title_faults,
    "presentation": presentation_faults,
    "revision": _revision_faults,
    "choices": choices_faults,
    "createdAt": instant_faults,
    "expiresAt": instant_faults,
}
OPTIONAL = ("expiresAt", "defaultResponse")
"""Fields that a record may have."""
NEEDED = tuple(name for name in _CHECKS if name not in OPTIONAL)
"""Fields that a record has to have."""


def _time_faults(given: Mapping[str, Any]) -> list[str]:
    created, expires = given.get("createdAt"), given.get("expiresAt")
    if instant_faults("", created) or instant_faults("", expires):
        return []
    is_later = milliseconds(expires) > milliseconds(created)  # type: ignore[arg-type]
    return [] if is_later else ["$.expiresAt: must be after createdAt"]


def _default_faults(given: Mapping[str, Any]) -> list[str]:
    if "defaultResponse" not in given:
        return []
    faults = [] if "expiresAt" in given else ["$.defaultResponse: only with expiresAt"]
    if choices_faults("", given.get("choices")):
        return faults
    return faults + response_faults("$.defaultResponse", Choices.read(given["choices"]), given["defaultResponse"])
