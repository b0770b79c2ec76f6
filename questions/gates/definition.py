"""How a gate is defined, and how a request comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Generic, TypeVar

import attrs

from .choices import Choices
from .errors import InvalidGate, InvalidRequest
from .identifiers import name_faults
from .instants import LATEST, iso, milliseconds
from .policy import TimeoutPolicy
from .presentation import Presentation
from .prompt import Prompt, prompt_fields
from .request import REQUEST, Request, content_faults, request_of
from .responses import response_faults

__all__ = ["GateDefinition", "Place", "make_request"]

C = TypeVar("C")


@attrs.frozen
class Place:
    """Where in which run a gate asks.

    `run_id`, `attempt_id`: 1 to 200 letters, digits and `._-`. `workflow`, `node`: 1 to 200 code points on one line.
    """

    run_id: str
    workflow: str
    node: str
    attempt_id: str


@attrs.frozen
class GateDefinition(Generic[C]):
    """What is fixed about a gate; `C` is the context of a run that the rest is computed from. Immutable.

    `request`: makes the prompt of a context. `audience`: a name, or a function of the context. `timeout`: a policy,
    None for no time limit, or a function of the context that gives either. Raises `InvalidGate` with every fault that
    can be seen before anything runs.
    """

    choices: Choices
    request: Callable[[C], Any]
    audience: str | Callable[[C], str] = "operator"
    timeout: TimeoutPolicy | Callable[[C], TimeoutPolicy | None] | None = None

    def __attrs_post_init__(self) -> None:
        choices: object = self.choices
        faults = [] if isinstance(choices, Choices) else ["$.choices: must be Choices"]
        if not callable(self.request):
            faults.append("$.request: must be a function that returns a Prompt")
        if not callable(self.audience):
            faults += name_faults("$.audience", self.audience)
        faults += self._timeout_faults()
        if faults:
            raise InvalidGate(faults)

    def _timeout_faults(self) -> list[str]:
        if self.timeout is None or callable(self.timeout):
            return []
        if not isinstance(self.timeout, TimeoutPolicy):
            return ["$.timeout: must be a TimeoutPolicy, or a function that returns one"]
        if not isinstance(self.choices, Choices):
            return []
        return response_faults("$.timeout.response", self.choices, self.timeout.response)


def make_request(
    definition: GateDefinition[C], prompt: Prompt | Mapping[str, Any], *, place: Place, context: C, now: int
) -> Request:
    """The request that a prompt comes to at `now` (epoch milliseconds). Audience and policy are computed here, once.

    Raises `InvalidRequest` with every fault; then there is no request. Call it once an attempt: what is stored is
    what counts, since a second one has another time, and with a deadline another id.
    """
    fields, faults = prompt_fields(prompt)
    content = {**_placed(place), **_asked(fields), "choices": definition.choices.as_json(), "createdAt": iso(now)}
    content["audience"] = definition.audience(context) if callable(definition.audience) else definition.audience
    policy = definition.timeout(context) if callable(definition.timeout) else definition.timeout
    if fields.get("expires_at") is not None:
        faults += _expiry(content, fields["expires_at"], policy)
    elif policy is not None:
        faults += _timeout(content, policy, now)
    if faults := faults + content_faults(content):
        raise InvalidRequest(faults)
    return request_of(content)


def _placed(place: Place) -> dict[str, Any]:
    names = {"runId": place.run_id, "workflowName": place.workflow, "nodeId": place.node, "attemptId": place.attempt_id}
    return {"schema": REQUEST, **names}


def _asked(fields: Mapping[str, Any]) -> dict[str, Any]:
    asked = {name: fields[name] for name in ("title", "subject", "presentation") if name in fields}
    if isinstance(asked.get("presentation"), Presentation):
        asked["presentation"] = asked["presentation"].as_json()
    return {**asked, "revision": fields.get("revision", 1)}


def _expiry(content: dict[str, Any], expires_at: object, policy: object) -> list[str]:
    """Adds the deadline that the prompt has given; what is wrong with it."""
    try:
        content["expiresAt"] = iso(milliseconds(expires_at if isinstance(expires_at, datetime | str) else ""))
    except ValueError:
        return ["$.expiresAt: an aware datetime, or an instant such as 2026-08-21T00:10:00.000Z"]
    return [] if policy is None else ["$.expiresAt: not beside a timeout policy; give one of them"]


def _timeout(content: dict[str, Any], policy: object, now: int) -> list[str]:
    """Adds the deadline of the policy, and what it chooses; what is wrong with them."""
    if not isinstance(policy, TimeoutPolicy):
        return [f"$.timeout: must be a TimeoutPolicy or None, not {type(policy).__name__}"]
    if (deadline := policy.deadline(now)) > LATEST:
        return ["$.timeout.afterMs: later than any date"]
    content |= {"expiresAt": iso(deadline), "defaultResponse": policy.response.as_json()}
    return []
