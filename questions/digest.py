"""Digests over canonical JSON (RFC 8785): the same data gives the same digest, in any order and any language."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785

__all__ = ["canonical_json", "digest"]


def canonical_json(value: Any) -> bytes:
    """The canonical JSON of plain data: UTF-8, keys sorted, no blanks.

    Raises `ValueError` for what JSON cannot carry exactly: other types, NaN, integers beyond 2**53 - 1, and text that
    is no Unicode (lone surrogates).
    """
    return rfc8785.dumps(value)


def digest(value: Any) -> str:
    """`sha256:` and the hexadecimal SHA-256 of the canonical JSON. Raises as `canonical_json` does."""
    return "sha256:" + hashlib.sha256(canonical_json(value)).hexdigest()
