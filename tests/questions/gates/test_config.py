"""What a configuration of channels may hold: all faults, each with its file and path."""

import json
import re

import pytest

from questions.gates.config import read_configuration
from questions.gates.config_errors import InvalidChannels
from tests.house.source import ROOT, text_of

TELEGRAM = {"credential": "c", "allowedUserIds": ["100"], "allowedChatIds": ["-200"]}
WEBHOOK = {"credential": "w", "recipients": ["ana"], "page": "https://q.example/decide"}
CHANNELS = {
    "schema": "questions.channels.v1",
    "audiences": {"operator": {"channels": ["telegram:t", "web"], "accept": "first-valid-answer"}},
    "telegramProfiles": {"t": TELEGRAM},
    "webhookProfiles": {"w": WEBHOOK},
}
CREDENTIALS = {
    "schema": "questions.credentials.v1",
    "telegram": {"c": {"tokenFile": "/token"}},
    "webhook": {"w": {"secretFile": "/secret", "url": "https://n.example"}},
}


def read(channels=CHANNELS, credentials=CREDENTIALS):
    return read_configuration(json.dumps(channels).encode(), json.dumps(credentials).encode())


def faults(channels=CHANNELS, credentials=CREDENTIALS):
    with pytest.raises(InvalidChannels) as raised:
        read(channels, credentials)
    return list(raised.value.faults)


def audience(name="operator", **changes):
    usual = {"channels": ["web"], "accept": "first-valid-answer"}
    return {**CHANNELS, "audiences": {name: usual | changes}}


def telegram(name="t", **changes):
    return {**CHANNELS, "telegramProfiles": {name: TELEGRAM | changes}, "audiences": {}}


def test_what_is_proper_is_read():
    found = read()
    assert found.audiences == {"operator": ("telegram:t", "web")}
    assert found.profiles["telegram"]["t"] == TELEGRAM
    assert "100" not in repr(found)


@pytest.mark.parametrize("schema", ["wrong", "questions.channels.v2", None, 1])
def test_another_schema_is_refused(schema):
    assert faults({**CHANNELS, "schema": schema}) == [
        "channels.json: $.schema: one of questions.channels.v1"
    ]  # case 78
    assert faults(CHANNELS, {**CREDENTIALS, "schema": schema}) == [
        "credentials.json: $.schema: one of questions.credentials.v1"
    ]


@pytest.mark.parametrize("channel", ["telegram:missing", "unsupported", "webhook:t", "telegram:"])
def test_an_unknown_channel_is_refused(channel):
    assert faults(audience(channels=["web", channel])) == [
        "channels.json: $.audiences.operator.channels[1]: unknown channel"
    ]  # case 78


BAD = {
    "no channel": (audience(channels=[]), "$.audiences.operator.channels: a list that is not empty"),
    "no list": (audience(channels="web"), "$.audiences.operator.channels: a list that is not empty"),
    "twice": (audience(channels=["web", "web"]), "$.audiences.operator.channels: the same twice"),
    "other policy": (audience(accept="majority"), "$.audiences.operator.accept: one of first-valid-answer"),
    "unknown field": (audience(more=1), "$.audiences.operator.more: not known"),
    "dotted audience": (audience("a.b"), "$.audiences.a.b: 1 to 128 of letters, digits, _ and -"),
    "no user": (telegram(allowedUserIds=[]), "$.telegramProfiles.t.allowedUserIds: a list that is not empty"),
    "no decimal": (telegram(allowedChatIds=["1.5"]), "$.telegramProfiles.t.allowedChatIds[0]: a decimal number"),
    "number": (telegram(allowedChatIds=[5]), "$.telegramProfiles.t.allowedChatIds[0]: a decimal number"),
    "profile": (telegram("a/b"), "$.telegramProfiles.a/b: 1 to 200 of letters"),
    "lost": (telegram(credential="no"), "$.telegramProfiles.t.credential: there is none of this name"),
    "top": ({**CHANNELS, "token": "x"}, "$.token: not known"),
    "no object": ([], "$: must be an object"),
}


@pytest.mark.parametrize("bad", BAD)
def test_what_cannot_be_is_refused_with_its_path(bad):
    channels, fault = BAD[bad]
    [found] = faults(channels)
    assert found.startswith(f"channels.json: {fault}")


def test_all_faults_are_told_and_no_value_is_quoted():
    found = faults(telegram(allowedUserIds=["secret-1"], allowedChatIds=["secret-2"], credential="/"))
    assert len(found) == 3
    assert "secret" not in str(found)


@pytest.mark.parametrize("credential", [{}, {"url": "https://n.example", "urlFile": "/url"}])
def test_a_webhook_needs_one_address(credential):
    kept = {**CREDENTIALS, "webhook": {"w": {"secretFile": "/secret", **credential}}}
    assert faults(CHANNELS, kept) == ["credentials.json: $.webhook.w: needs one of url and urlFile"]


@pytest.mark.parametrize("text", [b"", b"{", b'{"schema": 1, "schema": 2}', b"\xff", b"[" * 100_000, b"NaN"])
def test_what_is_no_json_is_refused_without_a_word_of_it(text):
    with pytest.raises(InvalidChannels) as raised:
        read_configuration(text, None)
    [fault] = raised.value.faults
    assert fault.startswith("channels.json: $: no JSON that can be read")


def test_the_files_of_the_guide_are_proper():
    blocks = re.findall(r"^```json\n(.*?)^```", text_of(ROOT / "docs/howto/configure-channels.md"), re.M | re.S)
    found = read_configuration(*(block.encode() for block in blocks))
    assert found.channels_of("operator")[-1] == "telegram:approval"
    assert list(found.profiles["webhook"]) == ["ops"]
