"""Rooms, where many decide by a rule: how ballots are counted, when a vote can end early, and what a host signs of it.

    ballots = [Ballot("ana", "ship"), Ballot("bo", "wait"), Ballot("cleo", "ship")]
    tally("plurality", {"quorum": 0.5}, ["ship", "wait"], 5, ballots, seed="decision-1").winner

    result = await asker.ask(Select("Ship?", options), audience=people, policy=Mechanism("plurality"), timeout=300)
    result.winner

    verify_chain(receipts, read_jwks(keys)).receipts

All of it is pure but for the file of `RoomKeys`, and nothing here knows who may vote.
"""

from typing import TYPE_CHECKING

from facets.late import offered_late

if TYPE_CHECKING:
    from .ballots import Ballot
    from .chain import Chain, sign_chain, verify_chain, verify_receipt
    from .errors import (
        Fault,
        InvalidCase,
        InvalidChain,
        InvalidJson,
        InvalidJws,
        InvalidKeySet,
        InvalidMandate,
        InvalidParams,
        InvalidReceipt,
        ParticipationOutOfRange,
    )
    from .explain_case import explain
    from .explain_parts import Bar, Chart, Explanation, Table
    from .explain_svg import picture
    from .keys import RoomKeys
    from .lock import Lock, is_locked
    from .mandate import Act, Mandate, read_mandate, sign_mandate
    from .mechanisms import tally
    from .merkle import audit_hashes, merkle_root
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
    from .public_keys import PublicKeys, did_key, key_of_did, read_jwks
    from .receipt import Receipt, read_receipt, receipt_hash, sign_receipt
    from .recounting import recount
    from .replaying import REPLAYS, differences, replay
    from .tallied import Tallied
else:
    __getattr__ = offered_late(
        __name__,
        "ballots chain errors explain_case explain_parts explain_svg keys lock mandate mechanisms merkle outcome "
        "policy presets public_keys receipt recounting replaying tallied",
    )

__all__ = [
    "AGREEMENT",
    "MECHANISMS",
    "PRESETS",
    "REPLAYS",
    "RESERVED",
    "Act",
    "Ballot",
    "Bar",
    "Chain",
    "Chart",
    "ChoiceTrace",
    "Electorate",
    "Explanation",
    "Fault",
    "InvalidCase",
    "InvalidChain",
    "InvalidJson",
    "InvalidJws",
    "InvalidKeySet",
    "InvalidMandate",
    "InvalidParams",
    "InvalidReceipt",
    "Lock",
    "Mandate",
    "Mechanism",
    "Outcome",
    "ParticipationOutOfRange",
    "PublicKeys",
    "QuadraticTrace",
    "RankedChoiceTrace",
    "RankedPairwiseTrace",
    "Receipt",
    "RoomKeys",
    "Round",
    "ScoreTrace",
    "Status",
    "Table",
    "Tallied",
    "Trace",
    "Word",
    "audit_hashes",
    "did_key",
    "differences",
    "electorate",
    "explain",
    "is_locked",
    "key_of_did",
    "merkle_root",
    "picture",
    "read_jwks",
    "read_mandate",
    "read_params",
    "read_receipt",
    "receipt_hash",
    "recount",
    "replay",
    "sign_chain",
    "sign_mandate",
    "sign_receipt",
    "tally",
    "verify_chain",
    "verify_receipt",
]
