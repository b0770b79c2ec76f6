"""`questions rooms verify`: what a receipt, or all receipts of a room, prove and do not."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from typing import Any

import attrs

from questions.cli.bad_command import BadCommand
from questions.cli.codes import DIFFERENT, DONE
from questions.cli.lines import line_of
from questions.rooms.agreement import Standing
from questions.rooms.chain import Chain, ChainReader
from questions.rooms.errors import Fault, InvalidChain
from questions.rooms.public_keys import PublicKeys
from questions.rooms.receipt import Receipt, receipt_hash
from questions.rooms.recounting import recount

from .fetching import is_url
from .proofs import told
from .sources import Source, keys_of, published_keys, read_source

__all__ = ["add_verify", "run_verify"]

_HASH = re.compile("sha256:[0-9a-f]{64}")
_LONGEST_OPTION = 60
"""Characters of a winner that are shown."""

_EXAMPLES = """\
examples:
  questions rooms verify receipt.jws --jwks keys.json       one receipt
  questions rooms verify outcome.json --jwks keys.json      all that a room has sealed, as its outcome has it
  questions rooms verify chain.txt --jwks keys.json --last sha256:...   and nothing is missing at the end
  questions rooms verify https://rooms.example/api/rooms/x/outcome --trust-url   with the keys that it publishes

Receipts are read as lines, each a receipt, from the first that was sealed to the last; or as JSON: a list of them, or
the outcome of a room, an object whose decisions, and conclusion, have a receipt_jws each. Nothing is sent anywhere, and
nothing is fetched but the URLs on the command line. Keys are as good as the way on which they came: who gives you false
keys can give you false receipts.

exit codes: 0 it holds, as far as is told
            1 it does not; every fault is told, with the receipt that has it (the first is 0)
            2 bad usage, or there is no receipt or no key to read
            5 a server cannot be reached, or does not let one in
"""


def add_verify(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `verify` to the parser of `questions rooms`."""
    parser = commands.add_parser(
        "verify",
        help="check a receipt, or all receipts of a room",
        description="Check a receipt, or all receipts of a room, and say what they prove and what they do not.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("source", metavar="FILE-or-URL", help="receipts; - reads standard input")
    keys = parser.add_mutually_exclusive_group(required=True)
    keys.add_argument("--jwks", metavar="FILE-or-URL", help="the public keys of the host, from a source that you trust")
    keys.add_argument("--trust-url", action="store_true", help="take the keys that the same server publishes")
    parser.add_argument("--room", metavar="URL", help="the room that the receipts must be of")
    parser.add_argument("--last", metavar="HASH", help="the hash of the last receipt, if you know it: sha256:...")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run_verify, on_interrupt="")


def run_verify(options: argparse.Namespace) -> int:
    """Verify; returns the exit code. Raises `FacetError` for what cannot be read."""
    if options.trust_url and not is_url(options.source):
        raise BadCommand(
            "--trust-url needs a URL. For a file, give the keys with --jwks, from a source that you trust."
        )
    if options.source == options.jwks == "-":
        raise BadCommand("Standard input can hold the receipts or the keys, not both.")
    if options.last is not None and not _HASH.fullmatch(options.last):
        raise BadCommand("--last takes a whole hash as it is printed here: sha256: and 64 of the characters 0-9a-f.")
    source = read_source(options.source)
    keys = published_keys(options.source, source) if options.trust_url else keys_of(options.jwks)
    report = _verified(source, keys, options.room, options.last)
    said = told(report.chain, report.standings, source, options.trust_url, options.last)
    if options.json:
        print(json.dumps(report.as_json(said)))
    else:
        for line in _lines(report, said):
            print(line)
    return DIFFERENT if report.faults else DONE


