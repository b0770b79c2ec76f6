"""Choices as classes, so that mypy knows what can come back and whether every case was thought of.

class Continue(Choice): ...

class Replan(Choice, label="Plan again"):
    instructions: str = text_input("What should change?")

offered: OneOf[Continue | Replan] = OneOf(Continue, Replan)

match offered.read(response):
    case Continue(): ...
    case Replan(instructions=text): ...
    case never: assert_never(never)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar, dataclass_transform

import attrs

from .choices import Choices, ChoiceTerms, TextInput
from .errors import InvalidGate
from .responses import GivenText, Response, read_response
from .texts import words

__all__ = ["Choice", "OneOf", "choice_id", "text_input"]

_ASKED = "questions.gates.text_input"


def text_input(prompt: str, *, min_length: int = 1, max_length: int = 4_000) -> Any:
    """The field of a `Choice` that takes a text; its name is the name of the input. See `TextInput`."""
    return attrs.field(metadata={_ASKED: (prompt, min_length, max_length)})


@dataclass_transform(frozen_default=True, field_specifiers=(text_input,))
class Choice:
    """The base of choices that are classes; an instance is a response. Immutable, equal by value.

    `class Replan(Choice, label="Replan", id="replan")`; without them both follow from the name of the class. At most
    one field, a `str` made by `text_input`. Raises `InvalidGate` when the class is made.
    """

    __terms__: ClassVar[tuple[str, ChoiceTerms]]

    def __init_subclass__(cls, *, label: str | None = None, id: str | None = None) -> None:
        attrs.frozen(cls, slots=False)
        parts = words(cls.__name__)
        usual_id, usual_label = "_".join(parts).lower(), " ".join(parts)
        terms = ChoiceTerms(usual_label if label is None else label, _asked(cls))
        cls.__terms__ = (usual_id if id is None else id, terms)
        Choices(dict([cls.__terms__]))


def choice_id(kind: type[Choice]) -> str:
    """The id of a choice that is a class."""
    return kind.__terms__[0]


A = TypeVar("A", bound=Choice)


class OneOf(Generic[A]):
    """Choices that are classes, as choices of a request; `A` is the union of them. Immutable.

    Write the union down, `offered: OneOf[Continue | Stop] = OneOf(Continue, Stop)`, and mypy refuses classes that are
    not in it. Raises `InvalidGate` for what is no `Choice`, and for two with the same id.
    """

    def __init__(self, *kinds: type[A]) -> None:
        faults = [f"$.choices[{place}]: must be a Choice" for place, kind in enumerate(kinds) if not _is_choice(kind)]
        if not faults:
            faults = _twice(kinds)
        if faults:
            raise InvalidGate(faults)
        self._kinds: dict[str, type[A]] = {choice_id(kind): kind for kind in kinds}
        self.choices = Choices(dict(kind.__terms__ for kind in kinds))
        """The choices as they stand in a request."""

    def read(self, response: Response) -> A:
        """The response as an instance of its class. Raises `InvalidResponse` if it is not offered here."""
        read_response(self.choices, response)
        texts = {} if response.input is None else {response.input.name: response.input.text}
        return self._kinds[response.choice](**texts)

    def write(self, answer: A) -> Response:
        """The instance as a response. Raises `InvalidResponse` if its class or its text is not offered here."""
        texts = [GivenText(name, text) for name, text in vars(answer).items()]
        return read_response(self.choices, Response(choice_id(type(answer)), texts[0] if texts else None))


def _asked(cls: type[Any]) -> TextInput | None:
    fields: Sequence[attrs.Attribute[Any]] = attrs.fields(cls)
    if not fields:
        return None
    if len(fields) > 1 or _ASKED not in fields[0].metadata or fields[0].type not in (str, "str"):
        raise InvalidGate([f"$.{cls.__name__}: at most one field, name: str = text_input(...)"])
    prompt, least, most = fields[0].metadata[_ASKED]
    return TextInput(fields[0].name, prompt, least, most)


def _is_choice(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Choice) and kind is not Choice


def _twice(kinds: Sequence[type[Choice]]) -> list[str]:
    ids = [choice_id(kind) for kind in kinds]
    return [f"$.choices[{place}]: the id {id} was used before" for place, id in enumerate(ids) if id in ids[:place]]
