"""Digests and ids over canonical JSON: digests end their text with a line feed, ids do not."""

from __future__ import annotations

import hashlib
from typing import Any

from questions.digest import canonical_json

__all__ = ["fingerprint", "hashed", "sealed"]


def sealed(value: Any) -> str:
    """`sha256:` and the SHA-256 of the canonical JSON with a line feed after it. Raises `ValueError` as that does."""
    return "sha256:" + hashlib.sha256(canonical_json(value) + b"\n").hexdigest()


def hashed(value: Any) -> str:
    """The first 40 hexadecimal digits of the SHA-256 of the canonical JSON alone: what ids are made of."""
    return hashlib.sha256(canonical_json(value)).hexdigest()[:40]


def fingerprint(digest: str) -> str:
    """The first 12 digits of a digest, by which people compare two screens."""
    return digest.removeprefix("sha256:")[:12]
