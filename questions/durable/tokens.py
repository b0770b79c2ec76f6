"""Names that nobody else can choose."""

from __future__ import annotations

import base64
import os
import time

__all__ = ["new_token"]


def new_token() -> str:
    """A name for a commit: 16 characters, safe in addresses and in file names.

    The first five say about when it was made, so that an index of such names grows at one place. 64 bits are random.
    """
    second = (time.time_ns() >> 30) & 0xFFFFFFFF
    return base64.urlsafe_b64encode(second.to_bytes(4) + os.urandom(8)).decode()
