"""Who acts on decisions: a principal, in one call of its own, on one surface."""

from __future__ import annotations

import attrs

from facets.errors import Forbidden
from facets.principal import Principal

from .errors import BadArgument
from .texts import text_faults

__all__ = ["SURFACES", "Caller"]

SURFACES = ("program", "tui", "cli", "web", "link")
"""Where somebody can act. It is written down with an answer, and gives nobody a right."""

_PREFIXES = ("user:", "server:", "worker:")
"""Of participant ids: programs have none, so that nobody is taken for somebody else."""
_LONGEST = 200


@attrs.frozen
class Caller:
    """Who acts on decisions, as the host has found out. Lives as long as anybody likes.

    Guests take no part in decisions, and a program whose id begins with `user:`, `server:` or `worker:` could be taken
    for one: both raise `Forbidden`. A surface that is not known, and a `call` or `session` that is not 1 to 200 code
    points, raise `BadArgument`.
    """

    principal: Principal
    """`Principal.user`: a person. All others are programs of some kind."""
    main: bool = False
    """Whether the host runs this program as the root of a session. Means nothing for other kinds."""
    call: str | None = None
    """The outermost call that this happens in: what is raised in a call is not judged in it. None: for `via` program,
    the `host.root()` that it acts in, each time, if there is one."""
    session: str | None = None
    """Written down with what it raises."""
    via: str = "program"
    """One of `SURFACES`."""

    def __attrs_post_init__(self) -> None:
        if self.principal.kind == "guest":
            raise Forbidden("guests take no part in decisions")
        if self.principal.kind == "program" and self.principal.id.startswith(_PREFIXES):
            raise Forbidden(f"the id of a program may not begin with {', '.join(_PREFIXES)}")
        if faults := self._faults():
            raise BadArgument(faults)

    def _faults(self) -> list[str]:
        faults = [] if self.via in SURFACES else [f"$.via: one of {', '.join(SURFACES)}"]
        for name, text in (("call", self.call), ("session", self.session)):
            faults += [] if text is None else text_faults(f"$.{name}", text, 1, _LONGEST)
        return faults

    @property
    def is_person(self) -> bool:
        """Whether it is a user."""
        return self.principal.kind == "user"

    @property
    def participant_id(self) -> str:
        """Who it is in `raisedBy` and in a holder: the id of a program, else the kind and the id (`user:ana`)."""
        return self.principal.id if self.principal.kind == "program" else str(self.principal)

    @property
    def name(self) -> str:
        """Who it is in an answer: the plain id."""
        return self.principal.id
