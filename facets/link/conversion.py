"""Between what a frame carries and the types of the program: strict on the way in, and every fault with its path."""

from __future__ import annotations

import base64
import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence, MutableSet, Sequence, Set
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from itertools import repeat
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import msgspec
from cattrs import AttributeValidationNote, Converter, IterableValidationNote
from cattrs.errors import ForbiddenExtraKeysError

from facets.errors import FacetError
from facets.principal import Principal, Who

__all__ = ["Misfit", "faults_of", "is_known", "make_converter", "plain", "register_hooks"]


class Misfit(ValueError):
    """A value that is not what it must be; its text says what that is, and never quotes the value."""


def make_converter() -> Converter:
    """A converter that takes JSON values as they are: no number becomes a text, no text a number.

    Knows principals (`{"kind", "id"}`), names (`{"kind", "id", "name"}`) and datetimes (epoch seconds); register hooks
    for what your own objects take and give. A hook may raise `Misfit`, or a `FacetError` with `faults`.
    """
    converter = Converter(forbid_extra_keys=True)
    for kind in (str, bool, int, NoneType):
        converter.register_structure_hook(kind, _exactly(kind))
    converter.register_structure_hook_func(lambda kind: kind is dict, _exactly(dict))  # not for typed ones
    converter.register_structure_hook(bytes, _bytes)
    converter.register_structure_hook(float, _number)
    converter.register_structure_hook(Principal, _principal)
    converter.register_structure_hook(Who, _who)
    converter.register_structure_hook(datetime, _instant)
    for shown in (Who, Principal, datetime):
        converter.register_unstructure_hook(shown, plain)
    converter.register_structure_hook_factory(_is_literal, _literal)
    converter.register_structure_hook_factory(_is_sequence, lambda kind: _sequence(converter, kind))
    return converter


def register_hooks(
    converter: Converter,
    structure: Mapping[Any, Callable[[Any], Any]],
    unstructure: Mapping[Any, Callable[[Any], Any]],
) -> None:
    """Have a converter take and give values of these very types, which need not be classes, by functions of a value."""
    for kind, hook in structure.items():
        converter.register_structure_hook_func(partial(operator.eq, kind), _ignoring_the_type(hook))
    for kind, hook in unstructure.items():
        converter.register_unstructure_hook_func(partial(operator.eq, kind), hook)


