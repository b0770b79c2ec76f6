"""How ballots are filled in: which kind a mechanism takes, what is wrong with one, and one in a line of text.

Stricter than counting, which leaves out what it cannot read: whoever fills one in is told, and nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from .ballots import is_list, is_number

__all__ = ["BallotKind", "ballot_faults", "ballot_kind", "how_to_write", "read_ballot", "write_ballot"]

BallotKind = Literal["one", "approvals", "ranking", "scores", "credits"]
"""An option; any number of options; options, the best first; a number for each; or credits to spend on them."""

_KINDS: Mapping[str, BallotKind] = {
    "ranked_choice": "ranking",
    "ranked_pairwise": "ranking",
    "score_vote": "scores",
    "quadratic_vote": "credits",
}
_Faults = list[str]


def ballot_kind(mechanism: str, params: Mapping[str, Any]) -> BallotKind:
    """What a ballot of a mechanism is. `params`: all of them, as checked."""
    return _KINDS.get(mechanism) or ("approvals" if params["ballot_mode"] == "approval" else "one")


def ballot_faults(kind: BallotKind, params: Mapping[str, Any], options: Sequence[str], ballot: object) -> list[str]:
    """What is wrong with a ballot over these options, each with its path (`$.answer...`). Quotes nothing of it."""
    return _FAULTS[kind](params, options, ballot)


def _one(_: Mapping[str, Any], options: Sequence[str], ballot: object) -> _Faults:
    if type(ballot) is str and ballot in options:
        return []
    return ["$.answer: must be the id of one of the options"]


def _approvals(_: Mapping[str, Any], options: Sequence[str], ballot: object) -> _Faults:
    if not is_list(ballot):
        return ["$.answer: must be a list of ids of options, which may be empty"]
    if len(ballot) > len(options):
        return [f"$.answer: has more than {len(options)} entries; each option once"]
    return [*_list_faults(options, ballot)]


def _ranking(_: Mapping[str, Any], options: Sequence[str], ballot: object) -> _Faults:
    if not is_list(ballot) or not ballot:
        return ["$.answer: must be a list of ids of options, the best first, with one at least"]
    return _approvals(_, options, ballot)


def _list_faults(options: Sequence[str], ballot: Sequence[Any]) -> _Faults:
    faults = []
    for place, one in enumerate(ballot):
        if type(one) is not str or one not in options:
            faults.append(f"$.answer[{place}]: must be the id of one of the options")
        elif one in ballot[:place]:
            faults.append(f"$.answer[{place}]: is there already; each option once")
    return faults


def _scores(params: Mapping[str, Any], options: Sequence[str], ballot: object) -> _Faults:
    least, most = params["min_score"], params["max_score"]
    if not isinstance(ballot, Mapping):
        return [f"$.answer: must be an object with a number from {least:g} to {most:g} for each option"]
    faults = _off_slate(options, ballot)
    for option in options:
        if option in ballot and not (is_number(ballot[option]) and least <= ballot[option] <= most):
            faults.append(f"$.answer.{option}: must be a number from {least:g} to {most:g}")
    if not faults and not any(score > least for score in ballot.values()):
        faults.append(f"$.answer: must give some option more than {least:g}")
    return faults


def _credits(params: Mapping[str, Any], options: Sequence[str], ballot: object) -> _Faults:
    budget = int(params["credits_per_voter"])
    if not isinstance(ballot, Mapping):
        return ["$.answer: must be an object with a whole number of credits for each option"]
    faults = _off_slate(options, ballot)
    for option in options:
        if option in ballot and not (type(ballot[option]) is int and 0 <= ballot[option] <= budget):
            faults.append(f"$.answer.{option}: must be a whole number from 0 to {budget}")
    if not faults and not 1 <= sum(ballot.values()) <= budget:
        faults.append(f"$.answer: must spend 1 to {budget} credits; it spends {sum(ballot.values())}")
    return faults


def _off_slate(options: Sequence[str], ballot: Mapping[Any, Any]) -> _Faults:
    unknown = sum(1 for option in ballot if type(option) is not str or option not in options)
    return [f"$.answer: {unknown} of its names are no ids of options"] if unknown else []


_FAULTS: Mapping[BallotKind, Callable[[Mapping[str, Any], Sequence[str], object], _Faults]] = {
    "one": _one,
    "approvals": _approvals,
    "ranking": _ranking,
    "scores": _scores,
    "credits": _credits,
}


# --- in a line of text ----------------------------------------------------------------------------------------------

_WORDS = re.compile(r"[\s,;>]+")
_HOW: Mapping[BallotKind, str] = {
    "one": "the id of an option",
    "approvals": "the ids of all that you approve of, such as {example}; [] for none",
    "ranking": "ids of options, the best first, such as {example}",
    "scores": "a number for each option, such as {example}; "
    "from {min_score:g} to {max_score:g}, and what is left out has the least",
    "credits": "credits for options, such as {example}; {credits_per_voter:g} in all",
}


def how_to_write(kind: BallotKind, params: Mapping[str, Any], options: Sequence[str]) -> str:
    """How a ballot over these options is written in a line of text, in words for people, with an example."""
    return _HOW[kind].format(example=_example(kind, params, options[:2]), **params)


def _example(kind: BallotKind, params: Mapping[str, Any], options: Sequence[str]) -> str:
    if kind == "ranking":
        return " > ".join(reversed(options))
    if kind == "scores":
        return write_ballot(dict(zip(options, (params["max_score"], params["min_score"]), strict=False)))
    if kind == "credits":
        return write_ballot(dict(zip(options, (1, params["credits_per_voter"] - 1), strict=False)))
    return write_ballot(options)


def read_ballot(kind: BallotKind, text: str) -> Any:
    """The ballot in a line of text. What cannot be read in it is left for `ballot_faults` to find."""
    words = [word for word in _WORDS.split(text) if word]
    if kind == "one":
        return text.strip()
    if kind == "approvals" and words in ([], ["[]"], ["-"]):
        return [] if words else None  # a slip of the finger approves of nothing, and is no ballot
    if kind in ("approvals", "ranking"):
        return words
    pairs = [word.rpartition("=") for word in words]
    if len({option for option, _, _ in pairs}) < len(pairs):
        return None  # which of the two is meant?
    return {option: _number(number) for option, _, number in pairs}


def _number(text: str) -> object:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def write_ballot(ballot: Any) -> str:
    """A ballot as `read_ballot` reads it."""
    if isinstance(ballot, Mapping):
        return " ".join(f"{option}={number:g}" for option, number in ballot.items())
    return str(ballot) if isinstance(ballot, str) else ", ".join(ballot) or "[]"
