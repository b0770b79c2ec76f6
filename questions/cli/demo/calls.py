"""Tool calls, as coding agents hand them to a hook before a tool runs: one JSON object a line."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from .errors import BadToolCalls, Fault
from .hidden import has_hidden

__all__ = ["ToolCall", "load_calls"]

_LONGEST = {"session_id": 100, "tool_use_id": 100, "tool_name": 100, "cwd": 4_000}
_IDS = ("session_id", "tool_use_id")
_EVENT = "PreToolUse"


@attrs.frozen
class ToolCall:
    """One call that an agent wants to make. `id` is unique within `session`; `line` is where it was written.

    `input` is not in the `repr`: arguments hold secrets.
    """

    session: str
    id: str
    tool: str
    input: Mapping[str, Any] = attrs.field(repr=False)
    cwd: str
    line: int


def load_calls(data: bytes, file: str) -> tuple[ToolCall, ...]:
    """Every tool call in `data`, in order. `file` is only a name for messages; blank lines are skipped.

    Raises `BadToolCalls` with every fault of every line and with the lines that were good.
    """
    calls: list[ToolCall] = []
    faults: list[Fault] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            found = _read_line(line, number)
            calls.append(found) if isinstance(found, ToolCall) else faults.extend(found)
    if not calls and not faults:
        faults.append(Fault(0, "$", "no tool call in the whole file"))
    if faults:
        raise BadToolCalls(file, faults, calls)
    return tuple(calls)


def _read_line(line: bytes, number: int) -> ToolCall | list[Fault]:
    try:
        row = json.loads(line.decode(), object_pairs_hook=_distinct, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        return [Fault(number, "$", f"byte {error.start + 1} is not UTF-8")]
    except json.JSONDecodeError as error:
        return [Fault(number, "$", f"not JSON: {error.msg} at column {error.colno}")]
    except _Refused as error:
        return [Fault(number, "$", str(error))]
    except RecursionError:
        return [Fault(number, "$", "nested too deeply")]
    except ValueError:  # Python reads no whole number of more than some thousand digits
        return [Fault(number, "$", "a number with too many digits")]
    faults = [Fault(number, path, problem) for path, problem in _faults(row)]
    return faults or ToolCall(
        session=row["session_id"],
        id=row.get("tool_use_id", f"line-{number}"),
        tool=row["tool_name"],
        input=row["tool_input"],
        cwd=row["cwd"],
        line=number,
    )


class _Refused(ValueError):
    """JSON that Python would take and a careful reader should not."""


def _distinct(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    # Readers disagree on which of two equal keys counts: a person could be shown one command and another one run.
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Refused("the same key appears twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise _Refused(f"{name} is not a JSON number")


def _faults(row: object) -> Iterator[tuple[str, str]]:
    if not isinstance(row, dict):
        yield "$", f"an object, not {_kind(row)}"
        return
    for name in ("session_id", "tool_name", "cwd"):
        yield from _text_faults(row, name)
    if "tool_use_id" in row:
        yield from _text_faults(row, "tool_use_id")
    if row.get("hook_event_name") != _EVENT:
        yield "$.hook_event_name", f"missing, or something else than {_EVENT!r}"
    if not isinstance(row.get("tool_input"), dict):
        yield "$.tool_input", f"an object, not {_kind(row.get('tool_input'))}"
    if _has_lone_surrogate(row):
        yield "$", "half of a surrogate pair, which is not text"


def _text_faults(row: Mapping[str, object], name: str) -> Iterator[tuple[str, str]]:
    value, longest = row.get(name), _LONGEST[name]
    if not isinstance(value, str):
        yield f"$.{name}", f"text, not {_kind(value)}"
    elif not value.strip() or len(value) > longest:
        yield f"$.{name}", f"1 to {longest} characters, not blank"
    elif any(unicodedata.category(char) == "Cc" for char in value):
        yield f"$.{name}", "no control characters"
    elif name in _IDS and has_hidden(value):  # it names a scope or a key, which take none either
        yield f"$.{name}", "no characters that cannot be seen"


def _has_lone_surrogate(row: object) -> bool:
    return any(0xD800 <= ord(char) <= 0xDFFF for char in json.dumps(row, ensure_ascii=False))


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "a boolean", type(None): "nothing"}
    return names.get(type(value), "a number")
