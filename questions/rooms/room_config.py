"""`RoomConfig`: how a room decides. One table has every key: its bounds, its default, and whether it can be changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple

import attrs

from .fields import flag_faults, one_of_faults, optional, unknown_faults, whole_faults
from .presets import MECHANISMS, RESERVED
from .refusals import InvalidInput
from .room_authority import RoomAuthority, authority_faults, read_authority

__all__ = ["KEYS", "LONGEST_WINDOW", "RoomConfig", "changed_config", "config_defaults", "read_config"]

LONGEST_WINDOW = 1_209_600
"""Seconds: two weeks."""

ChoiceVisibility = Literal["after_decided", "live", "never"]


@attrs.frozen(kw_only=True)
class RoomConfig:
    """All keys, as checked. `read_config` makes one of what was sent. The fields are as the protocol names them."""

    type: Literal["ephemeral", "persistent"]
    visibility: Literal["public", "unlisted", "private"]
    mechanism: str
    invite_authority: RoomAuthority
    option_proposal_authority: RoomAuthority
    decision_opening_authority: RoomAuthority
    conclusion_authority: RoomAuthority
    auth: Literal["token_only", "mandate_required", "either"]
    quorum: int | None
    voting_window: int
    """Seconds."""
    deliberation_mode: Literal["optional", "disabled"]
    max_participants: int | None
    max_options: int
    max_deliberation_messages_per_participant: int
    max_total_deliberation_messages: int
    read_receipts: bool
    choice_visibility: ChoiceVisibility
    early_close: bool
    settle_window: int
    """Seconds."""
    creator_votes: bool
    max_open_decisions: int

    def as_json(self) -> dict[str, Any]:
        """The whole config, as it is always shown."""
        values = {name: getattr(self, name) for name in KEYS}
        return {name: one.as_json() if isinstance(one, RoomAuthority) else one for name, one in values.items()}


class Key(NamedTuple):
    """What a key may be, and what it is if nobody says. `faults` gets the path and the value."""

    faults: Callable[[str, Any], list[str]]
    default: Any
    is_mutable: bool = True


def _word(*words: str) -> Callable[[str, Any], list[str]]:
    return partial(_of_words, words)


def _of_words(words: tuple[str, ...], path: str, value: object) -> list[str]:
    return one_of_faults(path, value, words)


def _whole(least: int, most: int) -> Callable[[str, Any], list[str]]:
    return partial(whole_faults, least=least, most=most)


def _whole_or_null(path: str, value: object) -> list[str]:
    return optional(value, [f"{fault}, or null" for fault in whole_faults(path, value, 1)])


def _mechanism(path: str, value: object) -> list[str]:
    if isinstance(value, str) and value in RESERVED:
        return [f"{path}: {value} is reserved and cannot be used yet; there are {', '.join(MECHANISMS)}"]
    return one_of_faults(path, value, MECHANISMS)


_ANYBODY, _OPERATOR = {"kind": "any_participant"}, {"kind": "operator"}

KEYS: Mapping[str, Key] = {
    "type": Key(_word("ephemeral", "persistent"), "ephemeral", False),
    "visibility": Key(_word("public", "unlisted", "private"), "unlisted", False),
    "mechanism": Key(_mechanism, "simple_majority", False),
    "invite_authority": Key(authority_faults, _OPERATOR),
    "option_proposal_authority": Key(authority_faults, _ANYBODY),
    "decision_opening_authority": Key(authority_faults, _ANYBODY),
    "conclusion_authority": Key(authority_faults, _OPERATOR),
    "auth": Key(_word("token_only", "mandate_required", "either"), "either"),
    "quorum": Key(_whole_or_null, None),
    "voting_window": Key(_whole(60, LONGEST_WINDOW), 3600),
    "deliberation_mode": Key(_word("optional", "disabled"), "optional"),
    "max_participants": Key(_whole_or_null, None),
    "max_options": Key(_whole(2, 500), 100),
    "max_deliberation_messages_per_participant": Key(_whole(1, 500), 200),
    "max_total_deliberation_messages": Key(_whole(1, 5000), 500),
    "read_receipts": Key(flag_faults, False),
    "choice_visibility": Key(_word("after_decided", "live", "never"), "live"),
    "early_close": Key(flag_faults, False),
    "settle_window": Key(_whole(0, 3600), 45),
    "creator_votes": Key(flag_faults, True),
    "max_open_decisions": Key(_whole(1, 5), 1),
}
"""By name, in the order in which configs are shown. What is not mutable is settled when the room is made."""


def config_defaults() -> dict[str, Any]:
    """What a room has that says nothing, as a host advertises it."""
    return {name: key.default for name, key in KEYS.items()}


def read_config(given: object, *, has_question: bool, has_password: bool = False) -> RoomConfig:
    """The config of a new room. What is not given is as in `KEYS`, save that a password makes a room private, and that
    a room without a question lasts. Raises `InvalidInput` with every fault.
    """
    if not isinstance(given, Mapping):
        raise InvalidInput(["$.config: must be an object"])
    defaults = config_defaults()
    defaults["type"] = "ephemeral" if has_question else "persistent"
    defaults["visibility"] = "private" if has_password else "unlisted"
    faults = unknown_faults("$.config", given, KEYS) + _faults("$.config", given)
    if has_password and given.get("visibility", "private") != "private":
        faults.append("$.password: only a private room has a password")
    if faults:
        raise InvalidInput(faults)
    return _made({**defaults, **given})


def changed_config(config: RoomConfig, given: object) -> RoomConfig:
    """The config with other settings. Raises `InvalidInput` with every fault: what cannot be changed is one."""
    if not isinstance(given, Mapping):
        raise InvalidInput(["$.settings: must be an object"])
    allowed = [name for name, key in KEYS.items() if key.is_mutable]
    settled = [name for name in given if name in KEYS and name not in allowed]
    faults = [f"$.settings.{name}: is settled when the room is made" for name in settled]
    unknown = {name: value for name, value in given.items() if name not in KEYS}
    faults += unknown_faults("$.settings", unknown, allowed) + _faults("$.settings", given)
    if faults:
        raise InvalidInput(faults)
    return _made({**config.as_json(), **given})


def _faults(path: str, given: Mapping[str, Any]) -> list[str]:
    return [fault for name, key in KEYS.items() if name in given for fault in key.faults(f"{path}.{name}", given[name])]


def _made(values: Mapping[str, Any]) -> RoomConfig:
    read: dict[str, Any] = {
        name: read_authority(value) if name.endswith("_authority") else value for name, value in values.items()
    }
    return RoomConfig(**read)
