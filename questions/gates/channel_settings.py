"""`Channel`: what a gate server needs to know to run one, and what is saved of it between two starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import attrs

from .errors import InvalidGate
from .identifiers import channel_faults, record_id_faults
from .kept import read_kept, write_kept
from .submission import given_faults

__all__ = ["Channel", "Saved", "read_saved", "write_saved"]

_SAVED = "questions.channel-saved.v1"


@attrs.frozen(kw_only=True)
class Channel:
    """A channel that is a process. Immutable; its secrets are not in its repr. Raises `InvalidGate`.

    `id`: such as `telegram:approval`; audiences name it. `profile`: the part of it after the kind. `command`: the
    program and its arguments, with nothing secret in them. `token`: what the program needs to reach its service.
    `allowed_user_ids`, `allowed_chat_ids`: whose answers count, and where; neither is empty. `options`: text for what
    else the program takes.
    """

    id: str
    profile: str
    command: tuple[str, ...]
    token: str = attrs.field(repr=False)
    allowed_user_ids: tuple[str, ...] = attrs.field(repr=False)
    allowed_chat_ids: tuple[str, ...] = attrs.field(repr=False)
    options: Mapping[str, str] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        faults = channel_faults("$.id", self.id) + record_id_faults("$.profile", self.profile)
        faults += [] if self.command else ["$.command: must not be empty"]
        faults += [] if self.token.strip() else ["$.token: must not be blank"]
        faults += _some_faults("$.allowed_user_ids", self.allowed_user_ids)
        faults += _some_faults("$.allowed_chat_ids", self.allowed_chat_ids)
        if faults:
            raise InvalidGate(faults)


@attrs.frozen(kw_only=True)
class Saved:
    """What is saved of a channel. `epoch`: of its last start. `cursor`: see `Update`. `key`: 64 hexadecimal digits.

    `at`: when the cursor last moved, epoch milliseconds; None: never.
    """

    epoch: str
    cursor: str = attrs.field(repr=False)
    key: str = attrs.field(repr=False)
    at: int | None = None


def write_saved(saved: Saved) -> str:
    """As it is stored: JSON."""
    return write_kept(_SAVED, saved)


def read_saved(text: str) -> Saved:
    """What is stored. Raises `IncompatibleState` and `InvalidRecord`."""
    return read_kept(text, _SAVED, Saved)


def _some_faults(path: str, ids: tuple[str, ...]) -> list[str]:
    check: Callable[[str, object], list[str]] = given_faults
    faults = [fault for place, id in enumerate(ids) for fault in check(f"{path}[{place}]", id)]
    return faults if ids else [f"{path}: must not be empty"]
