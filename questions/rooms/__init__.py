"""Rooms, where many decide by a rule: how ballots are counted, and when a vote can end early.

    ballots = [Ballot("ana", "ship"), Ballot("bo", "wait"), Ballot("cleo", "ship")]
    tally("plurality", {"quorum": 0.5}, ["ship", "wait"], 5, ballots, seed="decision-1").winner

All of it is pure. Nothing here knows who may vote, or of rooms and people.
"""

from .ballots import Ballot
from .errors import InvalidCase, InvalidParams, ParticipationOutOfRange
from .lock import Lock, is_locked
from .mechanisms import tally
from .outcome import (
    ChoiceTrace,
    Outcome,
    QuadraticTrace,
    RankedChoiceTrace,
    RankedPairwiseTrace,
    Round,
    ScoreTrace,
    Status,
    Trace,
    Word,
)
from .presets import AGREEMENT, MECHANISMS, PRESETS, RESERVED, Electorate, electorate, read_params
from .replay import REPLAYS, differences, replay

__all__ = [
    "AGREEMENT",
    "MECHANISMS",
    "PRESETS",
    "REPLAYS",
    "RESERVED",
    "Ballot",
    "ChoiceTrace",
    "Electorate",
    "InvalidCase",
    "InvalidParams",
    "Lock",
    "Outcome",
    "ParticipationOutOfRange",
    "QuadraticTrace",
    "RankedChoiceTrace",
    "RankedPairwiseTrace",
    "Round",
    "ScoreTrace",
    "Status",
    "Trace",
    "Word",
    "differences",
    "electorate",
    "is_locked",
    "read_params",
    "replay",
    "tally",
]
