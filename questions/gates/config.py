"""Which channels there are, and which of them an audience has: the two files of a configuration, and what may be there.

The one names profiles and audiences, the other where the secrets of profiles are. No secret is in either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from .config_errors import InvalidChannels
from .forms import Check, at, checked_faults, list_faults, object_faults, one_of
from .identifiers import name_faults, record_id_faults
from .submission import given_faults
from .values import read_json

__all__ = [
    "CHANNELS_FILE",
    "CREDENTIALS_FILE",
    "LOCAL",
    "Configuration",
    "Record",
    "joined",
    "read_configuration",
    "written",
]

CHANNELS_FILE, CREDENTIALS_FILE = "channels.json", "credentials.json"
LOCAL = ("terminal", "web")
"""The channels that are always there: they are no processes, and need no credentials."""
_CHANNELS, _CREDENTIALS = "questions.channels.v1", "questions.credentials.v1"
_ACCEPT = "first-valid-answer"
_DECIMAL = re.compile(r"-?[1-9][0-9]{0,17}")
_LONGEST = 4_096

Record = Mapping[str, Any]
"""A profile, or a credential, as it stands in its file."""
Named = Mapping[str, Record]


@attrs.frozen
class Configuration:
    """Both files, without a fault. Immutable; who may answer is not in its repr.

    `audiences`: the ids of channels by the name of the audience. `profiles` and `credentials`: as they stand in the
    files, by kind and name.
    """

    audiences: Mapping[str, tuple[str, ...]]
    profiles: Mapping[str, Named] = attrs.field(repr=False)
    credentials: Mapping[str, Named] = attrs.field(repr=False)

    def channels_of(self, audience: str) -> tuple[str, ...]:
        """The channels of an audience; of one that nobody has configured the local ones."""
        return self.audiences.get(audience, LOCAL)


def _filled(path: str, text: object) -> list[str]:
    is_line = isinstance(text, str) and text.strip() and len(text) <= _LONGEST and text.isprintable()
    return [] if is_line else [f"{path}: a line of text, up to {_LONGEST} code points"]


def _decimal(path: str, id: object) -> list[str]:
    return [] if isinstance(id, str) and _DECIMAL.fullmatch(id) else [f"{path}: a decimal number, as a text"]


def _boolean(path: str, given: object) -> list[str]:
    return [] if isinstance(given, bool) else [f"{path}: true or false"]


def _some(check: Check) -> Check:
    each = list_faults(check)

    def faults(path: str, given: object) -> list[str]:
        if not isinstance(given, list) or not given:
            return [f"{path}: a list that is not empty"]
        return each(path, given) or [f"{path}: the same twice"] * (len(set(given)) < len(given))

    return faults


def _named(check: Check, name_check: Check) -> Check:
    """An object whose fields are all of a kind."""

    def faults(path: str, given: object) -> list[str]:
        if not isinstance(given, Mapping):
            return object_faults(path, given)
        return [
            fault
            for name, one in given.items()
            for fault in name_check(at(path, name), name) + check(at(path, name), one)
        ]

    return faults


def _object(needed: Mapping[str, Check], known: Mapping[str, Check] = {}) -> Check:  # never changed
    return lambda path, given: checked_faults(path, given, needed, known)


def _webhook_credential(path: str, given: object) -> list[str]:
    faults = checked_faults(path, given, {"secretFile": _filled}, {"url": _filled, "urlFile": _filled})
    if not faults and isinstance(given, Mapping) and ("url" in given) == ("urlFile" in given):
        faults.append(f"{path}: needs one of url and urlFile")
    return faults


_AUDIENCE = _object({"channels": _some(_filled), "accept": one_of(_ACCEPT)})
_PROFILES: Mapping[str, Check] = {
    "telegram": _object(
        {"credential": record_id_faults, "allowedUserIds": _some(_decimal), "allowedChatIds": _some(_decimal)},
        {"baseUrl": _filled},
    ),
    "webhook": _object(
        {"credential": record_id_faults, "recipients": _some(given_faults), "page": _filled}, {"insecure": _boolean}
    ),
}
_SECRETS: Mapping[str, Check] = {"telegram": _object({"tokenFile": _filled}), "webhook": _webhook_credential}


def read_configuration(channels: bytes, credentials: bytes | None) -> Configuration:
    """What the two files hold; `credentials` None: there is no such file. Raises `InvalidChannels`, all faults in it.

    Unknown schemas and fields are refused, and so are names that lead nowhere.
    """
    fields = {f"{kind}Profiles": _named(check, record_id_faults) for kind, check in _PROFILES.items()}
    given = _read(CHANNELS_FILE, channels, _CHANNELS, {"audiences": _named(_AUDIENCE, name_faults)}, fields)
    secrets = {kind: _named(check, record_id_faults) for kind, check in _SECRETS.items()}
    kept = {} if credentials is None else _read(CREDENTIALS_FILE, credentials, _CREDENTIALS, {}, secrets)
    found = Configuration(
        {name: tuple(one["channels"]) for name, one in given["audiences"].items()},
        {kind: given.get(f"{kind}Profiles", {}) for kind in _PROFILES},
        {kind: kept.get(kind, {}) for kind in _SECRETS},
    )
    if faults := _loose_ends(found):
        raise InvalidChannels([f"{CHANNELS_FILE}: {fault}" for fault in faults])
    return found


def _read(file: str, data: bytes, schema: str, needed: Mapping[str, Check], known: Mapping[str, Check]) -> Any:
    try:
        given = read_json(data.decode())
    except ValueError as error:  # its text names a place, or a field, and never a value
        raise InvalidChannels([f"{file}: $: no JSON that can be read: {_place(error)}"]) from None
    faults = checked_faults("$", given, {"schema": one_of(schema), **needed}, known)
    if faults:
        raise InvalidChannels([f"{file}: {fault}" for fault in faults])
    return given


def _place(error: ValueError) -> str:
    return f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else "it is not proper JSON"


def _loose_ends(found: Configuration) -> list[str]:
    """Names that lead nowhere."""
    known = {f"{kind}:{name}" for kind, profiles in found.profiles.items() for name in profiles}.union(LOCAL)
    faults = [
        f"{at('$.audiences', name)}.channels[{place}]: unknown channel"
        for name, channels in found.audiences.items()
        for place, channel in enumerate(channels)
        if channel not in known
    ]
    return faults + [
        f"{at(f'$.{kind}Profiles', name)}.credential: there is none of this name in {CREDENTIALS_FILE}"
        for kind, profiles in found.profiles.items()
        for name, profile in profiles.items()
        if profile["credential"] not in found.credentials[kind]
    ]


def joined(
    old: Configuration, kind: str, name: str, profile: Record, credential: Record, audiences: Sequence[str]
) -> Configuration:
    """The configuration with one profile more, in these audiences; what is there stays, lists grow.

    A credential that is there is never changed: a profile whose secret is elsewhere now gets another one, so that
    nobody can read the new secret with the old profile, or the other way round.
    """
    kept = old.credentials[kind]
    own = next(one for one in _candidates(name) if kept.get(one, credential) == credential)
    before = old.profiles[kind].get(name, {})
    lists = {
        field: list(dict.fromkeys([*before.get(field, ()), *ids])) for field, ids in profile.items() if _is_list(ids)
    }
    shown: dict[str, tuple[str, ...]] = dict(old.audiences)
    for audience in audiences:
        shown[audience] = tuple(dict.fromkeys((*old.channels_of(audience), f"{kind}:{name}")))
    merged = {"credential": own, **profile, **lists}
    return Configuration(
        shown,
        {**old.profiles, kind: {**old.profiles[kind], name: merged}},
        {**old.credentials, kind: {**kept, own: credential}},
    )


def written(configuration: Configuration) -> tuple[bytes, bytes]:
    """The two files, channels and credentials, for people to read."""
    audiences = {name: {"channels": ids, "accept": _ACCEPT} for name, ids in configuration.audiences.items()}
    profiles = {f"{kind}Profiles": named for kind, named in configuration.profiles.items() if named}
    credentials = {kind: named for kind, named in configuration.credentials.items() if named}
    return (
        _json({"schema": _CHANNELS, "audiences": audiences, **profiles}),
        _json({"schema": _CREDENTIALS, **credentials}),
    )


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _is_list(given: object) -> bool:
    return isinstance(given, list | tuple)


def _candidates(name: str) -> Any:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1
