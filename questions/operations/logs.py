"""Logs for machines and for people: one event a line, one event a settlement. No answers and no tokens in them."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

from questions.visible import visible

__all__ = ["JsonLines", "TextLines", "logging_to"]

_LOGGERS = ("questions", "facets")
_TOKEN = re.compile(r"eyJ[\w-]{4,}\.[\w-]+\.[\w-]+")
"""What is signed begins with this: the Base64 of `{"`. No log line of ours has one; this is for those of others."""


class JsonLines(logging.Formatter):
    """One JSON object a line, ASCII: `time`, `level`, `logger`, `event`, `message`, and what belongs to the event.

    Fields of a record whose names begin with `questions.` or `facets.` stand in it by the rest of their names.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "time": _time_of(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": "log",
            "message": record.getMessage(),
        }
        for name, value in record.__dict__.items():
            logger, dot, field = name.partition(".")
            if dot and logger in _LOGGERS:
                line[field] = value
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return _without_tokens(json.dumps(line, default=str))


class TextLines(logging.Formatter):
    """One line for people: when, which logger, and what; control characters made visible. Tracebacks follow it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = f"{_time_of(record)} {record.name}: {_in_a_line(record.getMessage())}"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return _without_tokens(line)


@contextmanager
def logging_to(stream: TextIO, form: Literal["json", "text"] = "text", level: int = logging.INFO) -> Iterator[None]:
    """Log what `questions` and `facets` have to say to a stream, for the length of the block, and nowhere else."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [(logger.level, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(level)
        logger.propagate = False
    try:
        yield
    finally:
        for logger, (level_before, propagated) in zip(loggers, before, strict=True):
            logger.removeHandler(handler)
            logger.setLevel(level_before)
            logger.propagate = propagated


def _in_a_line(text: str) -> str:
    return visible(text).replace("\n", "\\n")


def _time_of(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _without_tokens(line: str) -> str:
    return _TOKEN.sub("[token]", line)
