"""Everything that a peer must not send, and what it gets for it: tables for test_abuse.py.

A row: a name, what is sent after `hello` and after object 1, a viewer of alice's, was got; and the code of the refusal,
or the code of the close frame.
"""

from tests.link.frames import BINARY, CLOSE, CONTINUATION, PING, TEXT, frame_of

DEEP = 100_000
_NEST, _UNNEST = "[" * DEEP, "]" * DEEP


def _call(method="answer", args=None, **more):
    return {"type": "call", "id": 2, "object": 1, "method": method, "args": args or {"id": "q", "value": True}, **more}


def _get(kind="questions", input=None, **more):
    return {"type": "get", "id": 2, "kind": kind, "input": input or {"session": "s1"}, **more}


def _watch(readable="open", **more):
    return {"type": "watch", "id": 2, "object": 1, "readable": readable, **more}


def _with_id(id):
    return f'{{"type":"ping","id":{id}}}'


_NAMED = {"kind": "user", "id": "a", "name": "a"}
_REPLIES: dict[str, dict] = {
    "welcome": {"principal": _NAMED, "now": 1},
    "got": {"face": "viewer", "principal": _NAMED, "now": 1},
    "returned": {"value": 1},
    "refused": {},
    "cancelled": {},
    "snapshot": {"revision": 1, "value": {}, "now": 1},
    "difference": {"base": 1, "revision": 2, "now": 1},
    "unavailable": {},
    "ended": {},
    "pong": {"now": 1},
    "goodbye": {},
}

NO_MESSAGES = {
    "nothing": "",
    "half a message": '{"type":"get","id":2',
    "one and a half": _with_id(2) + "{",
    "two in a frame": _with_id(2) * 2,
    "no JSON": "GET / HTTP/1.1",
    "null": "null",
    "a list": "[]",
    "a number": "1e400",
    "not a number": "NaN",
    "a byte order mark": "\ufeff" + _with_id(2),
    "half a surrogate": '{"type":"call","id":2,"object":1,"method":"answer","args":{"id":"\\ud800","value":1}}',
    "no type": {"id": 2},
    "unknown type": {"type": "shutdown", "id": 2},
    "an unknown type of a megabyte": {"type": "x" * 1_000_000, "id": 2},
    "a field of a megabyte": {"type": "get", "id": 2, "kind": {"x" * 1_000_000: 1}},
    "a type that is no text": {"type": ["get"], "id": 2},
    "a list of one": {"type": "get", "id": [2]},
    "missing fields": {"type": "get", "id": 2},
    "a kind that is none": _get(kind=5),
    "a long kind": _get(kind="k" * 201),
    "an object that is text": _call(object="1"),
    "a large revision": _watch(revision=2**53),
    "a negative revision": _watch(revision=-2),
    "a revision of infinity": '{"type":"watch","id":2,"object":1,"readable":"open","revision":1e400}',
    "a principal that is none": _get(**{"as": {"kind": "god", "id": "x"}}),
    "a principal without an id": _get(**{"as": {"kind": "user"}}),
    "a second hello": {"type": "hello", "token": "user:bob"},
    "nested": _NEST + _UNNEST,
    "nested and open": _NEST,
    "nested objects": '{"a":' * DEEP,
    "nested in an unknown field": f'{{"type":"ping","id":2,"x":{_NEST}{_UNNEST}}}',
    "nested in an input": f'{{"type":"get","id":2,"kind":"questions","input":{_NEST}{_UNNEST}}}',
    "nested in arguments": f'{{"type":"call","id":2,"object":1,"method":"answer","args":{_NEST}{_UNNEST}}}',
    **{f"id {id}": _with_id(id) for id in ("0", "-1", '"2"', "1.5", "true", "null", 2**53, 2**70, "1e400", "-0")},
    **{
        f"a client's {kind}": {"type": kind, "id": 2, "why": "w", "code": "c", "message": "m", "epoch": "e", **more}
        for kind, more in _REPLIES.items()
    },
}
"""What is no message, or none for now: refused with `invalid_message`."""

_SHALLOW = 400

