"""The clock, the participants and the decisions of the cases, for every test of decisions."""

import attrs

from facets import Principal
from questions.durable.caller import Caller
from questions.durable.decision import decode, encode, flat
from questions.durable.drafting import draft

T = 1_700_000_000_000
"""The clock at the raise, epoch milliseconds."""
HOP = 60_000
DAY = 86_400_000

MAIN = Caller(Principal.program("session:main"), main=True)
LEAD = Caller(Principal.program("run-lead"))
WORKER = Caller(Principal.program("run-worker"))
CHILD = Caller(Principal.program("run-child"))
ALICE = Caller(Principal.user("alice"), via="cli")
BOB = Caller(Principal.user("bob"), via="cli")

OPTS = ({"id": "keep", "label": "Keep"}, {"id": "drop", "label": "Drop"})
ID = "dec_abcdefgh12"


def in_call(caller, call):
    return attrs.evolve(caller, call=call)


def climbing(holder="supervisor:run-worker", **changes):
    """The fields of a decision that climbs from hop to hop, each with the time of one."""
    return {"holder": holder, "on_expire": "escalate", "escalation": {"hop_timeout_ms": HOP}} | changes


def raised(caller=MAIN, *, title="Ship it?", **fields):
    """A decision as it is read after it was raised at T."""
    return stored(draft({"title": title, **fields}, caller=caller, id=ID, now=T), 1)


def stored(decision, version):
    """A decision as it is read after it was written."""
    return decode(encode(decision), version)


def offsets(decision):
    """Its times, from T."""
    shown = flat(decision)
    times = {name: shown[name] - T for name in ("createdAt", "deadline", "resolvedAt") if name in shown}
    return times | {"history": [(move["holder"], move["until"] - T) for move in shown.get("history", ())]}
