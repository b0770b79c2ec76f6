"""`Invite`: a seat that is kept for somebody, and the table of what can become of one."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

import attrs

from .fields import flag_faults, one_of_faults, optional, text_faults, unknown_faults, whole_faults
from .refusals import InvalidInput, InvalidInvite
from .seats import ROLES, Role

__all__ = [
    "INVITE_TRANSITIONS",
    "Binding",
    "Invite",
    "InviteEvent",
    "InviteState",
    "Inviting",
    "is_for",
    "stepped_invite",
]

_BINDINGS = ("token", "email", "account", "principal", "sso_subject")
LONGEST_LABEL, LONGEST_BINDING = 100, 320


class InviteState(StrEnum):
    """Where an invite stands. An accepted one opens the seat that it was accepted for again."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REVOKED = "revoked"
    EXPIRED = "expired"


class InviteEvent(StrEnum):
    """What can happen to an invite."""

    PRESENT = "present"
    REVOKE = "revoke"
    DUE = "due"


_PRESENT, _REVOKE = InviteEvent.PRESENT, InviteEvent.REVOKE

INVITE_TRANSITIONS: Mapping[InviteState, Mapping[InviteEvent, InviteState]] = {
    InviteState.PENDING: {
        _PRESENT: InviteState.ACCEPTED,
        _REVOKE: InviteState.REVOKED,
        InviteEvent.DUE: InviteState.EXPIRED,
    },
    InviteState.ACCEPTED: {_PRESENT: InviteState.ACCEPTED, _REVOKE: InviteState.REVOKED},  # which ejects nobody
    InviteState.REVOKED: {_REVOKE: InviteState.REVOKED},
    InviteState.EXPIRED: {_REVOKE: InviteState.REVOKED},
}


@attrs.frozen
class Binding:
    """Whom an invite is for: whoever has its token, or whoever can prove to be `value`."""

    kind: Literal["token", "email", "account", "principal", "sso_subject"] = "token"
    value: str | None = None


@attrs.frozen(kw_only=True)
class Invite:
    """An invite. Its token is shown once and kept as a digest. Times are epoch milliseconds."""

    id: str
    token_digest: str
    label: str
    """Becomes the name of whoever accepts it."""
    role: Role
    expected: bool
    """Whether no decision ends early while it is pending."""
    created_at: int
    created_by: str
    expires_at: int | None = None
    binding: Binding = Binding()
    state: InviteState = InviteState.PENDING
    participant_id: str | None = None
    """Who has accepted it."""

    @property
    def is_awaited(self) -> bool:
        """Whether a decision may be waiting for it."""
        return self.expected and self.role == "participant" and self.state is InviteState.PENDING

    @property
    def due_at(self) -> int | None:
        """When it expires, if it still can."""
        return self.expires_at if InviteEvent.DUE in INVITE_TRANSITIONS[self.state] else None


def stepped_invite(invite: Invite, event: InviteEvent, **changes: Any) -> Invite:
    """The invite after an event, with these changes. Raises `InvalidInvite` if the table does not have it."""
    state = INVITE_TRANSITIONS[invite.state].get(event)
    if state is None:
        raise InvalidInvite()
    return attrs.evolve(invite, state=state, **changes)


def is_for(invite: Invite, proven: Mapping[str, str]) -> bool:
    """Whether it is for whoever has proven to be this: a value by the kind of binding."""
    binding = invite.binding
    return binding.kind == "token" or (binding.value is not None and proven.get(binding.kind) == binding.value)


@attrs.frozen(kw_only=True)
class Inviting:
    """Somebody invites. Raises `InvalidInput` with every fault."""

    label: str
    role: Role = "participant"
    expected: bool = False
    expires_at: int | None = None
    """Epoch milliseconds."""
    binding: Mapping[str, Any] | None = None

    def __attrs_post_init__(self) -> None:
        faults = text_faults("$.label", self.label, 1, LONGEST_LABEL) + one_of_faults("$.role", self.role, ROLES)
        faults += flag_faults("$.expected", self.expected)
        faults += optional(self.expires_at, whole_faults("$.expires_at", self.expires_at, 0))
        if faults := faults + optional(self.binding, _binding_faults(self.binding)):
            raise InvalidInput(faults)

    @property
    def bound_to(self) -> Binding:
        """Whom it is for."""
        given = self.binding or {}
        return Binding(given.get("kind", "token"), given.get("value"))


def _binding_faults(given: object) -> list[str]:
    if not isinstance(given, Mapping):
        return ["$.binding: must be an object with kind and value"]
    faults = unknown_faults("$.binding", given, ("kind", "value"))
    faults += one_of_faults("$.binding.kind", given.get("kind"), _BINDINGS)
    if given.get("kind") == "token":
        return faults
    return faults + text_faults("$.binding.value", given.get("value"), 1, LONGEST_BINDING)
