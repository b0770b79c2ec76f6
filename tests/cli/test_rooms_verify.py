"""`questions rooms verify`: what receipts prove, in words and for programs."""

import io
import json
import sys
from codecs import BOM_UTF8
from contextlib import suppress

import pytest

from questions.cli import main
from questions.cli.codes import DIFFERENT, DONE, USAGE
from questions.cli.rooms import sources
from questions.rooms import chain
from questions.rooms.receipt import receipt_hash, sign_receipt
from tests.questions.rooms.receipts import (
    KEY,
    OTHER_KEY,
    ROOM,
    jwks,
    payload_of,
    segment,
    signed,
    signed_segments,
)

CHAIN = signed(3)
ENDED = signed(3, concluded=True)


@pytest.fixture
def verified(capsys, tmp_path):
    """Runs the command over a document: exit code, output, errors."""
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps(jwks(a=KEY)))

    def run(document, *arguments, keys=keys):
        file = tmp_path / "receipts"
        file.write_bytes(document if isinstance(document, bytes) else json.dumps(document).encode())
        code = main(["rooms", "verify", str(file), "--jwks", str(keys), *arguments])
        told = capsys.readouterr()
        return code, told.out.replace(str(tmp_path), "TMP"), told.err.replace(str(tmp_path), "TMP")

    return run


def lines(texts):
    return "\n".join([*texts, ""]).encode()


def outcome(texts, **changes):
    """The outcome of a room, as hosts give it."""
    entries = [{"seq": n, "receipt_jws": text, "receipt_hash": receipt_hash(text)} for n, text in enumerate(texts, 1)]
    return {"status": "resolved", "decisions": entries, "conclusion": None, **changes}


def codes_of(output):
    """(receipt, code) of every fault in the output for programs."""
    return [(fault["receipt"], fault["code"]) for fault in json.loads(output)["faults"]]


def test_a_whole_chain_is_told_with_what_it_proves_and_what_not(verified):
    code, said, errors = verified(lines(CHAIN))
    assert (code, errors) == (DONE, "")
    assert f"Verified: 3 receipts of {ROOM}" in said
    assert f"  2. completed: ship  {receipt_hash(CHAIN[1])}" in said
    assert "later receipts may have been left out" in said
    assert "Whose keys these are" in said
    assert "The outcomes of 3 of 3 follow" in said


def test_one_receipt_says_nothing_of_what_was_before_and_after_it(verified):
    code, said, _ = verified(CHAIN[1].encode())
    assert code == DONE
    assert "What was sealed before and after it" in said
    assert "Nothing was left out" not in said


def test_the_end_of_a_chain_is_certain_by_its_conclusion_or_its_last_hash(verified):
    for document, *arguments in ((lines(ENDED),), (lines(CHAIN), "--last", receipt_hash(CHAIN[-1]))):
        code, said, _ = verified(document, *arguments)
        assert code == DONE
        assert "later receipts may have been left out" not in said
    code, said, _ = verified(lines(CHAIN[:2]), "--last", receipt_hash(CHAIN[-1]))
    assert (code, "other_end" in said) == (DIFFERENT, True)


@pytest.mark.parametrize(
    "document",
    [
        lines(CHAIN),
        lines(CHAIN).replace(b"\n", b"\r\n"),
        BOM_UTF8 + lines(CHAIN),
        BOM_UTF8 + json.dumps(CHAIN).encode(),
        CHAIN,
        outcome(CHAIN),
        outcome([*CHAIN])["decisions"],
        {**outcome(ENDED[:2]), "conclusion": {"receipt_jws": ENDED[2]}},
        outcome(CHAIN, decisions=[*outcome(CHAIN)["decisions"], {"seq": 4, "receipt_jws": None}]),
    ],
)
def test_receipts_are_taken_in_every_form_in_which_hosts_give_them(verified, document):
    code, said, _ = verified(document, "--json")
    assert code == DONE
    report = json.loads(said)
    assert (report["verified"], report["count"], report["is_chain"]) == (True, 3, True)


