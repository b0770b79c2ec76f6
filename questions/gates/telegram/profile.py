"""What a Telegram channel is launched with, checked before anything is done with it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from facets.link.loopback import is_surely_loopback
from questions.gates.adapter import Launch
from questions.gates.identifiers import record_id_faults

from .bot_api import BASE_URL
from .errors import InvalidTelegram

__all__ = ["base_url", "check_launch"]

_TOKEN = re.compile(r"[A-Za-z0-9:_-]{1,200}")
_ID = re.compile(r"-?[1-9][0-9]{0,17}")
_SHORTEST_KEY = 32  # bytes
_OPTIONS = ("base_url",)


def base_url(launch: Launch) -> str:
    """Where its Bot API is."""
    return launch.options.get("base_url", BASE_URL)


def check_launch(launch: Launch) -> None:
    """Raises `InvalidTelegram` with every fault, of which none quotes a secret."""
    faults = record_id_faults("$.profile", launch.profile)
    if not _TOKEN.fullmatch(launch.token):
        faults.append("$.token: must be the token of a bot, as BotFather shows it")
    if len(launch.key) < _SHORTEST_KEY:
        faults.append(f"$.key: {len(launch.key)} bytes, and at least {_SHORTEST_KEY} are needed")
    faults += _id_faults("$.allowedUserIds", launch.allowed_user_ids)
    faults += _id_faults("$.allowedChatIds", launch.allowed_chat_ids)
    faults += [f"$.options.{name}: not known" for name in launch.options if name not in _OPTIONS]
    if faults := faults + _url_faults("$.options.base_url", base_url(launch)):
        raise InvalidTelegram(faults)


def _id_faults(path: str, ids: Iterable[str]) -> list[str]:
    given = list(ids)
    if not given:
        return [f"{path}: must not be empty; nobody could answer"]
    return [f"{path}[{at}]: must be a decimal number" for at, id in enumerate(given) if not _ID.fullmatch(id)]


def _url_faults(path: str, url: str) -> list[str]:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return [f"{path}: must be an address"]
    if parts.username or parts.password or parts.query or parts.fragment or not parts.hostname:
        return [f"{path}: must be an address of a host, without a password, a query or a fragment"]
    if parts.scheme == "https" or (parts.scheme == "http" and is_surely_loopback(parts.hostname)):
        return []
    return [f"{path}: must begin with https, since the token is sent there; http only to this machine"]
