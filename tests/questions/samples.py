"""Asks and entries as a store makes them, for the tests of what is done with them."""

from functools import reduce
from typing import Any

from facets import Principal, Who
from questions import Confirm, First, SessionScope
from questions.deadlines import Deadline
from questions.entry import Ask, Entry
from questions.settlement import result, step

ANA, BO, CY = (Principal.user(name) for name in ("ana", "bo", "cy"))
RUN = Principal.program("run-1")
HOST = Principal.server("host")
NOON = 1_800_000_000.0


def who(principal):
    return Who(principal, principal.id.title())


def an_ask(**changes) -> Any:
    fields = {
        "id": "q_1",
        "number": 1,
        "scope": SessionScope("s1"),
        "question": Confirm("Deploy?"),
        "policy": First(),
        "asker": who(HOST),
        "fixed": None,
        "key": None,
        "deadline": Deadline(60.0, NOON + 60),
        "default": None,
        "on_behalf_of": None,
        "opened": NOON,
    }
    return Ask(**fields | changes)


def an_entry(*members, **changes):
    return Entry.opened(an_ask(**changes), dict.fromkeys(members))


def after(entry, *events):
    return reduce(step, events, entry)


def outcome(entry, *seen) -> Any:
    """What a waiter gets, when these have been shown the question."""
    return result(entry, seen, who)


def paths(error):
    """Where the faults of an `Invalid...` are."""
    return [fault.split(": ")[0] for fault in error.faults]
