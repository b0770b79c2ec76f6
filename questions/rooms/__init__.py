"""Rooms, where many decide by a rule: how ballots are counted, and when a vote can end early.

    ballots = [Ballot("ana", "ship"), Ballot("bo", "wait"), Ballot("cleo", "ship")]
    tally("plurality", {"quorum": 0.5}, ["ship", "wait"], 5, ballots, seed="decision-1").winner

    result = await asker.ask(Select("Ship?", options), audience=people, policy=Mechanism("plurality"), timeout=300)
    result.winner

All of it is pure, and nothing here knows who may vote.
"""

from typing import TYPE_CHECKING

from facets.late import offered_late

if TYPE_CHECKING:
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
    from .policy import Mechanism
    from .presets import AGREEMENT, MECHANISMS, PRESETS, RESERVED, Electorate, electorate, read_params
    from .replaying import REPLAYS, differences, replay
    from .tallied import Tallied
else:
    __getattr__ = offered_late(__name__, "ballots errors lock mechanisms outcome policy presets replaying tallied")

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
    "Mechanism",
    "Outcome",
    "ParticipationOutOfRange",
    "QuadraticTrace",
    "RankedChoiceTrace",
    "RankedPairwiseTrace",
    "Round",
    "ScoreTrace",
    "Status",
    "Tallied",
    "Trace",
    "Word",
    "differences",
    "electorate",
    "is_locked",
    "read_params",
    "replay",
    "tally",
]
