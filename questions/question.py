"""What is asked: `Text`, `Select` and `Confirm`, each with the type of its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Generic, TypeVar

import attrs

from .errors import InvalidQuestion
from .visible import text_within, unshowable

__all__ = ["Confirm", "Option", "Question", "Select", "Text"]

A = TypeVar("A")

LONGEST_MESSAGE, LONGEST_HELP, LONGEST_LABEL = 4_000, 2_000, 200  # code points, Q-TYPE-2
LONGEST_DETAILS = LONGEST_ANSWER = 65_536  # bytes of UTF-8
MOST_OPTIONS = 64
_OPTION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")


def _as_tuple(options: Sequence[Option]) -> Sequence[Option]:
    given: object = options  # what is no sequence of options is left as it is, for the faults to name
    return tuple(options) if isinstance(given, Sequence) and not isinstance(given, str) else options


@attrs.frozen
class Question(Generic[A]):
    """The base of all questions; `A` is the type of the answer. Immutable.

    `message`: 1 to 4,000 code points, shown as it is, so no control and bidirectional characters save tab and line
    feed. `details`: up to 64 KiB of any text, shown through `visible(...)`. Building a bad one raises
    `InvalidQuestion`, which lists every fault.
    """

    message: str
    details: str = attrs.field(default="", kw_only=True)
    secret = False
    """Whether the answer goes to the asker and nowhere else; only a `Text` may be a secret."""

    def __attrs_post_init__(self) -> None:
        faults = self._faults()
        if faults:
            raise InvalidQuestion(faults)

    @property
    def kind(self) -> str:
        """text, select or confirm."""
        return type(self).__name__.lower()

    def _faults(self) -> list[str]:
        faults = text_faults("$.message", self.message, LONGEST_MESSAGE, lines=True)
        return faults if self.details == "" else faults + _details_faults(self.details)

    def answer_faults(self, answer: object) -> list[str]:
        """What is wrong with an answer; never quotes it."""
        raise NotImplementedError


@attrs.frozen
class Text(Question[str]):
    """A question answered by text.

    `secret`: the answer reaches the asker and nothing else. `help`: up to 2,000 code points shown beside it.
    `min_length`: code points, 0 or more. `max_bytes`: of the answer in UTF-8, 1 to 65,536.
    """

    secret: bool = False
    help: str | None = None
    min_length: int = 0
    max_bytes: int = LONGEST_ANSWER

    def _faults(self) -> list[str]:
        faults = super()._faults() + _help_faults(self.help)
        if type(self.secret) is not bool:
            faults.append("$.secret: True or False")
        if not _whole(self.max_bytes, 1, LONGEST_ANSWER):
            faults.append(f"$.max_bytes: a whole number from 1 to {LONGEST_ANSWER}")
        elif not _whole(self.min_length, 0, self.max_bytes):
            faults.append("$.min_length: a whole number from 0 to max_bytes")
        return faults

    def answer_faults(self, answer: object) -> list[str]:
        """Not text, not Unicode, too short or too long."""
        if type(answer) is not str:
            return ["$.answer: must be text"]
        try:
            size = len(answer.encode())
        except UnicodeEncodeError:
            return ["$.answer: must be Unicode text, without lone surrogates"]
        if len(answer) < self.min_length:
            return [f"$.answer: at least {self.min_length} code points{self._length(len(answer))}"]
        return [f"$.answer: at most {self.max_bytes} bytes{self._length(size)}"] if size > self.max_bytes else []

    def _length(self, length: int) -> str:
        return "" if self.secret else f"; it has {length}"


@attrs.frozen
class Option:
    """One choice of a `Select`. `id`: letters, digits and `._:-`, 1 to 64, is the answer. `label`: what is shown."""

    id: str
    label: str


@attrs.frozen
class Select(Question[str]):
    """A question answered by the id of one of 1 to 64 options, whose ids are distinct."""

    options: Sequence[Option] = attrs.field(converter=_as_tuple)
    help: str | None = None

    def _faults(self) -> list[str]:
        return super()._faults() + _help_faults(self.help) + _options_faults(self.options)

    def answer_faults(self, answer: object) -> list[str]:
        """Not the id of an option."""
        if type(answer) is str and any(answer == option.id for option in self.options):
            return []
        return ["$.answer: must be the id of one of the options"]


@attrs.frozen
class Confirm(Question[bool]):
    """A question answered by yes or no. `allow`, `deny`: what the two buttons say, 1 to 200 code points."""

    allow: str = "Allow"
    deny: str = "Deny"
    help: str | None = None

    def _faults(self) -> list[str]:
        faults = super()._faults()
        if self.help is not None:
            faults += _help_faults(self.help)
        if self.allow != "Allow" or self.deny != "Deny":
            faults += text_faults("$.allow", self.allow, LONGEST_LABEL, lines=False)
            faults += text_faults("$.deny", self.deny, LONGEST_LABEL, lines=False)
        return faults

    def answer_faults(self, answer: object) -> list[str]:
        """Neither True nor False: 1 and "yes" are not True (Q-TYPE-3)."""
        return [] if type(answer) is bool else ["$.answer: must be true or false"]


def text_faults(path: str, text: object, longest: int, *, lines: bool) -> list[str]:
    """What is wrong with a text that is shown as it is."""
    if type(text) is str and 0 < len(text) <= longest and text.isprintable() and not text.isspace():
        return []  # nearly always: no control or format character of any kind
    if not isinstance(text, str):
        return [f"{path}: must be text, not {type(text).__name__}"]
    if not text or text.isspace():
        return [f"{path}: must not be empty or blank"]
    faults = []
    if len(text) > longest:
        faults.append(f"{path}: at most {longest} code points; it has {len(text)}")
    if bad := unshowable(text, lines=lines):
        faults.append(f"{path}: character U+{ord(bad[0]):04X} at {bad.start()} is not allowed; put it into details")
    return faults


def _help_faults(help: object) -> list[str]:
    return [] if help is None else text_faults("$.help", help, LONGEST_HELP, lines=True)


def _details_faults(details: object) -> list[str]:
    if not isinstance(details, str):
        return [f"$.details: must be text, not {type(details).__name__}"]
    size = len(details.encode("utf-8", "surrogatepass"))
    return [f"$.details: at most {LONGEST_DETAILS} bytes; it has {size}"] if size > LONGEST_DETAILS else []


def _options_faults(options: object) -> list[str]:
    if not isinstance(options, tuple):
        return ["$.options: must be a sequence of Option"]
    if not 1 <= len(options) <= MOST_OPTIONS:
        return [f"$.options: 1 to {MOST_OPTIONS} options, not {len(options)}"]
    faults: list[str] = []
    ids: set[str] = set()
    for place, option in enumerate(options):
        faults += _option_faults(f"$.options[{place}]", option)
        if isinstance(option, Option) and isinstance(option.id, str):
            if option.id in ids:
                faults.append(f"$.options[{place}].id: used before")
            ids.add(option.id)
    return faults


def _option_faults(path: str, option: object) -> list[str]:
    if not isinstance(option, Option):
        return [f"{path}: must be an Option"]
    faults = text_faults(f"{path}.label", option.label, LONGEST_LABEL, lines=False)
    if not (text_within(option.id, 64) and _OPTION_ID.fullmatch(option.id)):
        faults.append(f"{path}.id: 1 to 64 of letters, digits and ._:-, beginning with a letter or a digit")
    return faults


def _whole(number: object, least: int, most: int) -> bool:
    return type(number) is int and least <= number <= most