def _ignoring_the_type(hook: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda value, _: hook(value)


def plain(value: Any) -> Any:
    """A value as what frames carry: names flat, datetimes as epoch seconds; all else as msgspec encodes it."""
    if isinstance(value, Who):
        return {"kind": value.principal.kind, "id": value.principal.id, "name": value.name}
    if isinstance(value, datetime):
        return value.timestamp()
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return msgspec.to_builtins(value)


_WORDS = {str: "text", bool: "true or false", int: "a whole number", NoneType: "null", dict: "an object"}


def _exactly(kind: type[Any]) -> Callable[[Any, Any], Any]:
    def structure(value: Any, target: Any) -> Any:
        if type(value) is not kind:
            raise Misfit(f"must be {_WORDS[kind]}")
        return _made(value, kind, target)

    return structure


def _made(value: Any, kind: type[Any], target: Any) -> Any:
    """A value as its declared type, which may be below that of the value: an enumeration takes only its own."""
    return value if target is kind or not isinstance(target, type) else target(value)


def _bytes(value: Any, _: Any) -> bytes:
    try:
        return base64.b64decode(_exactly(str)(value, None), validate=True)
    except ValueError:  # of which a Misfit is one
        raise Misfit("must be bytes, as a text in base64") from None


def _number(value: Any, target: Any) -> float:
    if type(value) not in (int, float):
        raise Misfit("must be a number")
    try:
        number = float(value)
    except OverflowError:
        raise Misfit("is too large a number") from None
    return _made(number, float, target)  # type: ignore[no-any-return]


def _instant(value: Any, _: Any) -> datetime:
    try:
        return datetime.fromtimestamp(_number(value, None), UTC)
    except (OverflowError, OSError, ValueError):
        raise Misfit("must be epoch seconds, of a year from 1 to 9999") from None


def _fields(value: Any, *names: str) -> list[Any]:
    if not isinstance(value, dict) or value.keys() != set(names):
        raise Misfit(f"must be an object with {', '.join(names)} and nothing else")
    return [value[name] for name in names]


def _principal(value: Any, _: Any) -> Principal:
    return Principal(*_fields(value, "kind", "id"))


def _who(value: Any, _: Any) -> Who:
    kind, id, name = _fields(value, "kind", "id", "name")
    return Who(Principal(kind, id), _exactly(str)(name, None))


def _is_literal(kind: Any) -> bool:
    return get_origin(kind) is Literal and not any(isinstance(one, Enum) for one in get_args(kind))


def _literal(kind: Any) -> Callable[[Any, Any], Any]:
    """One of its values, and nothing that is merely equal to one, as true is to 1."""
    choices = [(type(one), one) for one in get_args(kind)]

    def structure(value: Any, _: Any) -> Any:
        if (type(value), value) not in choices:
            raise Misfit(f"must be one of {', '.join(repr(one) for _, one in choices)}")
        return value

    return structure


_SEQUENCES: dict[Any, Callable[[list[Any]], Any]] = {
    list: list,
    MutableSequence: list,
    deque: deque,
    tuple: tuple,
    Sequence: tuple,
    set: set,
    MutableSet: set,
    frozenset: frozenset,
    Set: frozenset,
}


def _is_sequence(kind: Any) -> bool:
    return (get_origin(kind) or kind) in _SEQUENCES


def _sequence(converter: Converter, kind: Any) -> Callable[[Any, Any], Any]:
    """Lists only, and no text taken for a list of characters; what is declared as a `Sequence` becomes a tuple."""
    origin = get_origin(kind) or kind
    made = _SEQUENCES[origin]
    hints = get_args(kind) or (Any,)
    fixed = origin is tuple and kind is not tuple and hints[1:] != (...,)

    def structure(value: Any, _: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise Misfit("must be a list")
        if fixed and len(value) != len(hints):
            raise Misfit(f"must be a list of {len(hints)}")
        return made(_members(converter, value, hints if fixed else repeat(hints[0])))

    return structure


def _members(converter: Converter, value: Sequence[Any], hints: Iterable[Any]) -> list[Any]:
    faults: list[Exception] = []
    found = []
    for place, (item, hint) in enumerate(zip(value, hints, strict=False)):
        try:
            found.append(converter.structure(item, hint))
        except Exception as error:
            error.add_note(IterableValidationNote("", place, hint))
            faults.append(error)
    if faults:
        raise ExceptionGroup("members of a list", faults)
    return found


def is_known(converter: Converter, kind: Any) -> bool:
    """Whether a converter can make values of a type; a list is as good as what is in it."""
    if _is_sequence(kind):
        return all(is_known(converter, one) for one in get_args(kind) if one is not ...)
    try:
        converter.get_structure_hook(kind)
    except Exception:  # there is no hook, or what it would need cannot be made or found
        return False
    return True


def faults_of(error: Exception, path: str = "$") -> Iterator[str]:
    """Every fault of a failed structuring, a line each that begins with its path. Quotes no value."""
    own = path + "".join(map(_step, getattr(error, "__notes__", ())))
    if isinstance(error, ExceptionGroup):
        for inner in error.exceptions:
            yield from faults_of(inner, own)
    elif isinstance(error, ForbiddenExtraKeysError):
        yield from (f"{own}.{name}: there is no such field" for name in sorted(map(_short, error.extra_fields)))
    elif isinstance(error, FacetError) and hasattr(error, "faults"):
        yield from (own + fault.removeprefix("$") for fault in error.faults)
    elif isinstance(error, KeyError):
        yield f"{own}: is missing"
    elif isinstance(error, Misfit):
        yield f"{own}: {error}"
    else:
        yield f"{own}: is not what it must be"


def _short(name: object) -> str:
    return str(name)[:50]


def _step(note: object) -> str:
    if isinstance(note, AttributeValidationNote):
        return f".{note.name}"
    return f"[{_short(note.index)}]" if isinstance(note, IterableValidationNote) else ""
