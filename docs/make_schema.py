"""Writes docs/wire.schema.json: the JSON Schema of every message of a link, and of what questions put into them.

Read out of the structs and classes themselves, by msgspec. Run by `make docs`, checked by a test.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import attrs
import msgspec
from msgspec import UNSET, Raw, UnsetType

from docs.make_reference import find, members
from facets.link import messages
from facets.link.interface import Interface, Method
from facets.principal import Principal, Who
from questions.durable.live import LIVE_DECISIONS
from questions.durable.open_decision import ClosedDecision
from questions.durable.wire import ESCALATION, OPTIONS, ShownDecision
from questions.gates.gate_wire import RESPONSE, ShownGate
from questions.gates.live_gates import LIVE_GATES
from questions.gates.open_gate import ClosedGate
from questions.policies import All, Answered, Collected, First, ForeignPolicy, Policy, Quorum
from questions.question import Confirm, Option, Question, Select, Text
from questions.remote.faces import QUESTIONS
from questions.remote.wire import AUDIENCE, RESULT, ShownAsk, ShownQuestion
from questions.reports import ClosedQuestion
from questions.rooms.policy import Mechanism
from questions.rooms.tallied import Tallied
from questions.scopes import OwnerScope, Scope, SessionScope

REQUESTS: tuple[type[Any], ...] = typing.get_args(messages.Request)
REPLIES: tuple[type[Any], ...] = typing.get_args(messages.Reply)
TAGGED = {**dict.fromkeys((Text, Select, Confirm, First, Quorum, All, Mechanism, ForeignPolicy), "kind")}
TAGS = {ForeignPolicy: "foreign"}
VALUES = (ShownQuestion, ShownAsk, ClosedQuestion, Answered, Collected, Tallied, Option, SessionScope, OwnerScope)
DECIDED = (ShownDecision, ClosedDecision, ShownGate, ClosedGate)

# What several classes can stand for, and what the classes alone do not say.
UNIONS = {
    "Request": REQUESTS,
    "Reply": REPLIES,
    "Question": (Text, Select, Confirm),
    "Policy": (First, Quorum, All, Mechanism),
    "ShownPolicy": (First, Quorum, All, Mechanism, ForeignPolicy),
    "Scope": (SessionScope, OwnerScope),
    "Result": (Answered, Collected, Tallied),
}
LOOSE = {("ShownQuestion", "scope"): "Scope", ("ShownQuestion", "question"): "Question"}
LOOSE[("ShownQuestion", "policy")] = "ShownPolicy"
NAMES: list[tuple[Any, str]] = [
    (Question[Any], "Question"),
    (Policy, "Policy"),
    (Scope, "Scope"),
    (AUDIENCE, "Audience"),
    (RESULT, "Result"),
]

Json = dict[str, Any]


def ref(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}


def on_the_wire(hint: Any) -> Any:
    """A type as JSON has it: names flat, datetimes as numbers, and what is passed on as it came is anything."""
    plain = {Who: messages.Named, Raw: Any, datetime: float, UnsetType: UnsetType}
    if hint in plain:
        return plain[hint]
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (tuple, list, Sequence):
        return list[on_the_wire(args[0])]  # type: ignore[misc]
    if hint is Option or origin is Answered:
        return shadow(origin or hint)
    return Any if isinstance(hint, typing.TypeVar) else hint


_shadows: dict[type[Any], Any] = {}


def shadow(kind: type[Any]) -> Any:
    """A struct with the fields that a class has on the wire."""
    if kind not in _shadows:
        tag = TAGGED.get(kind)
        options: Json = {"tag_field": tag, "tag": TAGS.get(kind, kind.__name__.lower())} if tag else {}
        if kind in REQUESTS + REPLIES:
            options = {"tag_field": "type", "tag": kind.__name__.lower()}
        _shadows[kind] = msgspec.defstruct(kind.__name__, list(fields_of(kind)), kw_only=True, **options)
    return _shadows[kind]


def fields_of(kind: type[Any]) -> Iterator[Any]:
    hints = typing.get_type_hints(kind, include_extras=True)
    if attrs.has(kind):
        for field in (field for field in attrs.fields(kind) if field.init):
            is_made = isinstance(field.default, attrs.Factory)  # type: ignore[arg-type]  # it is a class
            default = () if field.default is attrs.NOTHING else (field.default,)
            default = (msgspec.field(default_factory=dict),) if is_made else default
            yield (field.name, on_the_wire(hints[field.name]), *default)
        return
    for part in msgspec.structs.fields(kind):
        wire = on_the_wire(hints[part.name])
        if part.default is UNSET:
            yield part.name, Principal | UnsetType, msgspec.field(name=part.encode_name, default=UNSET)
        elif part.default_factory is not msgspec.NODEFAULT:
            yield part.name, wire, msgspec.field(default_factory=part.default_factory)
        elif part.default is not msgspec.NODEFAULT:
            yield part.name, wire, plain_default(part.default)
        else:
            yield part.name, wire


def plain_default(value: Any) -> Any:
    value = msgspec.json.decode(value) if type(value) is Raw else value
    return msgspec.field(default_factory=dict) if value == {} else list(value) if value == () else value


def definitions() -> dict[str, Json]:
    kinds = [*REQUESTS, *REPLIES, *TAGGED, *VALUES, *DECIDED]
    made = [Principal, messages.Named, *map(shadow, kinds)]
    _, found = msgspec.json.schema_components(made, ref_template="#/$defs/{name}")
    found = {name: described(name, schema) for name, schema in found.items()}
    for (name, field), target in LOOSE.items():
        found[name]["properties"][field] |= ref(target)
        del found[name]["properties"][field]["type"]
    found["Select"]["properties"]["options"] |= {"minItems": 1, "maxItems": 64}
    for name, parts in UNIONS.items():
        found[name] = {"oneOf": [ref(part.__name__) for part in parts]}
    kinds_present = {"present": {"type": "array", "items": found["Principal"]["properties"]["kind"]}}
    present = {"type": "object", "properties": kinds_present, "required": ["present"], "additionalProperties": False}
    found["Audience"] = {"oneOf": [{"type": "array", "items": ref("Principal")}, present]}
    return found | dict(arguments())


def described(name: str, schema: Json) -> Json:
    """With what the source says of the class and of its fields."""
    entry = find(HOMES.get(name, "questions"), name)
    schema |= {"description": " ".join(entry.doc.split())} if entry.doc else {}
    docs = {member.name: member.doc for member in members(entry.nodes[0])}  # type: ignore[arg-type]
    for field, its in schema.get("properties", {}).items():
        if doc := docs.get("principal" if field == "as" else field):
            its["description"] = " ".join(doc.split())
    return schema


HOMES: dict[str, str] = dict.fromkeys([kind.__name__ for kind in REQUESTS + REPLIES], "facets.link.messages")
HOMES |= {
    "Named": "facets.link.messages",
    "ShownQuestion": "questions.remote.wire",
    "ShownAsk": "questions.remote.wire",
    "ShownDecision": "questions.durable.wire",
    "ClosedDecision": "questions.durable.open_decision",
    "ShownGate": "questions.gates.gate_wire",
    "ShownDocument": "questions.gates.gate_wire",
    "ClosedGate": "questions.gates.open_gate",
    "Principal": "facets.principal",
    "Mechanism": "questions.rooms.policy",
    "Tallied": "questions.rooms.tallied",
}


INTERFACES: tuple[Interface, ...] = (QUESTIONS, LIVE_DECISIONS, LIVE_GATES)


def arguments() -> Iterator[tuple[str, Json]]:
    """What each method takes, out of its declaration."""
    for interface in INTERFACES:
        for face in interface.faces:
            for method in face.methods.values():
                yield f"{interface.name}.{method.name}", arguments_of(method)


def arguments_of(method: Method) -> Json:
    return {
        "type": "object",
        "properties": {one.name: schema_of(one.hint) for one in method.parameters},
        "required": [one.name for one in method.parameters if one.required],
        "additionalProperties": False,
    }


ESCALATED: Json = {
    "type": ["object", "null"],
    "properties": {
        "chain": {"type": "array", "items": {"type": "string"}},
        "hop_timeout_ms": {"type": "number"},
        "on_final": {"enum": ["cancel", "default"]},
    },
    "additionalProperties": False,
}


GIVEN: Json = {
    "type": "object",
    "properties": {
        "choice": {"type": "string"},
        "input": {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1, "maxProperties": 1},
    },
    "required": ["choice"],
    "additionalProperties": False,
}


def schema_of(hint: Any) -> Json:
    if hint == RESPONSE:
        return GIVEN
    if hint == OPTIONS:
        return {"anyOf": [{"type": "array", "items": ref("Option")}, {"type": "null"}]}
    if hint == ESCALATION:
        return ESCALATED
    for known, name in NAMES:
        if hint == known:
            return ref(name)
    if hint == Principal | None:
        return {"anyOf": [ref("Principal"), {"type": "null"}]}
    if hint == datetime | None:
        return {"type": ["number", "null"], "description": "Epoch seconds."}
    return msgspec.json.schema(hint)


def as_message(definition: Mapping[str, Json]) -> Json:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A message of {messages.SUBPROTOCOL}",
        "description": "Written by `make docs`; edit the code instead. Fields that are not known are to be ignored.",
        "oneOf": [ref("Request"), ref("Reply")],
        "$defs": dict(definition),
    }


def schema() -> Json:
    return as_message(definitions())


def page() -> str:
    """docs/wire.schema.json."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
