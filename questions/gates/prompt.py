"""What a workflow wants to ask: the part of a request that it writes itself."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import attrs

from .forms import field_faults
from .presentation import Presentation

__all__ = ["Prompt", "prompt_fields"]

_NEEDED = ("title", "subject", "presentation")
_KNOWN = ("revision", "expires_at")


@attrs.frozen
class Prompt:
    """What is asked. Checked when a request is made of it.

    `title`: 1 to 300 code points on one line. `subject`: any value of JSON, which the run goes by and nobody is shown.
    `presentation`: what people are shown. `revision`: 1 or more. `expires_at`: when the request ends without a
    decision, an aware datetime; only without a timeout policy.
    """

    title: str
    subject: Any
    presentation: Presentation | Mapping[str, Any]
    revision: int = 1
    expires_at: datetime | str | None = None


def prompt_fields(given: object) -> tuple[Mapping[str, Any], list[str]]:
    """The fields of a `Prompt`, or of a mapping with the same fields, and what is wrong with which fields there are."""
    if isinstance(given, Prompt):
        return attrs.asdict(given, recurse=False), []
    if not isinstance(given, Mapping):
        return {}, [f"$: the builder must return a Prompt, not {type(given).__name__}"]
    return given, field_faults("$", given, _NEEDED, _KNOWN)
