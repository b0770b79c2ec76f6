"""Writes the tables of docs/wire.md, out of the code and of the frames in tests/data; the prose around them stays.

A table stands between `<!-- make docs: NAME -->` and `<!-- end -->`. Run by `make docs`, checked by a test.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from docs.make_reference import find, members
from docs.make_schema import REPLIES, REQUESTS, Json, definitions
from docs.make_schema import page as schema_page
from facets.errors import FacetError, Retryable
from facets.link.interface import Face, Interface
from facets.link.limits import LinkLimits
from facets.link.session import _STEPS, SessionState
from questions.durable.live import LIVE_DECISIONS
from questions.gates.live_gates import LIVE_GATES
from questions.remote.faces import QUESTIONS

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 112
VALUES = "Principal Named Text Select Option Confirm First Quorum All Mechanism ForeignPolicy".split()
VALUES += "SessionScope OwnerScope".split()
VALUES += "ShownQuestion ShownAsk ClosedQuestion Answered Collected Tallied ShownDecision ClosedDecision".split()
VALUES += "ShownGate ShownDocument ClosedGate".split()
REGION = re.compile(r"(<!-- make docs: (\w+) -->\n).*?(<!-- end -->)", re.S)


def data(name: str) -> Any:
    return json.loads((ROOT / "tests" / "data" / name).read_text(encoding="utf-8"))


def laid_out(value: Any, indent: str = "", room: int = WIDTH) -> str:
    """JSON on one line if it fits, else a member a line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= room or not isinstance(value, dict | list) or not value:
        return line
    inner = indent + "  "
    if isinstance(value, list):
        parts, ends = [laid_out(one, inner, room) for one in value], "[]"
    else:
        parts, ends = [f"{json.dumps(key)}: {laid_out(one, inner, room)}" for key, one in value.items()], "{}"
    body = f",\n{inner}".join(parts)
    return f"{ends[0]}\n{inner}{body}\n{indent}{ends[1]}"


def row(*cells: object) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def table(*heads: str) -> list[str]:
    return [row(*heads), row(*["---"] * len(heads))]


def kind_of(schema: Json) -> str:
    """The type of a field in words."""
    if "$ref" in schema:
        name = schema["$ref"].split("/")[-1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema or "oneOf" in schema:
        return " or ".join(kind_of(one) for one in schema.get("anyOf") or schema["oneOf"])
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(one)}`" for one in schema["enum"])
    kind = schema.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array" and "items" in schema:
        return f"list of {kind_of(schema['items'])}"
    inside = [f"`{name}`: {kind_of(its)}" for name, its in schema.get("properties", {}).items()]
    return f"object with {', '.join(inside)}" if inside else str(kind)


def field_rows(schema: Json) -> Iterator[str]:
    for name, its in schema["properties"].items():
        written = f"`{json.dumps(its['default'])}`" if "default" in its else "none"
        default = "required" if name in schema["required"] else written
        if name != "type":
            yield row(f"`{name}`", kind_of(its), default, its.get("description", ""))


def described(name: str, heading: str, schema: Json) -> Iterator[str]:
    yield from (f"{heading} {name}", "", schema.get("description", ""), "")
    yield from (*table("field", "type", "default", "what"), *field_rows(schema), "")


def messages() -> Iterator[str]:
    schemas, examples = definitions(), data("frames.json")
    for kind in REQUESTS + REPLIES:
        word = kind.__name__.lower()
        its = [one for one in examples if one["frame"]["type"] == word]
        ways = dict.fromkeys(f"{one['from']} → {one['to']}" for one in its)
        says = f"{schemas[kind.__name__]['description']} *{', '.join(ways)}*"
        yield from described(f"`{word}`", "###", schemas[kind.__name__] | {"description": says})
        for one in its:
            yield from (f"{one['about']}", "", "```json", laid_out(one["frame"]), "```", "")


def values() -> Iterator[str]:
    schemas = definitions()
    for name in ("Question", "Policy", "ShownPolicy", "Scope", "Result", "Audience"):
        yield from (f"### {name}", "", f"{kind_of(schemas[name])}.", "")
    for name in VALUES:
        yield from described(name, "###", schemas[name])


def conversation() -> Iterator[str]:
    yield "```text"
    for step in data("conversation.json"):
        if step.get("about"):
            yield f"# {step['about']}"
        if "dials" in step:
            yield f"{step['who']}: connects"
        else:
            arrow = "→" if "sends" in step else "←"
            yield f"{step['who']} {arrow} {laid_out(step.get('sends', step.get('gets')))}"
        yield ""
    yield "```"


def limits() -> Iterator[str]:
    yield from table("limit", "default", "what")
    node = find("facets.link.limits", "LinkLimits").nodes[0]
    for field in members(node):  # type: ignore[arg-type]
        yield row(f"`{field.name}`", f"{getattr(LinkLimits(), field.name):,}", " ".join(field.doc.split()))


def refusals() -> Iterator[str]:
    examples = [one["frame"] for one in data("frames.json") if one["frame"]["type"] in ("refused", "goodbye")]
    yield from table("code", "may be asked again", "data", "what")
    for code in sorted({frame["code"] for frame in examples}):
        kind = next(one for one in below(FacetError) if one.code == code)
        told: Json = next((frame["data"] for frame in examples if frame["code"] == code and "data" in frame), {})
        again = "yes" if issubclass(kind, Retryable) else "no"
        yield row(f"`{code}`", again, ", ".join(f"`{name}`" for name in told), first_line(kind))


