"""What commands raise for what is not the program's fault, each with the exit code that it leads to."""

from __future__ import annotations

from typing import ClassVar

import attrs

from facets.errors import FacetError

from .codes import UNREACHABLE, USAGE

__all__ = ["BadCommand", "Unreachable"]


@attrs.define(eq=False, slots=False, str=False)
class BadCommand(FacetError):
    """A command cannot do what it was told: `why`, in words for who has typed it. Nothing was changed."""

    why: str
    exit_code: ClassVar[int] = USAGE

    def __str__(self) -> str:
        return self.why


class Unreachable(BadCommand):
    """There is no connection, or none that lets one in: `why`."""

    exit_code: ClassVar[int] = UNREACHABLE
