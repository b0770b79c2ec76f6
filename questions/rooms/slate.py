"""The options of a decision: proposing one, and finding those that a choice names.

Options are compared by their bytes alone: two that differ in case are two. A choice may name one by its number, "5" or
"#5", the first being 1; an option whose very text that is goes before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .ballots import is_list
from .fields import text_faults
from .forms import ballot_faults, ballot_kind
from .refusals import InvalidInput, InvalidOption
from .responses import Choice

__all__ = ["LONGEST_OPTION", "find_option", "read_choice", "slate_faults"]

LONGEST_OPTION = 500_000
MOST_NAMED = 1000
_NUMBER = re.compile(r"#?([1-9][0-9]{0,5})", re.ASCII)


def find_option(options: Sequence[str], name: object) -> str | None:
    """The option that is named by its text or its number; None: there is none such."""
    if not isinstance(name, str) or name in options:
        return name if isinstance(name, str) else None
    number = _NUMBER.fullmatch(name)
    place = int(number[1]) if number else 0
    return options[place - 1] if 1 <= place <= len(options) else None


def read_choice(mechanism: str, params: Mapping[str, Any], options: Sequence[str], given: object) -> Choice:
    """A choice as it is counted, with every option by its text. What is approved of twice is approved of.

    Raises `InvalidOption` with every name that is not on the slate, and `InvalidInput` for what is otherwise no choice.
    """
    kind = ballot_kind(mechanism, params)
    if kind == "one" and is_list(given) and len(given) == 1:
        given = given[0]
    choice: Choice = _named(options, given)
    if kind == "approvals" and is_list(choice):
        choice = list(dict.fromkeys(choice))
    if faults := ballot_faults(kind, params, options, choice):
        raise InvalidInput([fault.replace("$.answer", "$.choice", 1) for fault in faults])
    return choice


def _named(options: Sequence[str], given: object) -> Any:
    """What was given, with the texts of the options for their names."""
    if (isinstance(given, Mapping) or is_list(given)) and len(given) > MOST_NAMED:
        raise InvalidInput([f"$.choice: names more than {MOST_NAMED} options"])
    if isinstance(given, Mapping):
        found = [(find_option(options, name), number) for name, number in given.items()]
        _refuse([f"$.choice: entry {place} is no option" for place, (one, _) in enumerate(found, 1) if one is None])
        if len({one for one, _ in found}) < len(found):
            raise InvalidInput(["$.choice: names an option twice, by its text and by its number"])
        return dict(found)
    if is_list(given):
        names = [find_option(options, name) for name in given]
        _refuse([f"$.choice[{place}]: is no option" for place, one in enumerate(names) if one is None])
        return names
    if isinstance(given, str):
        name = find_option(options, given)
        _refuse([] if name is not None else ["$.choice: is no option; give the text or the number of one"])
        return name
    raise InvalidInput(["$.choice: must name options of the decision"])


def _refuse(faults: list[str]) -> None:
    if faults:
        raise InvalidOption(tuple(faults))


def slate_faults(path: str, options: object, most: int) -> list[str]:
    """What is wrong with a list of options to open a decision with."""
    if not is_list(options) or len(options) > most:
        return [f"{path}: must be a list of at most {most} options"]
    faults, seen = [], set[str]()
    for place, option in enumerate(options):
        wrong = text_faults(f"{path}[{place}]", option, 1, LONGEST_OPTION)
        if not wrong and option in seen:
            wrong = [f"{path}[{place}]: is there already"]
        faults += wrong
        if isinstance(option, str):
            seen.add(option)
    return faults
