"""The chain of a room: every receipt names the one that was sealed before it, so that none is changed or left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from .errors import Fault, InvalidChain, InvalidJws, InvalidReceipt
from .jws import OpenedJws, open_jws
from .public_keys import PublicKeys
from .receipt import Receipt, read_receipt, receipt_hash, sign_receipt

if TYPE_CHECKING:
    from joserfc.jwk import OKPKey

__all__ = ["MOST_RECEIPTS", "Chain", "ChainReader", "sign_chain", "verify_chain", "verify_receipt"]

MOST_RECEIPTS = 100_000
"""In one chain."""

_MOST_FAULTS = 1000


@attrs.frozen
class Chain:
    """Receipts of one room, every one of them signed and in its place, the first one first."""

    receipts: tuple[Receipt, ...]
    are_canonical: bool
    """Whether all are written in canonical JSON, as hosts do; it takes nothing from what they prove."""

    @property
    def room(self) -> str:
        """The room that all are of."""
        return self.receipts[0].room

    @property
    def last_hash(self) -> str:
        """What the next receipt of the room would name."""
        return self.receipts[-1].hash

    @property
    def is_concluded(self) -> bool:
        """Whether the room was closed with the last one, so that none can follow."""
        return self.receipts[-1].is_conclusion


def verify_receipt(text: str, keys: PublicKeys) -> Receipt:
    """Verify one receipt, wherever it stands in its chain. Raises `InvalidJws` and `InvalidReceipt`."""
    return _verified(text, keys)[0]


def verify_chain(
    texts: Iterable[str],
    keys: PublicKeys,
    *,
    room: str | None = None,
    after: str | None = None,
    last_hash: str | None = None,
) -> Chain:
    """Verify the receipts of a room, in the order in which they were sealed.

    From the first one on, or from the one that follows the receipt with the hash `after`. That none is missing at the
    end shows only in a room that is concluded, or if you know the `last_hash`. `room`: the one that they must be of;
    None: whichever the first one is of. Takes as long as they are many, each read once.

    Raises `InvalidChain` with everything that is wrong, up to 1000 faults.
    """
    reader = ChainReader(keys, room)
    for text in texts:
        reader.take(text)
    return reader.finish(after, last_hash)


def sign_chain(payloads: Iterable[Mapping[str, Any]], kid: str, key: OKPKey) -> Iterator[str]:
    """Sign the payloads of receipts, each as the one that follows the one before. Raises as `sign_receipt`."""
    previous = None
    for payload in payloads:
        text = sign_receipt(payload, previous, kid, key)
        previous = receipt_hash(text)
        yield text


class ChainReader:
    """Verifies receipts as they come. Lives for one chain, and keeps what they say of themselves, not their texts."""

    def __init__(self, keys: PublicKeys, room: str | None = None) -> None:
        self._keys = keys
        self._room = room
        self._hashes: list[str] = []
        self._receipts: dict[int, Receipt] = {}
        self._faults: list[Fault] = []
        self._left_out = 0
        self._are_canonical = True

    def take(self, text: str) -> OpenedJws | None:
        """The next receipt: what it says, verified, or None. Raises `InvalidChain` for more than `MOST_RECEIPTS`."""
        place = len(self._hashes)
        if place >= MOST_RECEIPTS:
            raise InvalidChain([*self._faults, Fault(None, "too_many", f"has more than {MOST_RECEIPTS} receipts")])
        self._hashes.append(receipt_hash(text))
        try:
            receipt, opened = _verified(text, self._keys)
        except InvalidJws as error:
            self._note(Fault(place, error.reason, fault) for fault in error.faults)
        except InvalidReceipt as error:
            self._note(Fault(place, "no_receipt", fault) for fault in error.faults)
        else:
            self._receipts[place] = receipt
            self._are_canonical = self._are_canonical and opened.payload.is_canonical
            return opened
        return None

    def finish(self, after: str | None = None, last_hash: str | None = None) -> Chain:
        """The whole chain. Raises `InvalidChain` with everything that is wrong."""
        places = {hash: place for place, hash in reversed([*enumerate(self._hashes)])}
        for found in (self._misfits(places), self._broken_links(places, after), self._end_faults(places, last_hash)):
            self._note(found)
        if self._faults:
            in_order = sorted(self._faults, key=lambda fault: (fault.place is None, fault.place))
            rest = [Fault(None, "and_more", f"there are {self._left_out} more faults")] if self._left_out else []
            raise InvalidChain(in_order + rest)
        return Chain(tuple(self._receipts.values()), self._are_canonical)

    def _note(self, faults: Iterable[Fault]) -> None:
        for fault in faults:
            if len(self._faults) < _MOST_FAULTS:
                self._faults.append(fault)
            else:
                self._left_out += 1

    def _misfits(self, places: Mapping[str, int]) -> Iterator[Fault]:
        """What is of another room, there twice, or behind the end."""
        room, issuer, ended = self._room, None, False
        said: dict[str, int] = {}
        for place, one in self._receipts.items():
            room, issuer = one.room if room is None else room, issuer or one.issuer
            if one.room != room:
                yield Fault(place, "foreign", f"is of the room {one.room[:200]!r}, not of {room[:200]!r}")
            elif one.issuer != issuer:
                yield Fault(place, "foreign", f"was issued by {one.issuer[:200]!r}, not by {issuer[:200]!r}")
            if places[one.hash] != place:
                yield Fault(place, "duplicate", f"is {places[one.hash]} once more")
                continue
            if ended:
                yield Fault(place, "after_conclusion", "follows the receipt with which the room was closed")
            for mark in _marks(one):
                if (first := said.setdefault(mark, place)) != place:
                    yield Fault(place, "repeated", f"has the {mark}, as {first} has")
            ended |= one.is_conclusion

    def _broken_links(self, places: Mapping[str, int], after: str | None) -> Iterator[Fault]:
        """Which receipts do not name the one before them, and which they name instead."""
        named: dict[str | None, int] = {}
        for place, one in self._receipts.items():
            if places[one.hash] != place:
                continue
            if one.prev_hash != (self._hashes[place - 1] if place else after):
                yield Fault(place, *_link_fault(place, one.prev_hash, places, named))
            named.setdefault(one.prev_hash, place)

    def _end_faults(self, places: Mapping[str, int], last_hash: str | None) -> Iterator[Fault]:
        if not self._hashes:
            yield Fault(None, "empty", "there is no receipt")
        elif last_hash is not None and self._hashes[-1] != last_hash:
            at = f", which is {places[last_hash]}" if last_hash in places else ""
            yield Fault(None, "other_end", f"ends with {self._hashes[-1]}, not with {last_hash[:100]}{at}")


def _verified(text: str, keys: PublicKeys) -> tuple[Receipt, OpenedJws]:
    opened = open_jws(text)
    opened.verify(keys.find(opened.header.get("kid")))
    return read_receipt(opened), opened


def _marks(receipt: Receipt) -> Iterator[str]:
    """What no two receipts of a room may have in common. Which number a conclusion has is left to hosts."""
    yield f"id {receipt.id}"
    if not receipt.is_conclusion:
        yield f"number {receipt.sequence}"


def _link_fault(
    place: int, prev_hash: str | None, places: Mapping[str, int], named: Mapping[str | None, int]
) -> tuple[str, str]:
    """The code and the words for a receipt that does not follow the one before it."""
    if prev_hash in named:
        return "forked", f"follows what {named[prev_hash]} follows: there are two histories"
    if prev_hash is None:
        return "reordered", "is the first of its room, and does not stand first"
    if prev_hash in places:
        return "reordered", f"follows {places[prev_hash]}, which does not stand right before it"
    if place == 0:
        return "missing", f"follows {prev_hash}, which is not here: the beginning was left out"
    return "missing", f"follows {prev_hash}, which is not here: something between was left out or changed"
