"""The demo for a program: every settlement event as one line of JSON, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TextIO

from questions.reports import Settled

from .events import Event
from .summary import settled_as_json

__all__ = ["JsonFace"]


class JsonFace:
    """Writes each settlement event when it happens."""

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def show(self, event: Event) -> None:
        """Write a settlement event; other events are left out."""
        if isinstance(event, Settled):
            # ASCII only: whatever the output's encoding is, and nothing that a terminal would act on.
            print(json.dumps(settled_as_json(event)), file=self._output, flush=True)

    def finish(self, settled: Sequence[Settled]) -> None:
        """Everything is written already."""
