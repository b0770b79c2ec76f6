"""The frames that the documents show, tests/data/frames.json: decoded, encoded, and held against the schema."""

import json
import typing

import msgspec
import pytest
from jsonschema import Draft202012Validator

from docs.make_schema import schema
from facets.link import messages
from tests.link.schema import EXAMPLES, assert_valid, validator

KINDS = {kind.__name__.lower(): kind for kind in typing.get_args(messages.Message)}

every_frame = pytest.mark.parametrize("example", EXAMPLES, ids=[one["name"] for one in EXAMPLES])


def text_of(example):
    return json.dumps(example["frame"])


def test_the_schema_is_one():
    Draft202012Validator.check_schema(schema())


def test_every_message_has_an_example():
    assert {one["frame"]["type"] for one in EXAMPLES} == set(KINDS)


def test_every_name_is_used_once():
    assert len({one["name"] for one in EXAMPLES}) == len(EXAMPLES)


@every_frame
def test_a_frame_is_decoded_as_its_class_and_encoded_as_it_was(example):
    message = messages.decode(text_of(example))
    assert type(message).__name__.removeprefix("Raw") == KINDS[example["frame"]["type"]].__name__
    assert json.loads(messages.encode(message)) == example["frame"]


@every_frame
def test_a_frame_is_what_the_class_of_its_sender_encodes(example):
    sent = msgspec.json.decode(text_of(example), type=KINDS[example["frame"]["type"]])
    assert json.loads(messages.encode(sent)) == example["frame"]


@every_frame
def test_a_frame_is_valid_by_the_schema(example):
    assert_valid(example["frame"])


@every_frame
def test_a_frame_goes_the_way_that_it_is_said_to_go(example):
    is_request = KINDS[example["frame"]["type"]] in typing.get_args(messages.Request)
    ways = [("client", "server"), ("worker", "server"), ("server", "worker")] if is_request else [("server", "client")]
    if example["frame"]["type"] == "welcome":
        ways.append(("server", "worker"))
    assert (example["from"], example["to"]) in ways


def values():
    """(what the schema calls it, the value) for whatever of questions stands in the frames."""
    for one in (example["frame"] for example in EXAMPLES):
        if one["type"] == "call" and one["method"] in ("ask", "answer"):
            yield f"questions.{one['method']}", one["args"]
        if one["type"] == "returned" and "value" in one:
            yield "Result", one["value"]
        if one["type"] in ("snapshot", "difference") and not isinstance(one.get("value"), list):
            for shown in (one.get("value") or one.get("put") or {}).values():
                yield ("ClosedQuestion" if "how" in shown else "ShownQuestion"), shown


@pytest.mark.parametrize(("name", "value"), list(values()))
def test_a_value_of_questions_is_valid_by_the_schema(name, value):
    assert_valid(value, name)


def test_every_kind_of_question_and_policy_is_shown():
    shown = [value for name, value in values() if name == "ShownQuestion"]
    assert {one["question"]["kind"] for one in shown} == {"text", "select", "confirm"}
    assert {one["policy"]["kind"] for one in shown} == {"first", "quorum", "all"}


@pytest.mark.parametrize("type", KINDS)
def test_the_schema_refuses_a_message_without_what_it_needs(type):
    assert not validator().is_valid({"type": type})


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "cancel", "id": 0},
        {"type": "cancel", "id": 2**53},
        {"type": "cancel", "id": "1"},
        {"type": "hello", "token": "x" * 8193},
        {"type": "hello", "token": "x", "nonce": "n" * 201},
        {"type": "ack", "id": 1, "revision": -2},
        {"type": "get", "id": 1, "kind": "questions", "as": {"kind": "king", "id": "ana"}},
        {"type": "nothing", "id": 1},
        {"id": 1},
        [],
    ],
)
def test_what_the_schema_refuses_is_no_message(frame):
    assert not validator().is_valid(frame)
    with pytest.raises(msgspec.DecodeError):
        messages.decode(json.dumps(frame))


def test_a_field_that_is_not_known_is_passed_over():
    frame = {"type": "cancel", "id": 5, "later": {"added": True}}
    assert_valid(frame)
    assert messages.decode(json.dumps(frame)) == messages.Cancel(5)


@pytest.mark.parametrize(
    ("frame", "id"),
    [
        ('{"type":"call","id":7}', 7),
        ('{"type":"call"}', 0),
        ('{"id":"7"}', 0),
        ('{"id":-1}', 0),
        ('{"id":9007199254740992}', 0),
        ("7", 0),
        ("{", 0),
        ("[" * 100_000, 0),
    ],
)
def test_the_id_of_a_frame_that_is_no_message_is_found_if_it_has_one(frame, id):
    assert messages.id_of(frame) == id


@pytest.mark.parametrize("frame", ["", "{", "7", '"hello"', "[" * 100_000, '{"type":"call","id":1,"object":1}'])
def test_what_is_no_message_is_told_by_one_error(frame):
    with pytest.raises(msgspec.DecodeError):
        messages.decode(frame)


def test_a_principal_that_cannot_be_is_told_with_its_path():
    with pytest.raises(msgspec.DecodeError, match=r"at `\$\.as`"):
        messages.decode('{"type":"get","id":1,"kind":"questions","as":{"kind":"user","id":""}}')
