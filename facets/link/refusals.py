"""Errors as they go over a link, and back: by `code`, with their attributes."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import attrs
import msgspec
from cattrs import Converter

from facets.errors import FacetError, InternalError, InvalidMessage, RemoteError, Retryable

from .conversion import make_converter, plain
from .messages import Goodbye, Refused, encode_value

__all__ = ["error_of", "fault_in", "fault_of_frame", "goodbye", "refusal"]

E = TypeVar("E", bound=Exception)
_MOST_FAULTS, _LONGEST_FAULT = 20, 200
"""Told of one message: who sends a megabyte of faults is not sent two of them back."""
_LONGEST_WORDS, _MOST_DATA = 10_000, 2**16
"""Code points of the words of an error, and bytes of its attributes: a refusal fits into any frame."""

_converter: Converter = make_converter()
_INTERNAL = InternalError()


def refusal(id: int, error: Exception) -> Refused:
    """What refuses message `id`. Of an error that is not one of ours only that there was one is told."""
    if isinstance(error, RemoteError):  # passed on as it came
        return Refused(id, error.name, error.message, error.data, error.retryable)
    told = error if isinstance(error, FacetError) and fault_in(error) is None else _INTERNAL
    told = _shortened(told)
    return Refused(id, told.code, _words(told), _attributes(told), isinstance(told, Retryable))


def fault_in(error: FacetError) -> Exception | None:
    """What goes wrong when an error is asked what it is, as one of a facet's own may be; None: nothing does."""
    try:
        told = _shortened(error)
        _words(told), _attributes(told)
    except Exception as broken:
        return broken
    return None


def goodbye(error: FacetError) -> Goodbye:
    """The last message to a peer that is sent away."""
    error = _shortened(error)
    return Goodbye(error.code, _words(error), isinstance(error, Retryable))


def _words(error: FacetError) -> str:
    return str(error)[:_LONGEST_WORDS].encode("utf-8", "backslashreplace").decode()  # JSON has no lone surrogates


def fault_of_frame(error: msgspec.DecodeError) -> InvalidMessage:
    """A frame that is no message. The fault is in msgspec's words, which name the place and the type, and no value."""
    words, _, place = str(error).rpartition(" - at `")
    return InvalidMessage([f"{place.removesuffix('`')}: {words}" if words else f"$: {error}"])


def _shortened(error: E) -> E:
    given: Any = error
    faults = getattr(error, "faults", None)
    if not isinstance(faults, list | tuple) or not attrs.has(type(error)):
        return error
    told = [str(fault)[:_LONGEST_FAULT] for fault in faults[:_MOST_FAULTS]]
    more = len(faults) - len(told)
    shortened: E = attrs.evolve(given, faults=[*told, f"$: and {more} more"] if more else told)
    return shortened


def error_of(refused: Refused | Goodbye) -> Exception:
    """The error that a refusal tells of, to raise: of the class that has its code, else a `RemoteError`."""
    kind = _class_of(refused.code)
    data = getattr(refused, "data", None)
    if kind is not None:
        try:
            return _made(kind, refused.message, data or {})
        except Exception:  # an attribute less or more, from another version: the words and the code are still right
            pass
    return RemoteError(refused.code, refused.message, data, refused.retryable)


def _made(kind: Callable[..., Exception], message: str, data: Mapping[str, Any]) -> Exception:
    if hasattr(kind, "__attrs_attrs__"):
        return kind(*_arguments(kind, data))
    error = kind(message)  # one without attributes, whose words are all that it has
    if str(error) != message:
        raise ValueError("its words are not its only argument")
    return error


def _attributes(error: FacetError) -> dict[str, Any] | None:
    kind: Any = type(error)
    if not attrs.has(kind):
        return None
    try:
        found = {field.name: plain(getattr(error, field.name)) for field in attrs.fields(kind) if field.init}
        fits = len(encode_value(found)) <= _MOST_DATA
    except Exception:  # an attribute that JSON has no words for: its code and its own words are told all the same
        return None
    return found if found and fits else None


def _arguments(kind: Any, data: Mapping[str, Any]) -> Iterator[Any]:
    hints = typing.get_type_hints(kind)
    for field in attrs.fields(kind):
        if field.init:
            yield _converter.structure(data[field.name], hints[field.name])


_known: dict[str, type[FacetError]] = {}


def _class_of(code: str) -> type[FacetError] | None:
    """The class of errors with this code, of those that are imported by now; of two, the one that came first."""
    if code not in _known:
        for kind in _descendants(FacetError):
            _known.setdefault(kind.code, kind)
    return _known.get(code)


def _descendants(kind: type[FacetError]) -> Iterator[type[FacetError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _descendants(below)
