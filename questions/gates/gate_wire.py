"""How open requests are written in JSON on links. See `docs/wire.md`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from cattrs import Converter
from msgspec import Raw

from facets.link.conversion import Misfit, make_converter, register_hooks
from facets.link.interface import Arrival
from facets.link.refusals import fault_of_frame
from questions.deadlines import Deadline

from .errors import IncompatibleState, InvalidRecord, PresentationAltered
from .open_gate import ClosedGate, OpenGate
from .responses import Response
from .view import read_view

__all__ = ["RESPONSE", "ShownDocument", "ShownGate", "age_of", "converter", "read_open_gate"]

RESPONSE: Any = Response | Mapping[str, Any]
"""An object with `choice`, and with `input` if that takes a text, on the wire."""


class ShownDocument(msgspec.Struct, frozen=True, gc=False):
    """A request as text, in parts that are shown in this order. See `Document`."""

    title: str
    summary: str
    blocks: list[str]
    deadline: str | None
    choices: list[str]
    fingerprint: str


class ShownGate(msgspec.Struct, frozen=True, gc=False):
    """An open request as those are shown it who may answer it."""

    id: str
    view: dict[str, Any]
    """What channels get of it: the record without its subject."""
    document: ShownDocument
    """The same as text: what every channel shows."""
    deadline: float | None
    """From when on it is too late; `deadline` less the frame's `now` is left. null: it waits for ever."""


_encode = msgspec.json.Encoder().encode


def _response(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Misfit('must be an object with "choice"')
    return value


def _response_to_wire(response: Any) -> Any:
    return response.as_json() if isinstance(response, Response) else dict(response)


def _written(one: OpenGate) -> Raw:
    """Encoded once for all who are shown it."""
    if "shown" not in one.written:
        one.written["shown"] = Raw(_encode(_shown(one)))
    found: Raw = one.written["shown"]
    return found


def _shown(one: OpenGate) -> ShownGate:
    text, deadline = one.document, one.deadline
    parts = text.title, text.summary, list(text.blocks), text.deadline, list(text.choices), text.fingerprint
    until = None if deadline is None else deadline.timestamp()
    return ShownGate(one.id, one.view.as_json(), ShownDocument(*parts), until)


def read_open_gate(given: Any, arrival: Arrival) -> OpenGate:
    """An open request as it has come, with its deadline on this process's clock. Raises `InvalidRecord`."""
    try:
        shown = msgspec.convert(given, ShownGate)
        view = read_view(shown.view)
    except msgspec.ValidationError as error:
        raise InvalidRecord(fault_of_frame(error).faults) from None
    except (InvalidRecord, IncompatibleState, PresentationAltered) as error:
        raise InvalidRecord([f"$.view: {error}"]) from None
    deadline = None
    if shown.deadline is not None:
        deadline = Deadline(arrival.at + shown.deadline - arrival.sent, shown.deadline)
    return OpenGate(view, deadline, arrival.clock)


def age_of(one: OpenGate) -> tuple[int, str]:
    """What open requests are ordered by: the oldest first."""
    return one.view.created_at, one.id


def _make_converter() -> Converter:
    made = make_converter()
    structure = {RESPONSE: _response, ClosedGate: lambda value: msgspec.convert(value, ClosedGate)}
    unstructure = {RESPONSE: _response_to_wire, OpenGate: _written, ClosedGate: msgspec.to_builtins}
    register_hooks(made, structure, unstructure)
    return made


converter = _make_converter()
"""What structures and writes everything of gates."""