@pytest.mark.parametrize("last", ["", "sha256:abc", receipt_hash(CHAIN[-1])[7:], receipt_hash(CHAIN[-1]) + "0"])
def test_what_is_no_hash_is_a_slip_and_no_other_end(verified, last):
    code, said, errors = verified(lines(CHAIN), "--last", last)
    assert (code, said) == (USAGE, "")
    assert "--last takes a whole hash" in errors


def test_programs_are_told_the_same(verified):
    report = json.loads(verified(lines(CHAIN), "--json")[1])
    assert report["room"] == ROOM
    assert report["receipts"][2]["prev_hash"] == receipt_hash(CHAIN[1])
    assert report["receipts"][2]["outcome_replay"] == "verified"
    assert report["not_proven"]
    assert report["faults"] == []


def test_every_fault_is_told_with_its_receipt_and_the_exit_code(verified):
    broken = [CHAIN[0], CHAIN[2], CHAIN[1][:-1]]
    code, said, _ = verified(lines(broken))
    assert code == DIFFERENT
    assert said.startswith("NOT VERIFIED: 3 receipts")
    assert "receipt 1: missing" in said
    assert "receipt 2: shape" in said
    assert "Proven" not in said
    report = json.loads(verified(lines(broken), "--json")[1])
    assert (report["verified"], report["receipts"], report["proven"]) == (False, [], [])


def test_an_outcome_that_does_not_follow_from_its_ballots_is_a_fault(verified):
    payload = payload_of(1)
    payload["grp"]["votes"].pop()
    code, said, _ = verified(sign_receipt(payload, None, "a", KEY).encode(), "--json")
    assert (code, codes_of(said)) == (DIFFERENT, [(0, "outcome")])


def test_what_stands_beside_a_receipt_and_is_not_signed_is_compared(verified):
    document = outcome(CHAIN)
    document["decisions"][1]["receipt_hash"] = "sha256:" + "0" * 64
    document["decisions"][2]["prev_hash"] = None
    code, said, _ = verified(document, "--json")
    assert (code, codes_of(said)) == (DIFFERENT, [(1, "other_words"), (2, "other_words")])


def test_the_room_can_be_named(verified):
    assert verified(lines(CHAIN), "--room", ROOM)[0] == DONE
    code, said, _ = verified(lines(CHAIN), "--room", "https://elsewhere.example", "--json")
    assert (code, codes_of(said)) == (DIFFERENT, [(n, "foreign") for n in range(3)])
    assert verified(lines(CHAIN), "--room", "")[0] == DIFFERENT  # of a variable that was never set, say


def test_what_a_document_says_of_decisions_without_a_receipt_is_not_proven(verified):
    claimed = {"seq": 4, "status": "completed", "winning_option": "wait", "receipt_jws": None}
    _, said, _ = verified(outcome(CHAIN, decisions=[*outcome(CHAIN)["decisions"], claimed]))
    assert "  - What the document says of decisions without a receipt, of which it has 1." in said.splitlines()
    assert "without a receipt" not in verified(outcome(CHAIN))[1]


def test_a_conclusion_is_told_without_the_winner_that_nobody_has_counted(verified):
    payload = payload_of(1, kind="conclusion")
    _, said, _ = verified(sign_receipt(payload, None, "a", KEY).encode())
    assert "  1. conclusion  sha256:" in said
    assert "ship" not in said


def test_of_more_lines_than_a_chain_may_have_only_so_many_are_read(verified, monkeypatch):
    monkeypatch.setattr(sources, "MOST_RECEIPTS", 2)
    monkeypatch.setattr(chain, "MOST_RECEIPTS", 2)
    code, said, _ = verified(lines([*CHAIN, *"abc"]), "--json")
    assert (code, codes_of(said), json.loads(said)["count"]) == (DIFFERENT, [(None, "too_many")], 3)


