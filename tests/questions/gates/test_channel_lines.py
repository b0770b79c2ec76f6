"""The lines between a server and the process of a channel: one table, both directions, and every fault by its path."""

import json
import re

import pytest

from questions.gates import Ended, InvalidRecord, Launch, MessageRef, Pressed, Report, view_of
from questions.gates.channel_lines import read_launch, read_reply, read_said, write_launch, write_reply, write_said
from questions.gates.channel_messages import (
    Answering,
    Body,
    Exiting,
    Head,
    Poll,
    Present,
    Presented,
    Ready,
    Reply,
    Said,
    Settle,
    Settled,
    Stop,
    stable_id,
)
from tests.house.source import ROOT, text_of
from tests.questions.gates.cases import AUTOMATIC, CONTINUE, REPLAN, request

REQ = request(timeout=AUTOMATIC)
VIEW = view_of(REQ)
IDS = REQ.decision_id, REQ.request_digest
ATTEMPT = stable_id("effect-1", "1")
DIGEST = "sha256:" + "a" * 64
REF = MessageRef("-200", "7", 0, 0, DIGEST)
HEAD = Head("epoch-1", "approval", 1, 0, stable_id("approval", "ready"))
PRESSED = Pressed(*IDS, REPLAN, "100", "-200", "event-1", "telegram:approval:-200:event-1")

SAID: list[Body] = [
    Ready("0"),  # case 116
    Exiting("12"),
    Exiting("12", "HTTPStatusError"),
    Presented(*IDS, ATTEMPT, Report("confirmed", (REF,))),
    Presented(*IDS, ATTEMPT, Report("failed", (), "http_400")),
    Settled(*IDS, ATTEMPT, Report("unknown", (), "timeout")),
    Answering(PRESSED, "13"),
]
REPLIES = [
    Reply(1, True, 3),
    Reply(2, False, 3, error="stale"),
    Reply(3, True, 4, Present(ATTEMPT, VIEW, (REF,))),
    Reply(4, True, 4, Settle(ATTEMPT, VIEW, Ended("accepted", REPLAN, "human"), (REF,))),
    Reply(5, True, 4, Settle(ATTEMPT, VIEW, Ended("accepted", CONTINUE, "timeout"))),
    Reply(6, True, 4, Settle(ATTEMPT, VIEW, Ended("expired"))),
    Reply(7, True, 4, Poll("13", (VIEW,), ("decision-1",), more=True)),
    Reply(8, True, 4, Stop()),
]
LAUNCH = Launch("approval", "epoch-1", "s3cret", ("100",), ("-200",), "12", bytes(range(32)), {"base_url": "http://x"})


@pytest.mark.parametrize("body", SAID, ids=lambda body: type(body).__name__)
def test_what_a_process_says_comes_out_as_it_was(body):
    line = write_said(Said(HEAD, body))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert read_said(line) == Said(HEAD, body)


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: type(reply.command).__name__)
def test_what_a_server_says_comes_out_as_it_was(reply):
    line = write_reply(reply)
    assert line.endswith(b"\n")  # case 116
    assert read_reply(line) == reply


def test_what_a_process_is_launched_with_comes_out_as_it_was():
    assert read_launch(write_launch(LAUNCH)) == LAUNCH
    assert "s3cret" not in repr(LAUNCH)
    assert repr(LAUNCH.key) not in repr(LAUNCH)


def test_a_stable_id_follows_from_what_is_said():
    assert stable_id("a", "b") == stable_id("a", "b") != stable_id("ab")
    assert len(stable_id("a")) == len("channel-") + 64  # case 116


def changed(line, **changes):
    """The line with other fields; None takes one away, and a name with dots goes down into objects."""
    fields = json.loads(line)
    for path, value in changes.items():
        *above, name = path.split("__")
        inside = fields
        for step in above:
            inside = inside[int(step) if step.isdecimal() else step]
        if value is None:
            del inside[name]
        else:
            inside[name] = value
    return json.dumps(fields).encode()


ANSWER = write_said(Said(HEAD, Answering(PRESSED, "13")))
PRESENT = write_reply(REPLIES[2])


@pytest.mark.parametrize(
    ("read", "line", "changes", "faults"),
    [
        (
            read_said,
            ANSWER,
            {"response__input": {"reason": 42}},  # case 117
            ["$.response.input.reason: must be text, without lone surrogates"],
        ),
        (read_said, ANSWER, {"actorId": " "}, ["$.actorId: must be text that is not blank"]),
        (
            read_said,
            ANSWER,
            {"sequence": 0, "expectedRevision": -1, "cursor": 5, "extra": 1},
            [
                "$.extra: not known",
                "$.sequence: a whole number of 1 or more",
                "$.expectedRevision: a whole number of 0 or more",
                "$.cursor: must be text, without lone surrogates",
            ],
        ),
        (
            read_said,
            ANSWER,
            {"type": "channel.poll"},
            [
                "$.type: one of channel.ready, channel.exiting, channel.present, channel.answer, channel.settle",
            ],
        ),
        (read_said, ANSWER, {"schema": "questions.channel.v2"}, ["$.schema: one of questions.channel.v1"]),
        (read_reply, PRESENT, {"command__view__subject": {"plan": "a"}}, ["$.command.view.subject: not known"]),  # 118
        (
            read_reply,
            PRESENT,
            {"command__messages__0__partIndex": "0"},
            ["$.command.messages[0].partIndex: a whole number of 0 or more"],
        ),
        (read_launch, write_launch(LAUNCH), {"token": None}, ["$.token: missing"]),  # case 121
        (read_launch, write_launch(LAUNCH), {"schema": "wrong"}, ["$.schema: one of questions.channel.v1"]),
        (
            read_launch,
            write_launch(LAUNCH),
            {"allowedUserIds": [], "token": "", "key": "s3cret"},
            [
                "$.token: must not be blank",
                "$.allowedUserIds: must not be empty",
                "$.key: 64 lower-case hexadecimal digits",
            ],
        ),
    ],
)
def test_every_fault_is_told_with_its_path(read, line, changes, faults):
    with pytest.raises(InvalidRecord) as error:
        read(changed(line, **changes))
    assert list(error.value.faults) == faults


@pytest.mark.parametrize("line", [b"", b"[]", b"nonsense s3cret", b'{"type":[]}', b'{"a":1,"a":2}', b"\xff\xfe{}"])
@pytest.mark.parametrize("read", [read_said, read_reply, read_launch])
def test_what_is_no_message_is_refused_and_not_quoted(read, line):
    with pytest.raises(InvalidRecord) as error:
        read(line)
    assert "s3cret" not in str(error.value)


def test_the_documents_show_the_fields_that_there_are():
    page = text_of(ROOT / "docs" / "channels.md")
    blocks = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", page, re.M | re.S)]
    written = [write_launch(LAUNCH), write_reply(REPLIES[6])]
    assert [set(block) for block in blocks] == [set(json.loads(line)) for line in written]
    lines = [json.loads(write_said(Said(HEAD, body))) for body in SAID]
    lines += [json.loads(write_reply(reply))["command"] or {} for reply in REPLIES]
    assert not [name for line in lines for name in [*line, line.get("type", "type")] if f"`{name}`" not in page]
