"""What a webhook channel is launched with, checked before anything is done with it."""

from __future__ import annotations

from urllib.parse import urlsplit

import attrs

from facets.link.loopback import is_surely_loopback
from questions.gates.adapter import Launch
from questions.gates.identifiers import record_id_faults

from .errors import InvalidWebhook
from .signing import key_of

__all__ = ["Profile", "read_profile"]

_SHORTEST_KEY = 32  # bytes
_OPTIONS = ("url", "page", "insecure")


@attrs.frozen
class Profile:
    """One webhook. Immutable; neither the address, which may hold a secret, nor a key is in its repr."""

    name: str
    url: str = attrs.field(repr=False)
    """Where notices go."""
    page: str
    """Where the confirming page is, as people reach it."""
    recipients: tuple[str, ...] = attrs.field(repr=False)
    """Sorted; each gets a notice with a link of their own."""
    secret: bytes = attrs.field(repr=False)
    """Signs notices."""
    key: bytes = attrs.field(repr=False)
    """Makes the codes in links."""


def read_profile(launch: Launch) -> Profile:
    """Raises `InvalidWebhook` with every fault, of which none quotes a secret."""
    secret, options = key_of(launch.token), launch.options
    faults = record_id_faults("$.profile", launch.profile)
    if secret is None:
        faults.append("$.token: must be whsec_ and 24 to 64 random bytes in base64")
    if len(launch.key) < _SHORTEST_KEY:
        faults.append(f"$.key: {len(launch.key)} bytes, and at least {_SHORTEST_KEY} are needed")
    if not launch.allowed_chat_ids:
        faults.append("$.allowedChatIds: must not be empty; nobody would get a link")
    if not set(launch.allowed_chat_ids) <= set(launch.allowed_user_ids):
        faults.append("$.allowedChatIds: each has to be in allowedUserIds too: who gets a link answers with it")
    faults += [f"$.options.{name}: not known" for name in options if name not in _OPTIONS]
    is_forced = options.get("insecure") == "yes"
    if options.get("insecure", "no") not in ("yes", "no"):
        faults.append("$.options.insecure: yes or no")
    faults += _url_faults("$.options.url", options.get("url", ""), is_forced=is_forced, has_query=True)
    faults += _url_faults("$.options.page", options.get("page", ""), is_forced=is_forced, has_query=False)
    if faults or secret is None:
        raise InvalidWebhook(faults)
    recipients = tuple(sorted(set(launch.allowed_chat_ids)))
    return Profile(launch.profile, options["url"], options["page"], recipients, secret, launch.key)


def _url_faults(path: str, url: str, *, is_forced: bool, has_query: bool) -> list[str]:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return [f"{path}: must be an address"]
    if not parts.hostname or parts.username or parts.password or parts.fragment or (parts.query and not has_query):
        return [
            f"{path}: must be an address of a host, without a password{'' if has_query else ', a query'} or a fragment"
        ]
    if parts.scheme == "https" or (parts.scheme == "http" and (is_forced or is_surely_loopback(parts.hostname))):
        return []
    return [f"{path}: must begin with https; http only to this machine, or with the option insecure: yes"]
