"""Names that nobody else can choose."""

from __future__ import annotations

import secrets

__all__ = ["new_token"]


def new_token() -> str:
    """A name for a commit: 16 random characters, safe in addresses and in file names."""
    return secrets.token_urlsafe(12)
