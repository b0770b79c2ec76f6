"""What can be chosen: labels, and with some choices a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from .errors import InvalidGate
from .forms import at, field_faults, is_whole, object_faults
from .identifiers import name_faults
from .texts import normal, same_looks, text_faults

__all__ = ["ChoiceTerms", "Choices", "TextInput", "choices_faults"]

LONGEST_LABEL, LONGEST_PROMPT, LONGEST_INPUT = 64, 300, 64_000  # code points
MOST_CHOICES = 64


@attrs.frozen
class TextInput:
    """The text that a choice takes. `min_length`, `max_length`: code points, from 0 and from 1, to 64,000.

    `prompt`: 1 to 300 code points on one line.
    """

    name: str
    prompt: str = attrs.field(converter=normal)
    min_length: int = 1
    max_length: int = 4_000

    def as_json(self) -> dict[str, Any]:
        """As it stands in a request."""
        lengths = {"minLength": self.min_length, "maxLength": self.max_length}
        return {"kind": "text", "name": self.name, "prompt": self.prompt, **lengths}


@attrs.frozen
class ChoiceTerms:
    """What one choice is called, 1 to 64 code points on one line, and the text that it takes, if it takes any."""

    label: str = attrs.field(converter=normal)
    input: TextInput | None = None

    def as_json(self) -> dict[str, Any]:
        """As it stands in a request."""
        return {"label": self.label} | ({} if self.input is None else {"input": self.input.as_json()})


def _copied(terms: Mapping[str, ChoiceTerms]) -> dict[str, ChoiceTerms]:
    return dict(terms)


@attrs.frozen(eq=False, repr=False)
class Choices(Mapping[str, ChoiceTerms]):
    """1 to 64 choices by their ids, in the order in which they are shown. Immutable.

    Ids: 1 to 128 letters, digits, `_` and `-`. No two labels look the same. Raises `InvalidGate` with every fault.
    """

    _terms: Mapping[str, ChoiceTerms] = attrs.field(converter=_copied)

    def __attrs_post_init__(self) -> None:
        if faults := choices_faults("$.choices", self.as_json()):
            raise InvalidGate(faults)

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Choices:
        """The choices of plain data, as in a request; `minLength` and `maxLength` may be left out (1 and 4,000)."""
        if faults := choices_faults("$.choices", given):
            raise InvalidGate(faults)
        return cls({id: _read_terms(terms) for id, terms in given.items()})

    def as_json(self) -> dict[str, Any]:
        """As they stand in a request. What is no `ChoiceTerms` is left as it is."""
        return {id: _plain(terms) for id, terms in self._terms.items()}

    def __getitem__(self, id: str) -> ChoiceTerms:
        return self._terms[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._terms)

    def __len__(self) -> int:
        return len(self._terms)

    def __repr__(self) -> str:
        return f"Choices({dict(self._terms)!r})"


def choices_faults(path: str, given: object) -> list[str]:
    """What is wrong with choices as they stand in a request."""
    if not isinstance(given, Mapping):
        return object_faults(path, given)
    if not 1 <= len(given) <= MOST_CHOICES:
        return [f"{path}: {len(given)} choices, and there must be 1 to {MOST_CHOICES}"]
    faults: list[str] = []
    labels: dict[str, str] = {}
    for id, terms in given.items():
        faults += name_faults(at(path, id), id) + _terms_faults(at(path, id), terms)
        label = terms.get("label") if isinstance(terms, Mapping) else None
        if isinstance(label, str) and (first := labels.setdefault(same_looks(normal(label)), id)) != id:
            faults.append(f"{at(path, id)}.label: the same as that of {first}; people could not tell them apart")
    return faults


def _terms_faults(path: str, terms: object) -> list[str]:
    if not isinstance(terms, Mapping):
        return object_faults(path, terms)
    faults = field_faults(path, terms, ("label",), ("input",))
    if "label" in terms:
        faults += text_faults(f"{path}.label", terms["label"], LONGEST_LABEL, lines=False)
    return faults + (_input_faults(f"{path}.input", terms["input"]) if "input" in terms else [])


def _input_faults(path: str, given: object) -> list[str]:
    if not isinstance(given, Mapping):
        return object_faults(path, given)
    faults = field_faults(path, given, ("kind", "name", "prompt"), ("minLength", "maxLength"))
    if "kind" in given and given["kind"] != "text":
        faults.append(f"{path}.kind: text, the only kind there is")
    if "name" in given:
        faults += name_faults(f"{path}.name", given["name"])
    if "prompt" in given:
        faults += text_faults(f"{path}.prompt", given["prompt"], LONGEST_PROMPT, lines=False)
    return faults + _length_faults(path, given.get("minLength", 1), given.get("maxLength", 4_000))


def _length_faults(path: str, least: object, most: object) -> list[str]:
    faults = []
    if not is_whole(least, 0, LONGEST_INPUT):
        faults.append(f"{path}.minLength: a whole number from 0 to {LONGEST_INPUT}")
    if not is_whole(most, 1, LONGEST_INPUT):
        faults.append(f"{path}.maxLength: a whole number from 1 to {LONGEST_INPUT}")
    elif is_whole(least, 0) and least > most:
        faults.append(f"{path}.maxLength: at least minLength, which is {least}; it is {most}")
    return faults


def _read_terms(given: Mapping[str, Any]) -> ChoiceTerms:
    asked = given.get("input")
    if asked is None:
        return ChoiceTerms(given["label"])
    lengths = asked.get("minLength", 1), asked.get("maxLength", 4_000)
    return ChoiceTerms(given["label"], TextInput(asked["name"], asked["prompt"], *lengths))


def _plain(terms: object) -> object:
    return terms.as_json() if isinstance(terms, ChoiceTerms) else terms
