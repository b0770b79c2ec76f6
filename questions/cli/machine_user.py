"""Who runs a command: the user of this machine whose process it is."""

from __future__ import annotations

import sys

from facets.errors import InvalidPrincipal
from facets.principal import Principal

__all__ = ["machine_user"]


def machine_user() -> Principal:
    """The user of the operating system whose process this is; `user`, if it has no name that can be one."""
    try:
        return Principal.user(_user_name())
    except InvalidPrincipal:
        return Principal.user("user")


def _user_name() -> str:
    """Empty if the system knows no name for it."""
    if sys.platform == "win32":
        import getpass  # noqa: PLC0415  # elsewhere it would believe the environment

        return getpass.getuser()
    import os  # noqa: PLC0415
    import pwd  # noqa: PLC0415

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return ""
