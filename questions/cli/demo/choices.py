"""Questions that the agent itself puts to people (its tool `AskUserQuestion`), as `Select` questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from questions.question import Option, Select
from questions.visible import visible

from .calls import ToolCall
from .masking import mask

__all__ = ["MOST_OPTIONS", "choices_of"]

MOST_OPTIONS = 9
"""One digit key each."""

_NOT_IN_AN_ID = re.compile(r"[^a-z0-9]+")


def choices_of(call: ToolCall) -> tuple[Select, ...]:
    """The questions in `call`, one after the other; none if it is not in a shape that can be asked as a choice."""
    asked = mask(call.input).get("questions")
    return tuple(_selects(asked)) if isinstance(asked, list) and all(map(_is_choice, asked)) else ()


def _is_choice(asked: Any) -> bool:
    if not isinstance(asked, dict) or asked.get("multiSelect") or not isinstance(asked.get("options"), list):
        return False
    options = asked["options"]
    labelled = all(isinstance(option, dict) and isinstance(option.get("label"), str) for option in options)
    return isinstance(asked.get("question"), str) and labelled and 1 <= len(options) <= MOST_OPTIONS


def _selects(asked: list[Any]) -> Iterator[Select]:
    for each in asked:
        labels = [_shown(option) for option in each["options"]]
        yield Select(_line(each["question"]), tuple(map(Option, _ids(labels), labels)))


def _ids(labels: list[str]) -> list[str]:
    """Ids that say what was chosen; numbered where labels would give the same one, or none."""
    ids = [_NOT_IN_AN_ID.sub("-", label.split(" (")[0].lower()).strip("-")[:40] for label in labels]
    distinct = len({*ids}) == len(ids) and all(ids)
    return ids if distinct else [str(number) for number in range(len(ids))]


def _shown(option: dict[str, Any]) -> str:
    described = option.get("description")
    return _line(f"{option['label']} ({described})" if isinstance(described, str) and described else option["label"])


def _line(text: str) -> str:
    return " ".join(visible(text).split())[:200]