REFUSED = [
    ("a kind that is not offered", _get(kind="os"), "invalid_call"),
    ("a kind by its class", _get(kind="Questions"), "invalid_call"),
    ("an input that is none", _get(input=[1]), "invalid_call"),
    ("an input with more", _get(input={"session": "s1", "owner": "x"}), "invalid_call"),
    ("an input of another type", _get(input={"session": 5}), "invalid_call"),
    ("an input that is too large a number", '{"type":"get","id":2,"kind":"questions","input":1e400}', "invalid_call"),
    ("somebody else", _get(**{"as": {"kind": "user", "id": "bob"}}), "forbidden"),
    ("the host itself", _get(**{"as": {"kind": "server", "id": "host"}}), "forbidden"),
    ("an owner's scope", _get(input={"owner": {"kind": "user", "id": "bob"}}), None),
    ("an id again", {"type": "get", "id": 1, "kind": "questions"}, "invalid_message"),
    ("a call on no object", _call(object=7), "unknown_object"),
    ("a watch of no object", _watch(object=7), "unknown_object"),
    ("a call on itself", _call(object=2), "unknown_object"),
    ("a release of no object", {"type": "release", "object": 7}, "unknown_object"),
    ("an ask by a viewer", _call("ask"), "forbidden"),
    *((f"calling {name!r}", _call(name), "invalid_call") for name in (
        "", "release", "__class__", "__init__", "__init_subclass__", "_viewer", "open", "closed", "board",
        "answer_nowait", "answer.__call__", "Answer", "answer ", "\u202eanswer",
    )),
    *((f"watching {name!r}", _watch(name), "invalid_call") for name in (
        "", "answer", "__dict__", "__class__", "_viewer", "board", "open.value", "Open", "waiting",
    )),
    ("arguments in a list", _call(args=["q", True]), "invalid_call"),
    ("arguments that are text", _call(args="q"), "invalid_call"),
    ("an argument too many", _call(args={"id": "q", "value": True, "self": 1}), "invalid_call"),
    ("an argument too few", _call(args={"id": "q"}), "invalid_call"),
    ("an id of a number", _call(args={"id": 5, "value": True}), "invalid_call"),
    ("an id of a megabyte", _call(args={"id": "q" * 1_000_000, "value": True}), "unknown_question"),
    ("an answer of infinity", '{"type":"call","id":2,"object":1,"method":"answer","args":{"id":"q","value":1e400}}',
     "invalid_call"),
    ("no question", _call(), "unknown_question"),
    ("a nested answer", _call(args={"id": "q", "value": eval("[" * 90 + "]" * 90)}), "unknown_question"),
]  # fmt: skip
"""What is a message, and is not done."""

_MEGABYTE = 2**20
CLOSED = [
    ("a binary message", frame_of(b"{}", BINARY), 1003),
    ("invalid UTF-8", frame_of(b'{"type":"ping","id":2,"\xff\xfe":"\xc0\x80"}'), 1007),
    ("invalid UTF-8 inside arguments",
     frame_of(b'{"type":"call","id":2,"object":1,"method":"answer","args":{"id":"\xff"}}'), 1007),
    ("half a character", frame_of(b'{"type":"pi\xc3', is_final=False) + frame_of(b'ng","id":2}', CONTINUATION), 1007),
    ("a frame that is too long", frame_of(b" " * (_MEGABYTE + 1)), 1009),
    ("the head of a frame that is too long", frame_of(b" " * (_MEGABYTE + 1))[:14], 1009),
    ("a size of eight exabytes", b"\x81\xff" + b"\x7f" + b"\xff" * 7, 1009),
    ("a size with its first bit set", b"\x81\xff" + b"\xff" * 8, 1009),
    ("fragments that are too long together",
     frame_of(b" " * 600_000, is_final=False) + frame_of(b" " * 600_000, CONTINUATION, is_final=False), 1009),
    ("a compressed frame", frame_of("{}", reserved=4), 1002),
    ("other reserved bits", frame_of("{}", reserved=3), 1002),
    ("an opcode that there is not", frame_of("{}", opcode=3), 1002),
    ("a frame without a mask", frame_of("{}", mask=None), 1002),
    ("a continuation of nothing", frame_of("{}", CONTINUATION), 1002),
    ("a message inside another", frame_of("{", is_final=False) + frame_of("{}"), 1002),
    ("a fragmented ping", frame_of("x", PING, is_final=False), 1002),
    ("a long ping", frame_of("x" * 126, PING), 1002),
    ("a close of one byte", frame_of(b"\x03", CLOSE), 1002),
    ("a close with a code that is none", frame_of((999).to_bytes(2, "big"), CLOSE), 1002),
    ("a close whose reason is no text", frame_of(b"\x03\xe8\xff", CLOSE), 1007),
    ("a close", frame_of((1000).to_bytes(2, "big"), CLOSE), 1000),
]  # fmt: skip
"""Bytes that end the connection, and the code that it ends with."""

HARMLESS = [
    ("an answer in pieces", [frame_of('{"type":', is_final=False), frame_of('"ping","id":2}', CONTINUATION)]),
    ("one byte a fragment", [
        frame_of("{", is_final=False),
        *(frame_of(one, CONTINUATION, is_final=False) for one in '"type":"ping","id":2'),
        frame_of("}", CONTINUATION),
    ]),
    ("a hundred thousand empty fragments", [
        frame_of("", is_final=False),
        frame_of("", CONTINUATION, is_final=False) * 100_000,
        frame_of('{"type":"ping","id":2}', CONTINUATION),
    ]),
    ("pings between fragments", [
        frame_of('{"type":"ping",', is_final=False), frame_of("?", PING) * 5, frame_of('"id":2}', CONTINUATION)
    ]),
    ("an unknown field", [frame_of('{"type":"ping","id":2,"__proto__":{"x":1}}', TEXT)]),
    ("a field twice", [frame_of('{"type":"ping","id":1,"id":2}', TEXT)]),
    ("ten thousand websocket pings", [frame_of("x", PING) * 10_000, frame_of('{"type":"ping","id":2}')]),
    ("half a close", [frame_of('{"type":"ping","id":2}'), frame_of((1000).to_bytes(2, "big"), CLOSE)[:3]]),
    ("cancelling what is not there", [
        frame_of('{"type":"cancel","id":1}'), frame_of('{"type":"unwatch","id":1}'),
        frame_of('{"type":"ack","id":1,"revision":5}'), frame_of('{"type":"ping","id":2}'),
    ]),
]  # fmt: skip
"""Bytes that look odd and are answered all the same: with the `pong` 2."""
