"""Signatures and codes: what is genuine, and everything that is not."""

import base64

import pytest

from questions.gates.webhook.codes import is_made_with, read_code, write_code
from questions.gates.webhook.signing import PREFIX, TOLERANCE, is_genuine, key_of, signed_headers
from tests.questions.gates.webhook.receiver import KEY, SECRET, key_in

NOW = 1_800_000_000
BODY = b'{"type":"decision.open"}'


def test_a_vector_of_the_scheme():
    """The example of Standard Webhooks."""
    key = key_in("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    body = b'{"test": 2432232314}'
    headers = signed_headers(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body)
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert is_genuine([key], headers, body, 1_614_265_330)


def test_what_was_signed_is_genuine_for_five_minutes_either_way():
    headers = signed_headers(KEY, "notice-1", NOW, BODY)
    for away, genuine in [(0, True), (TOLERANCE, True), (-TOLERANCE, True), (TOLERANCE + 1, False), (-301, False)]:
        assert is_genuine([KEY], headers, BODY, NOW + away) is genuine


@pytest.mark.parametrize(
    "changes",
    [
        {"webhook-id": "notice-2"},
        {"webhook-id": ""},
        {"webhook-timestamp": str(NOW + 1)},
        {"webhook-timestamp": ""},
        {"webhook-timestamp": "١٨٠٠٠٠٠٠٠٠"},
        {"webhook-timestamp": "1" * 4_000},
        {"webhook-signature": ""},
        {"webhook-signature": "v1,"},
        {"webhook-signature": "v2,AAAA"},
        {"webhook-signature": "v1,ü"},
    ],
)
def test_what_was_changed_is_not(changes):
    headers = signed_headers(KEY, "notice-1", NOW, BODY)
    assert not is_genuine([KEY], headers | changes, BODY, NOW)
    assert not is_genuine([KEY], headers, BODY + b" ", NOW)
    assert not is_genuine([b"other" * 8], headers, BODY, NOW)


def test_two_secrets_hold_while_one_takes_the_place_of_the_other():
    old, new = b"old!" * 8, b"new!" * 8
    headers = signed_headers(new, "notice-1", NOW, BODY)
    assert is_genuine([old, new], headers, BODY, NOW)
    both = signed_headers(old, "notice-1", NOW, BODY)["webhook-signature"] + " " + headers["webhook-signature"]
    assert is_genuine([new], headers | {"webhook-signature": both}, BODY, NOW)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_!!!!", PREFIX + "YQ==", PREFIX + "a" * 200, SECRET[6:]])
def test_a_secret_that_is_none(secret):
    assert key_of(secret) is None


def test_a_code_says_for_whom_and_for_what_and_nobody_else_can_make_it():
    code = write_code(KEY, "ops", "decision-1", "sha256:" + "0" * 64, "Åsa / ops")
    read = read_code(f" {code}\n")
    assert read is not None
    assert (read.profile, read.decision_id, read.recipient) == ("ops", "decision-1", "Åsa / ops")
    assert is_made_with(KEY, read)
    assert not is_made_with(b"\x08" * 32, read)
    assert len(read.proof) == 32


@pytest.mark.parametrize("changed", [["ops2", "d", "r", "ana"], ["ops", "e", "r", "ana"], ["ops", "d", "s", "ana"]])
def test_a_code_of_one_thing_is_none_of_another(changed):
    own = read_code(write_code(KEY, "ops", "d", "r", "ana"))
    other = read_code(write_code(KEY, *changed))
    assert own is not None
    assert other is not None
    assert own.proof != other.proof


def test_a_code_whose_words_were_changed_is_not_genuine():
    named, _, proof = write_code(KEY, "ops", "d", "r", "ana").partition(".")
    forged = base64.urlsafe_b64encode(base64.urlsafe_b64decode(named + "==").replace(b"ana", b"bob")).decode()
    read = read_code(f"{forged.rstrip('=')}.{proof}")
    assert read is not None
    assert read.recipient == "bob"
    assert not is_made_with(KEY, read)


@pytest.mark.parametrize("text", ["", ".", "a.b", "a" * 3_000, "WzFd.AA", "ü.ü", "W10.", "eyJhIjoxfQ.AA", "!.!"])
def test_what_is_no_code(text):
    read = read_code(text)
    assert read is None or not is_made_with(KEY, read)
