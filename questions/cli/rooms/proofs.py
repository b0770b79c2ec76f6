"""What receipts that hold prove, and what they do not, in words for whoever relies on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from questions.rooms.agreement import Standing
from questions.rooms.chain import Chain

from .sources import Source

__all__ = ["told"]


def told(
    chain: Chain | None, standings: Sequence[Standing], source: Source, from_host: bool, last_hash: str | None
) -> tuple[list[str], list[str]]:
    """(what is proven, what is not), a sentence each. Of what does not hold nothing is."""
    if chain is None:
        return [], []
    is_anchored = last_hash is not None
    proven = [*_proven(chain, standings, source.is_chain, is_anchored)]
    return proven, [*_not_proven(chain, standings, source, from_host, is_anchored)]


def _proven(chain: Chain, standings: Sequence[Standing], is_chain: bool, is_anchored: bool) -> Iterator[str]:
    kids = sorted({receipt.kid for receipt in chain.receipts})
    keys = f"key {kids[0]}" if len(kids) == 1 else f"keys {', '.join(kids)}"
    yield f"Who holds the {keys} has signed exactly this, and not a byte of it was changed since."
    if is_chain:
        yield "Nothing was left out, added or exchanged between the first and the last: each names the one before it."
    if chain.is_concluded:
        yield "The room was closed with the last one."
    elif is_anchored:
        yield "The last one is the one that you named."
    count, verified = len(standings), standings.count("verified")
    if verified:
        which = "Its outcome follows" if count == 1 else f"The outcomes of {verified} of {count} follow"
        yield f"{which} from the ballots that are listed."


def _not_proven(
    chain: Chain, standings: Sequence[Standing], source: Source, from_host: bool, is_anchored: bool
) -> Iterator[str]:
    if from_host:
        yield "Whose keys these are: the same server has given them, so it could have made all of this up."
    else:
        yield "Whose keys these are: that is as certain as the way on which you got them."
    yield "That people chose what is listed, and when: the host has written that down, ballots and times alike."
    if not source.is_chain:
        yield "What was sealed before and after it, and whether its room still has it: verify the whole chain."
    elif not (chain.is_concluded or is_anchored):
        yield "That it ends here: later receipts may have been left out. Compare the last hash with somebody else's."
    yield "That everybody is shown the same: compare the last hash with what others in the room have."
    if source.unsealed:
        yield f"What the document says of decisions without a receipt, of which it has {source.unsealed}."
    if unavailable := standings.count("unavailable"):
        which = "Its outcome" if len(standings) == 1 else f"Outcomes: {unavailable} of {len(standings)}"
        yield f"{which} could not be counted again; ballots are withheld, or parameters are not written down."
    if not chain.are_canonical:
        yield "How others write it: it is not canonical JSON, so keep the receipt itself and not only what it says."