@attrs.frozen
class _Report:
    """What came of it: a chain, or faults."""

    is_chain: bool
    count: int
    chain: Chain | None
    standings: tuple[Standing, ...]
    """Of each receipt: whether its outcome follows from its ballots."""
    faults: tuple[Fault, ...]

    def as_json(self, said: tuple[list[str], list[str]]) -> dict[str, Any]:
        """As plain data."""
        receipts = []
        if self.chain is not None:
            for receipt, standing in zip(self.chain.receipts, self.standings, strict=True):
                receipts.append({**attrs.asdict(receipt), "outcome_replay": standing})
        return {
            "verified": not self.faults,
            "count": self.count,
            "is_chain": self.is_chain,
            "room": self.chain.room if self.chain else None,
            "is_concluded": self.chain.is_concluded if self.chain else None,
            "is_canonical": self.chain.are_canonical if self.chain else None,
            "receipts": receipts,
            "faults": [{"receipt": one.place, "code": one.code, "says": one.says} for one in self.faults],
            "proven": said[0],
            "not_proven": said[1],
        }


def _verified(source: Source, keys: PublicKeys, room: str | None, last_hash: str | None) -> _Report:
    run = _Run(source, ChainReader(keys, room))
    count = len(source.texts)
    try:
        for place, text in enumerate(source.texts):
            run.take(place, text)
        chain = run.reader.finish(run.after, last_hash)
    except InvalidChain as error:
        return _Report(source.is_chain, count, None, (), (*error.found, *run.faults))
    return _Report(source.is_chain, count, None if run.faults else chain, tuple(run.standings), tuple(run.faults))


@attrs.define
class _Run:
    """What is looked at beside the chain itself, while it is read."""

    source: Source
    reader: ChainReader
    standings: list[Standing] = attrs.field(factory=list)
    faults: list[Fault] = attrs.field(factory=list)
    after: str | None = None
    """What the first receipt follows: of a chain nothing; one by itself may stand anywhere."""

    def take(self, place: int, text: str) -> None:
        """The next receipt."""
        opened = self.reader.take(text)
        facts: dict[str, object] = {"receipt_hash": receipt_hash(text)}
        if opened is not None:
            grp = opened.payload.value["grp"]
            facts["prev_hash"] = grp["prev_hash"]
            self.standings.append(recount(opened.payload.value))
            if self.standings[-1] == "failed":
                self.faults.append(Fault(place, "outcome", "does not follow from the ballots that stand beside it"))
            if not self.source.is_chain:
                self.after = grp["prev_hash"]
        beside = self.source.claims[place] if self.source.claims else {}
        self.faults += [
            Fault(place, "other_words", f"has another {name} than stands beside it, which is not signed")
            for name, fact in facts.items()
            if name in beside and beside[name] != fact
        ]


def _lines(report: _Report, said: tuple[list[str], list[str]]) -> Iterator[str]:
    """The report for people."""
    what = "receipt" if report.count == 1 else "receipts"
    if report.chain is None:
        yield f"NOT VERIFIED: {report.count} {what}, and something is wrong."
        for fault in report.faults:
            where = "" if fault.place is None else f"receipt {fault.place}: "
            yield line_of(f"  {where}{fault.code}: {fault.says}")
        return
    yield line_of(f"Verified: {report.count} {what} of {report.chain.room}")
    for receipt in report.chain.receipts:
        yield line_of(f"  {receipt.sequence}. {_outcome(receipt)}  {receipt.hash}")
    for head, sentences in zip(("Proven:", "Not proven:"), said, strict=True):
        yield head
        yield from (line_of(f"  - {sentence}") for sentence in sentences)


def _outcome(receipt: Receipt) -> str:
    word = "conclusion" if receipt.is_conclusion else receipt.status
    winner = receipt.winner
    if winner is None or receipt.is_conclusion:  # it decides nothing, and no ballots are counted for it
        return word
    return f"{word}: {winner if len(winner) <= _LONGEST_OPTION else winner[:_LONGEST_OPTION] + '...'}"
