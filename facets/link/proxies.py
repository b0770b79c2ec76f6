"""What a remote object looks like to a program: the methods and readables that its interface declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Raw

from facets.errors import FacetError, InvalidCall

from .conversion import faults_of
from .interface import Arrival, Interface, Method, Watchable
from .messages import encode_value
from .mirror import KeyedMirror, ValueMirror

__all__ = ["Bound", "bind", "mirror_of", "reader_of", "result_of"]


class Bound:
    """The arguments of one call, as the wire has them. Shows them to nobody (Q-SEC-1)."""

    __slots__ = ("again", "args")

    def __init__(self, method: Method, values: Mapping[str, Any], began: float) -> None:
        self.args = encode_value(values)
        """JSON."""
        again = None if method.again is None else method.again(values, began)
        encoded = None if again is None else encode_value(again)
        self.again: Callable[[float], bytes] | None = None if encoded is None else (lambda _: encoded)
        """Those of another try after a lost link; None: there is to be none."""


def bind(interface: Interface, method: Method, args: tuple[Any, ...], named: Mapping[str, Any], began: float) -> Bound:
    """Put the arguments of a call into the wire's form.

    Raises `TypeError` for those that the method does not take, and `InvalidCall` for what JSON has no words for. The
    frames of both hold the arguments: see that nobody reads them (Q-SEC-1).
    """
    unstructure = interface.converter.unstructure
    hints = {parameter.name: parameter.hint for parameter in method.parameters}
    bound = method.bound(args, named)
    try:
        values = {name: unstructure(value, unstructure_as=hints[name]) for name, value in bound.items()}
        return Bound(method, values, began)
    except FacetError:
        raise
    except Exception:  # whose words may quote an argument
        raise InvalidCall([f"$.args: cannot all be written as JSON: {', '.join(bound)}"]) from None


def result_of(interface: Interface, method: Method, value: Raw) -> Any:
    """What a call has returned. Raises `InvalidCall` with every fault of one that does not fit the declaration."""
    if method.returns is type(None):
        return None
    given = _builtins_of(value)
    try:
        return interface.converter.structure(given, method.returns)
    except Exception as error:
        faults = list(faults_of(error, "$.value"))
    del given, value  # an answer may be in it (Q-SEC-1)
    raise InvalidCall(faults)


def _builtins_of(value: Raw) -> Any:
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        raise InvalidCall(["$.value: is not JSON that can be read"]) from None


def mirror_of(watchable: Watchable) -> KeyedMirror[Any] | ValueMirror:
    """An empty mirror for a readable."""
    return KeyedMirror(watchable.order, watchable.shape) if watchable.keyed else ValueMirror()


def reader_of(interface: Interface, watchable: Watchable, clock: Callable[[], float]) -> Callable[[Raw, float], Any]:
    """Makes values of what frames carry; see `following.apply_to`."""

    def read(value: Raw, sent: float) -> Any:
        return interface.read(watchable, _builtins_of(value), Arrival(sent, clock(), clock))

    return read
