"""Who has to act on a decision: people, the root of a session, or one program; and how that climbs."""

from __future__ import annotations

import re

__all__ = ["HOLDER", "ROOT", "USER", "default_chain", "is_holder", "supervised_by"]

USER = "user"
"""Any person."""
ROOT = "root"
"""Any program that its host runs as the root of a session."""

_SUPERVISOR = "supervisor:"
HOLDER = rf"{USER}|{ROOT}|{_SUPERVISOR}[A-Za-z0-9][A-Za-z0-9._:/@-]{{0,127}}"
"""The grammar of holders, as a regular expression."""
_HOLDER = re.compile(HOLDER)


def is_holder(holder: object) -> bool:
    """Whether it is `user`, `root`, or `supervisor:` and a participant's id of 1 to 128 characters."""
    return isinstance(holder, str) and _HOLDER.fullmatch(holder) is not None


def supervised_by(holder: str) -> str | None:
    """The program that a holder names, if it names one."""
    return holder.removeprefix(_SUPERVISOR) if holder.startswith(_SUPERVISOR) else None


def default_chain(holder: str) -> tuple[str, ...]:
    """How a decision climbs from its first holder, where its raiser does not say: one program, the root, people."""
    above = {USER: (), ROOT: (USER,)}.get(holder, (ROOT, USER))
    return (holder, *above)
