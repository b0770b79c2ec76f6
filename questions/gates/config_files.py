"""The configuration of channels on disk: read and checked without trusting anything, written as one change.

`channels.json` is the commit: what it names stands in `credentials.json` before it does, and what stands there never
changes. So whoever reads the one and then the other sees a whole configuration, at whatever step a writer was killed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from facets.link.private_file import folder_faults, locked, read_private, write_private
from questions.errors import Invalid

from .adapter import Launch
from .channel_settings import Channel
from .config import CHANNELS_FILE, CREDENTIALS_FILE, Configuration, Record, joined, read_configuration, written
from .config_errors import InvalidChannels
from .telegram.profile import check_launch
from .webhook.profile import read_profile

__all__ = ["Secrets", "add_profile", "channel_of", "channels_in", "load_configuration", "read_secret"]

_LARGEST = 2**20
_LARGEST_SECRET = 2**14
_NOTHING = Configuration({}, {}, {})

Secrets = Callable[[str], str]
"""What is in the file of a secret, by its path."""


def load_configuration(folder: Path) -> Configuration | None:
    """What is configured in a folder, whole; None: nothing is, so that there are local channels only.

    Both files and the folder must be this user's and of no use to others; links are not followed. Raises
    `InvalidChannels` with what is wrong. Secrets are not read; see `channels_in`.
    """
    if not _is_there(folder / CHANNELS_FILE):
        return None
    _check_folder(folder)
    channels = _read(folder / CHANNELS_FILE)
    return read_configuration(channels or b"", _read(folder / CREDENTIALS_FILE))


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # whoever reads it is told why
        return True
    return True


def _check_folder(folder: Path) -> None:
    if faults := folder_faults(folder):
        raise InvalidChannels([f"{folder}: {fault}" for fault in faults])


def _read(path: Path) -> bytes | None:
    """What is in it, or None if it is not there."""
    if not _is_there(path):
        return None
    contents = read_private(path, _LARGEST, strictly=True)
    if contents.faults:
        raise InvalidChannels([f"{path.name}: {fault}" for fault in contents.faults])
    return contents.data


def read_secret(file: str) -> str:
    """The secret in a file: its text without blanks around it. Raises `InvalidChannels`; the file is not quoted."""
    if not Path(file).is_absolute():
        raise InvalidChannels([f"{file}: must be an absolute path"])
    contents = read_private(Path(file), _LARGEST_SECRET, strictly=True)
    if contents.faults:
        raise InvalidChannels([f"{file}: {fault}" for fault in contents.faults])
    try:
        text = contents.data.decode().strip()
    except UnicodeDecodeError:
        raise InvalidChannels([f"{file}: is not text in UTF-8"]) from None
    if not text:
        raise InvalidChannels([f"{file}: is empty"])
    return text


def channels_in(configuration: Configuration, secrets: Secrets = read_secret) -> tuple[Channel, ...]:
    """The channels of a configuration, with their secrets. Only what profiles name is read.

    Raises `InvalidChannels` with every fault of all of them.
    """
    found: list[Channel] = []
    faults: list[str] = []
    for kind, profiles in configuration.profiles.items():
        for name, profile in profiles.items():
            credential = configuration.credentials[kind][profile["credential"]]
            try:
                found.append(channel_of(kind, name, profile, credential, secrets))
            except Invalid as error:
                faults += [f"{kind}:{name}: {fault}" for fault in error.faults]
    if faults := faults + _shared_bots(found):
        raise InvalidChannels(faults)
    return tuple(found)


def _shared_bots(channels: Sequence[Channel]) -> list[str]:
    """Two who poll one bot take each other's answers."""
    first: dict[str, str] = {}
    bots = [channel for channel in channels if channel.id.startswith("telegram:")]
    return [
        f"{channel.id}: has the bot of {first[channel.token]}; add its people and chats there, or make another bot"
        for channel in bots
        if first.setdefault(channel.token, channel.id) != channel.id
    ]


def channel_of(kind: str, name: str, profile: Record, credential: Record, secrets: Secrets = read_secret) -> Channel:
    """One channel, proven to be one that its program takes. Raises `Invalid` with every fault, never with a secret."""
    users, chats, token, options = _SETTINGS[kind](profile, credential, secrets)
    command = (sys.executable, "-m", f"questions.gates.{kind}")
    channel = Channel(
        id=f"{kind}:{name}",
        profile=name,
        command=command,
        token=token,
        allowed_user_ids=users,
        allowed_chat_ids=chats,
        options=options,
    )
    launch = Launch(name, "epoch", token, users, chats, key=bytes(32), options=options)
    _CHECKS[kind](launch)
    return channel


_Settings = tuple[tuple[str, ...], tuple[str, ...], str, dict[str, str]]


def _telegram(profile: Record, credential: Record, secrets: Secrets) -> _Settings:
    options = {"base_url": profile["baseUrl"]} if "baseUrl" in profile else {}
    users, chats = tuple(profile["allowedUserIds"]), tuple(profile["allowedChatIds"])
    return users, chats, secrets(credential["tokenFile"]), options


def _webhook(profile: Record, credential: Record, secrets: Secrets) -> _Settings:
    url = secrets(credential["urlFile"]) if "urlFile" in credential else credential["url"]
    options = {"url": url, "page": profile["page"], **({"insecure": "yes"} if profile.get("insecure") else {})}
    recipients = tuple(profile["recipients"])
    return recipients, recipients, secrets(credential["secretFile"]), options


_SETTINGS: dict[str, Callable[[Record, Record, Secrets], _Settings]] = {"telegram": _telegram, "webhook": _webhook}
_CHECKS: dict[str, Callable[[Launch], object]] = {"telegram": check_launch, "webhook": read_profile}


def add_profile(
    folder: Path, kind: str, name: str, profile: Record, credential: Record, audiences: list[str]
) -> Configuration:
    """Add a profile, or more people to one that is there, to audiences; what else is there stays.

    Makes the folder if there is none. One writer at a time, others wait. Raises `InvalidChannels` unless a gate
    server could take all of it then; nothing was changed. Killed at any step, all of it is there or nothing.
    """
    path = folder / CHANNELS_FILE
    with locked(path) as faults:
        if faults:
            raise InvalidChannels([f"{path}: {fault}" for fault in faults])
        _check_folder(folder)
        old = load_configuration(folder) or _without_channels(folder)
        new = joined(old, kind, name, profile, credential, audiences)
        channels, credentials = written(new)
        checked = read_configuration(channels, credentials)
        channels_in(checked)
        for file, data in ((CREDENTIALS_FILE, credentials), (CHANNELS_FILE, channels)):
            if faults := write_private(folder / file, data):
                raise InvalidChannels([f"{folder / file}: {fault}" for fault in faults])
    return checked


def _without_channels(folder: Path) -> Configuration:
    """What is there before the first profile: perhaps the credential of one whose writer was killed."""
    return read_configuration(written(_NOTHING)[0], _read(folder / CREDENTIALS_FILE))
