"""`questions channels setup`: a profile is checked and tried out, and then written down, all of it or nothing."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import trio

from questions.cli.codes import DONE
from questions.cli.decisions.wording import as_json
from questions.cli.lines import line_of
from questions.cli.settings import channels_folder
from questions.errors import Invalid
from questions.gates.channel_settings import Channel
from questions.gates.config import Configuration
from questions.gates.config_errors import InvalidChannels
from questions.gates.config_files import add_profile, channel_of
from questions.gates.telegram.bot_api import BASE_URL, check_token

__all__ = ["setup_telegram", "setup_webhook"]

_FIELD = re.compile(r"\$\.(?:options\.)?(\w+)")
_NO_PATH = re.compile(r"https?://[^/?#]*/?", re.IGNORECASE)
_TYPED = {
    "id": "PROFILE",
    "profile": "PROFILE",
    "token": "the secret",
    "allowed_user_ids": "--user",
    "allowedUserIds": "--user",
    "allowed_chat_ids": "--chat",
    "allowedChatIds": "--chat",
    "base_url": "--base-url",
    "url": "the address of notices",
    "page": "--page",
}
"""What was typed for a field that is at fault."""


def setup_telegram(options: argparse.Namespace) -> int:
    """Try the token out, and add the profile; returns the exit code. Raises `FacetError`, and nothing is changed."""
    profile = {"allowedUserIds": _once(options.user), "allowedChatIds": _once(options.chat)}
    if options.base_url is not None:
        profile["baseUrl"] = options.base_url
    credential = {"tokenFile": _absolute(options.token_file)}
    channel = _checked("telegram", options.profile, profile, credential, _TYPED)
    bot = trio.run(check_token, channel.token, options.base_url or BASE_URL)
    configuration = _added(options, "telegram", profile, credential)
    return _tell(options, channel, configuration, {"bot": bot}, f"@{bot}, {_counted(channel)}")


def setup_webhook(options: argparse.Namespace) -> int:
    """Add the profile; nothing is sent. Returns the exit code. Raises `FacetError`, and nothing is changed."""
    if _NO_PATH.fullmatch(options.page):
        raise InvalidChannels(["--page: leads to no page; that of a server is at /decide, so put /decide at its end"])
    profile: dict[str, Any] = {"recipients": _once(options.recipient), "page": options.page}
    if options.insecure:
        profile["insecure"] = True
    address = {"url": options.url} if options.url_file is None else {"urlFile": _absolute(options.url_file)}
    credential = {"secretFile": _absolute(options.secret_file), **address}
    typed = {**_TYPED, **dict.fromkeys(("allowed_user_ids", "allowed_chat_ids"), "--recipient")}
    channel = _checked("webhook", options.profile, profile, credential, typed)
    configuration = _added(options, "webhook", profile, credential)
    count = len(channel.allowed_chat_ids)
    return _tell(options, channel, configuration, {}, f"{count} {'person' if count == 1 else 'people'}")


def _once(given: list[str]) -> list[str]:
    return list(dict.fromkeys(given))


def _absolute(path: Path) -> str:
    return str(path.expanduser().absolute())


def _checked(kind: str, name: str, profile: Any, credential: Any, typed: Mapping[str, str]) -> Channel:
    try:
        return channel_of(kind, name, profile, credential)
    except Invalid as error:
        faults = [_FIELD.sub(lambda field: typed.get(field[1], field[0]), fault, count=1) for fault in error.faults]
        raise InvalidChannels(faults) from None


def _added(options: argparse.Namespace, kind: str, profile: Any, credential: Any) -> Configuration:
    folder = channels_folder(options.channels)
    return add_profile(folder, kind, options.profile, profile, credential, options.audience or [])


def _counted(channel: Channel) -> str:
    people, chats = len(channel.allowed_user_ids), len(channel.allowed_chat_ids)
    return f"{people} {'person' if people == 1 else 'people'}, {chats} {'chat' if chats == 1 else 'chats'}"


def _tell(
    options: argparse.Namespace, channel: Channel, configuration: Configuration, more: Mapping[str, str], words: str
) -> int:
    audiences = {name: ids for name, ids in configuration.audiences.items() if channel.id in ids}
    if options.json:
        folder = str(channels_folder(options.channels))
        print(as_json({"channel": channel.id, "folder": folder, "audiences": audiences, **more}))
        return DONE
    print(line_of(f"{channel.id}: {words}; written to {channels_folder(options.channels)}"))
    for name, ids in audiences.items():
        print(line_of(f"  {name}: {', '.join(ids)}"))
    if not audiences:
        print("  No audience is asked there yet: --audience A.")
    print("A gate server that runs takes it with `questions channels reload`.")
    return DONE
