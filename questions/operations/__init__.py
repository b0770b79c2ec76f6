"""For whoever runs a host: its health, its metrics, its logs, and traces of its questions."""

from facets.link.door import Answer, first_answer

from .health import answer_health
from .logs import JsonLines, TextLines, logging_to
from .metrics import Metrics
from .observing import Observer, observed
from .tracing import Tracing

__all__ = [
    "Answer",
    "JsonLines",
    "Metrics",
    "Observer",
    "TextLines",
    "Tracing",
    "answer_health",
    "first_answer",
    "logging_to",
    "observed",
]
