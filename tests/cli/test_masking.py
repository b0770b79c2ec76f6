"""Secrets are masked by name and by look; work is never hidden behind a mask."""

import json
import time

import pytest

from questions.cli.demo.cards import details_of, message_of
from questions.cli.demo.masking import mask, mask_text
from tests.cli.example import CALLS, CANARY, EXAMPLE

SECRETS = {
    "export API_KEY=canary": "export API_KEY=[masked: value]",
    "PGPASSWORD='can ary' psql": "PGPASSWORD='[masked: value]' psql",
    'PASSWORD="can$ary" run': 'PASSWORD="[masked: value]" run',
    "PASSWORD=can$ary run": "PASSWORD=[masked: value] run",
    "login --password canary --user ana": "login --password [masked: value] --user ana",
    "login --password=canary": "login --password=[masked: value]",
    "https://ana:can@ary@host/path": "https://ana:[masked: password]@host/path",
    "https://canarycanarycanary@host/": "https://[masked: token]@host/",
    "https://host/?token=canary&page=2": "https://host/?token=[masked: value]&page=2",
    "curl -u ana:canary https://host": "curl -u ana:[masked: password] https://host",
    "mysql -u root -pcanary -e 'select 1'": "mysql -u root -p[masked: password] -e 'select 1'",
    "-H 'Authorization: Basic canary=='": "-H 'Authorization: Basic [masked: authorization]'",
    "with Bearer canary.canary": "with Bearer [masked: bearer token]",
    '{"api_key": "canary"}': '{"api_key": "[masked: value]"}',
    '{\\"api_key\\": \\"canary\\"}': '{\\"api_key\\": \\"[masked: value]\\"}',
    "Cookie: session=canary": "Cookie: [masked: value]",
    "use ghp_canary00000000000000000000 here": "use [masked: key] here",
    "AKIACANARY0000000000": "[masked: key]",
    "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7canary": "[masked: key]",
    "-----BEGIN PRIVATE KEY-----\ncanary\ncanary==\n-----END PRIVATE KEY-----\nnext": "[masked: private key]\nnext",
    "-----BEGIN EC PRIVATE KEY-----\nKind: 4,X\n\ncanary": "[masked: private key]",
}

HARMLESS = (
    "token = next(tokens)",
    "def login(password: str) -> None: ...",
    "spin=3 --spin fast",
    "the secret is out",
    "https://host:8080/path@v2",
    "git show 4f0c1d2e3b4a59687766554433221100ffeeddcc",
    "d27e0b94-51c8-4a0c-8f0b-6a2f8b8f9e31",
    "docs/chapter-01-a-long-name-of-a-file-with-words.md",
)

# What a mask must not swallow: whatever a shell would run.
WORK = (
    "TOKEN=$(rm -rf /)",
    'TOKEN="$(rm -rf /)"',
    "TOKEN=`rm -rf /`",
    "TOKEN=x;rm -rf /",
    "TOKEN=x&&rm -rf /",
    "http://a:x;rm -rf /@b",
    "-----BEGIN PRIVATE KEY-----; rm -rf / ;-----END PRIVATE KEY-----",
)


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_masked_and_the_rest_stays(text):
    assert mask_text(text) == SECRETS[text]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays_readable(text):
    assert mask_text(text) == text


@pytest.mark.parametrize("text", WORK)
def test_a_mask_hides_no_work(text):
    assert "rm -rf /" in mask_text(text)


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\x00", "\U000e0100", "\xad"])
def test_a_hidden_character_does_not_save_a_secret(hidden):
    masked = mask_text(f"--tok{hidden}en can{hidden}ary-can{hidden}ary next")
    assert masked == f"--tok{hidden}en [masked: value, with hidden characters] next"


@pytest.mark.parametrize("name", ["password", "apiKey", "GITHUB_TOKEN", "client-secret", "pin", "tok\u200ben"])
def test_a_named_value_is_masked_whatever_it_is(name):
    for value in ("canary", 4711, ["canary"], {"a": "canary"}):
        assert mask({name: value}) == {name: f"[masked: {name}]"}


def test_what_is_not_there_is_not_masked():
    kept = {"password": None, "token": "", "secret": False, "spinner": "dots", "max_tokens": 100}
    assert mask(kept) == kept


def test_names_count_in_lists_and_pairs_too():
    assert mask(["--password", "canary", "--user", "ana"]) == ["--password", "[masked: password]", "--user", "ana"]
    assert mask([{"name": "API_TOKEN", "value": "canary"}]) == [{"name": "API_TOKEN", "value": "[masked: API_TOKEN]"}]


def test_a_secret_used_as_a_name_is_masked():
    assert mask({"ghp_canary00000000000000000000": 1}) == {"[masked: key]": 1}


def test_the_example_holds_secrets_and_no_card_does():
    assert len(CANARY.findall(EXAMPLE.read_text("utf-8"))) > 10
    shown = "\n".join(f"{message_of(call)}\n{details_of(call)}" for call in CALLS)
    assert not CANARY.search(shown)
    assert "hunter" not in shown


@pytest.mark.parametrize("part", ["a-", "token", "://a:", "mysql -p ", "aA1=", "-----BEGIN PRIVATE KEY-----a: b\n"])
def test_a_long_text_takes_no_long_time(part):
    text = part * (60_000 // len(part))
    started = time.perf_counter()
    mask_text(text)
    assert time.perf_counter() - started < 10, json.dumps(part)
