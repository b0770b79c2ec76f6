"""Errors as they go over a link, and back: by `code`, with their attributes."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import msgspec
from cattrs import Converter

from facets.errors import FacetError, InternalError, InvalidMessage, RemoteError, Retryable

from .conversion import make_converter, plain
from .messages import Goodbye, Refused

__all__ = ["error_of", "fault_of_frame", "goodbye", "refusal"]

_converter: Converter = make_converter()
_INTERNAL = InternalError()


def refusal(id: int, error: Exception) -> Refused:
    """What refuses message `id`. Of an error that is not one of ours only that there was one is told."""
    if isinstance(error, RemoteError):  # passed on as it came
        return Refused(id, error.name, error.message, error.data, error.retryable)
    told = error if isinstance(error, FacetError) else _INTERNAL
    return Refused(id, told.code, str(told), _attributes(told), isinstance(told, Retryable))


def goodbye(error: FacetError) -> Goodbye:
    """The last message to a peer that is sent away."""
    return Goodbye(error.code, str(error), isinstance(error, Retryable))


def fault_of_frame(error: msgspec.DecodeError) -> InvalidMessage:
    """A frame that is no message. The fault is in msgspec's words, which name the place and the type, and no value."""
    words, _, place = str(error).rpartition(" - at `")
    return InvalidMessage([f"{place.removesuffix('`')}: {words}" if words else f"$: {error}"])


def error_of(refused: Refused | Goodbye) -> Exception:
    """The error that a refusal tells of, to raise: of the class that has its code, else a `RemoteError`."""
    kind = _by_code().get(refused.code)
    data = getattr(refused, "data", None)
    if kind is not None:
        try:
            return kind(*_arguments(kind, data or {}))
        except Exception:  # an attribute less or more, from another version: the words and the code are still right
            pass
    return RemoteError(refused.code, refused.message, data, refused.retryable)


def _attributes(error: FacetError) -> dict[str, Any] | None:
    if not attrs.has(type(error)):
        return None
    kind: Any = type(error)
    return {field.name: plain(getattr(error, field.name)) for field in attrs.fields(kind) if field.init} or None


def _arguments(kind: type[Any], data: Mapping[str, Any]) -> Iterator[Any]:
    if not attrs.has(kind):
        return
    hints = typing.get_type_hints(kind)
    for field in attrs.fields(kind):
        if field.init:
            yield _converter.structure(data[field.name], hints[field.name])


_known: dict[str, type[FacetError]] = {}


def _by_code() -> Mapping[str, type[FacetError]]:
    """The classes of errors by code: those that are imported by now."""
    found = list(_descendants(FacetError))
    if len(found) != len(_known):
        _known.update((kind.code, kind) for kind in found)
    return _known


def _descendants(kind: type[FacetError]) -> Iterator[type[FacetError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _descendants(below)
