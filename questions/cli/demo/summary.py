"""The end of the demo in words and in data, made of the settlement events alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from facets import Who
from questions.policies import All, Policy, Quorum
from questions.reports import Settled
from questions.scopes import Scope, SessionScope

from .wording import given

__all__ = ["COLUMNS", "row", "settled_as_json", "totals"]

COLUMNS = ("Question", "Needs", "How it ended", "Answers", "Did not answer", "Took")


def row(settled: Settled) -> tuple[str, ...]:
    """One line of the summary table, in the order of `COLUMNS`. What expired was not denied by anybody."""
    took = f"{settled.settled_at - settled.opened_at:.1f} s"
    return settled.message, _needs(settled.policy), settled.how, _answers(settled), _missing(settled), took


def totals(settled: Sequence[Settled]) -> str:
    """How many questions ended which way."""
    counts = Counter(each.how for each in settled)
    found = ", ".join(f"{count} {how}" for how, count in counts.items())
    asked = "1 question was asked" if len(settled) == 1 else f"{len(settled)} questions were asked"
    return f"{asked}: {found or 'nothing needed a person'}."


def settled_as_json(settled: Settled) -> dict[str, Any]:
    """A settlement event as plain data: what `questions demo --json` prints, one object a line."""
    return {
        "event": "settled",
        "id": settled.id,
        "scope": _scope(settled.scope),
        "message": settled.message,
        "kind": settled.kind,
        "policy": _policy(settled.policy),
        "asker": _who(settled.asker),
        "how": settled.how,
        "by": [_who(who) for who in settled.by],
        "answers": [{"who": _who(who), "answer": answer} for who, answer in settled.answers],
        "missing": [_who(who) for who in settled.missing],
        "seen": [_who(who) for who in settled.seen],
        "automatic": settled.automatic,
        "opened_at": settled.opened_at,
        "settled_at": settled.settled_at,
    }


def _scope(scope: Scope) -> dict[str, Any]:
    if isinstance(scope, SessionScope):
        return {"type": "session", "session": scope.session}
    return {"type": "owner", "owner": {"kind": scope.owner.kind, "id": scope.owner.id}}


def _policy(policy: Policy) -> dict[str, Any]:
    match policy:
        case Quorum(count=count):
            return {"type": "quorum", "count": count}
        case All(join=join):
            return {"type": "all", "join": join}
    return {"type": "first"}


def _who(who: Who) -> dict[str, str]:
    return {"kind": who.principal.kind, "id": who.principal.id, "name": who.name}


def _needs(policy: Policy) -> str:
    if isinstance(policy, Quorum):
        return f"{policy.count} answers"
    return "everyone" if isinstance(policy, All) else "1 answer"


def _answers(settled: Settled) -> str:
    if settled.by and not settled.answers:
        return f"{' and '.join(map(str, settled.by))}: (kept secret)"
    return given(settled.answers) + (" (by default)" if settled.automatic else "")


def _missing(settled: Settled) -> str:
    seen = {who.principal for who in settled.seen}
    saw = {True: "saw it", False: "never saw it"}
    return ", ".join(f"{who} ({saw[who.principal in seen]})" for who in settled.missing)
