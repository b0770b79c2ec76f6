"""`RoomAuthority`: who may do one kind of thing in a room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from .ballots import is_list
from .errors import InvalidParams
from .fields import one_of_faults, text_faults, unknown_faults

__all__ = ["RoomAuthority", "authority_faults", "read_authority"]

AuthorityKind = Literal["none", "operator", "designated", "any_participant"]

_KINDS = ("none", "operator", "designated", "any_participant")
_WHOM: Mapping[str, str] = {
    "none": "to nobody",
    "operator": "to its operator",
    "designated": "to participants that it names",
    "any_participant": "to its participants",
}
_LONGEST_ID, _MOST_IDS = 200, 1000


@attrs.frozen
class RoomAuthority:
    """Who may do something: nobody, the operator, participants by their ids, or every participant.

    Raises `InvalidParams` with every fault.
    """

    kind: AuthorityKind
    participant_ids: tuple[str, ...] = ()
    """Of `designated` only; an id that is no seat allows nobody."""

    def __attrs_post_init__(self) -> None:
        if faults := authority_faults("$", self.as_json()):
            raise InvalidParams(faults)

    def allows(self, participant_id: str, *, is_operator: bool) -> bool:
        """Whether a participant may. To be named is not enough for an observer, which is for the room to see."""
        if self.kind == "designated":
            return participant_id in self.participant_ids
        return self.kind == "any_participant" or (self.kind == "operator" and is_operator)

    @property
    def whom(self) -> str:
        """To whom it is given, in words."""
        return _WHOM[self.kind]

    def as_json(self) -> dict[str, Any]:
        """As it is written in a room's config."""
        ids = {"participant_ids": list(self.participant_ids)} if self.participant_ids else {}
        return {"kind": self.kind, **ids}


def read_authority(given: Mapping[str, Any]) -> RoomAuthority:
    """The authority in an object in which nothing is wrong."""
    return RoomAuthority(given["kind"], tuple(given.get("participant_ids") or ()))


def authority_faults(path: str, given: object) -> list[str]:
    """What is wrong with an authority object, each fault with its path."""
    if not isinstance(given, Mapping):
        return [f"{path}: must be an object with a kind"]
    faults = unknown_faults(path, given, ("kind", "participant_ids"))
    faults += one_of_faults(f"{path}.kind", given.get("kind"), _KINDS)
    ids = given.get("participant_ids")
    if given.get("kind") == "designated":
        return faults + _id_faults(f"{path}.participant_ids", ids)
    return faults + ([f"{path}.participant_ids: only for the kind designated"] if ids else [])


def _id_faults(path: str, ids: object) -> list[str]:
    if not is_list(ids) or not 1 <= len(ids) <= _MOST_IDS:
        return [f"{path}: must be a list of 1 to {_MOST_IDS} ids"]
    return [fault for place, one in enumerate(ids) for fault in text_faults(f"{path}[{place}]", one, 1, _LONGEST_ID)]