def below(kind: type[FacetError]) -> Iterator[type[FacetError]]:
    yield kind
    for one in kind.__subclasses__():
        yield from below(one)


def first_line(kind: type[FacetError]) -> str:
    return " ".join((kind.__doc__ or "").split("\n\n")[0].split())


def states() -> Iterator[str]:
    yield from table("message", *(state.value for state in SessionState))
    for kind in REQUESTS:
        cells = ["taken" if kind in _STEPS[state] else OTHERWISE[state] for state in SessionState]
        yield row(f"`{kind.__name__.lower()}`", *cells)
    yield row("a reply", *(OTHERWISE[state] for state in SessionState))
    yield row("a reply of a worker", *((OTHERWISE | {SessionState.OPEN: "taken"})[state] for state in SessionState))


OTHERWISE = {
    SessionState.GREETING: "`goodbye`, and the connection is closed",
    SessionState.OPEN: "`refused`, `invalid_message`",
    SessionState.CLOSED: "ignored",
}


def questions() -> Iterator[str]:
    yield from (f"Kind `{QUESTIONS.name}`; input: {kind_of({'$ref': '#/$defs/Scope'})}.", "")
    for face in QUESTIONS.faces:
        yield from (f"### The face `{face.name}`", "", *offered(QUESTIONS, face))


def decisions() -> Iterator[str]:
    yield from (f"Kind `{LIVE_DECISIONS.name}`; input: null, or the name of the call that a program acts in.", "")
    for face in LIVE_DECISIONS.faces:
        yield from offered(LIVE_DECISIONS, face)


def gates() -> Iterator[str]:
    yield from (f"Kind `{LIVE_GATES.name}`; input: null.", "")
    for face in LIVE_GATES.faces:
        yield from offered(LIVE_GATES, face)


def offered(interface: Interface, face: Face) -> Iterator[str]:
    schemas = definitions()
    for method in face.methods.values():
        takes = schemas[f"{interface.name}.{method.name}"]["properties"]
        yield from (f"Method `{method.name}`, returns {RETURNS[interface.name, method.name]}.", "")
        yield from table("argument", "type", "default")
        for one in method.parameters:
            default = method.signature.parameters[one.name].default
            shown = "required" if one.required else f"`{as_json(default)}`"
            yield row(f"`{one.name}`", kind_of(takes[one.name]), shown)
        yield ""
    for readable in face.readables.values():
        yield from (f"Readable `{readable.name}`: {SHOWS[interface.name, readable.name]}.", "")


ASKED = "the id of the question that you have asked with a key in this scope, the last one, or null"
DECIDED = "the record as it stands then, with its `version`"
RETURNS = {
    ("questions", "ask"): "[Result](#result)",
    ("questions", "asked"): ASKED,
    ("questions", "withdraw"): "true if the durable question with that key was open until then",
    ("questions", "answer"): "nothing",
    **{("decisions", name): DECIDED for name in ("raise_decision", "get", "answer", "escalate", "cancel")},
    ("gates", "answer"): "[ClosedGate](#closedgate): what was chosen",
    ("decisions", "list"): "a list of records, newest first",
    ("decisions", "wait"): "the record once it has ended, or as it stands when `timeout_ms` have passed",
}
SHOWS = {
    ("questions", "asking"): "a mapping of [ShownAsk](#shownask) by id: the questions that you ask in this scope",
    ("questions", "open"): "a mapping of [ShownQuestion](#shownquestion) by id",
    ("questions", "closed"): "a mapping of id to [ClosedQuestion](#closedquestion), oldest first",
    (
        "decisions",
        "open",
    ): "a mapping of [ShownDecision](#showndecision) by id: what you hold or have raised",
    ("gates", "open"): "a mapping of [ShownGate](#showngate) by id: what you may answer",
    ("gates", "closed"): "a mapping of id to [ClosedGate](#closedgate): the last 100 that have left `open`",
    ("decisions", "closed"): "a mapping of id to [ClosedDecision](#closeddecision): the last 100 that have left `open`",
}


def as_json(default: Any) -> str:
    written = QUESTIONS.converter.unstructure(default)
    return json.dumps(written)


REGIONS: dict[str, Callable[[], Iterator[str]]] = {
    one.__name__: one for one in (messages, values, conversation, limits, refusals, states, questions, decisions, gates)
}


def page() -> str:
    """docs/wire.md, with its tables written anew."""
    text = (ROOT / "docs" / "wire.md").read_text(encoding="utf-8")
    return REGION.sub(lambda found: f"{found[1]}\n{filled(found[2])}\n{found[3]}", text)


def filled(name: str) -> str:
    return "\n".join(REGIONS[name]()).rstrip("\n") + "\n"


PAGES = {"wire.md": page, "wire.schema.json": schema_page}


def main() -> int:
    for name, make in PAGES.items():
        (ROOT / "docs" / name).write_text(make(), encoding="utf-8")
        print(f"wrote docs/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
