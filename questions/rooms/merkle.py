"""One digest over many: the root of a tree over what was said, and a chain over what was done."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from questions.digest import canonical_json

__all__ = ["audit_hashes", "merkle_root"]


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """The root over one leaf or more, each 32 bytes: SHA-256 of pairs; one that is left over is paired with itself.

    By that doubling `[a, b, c]` and `[a, b, c, c]` have one root: compare the number of leaves as well. Raises
    `ValueError` without a leaf, or for one of another length.
    """
    if not leaves or any(len(leaf) != hashlib.sha256().digest_size for leaf in leaves):
        raise ValueError("a tree has one leaf at least, and each is a SHA-256 digest of 32 bytes")
    level = list(leaves)
    while len(level) > 1:
        if len(level) % 2:
            level.append(level[-1])
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [hashlib.sha256(left + right).digest() for left, right in pairs]
    return level[0]


def audit_hashes(events: Iterable[tuple[Any, str]]) -> Iterator[bytes]:
    """For each event (a body of plain data, and when it was, as text) the SHA-256 over all up to it.

    Raises `ValueError` at one that has no canonical JSON.
    """
    previous = b""
    for body, when in events:
        previous = hashlib.sha256(previous + canonical_json(body) + when.encode()).digest()
        yield previous
