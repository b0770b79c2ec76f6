"""Ties: who wins one by a rule that anybody can repeat, and draws whose chance is a digest of what was drawn about."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from questions.digest import canonical_json

__all__ = ["draw", "index_first", "leaders_of", "tie_winner"]

_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_FIRST_THAT_IS_NO_INDEX = 2**32 - 1


def draw(seed: str, about: Mapping[str, Any], among: Sequence[str]) -> str:
    """One of `among`: by the first four bytes of SHA-256 over the seed and the canonical JSON of `about`."""
    chance = hashlib.sha256(seed.encode() + canonical_json(about)).digest()[:4]
    return among[int.from_bytes(chance, "big") % len(among)]


def index_first(options: Sequence[str]) -> list[str]:
    """The order in which tied options stand in a draw: texts that are array indexes first, by value, then the others.

    That is the order of the keys of a JavaScript object, in which the protocol's first program kept its scores. It
    decides who wins a draw, so whoever repeats one needs it.
    """
    indexes = sorted((option for option in options if _is_index(option)), key=int)
    return [*indexes, *(option for option in options if not _is_index(option))]


def _is_index(option: str) -> bool:
    return _INDEX.fullmatch(option) is not None and int(option) < _FIRST_THAT_IS_NO_INDEX


def leaders_of(scores: Mapping[str, float], options: Sequence[str]) -> list[str]:
    """The options whose score is exactly the highest, as listed."""
    top = max(scores.values())
    return [option for option in options if scores[option] == top]


def tie_winner(tie_break: str, leaders: Sequence[str], options: Sequence[str], seed: str) -> str | None:
    """The winner among those that lead, or None if a tie has none."""
    if len(leaders) == 1 or tie_break == "first_listed":
        return leaders[0]
    if tie_break == "no_pass":
        return None
    ties = index_first(leaders)
    return draw(seed, {"options": list(options), "ties": ties}, ties)
