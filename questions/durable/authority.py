"""Who may act on a decision: one function for every door. The surface on which somebody acts gives no right."""

from __future__ import annotations

from .caller import Caller
from .decision import Decision
from .errors import HeldByUser, NotHolder, SelfAnswer
from .holders import ROOT, USER, supervised_by

__all__ = ["authorize_cancelling", "authorize_judging", "holds", "is_raiser", "may_see"]


def holds(caller: Caller, holder: str) -> bool:
    """Whether the caller is the one that this holder names. The root of a session is no supervisor."""
    if caller.is_person:
        return holder == USER
    if caller.principal.kind != "program":
        return False
    return caller.main if holder == ROOT else supervised_by(holder) == caller.participant_id


def is_raiser(caller: Caller, decision: Decision) -> bool:
    """Whether the caller raised it, in whichever call."""
    return decision.raised_by.participant_id == caller.participant_id


def may_see(caller: Caller, decision: Decision) -> bool:
    """Whether it is shown over a link: to its holder, its raiser, and servers."""
    return holds(caller, decision.holder) or is_raiser(caller, decision) or caller.principal.kind == "server"


def authorize_judging(caller: Caller, decision: Decision) -> None:
    """Return if the caller may answer or escalate: its holder now, or a person.

    Raises `SelfAnswer` for a program in the call that raised it, whoever holds it; then `NotHolder` or `HeldByUser`.
    """
    if not caller.is_person and caller.call is not None and caller.call == decision.raised_by.call_id:
        raise SelfAnswer(decision.id)
    _authorize(caller, decision)


def authorize_cancelling(caller: Caller, decision: Decision) -> None:
    """Return if the caller may cancel: its raiser, its holder now, or a person. Raises `NotHolder` or `HeldByUser`."""
    if not is_raiser(caller, decision):
        _authorize(caller, decision)


def _authorize(caller: Caller, decision: Decision) -> None:
    if caller.is_person or holds(caller, decision.holder):
        return
    raise (
        HeldByUser(decision.id, decision.holder) if decision.holder == USER else NotHolder(decision.id, decision.holder)
    )
