"""What was chosen, with the text that goes with it: checked against the choices, and passed on exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from .choices import Choices, TextInput
from .errors import InvalidResponse
from .forms import at, field_faults, object_faults

__all__ = ["GivenText", "Response", "read_response", "response_faults"]


@attrs.frozen
class GivenText:
    """The text given with a choice, under the name that the choice has for it. Blanks and line ends are as given."""

    name: str
    text: str


@attrs.frozen
class Response:
    """One choice, and the text that it takes. Checked where it meets choices: `read_response`."""

    choice: str
    input: GivenText | None = None

    def as_json(self) -> dict[str, Any]:
        """`{"choice": ...}`, with `"input": {name: text}` if there is a text."""
        given = {} if self.input is None else {"input": {self.input.name: self.input.text}}
        return {"choice": self.choice, **given}


def read_response(choices: Choices, given: Response | Mapping[str, Any]) -> Response:
    """The response, if these choices offer it. Raises `InvalidResponse`, which never quotes the text.

    A choice without a text takes no `input` at all, not even None. A text is counted in code points and not touched.
    """
    if faults := response_faults("$.response", choices, given):
        raise InvalidResponse(faults)
    if isinstance(given, Response):
        return given
    texts = [GivenText(name, text) for name, text in given.get("input", {}).items()]
    return Response(given["choice"], texts[0] if texts else None)


def response_faults(path: str, choices: Choices, given: object) -> list[str]:
    """What is wrong with a response, as it is or as plain data."""
    if isinstance(given, Response):
        given = given.as_json()
    if not isinstance(given, Mapping):
        return object_faults(path, given)
    faults = field_faults(path, given, ("choice",), ("input",))
    choice = given.get("choice")
    if isinstance(choice, str) and choice in choices:
        return faults + _input_faults(f"{path}.input", choices[choice].input, given)
    if "choice" in given:
        faults.append(f"{path}.choice: not available; there are {', '.join(choices)}")
    return faults


def _input_faults(path: str, asked: TextInput | None, given: Mapping[str, Any]) -> list[str]:
    if asked is None:
        return [f"{path}: this choice takes no input"] if "input" in given else []
    if "input" not in given:
        return [f"{path}: missing; this choice takes the text {asked.name}"]
    if not isinstance(given["input"], Mapping):
        return object_faults(path, given["input"])
    if list(given["input"]) != [asked.name]:
        return [f"{path}: only {asked.name}, and nothing else"]
    return [f"{at(path, asked.name)}: {fault}" for fault in _text_faults(asked, given["input"][asked.name])]


def _text_faults(asked: TextInput, text: object) -> list[str]:
    if type(text) is not str:
        return ["must be text"]
    if any("\ud800" <= char <= "\udfff" for char in text):
        return ["must be Unicode text, without lone surrogates"]
    if len(text) < asked.min_length:
        return [f"{len(text)} code points, and at least {asked.min_length} are needed"]
    return (
        [f"{len(text)} code points, and at most {asked.max_length} are allowed"] if len(text) > asked.max_length else []
    )
