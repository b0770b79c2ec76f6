"""Records that only this project reads: plain classes as JSON under the name of a schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from .errors import IncompatibleState, InvalidRecord
from .forms import object_faults
from .records import read_record
from .values import write_json

__all__ = ["read_kept", "write_kept"]

T = TypeVar("T")


def write_kept(schema: str, value: Any) -> str:
    """An instance of an attrs class, as it is stored: JSON."""
    fields: Mapping[str, Any] = msgspec.to_builtins(value)
    return write_json({"schema": schema, **fields})


def read_kept(text: str, schema: str, kind: type[T]) -> T:
    """The instance that is stored as `text`. Raises `IncompatibleState` and `InvalidRecord`; it is left as it is."""
    record = read_record(text)
    if faults := object_faults("$", record):
        raise InvalidRecord(faults)
    if record.get("schema") != schema:
        raise IncompatibleState(str(record.get("schema"))[:200], schema)
    try:
        return msgspec.convert(record, kind)
    except msgspec.ValidationError as error:
        raise InvalidRecord([f"$: {error}"]) from None
