"""How a decision is raised: every field checked, every fault named, nothing made of what is at fault."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from questions.visible import visible

from .caller import Caller
from .decision import LONGEST_CHAIN, Decision, Escalation, Option, RaisedBy, Status
from .errors import BadArgument
from .holders import USER, default_chain, is_holder
from .texts import text_faults

__all__ = ["check_id", "draft"]

LONGEST_TITLE, LONGEST_BODY, LONGEST_LABEL, LONGEST_NAME = 200, 4_000, 200, 200  # code points
MOST_OPTIONS = 12
SHORTEST_MS, LONGEST_MS = 1_000, 2_592_000_000  # one second, 30 days
LONGEST_HOP_MS, USUAL_HOP_MS = 604_800_000, 600_000  # 7 days, 10 minutes

KINDS = ("approval", "question", "escalation")
INPUTS = ("text", "confirm", "select", "editor")
EXPIRIES = ("cancel", "default", "escalate")
FINALS = ("cancel", "default")
FIELDS = frozenset(
    "title kind body options input holder deadline timeout_ms on_expire default_option_id escalation run_id session_id "
    "call".split()
)
ESCALATION_FIELDS = frozenset({"chain", "hop_timeout_ms", "on_final"})

_YES_NO = (Option("yes", "Yes"), Option("no", "No"))
_ID = re.compile(r"dec_[A-Za-z0-9_-]{8,64}")
_OPTION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")


def draft(fields: Mapping[str, Any], *, caller: Caller, id: str, now: int) -> Decision:
    """The decision that `caller` raises at `now` (epoch milliseconds), open and at its first holder.

    `fields`: title, kind, body, options, input, holder, deadline, timeout_ms, on_expire, default_option_id, escalation
    (chain, hop_timeout_ms, on_final), run_id, session_id, call. One that is None is absent. Options are `Option` or
    mappings with `id` and `label`. Numbers of milliseconds are rounded down. Raises `BadArgument` with every fault.
    """
    form = _Form(fields)
    form.known("$", fields, FIELDS)
    options = form.options()
    given: dict[str, Any] = {
        "kind": form.choice("kind", KINDS, "question"),
        "title": form.text("title", 1, LONGEST_TITLE),
        "body": form.text("body", 0, LONGEST_BODY),
        "input": form.choice("input", INPUTS, "text" if options is None else "select"),
        "holder": form.holder(),
        "on_expire": form.choice("on_expire", EXPIRIES, "cancel"),
    }
    given["options"] = options = form.fitting(given["input"], options)
    given["deadline"] = form.deadline(now)
    given["default_option_id"] = form.default(given["on_expire"], options)
    given["escalation"] = escalation = form.escalation(given["on_expire"], given["holder"])
    given["raised_by"] = form.raised_by(caller)
    if form.faults:
        raise BadArgument(form.faults)
    if given["deadline"] is None and escalation is not None:
        given["deadline"] = now + escalation.hop_timeout_ms
    return Decision(id=id, created_at=now, status=Status.OPEN, **given)


def check_id(id: object) -> str:
    """The id, if it has the form of a decision's: `dec_` and 8 to 64 of letters, digits, `_` and `-`.

    Raises `BadArgument`. Whether there is such a decision is another matter.
    """
    if isinstance(id, str) and _ID.fullmatch(id):
        return id
    raise BadArgument(["$.id: dec_ and 8 to 64 of letters, digits, _ and -"])


class _Form:
    """Reads fields, and gathers what is wrong with them. What is at fault is read as if it were absent."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = {name: value for name, value in fields.items() if value is not None}
        self.faults: list[str] = []

    def fault(self, path: str, what: str) -> None:
        self.faults.append(f"{path}: {what}")

    def known(self, path: str, fields: Mapping[Any, Any], names: frozenset[str]) -> None:
        for name in fields:
            if name not in names:
                self.fault(f"{path}.{visible(str(name)[:64])}", f"not known; there are {', '.join(sorted(names))}")

    def text(self, name: str, least: int, most: int) -> str | None:
        if name in self.fields or least:
            return self.text_at(f"$.{name}", self.fields.get(name), least, most)
        return None

    def text_at(self, path: str, text: object, least: int, most: int) -> str | None:
        faults = text_faults(path, text, least, most)
        self.faults += faults
        return None if faults else str(text)

    def choice(self, name: str, choices: Sequence[str], usual: str) -> str:
        return self.choice_at(f"$.{name}", self.fields.get(name, usual), choices, usual)

    def choice_at(self, path: str, value: object, choices: Sequence[str], usual: str) -> str:
        if isinstance(value, str) and value in choices:
            return value
        self.fault(path, f"one of {', '.join(choices)}")
        return usual

    def milliseconds(self, path: str, value: object, least: int, most: int) -> int | None:
        """A number, rounded down. Neither a bool nor NaN nor an infinity is one."""
        if isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most:
            return math.floor(value)
        self.fault(path, f"a number of milliseconds from {least} to {most}")
        return None

    def holder(self) -> str:
        holder = self.fields.get("holder", USER)
        if is_holder(holder):
            return str(holder)
        self.fault("$.holder", "user, root, or supervisor: and the id of a participant")
        return ""

    def options(self) -> tuple[Option, ...] | None:
        given = self.fields.get("options")
        if given is None:
            return None
        if not isinstance(given, list | tuple) or not 1 <= len(given) <= MOST_OPTIONS:
            self.fault("$.options", f"a sequence of 1 to {MOST_OPTIONS} options")
            return ()
        options = tuple(self.option(f"$.options[{place}]", option) for place, option in enumerate(given))
        ids: set[str] = set()
        for place, option in enumerate(options):
            if option.id in ids:
                self.fault(f"$.options[{place}].id", "used before")
            ids |= {option.id} - {""}
        return options

    def option(self, path: str, given: object) -> Option:
        if isinstance(given, Option):
            given = {"id": given.id, "label": given.label}
        if not isinstance(given, Mapping):
            self.fault(path, "an option, with id and label")
            return Option("", "")
        self.known(path, given, frozenset({"id", "label"}))
        id, label = given.get("id"), self.text_at(f"{path}.label", given.get("label"), 1, LONGEST_LABEL)
        if not isinstance(id, str) or not _OPTION_ID.fullmatch(id):
            self.fault(f"{path}.id", "1 to 64 of letters, digits and ._:-, beginning with a letter or a digit")
            id = ""
        return Option(id, label or "")

    def fitting(self, input: str, options: tuple[Option, ...] | None) -> tuple[Option, ...] | None:
        """The options that an input has in the end."""
        if input == "confirm" and options is None:
            return _YES_NO
        if input == "select" and options is None:
            self.fault("$.options", "needed for a select")
        if input in ("text", "editor") and options is not None:
            self.fault("$.options", f"not for {input}")
        return options

    def deadline(self, now: int) -> int | None:
        if "deadline" in self.fields and "timeout_ms" in self.fields:
            self.fault("$.deadline", "either a deadline or timeout_ms, not both")
        elif "deadline" in self.fields:
            return self.milliseconds("$.deadline", self.fields["deadline"], now + 1, now + LONGEST_MS)
        elif "timeout_ms" in self.fields:
            timeout = self.milliseconds("$.timeout_ms", self.fields["timeout_ms"], SHORTEST_MS, LONGEST_MS)
            return None if timeout is None else now + timeout
        return None

    def default(self, on_expire: str, options: tuple[Option, ...] | None) -> str | None:
        given = self.fields.get("default_option_id")
        ids = [option.id for option in options or ()]
        if given is not None and given not in ids:
            self.fault("$.default_option_id", "the id of one of the options")
        if on_expire == "default" and given is None:
            self.fault("$.default_option_id", "needed for on_expire default")
        if on_expire == "default" and not {"deadline", "timeout_ms"} & self.fields.keys():
            self.fault("$.on_expire", "default needs a deadline or timeout_ms")
        return str(given) if given is not None else None

    def escalation(self, on_expire: str, holder: str) -> Escalation | None:
        given = self.fields.get("escalation", {})
        if on_expire != "escalate":
            if "escalation" in self.fields:
                self.fault("$.escalation", "only with on_expire escalate")
            return None
        if not isinstance(given, Mapping):
            self.fault("$.escalation", "a mapping with chain, hop_timeout_ms, on_final")
            return None
        self.known("$.escalation", given, ESCALATION_FIELDS)
        path, timeout = "$.escalation.hop_timeout_ms", given.get("hop_timeout_ms", USUAL_HOP_MS)
        hop_timeout_ms = self.milliseconds(path, timeout, SHORTEST_MS, LONGEST_HOP_MS)
        final = self.choice_at("$.escalation.on_final", given.get("on_final", "cancel"), FINALS, "cancel")
        if final == "default" and "default_option_id" not in self.fields:
            self.fault("$.default_option_id", "needed for on_final default")
        chain = self.chain(given["chain"], holder) if "chain" in given else default_chain(holder)
        return Escalation(chain, 0, hop_timeout_ms or USUAL_HOP_MS, final)

    def chain(self, given: object, holder: str) -> tuple[str, ...]:
        path = "$.escalation.chain"
        if not isinstance(given, list | tuple) or not 1 <= len(given) <= LONGEST_CHAIN:
            self.fault(path, f"a sequence of 1 to {LONGEST_CHAIN} holders")
            return ()
        for place, entry in enumerate(given):
            if not is_holder(entry):
                self.fault(f"{path}[{place}]", "user, root, or supervisor: and the id of a participant")
            elif entry in given[:place]:
                self.fault(f"{path}[{place}]", "used before")
        if holder and given[0] != holder:
            self.fault(f"{path}[0]", "the first entry is the holder, which is user if none is named")
        return tuple(given)

    def raised_by(self, caller: Caller) -> RaisedBy:
        run, session, call = (
            self.text_at(f"$.{name}", self.fields[name], 1, LONGEST_NAME) if name in self.fields else None
            for name in ("run_id", "session_id", "call")
        )
        return RaisedBy(caller.participant_id, run, session or caller.session, call or caller.call)