def test_a_payload_that_writes_whole_numbers_otherwise_is_a_receipt_all_the_same(verified):
    header = {"alg": "EdDSA", "kid": "a", "typ": "grp-receipt+jwt"}
    payload = json.dumps(payload_of(1)).replace('"sequence": 1', '"sequence": 1.0')
    payload = payload.replace('_votes": 2', '_votes": 2e0')
    code, said, _ = verified(signed_segments(segment(header), segment(payload.encode())).encode())
    assert (code, "  1. completed: ship  sha256:" in said) == (DONE, True)
    assert "  - Its outcome follows from the ballots that are listed." in said.splitlines()
    assert "it is not canonical JSON" in said


def test_another_key_verifies_nothing(verified, tmp_path):
    other = tmp_path / "other.json"
    other.write_text(json.dumps(jwks(a=OTHER_KEY)))
    assert codes_of(verified(lines(CHAIN[:1]), "--json", keys=other)[1]) == [(0, "signature_invalid")]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (b"", "holds no receipt"),
        (b"\n\n", "holds no receipt"),
        (b"{", "is no JSON"),
        (b'{"a":1,"a":2}', "$.a: is there twice"),
        (b"{}", "holds no receipt"),
        (b"[]", "holds no receipt"),
        (b"[7]", "entry 0 is no receipt"),
        (b'{"decisions":[{"receipt_jws":7}]}', "entry 0 is no receipt"),
        (b'{"decisions":[{"receipt_jws":null}]}', "nothing is sealed yet"),
        (b"[" * 9999, "nested"),
    ],
)
def test_a_document_without_receipts_is_told(verified, document, said):
    code, output, errors = verified(document)
    assert (code, output) == (USAGE, "")
    assert said in errors


@pytest.mark.parametrize("document", [b"", b"[]", b'{"keys":[{"kid":"a","d":"a secret"}]}', b"\xff"])
def test_keys_that_are_none_are_told_and_not_quoted(verified, tmp_path, document):
    keys = tmp_path / "others.json"
    keys.write_bytes(document)
    code, _, errors = verified(lines(CHAIN), keys=keys)
    assert code == USAGE
    assert "TMP/others.json" in errors
    assert "secret" not in errors


def test_what_is_too_large_is_not_read(verified, monkeypatch):
    monkeypatch.setattr(sources, "LARGEST_FILE", 1000)
    code, _, errors = verified(lines(CHAIN))
    assert (code, errors) == (USAGE, "TMP/receipts is larger than 1000 bytes.\n")


def test_what_could_steer_a_terminal_is_shown_and_not_sent(verified):
    option = "\x1b[2J\u202e\nProven:"
    text = signed(1, options=(option, "wait"), choices=(option,))[0]
    code, said, _ = verified(text.encode())
    assert code == DONE
    assert all(line.isprintable() for line in said.splitlines())
    assert said.splitlines().count("Proven:") == 1
    assert b"\x1b" not in verified(b"\x1b[2J", "--json")[1].encode()


def test_receipts_or_keys_come_from_standard_input(capsys, monkeypatch, tmp_path):
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps(jwks(a=KEY)))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines(CHAIN))))
    assert main(["rooms", "verify", "-", "--jwks", str(keys)]) == DONE
    assert main(["rooms", "verify", "-", "--jwks", "-"]) == USAGE
    assert "not both" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--trust-url"], ["--trust-url", "--jwks", "x"]])
def test_keys_have_to_be_given(capsys, tmp_path, arguments):
    file = tmp_path / "receipts"
    file.write_bytes(lines(CHAIN))
    with suppress(SystemExit):  # of the parser
        assert main(["rooms", "verify", str(file), *arguments]) == USAGE
    told = capsys.readouterr()
    assert told.out == ""
    assert "--jwks" in told.err
