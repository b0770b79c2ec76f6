"""The people of the demo."""

from __future__ import annotations

from facets import Principal

__all__ = ["ALICE", "BOB", "CAROL", "NAMES"]

ALICE = Principal.user("alice")
BOB = Principal.user("bob")
CAROL = Principal.user("carol")

NAMES = {ALICE: "Alice", BOB: "Bob", CAROL: "Carol"}
"""Alice is the person at the keyboard when there is one; Carol joins late."""
