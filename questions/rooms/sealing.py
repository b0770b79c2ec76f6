"""The payloads of a room's receipts: of a decision that is sealed, and of a room that is closed.

`sign_receipt` links and signs one. All that counting it again takes is in it, save ballots that the room withholds.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from .responses import Response
from .room_decision import RoomDecision
from .room_value import GroupRoom

__all__ = ["conclusion_payload", "decision_payload"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def decision_payload(room: GroupRoom, decision: RoomDecision, jti: str, issuer: str, now: int) -> dict[str, Any]:
    """What the receipt of a sealed decision says. `jti`: `urn:uuid:` and a UUID; `now`: epoch milliseconds."""
    sealed = decision.sealed
    assert sealed is not None, "a decision that is open has no receipt"
    ballots = [] if room.config.choice_visibility == "never" else [r for r in sealed.responses if not r.is_abstention]
    parameters = {"question": decision.question, "options": list(decision.options), **sealed.params}
    return _payload(
        room,
        jti,
        issuer,
        now,
        decision_id=decision.id,
        decision_kind="standing" if room.config.type == "persistent" else "ephemeral",
        mechanism={"kind": decision.mechanism, "parameters": parameters},
        windows=_windows(decision.opened_at, decision.voting_started_at or sealed.at, sealed.at),
        deliberation_message_count=decision.message_count,
        votes=[_vote(room, one) for one in ballots],
        abstentions=[_abstention(room, one) for one in sealed.responses if one.is_abstention],
        outcome=_outcome(sealed.status, sealed.winner, sealed.tallies, sealed.cast, sealed.eligible),
        sequence=decision.seq,
    )


def conclusion_payload(room: GroupRoom, jti: str, issuer: str, now: int) -> dict[str, Any]:
    """What the receipt of a room that is closed says; it links to the last decision and has the next number."""
    end = room.conclusion
    assert end is not None, "the room is not closed"
    return _payload(
        room,
        jti,
        issuer,
        now,
        decision_id=f"{room.id}.conclusion",
        decision_kind="conclusion",
        mechanism={"kind": room.config.mechanism, "parameters": {}},
        windows=_windows(end.at, end.at, end.at),
        deliberation_message_count=0,
        votes=[],
        abstentions=[],
        outcome=_outcome("completed", None, {}, 0, 0),
        sequence=len(room.decisions) + 1,
        closing_statement=end.statement,
        concluded_by=_agent(room, end.by),
    )


def _payload(room: GroupRoom, jti: str, issuer: str, now: int, **grp: Any) -> dict[str, Any]:
    whole = {**grp, "room_id": room.url, "overrides": [], "prev_hash": None}
    return {"iss": issuer, "aud": room.url, "jti": jti, "iat": now // 1000, "grp": whole}


def _outcome(status: str, winner: str | None, tallies: Mapping[str, float], cast: int, eligible: int) -> dict[str, Any]:
    counts = {"cast_votes": cast, "eligible_voters": eligible}
    return {"status": status, "winning_option": winner, "tallies": dict(tallies), "diagnostics": counts}


def _windows(asked: int, began: int, ended: int) -> dict[str, str]:
    return {
        "deliberation_started_at": _iso(asked),
        "voting_started_at": _iso(began),
        "voting_ended_at": _iso(ended),
        "cooldown_ended_at": _iso(ended),
    }


def _vote(room: GroupRoom, response: Response) -> dict[str, Any]:
    return {
        "agent_id": _agent(room, response.participant_id),
        "choice": response.choice,
        "weight": response.weight,
        "cast_at": _iso(response.at),
        "mandate_ref": response.mandate_ref,
        "signature": None,
    }


def _abstention(room: GroupRoom, response: Response) -> dict[str, Any]:
    agent = _agent(room, response.participant_id)
    return {"agent_id": agent, "reason": response.reason, "declared_at": _iso(response.at)}


def _agent(room: GroupRoom, participant_id: str) -> str:
    """By its DID if it has one, and by its seat otherwise."""
    subject = room.seat(participant_id).subject
    return subject if subject is not None and subject.startswith("did:") else f"participant:{participant_id}"


def _iso(at: int) -> str:
    """An instant as receipts write it, in UTC and to the millisecond."""
    return (_EPOCH + timedelta(milliseconds=at)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
