"""What a host or a link can refuse.

    FacetError
    ├── Forbidden           the caller's identity does not allow it; repeating will not help
    ├── InvalidPrincipal    a principal with an unusable kind or id
    ├── Unserved            no facet of this host serves that type
    ├── InvalidFacet        a facet's declaration is at fault; every fault is listed
    ├── ReloadFailed        new code could not be taken over; the old code goes on serving
    ├── MissingExtra        a part of the project needs a library that is not installed; says which
    ├── ActorBusy           an actor was called from inside its own handler
    ├── InvalidMessage      a frame that is no message of the link's protocol, or not one for now
    ├── InvalidCall         a call over a link whose kind, method, readable or arguments are at fault
    ├── UnknownObject       a call on an object that is not held, or no more
    ├── Unauthenticated     a link was refused for its token; which fault, only the server's log says
    ├── InvalidToken        a token that cannot be issued as it was asked for
    ├── InvalidKeyFile      a file of signing keys that cannot be trusted, read or changed; every fault is listed
    ├── InvalidRevocations  a list of revoked tokens that cannot be; until it is repaired no token is accepted
    ├── CannotRetire        a signing key that has to stay, or that there is not
    ├── InternalError       a fault of the other side's program
    ├── InsecureBind        a server that others could listen to was refused; says what to do
    ├── InsecureDial        a worker that would believe anybody on the network was refused; says what to do
    ├── UntrustedServer     a server that could not prove who it is, so that a worker serves it nothing
    ├── RemoteError         an error of the other side that this side has no class for
    └── Retryable           the same call may be repeated
        ├── Unavailable     the thing exists, and cannot be reached now
        ├── Busy            something has to end first; says what
        ├── GoingAway       the server stops or starts again; come back
        └── LinkLost        the connection went away while waiting

Every class has a `code`, its name in snake case: the same in Python, on the wire and in a command's JSON.
Texts are built in `__str__` from the attributes, so a caller never has to parse one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

import attrs

__all__ = [
    "ActorBusy",
    "Busy",
    "CannotRetire",
    "FacetError",
    "Forbidden",
    "GoingAway",
    "InsecureBind",
    "InsecureDial",
    "InternalError",
    "InvalidCall",
    "InvalidFacet",
    "InvalidKeyFile",
    "InvalidMessage",
    "InvalidPrincipal",
    "InvalidRevocations",
    "InvalidToken",
    "LinkLimitExceeded",
    "LinkLost",
    "MissingExtra",
    "ReloadFailed",
    "RemoteError",
    "Retryable",
    "Unauthenticated",
    "Unavailable",
    "UnknownObject",
    "Unserved",
    "UntrustedServer",
]


class FacetError(Exception):
    """The root of everything that this project raises on purpose.

    Subclasses carry data as attributes and can be pickled; `code` is the class name in snake case.
    """

    code: ClassVar[str] = "facet_error"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.code = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()


# Positional fields only: an attrs exception with keyword-only ones can be neither pickled nor copied.
@attrs.define(eq=False, slots=False, str=False)
class Forbidden(FacetError):
    """The caller may not do this. `why` says what is missing; nothing was changed."""

    why: str

    def __str__(self) -> str:
        return f"forbidden: {self.why}"


@attrs.define(eq=False, slots=False, str=False)
class InvalidPrincipal(FacetError):
    """A principal that cannot be: `faults` lists each one with its path."""

    faults: Sequence[str]

    def __str__(self) -> str:
        return "not a principal: " + "; ".join(self.faults)


@attrs.define(eq=False, slots=False, str=False)
class Unserved(FacetError):
    """Nothing here serves the type called `kind`: no facet of this host, or for links no declaration with `remote`."""

    kind: str

    def __str__(self) -> str:
        return (
            f"nothing here serves {self.kind}; add its facet to open_host(facets=[...]), and for links declare it with "
            "remote(...)"
        )


@attrs.define(eq=False, slots=False, str=False)
class InvalidFacet(FacetError):
    """The facet, or the declaration with `remote`, called `name` cannot be used; `faults` lists all that is wrong."""

    name: str
    faults: Sequence[str]

    def __str__(self) -> str:
        return f"facet or remote type {self.name!r} cannot be used: " + "; ".join(self.faults)


@attrs.define(eq=False, slots=False, str=False)
class ReloadFailed(FacetError):
    """The new code of facet `name` was not taken: `why`. The code that ran before goes on serving."""

    name: str
    why: str

    def __str__(self) -> str:
        return f"facet {self.name!r} still runs its old code: {self.why}"


@attrs.define(eq=False, slots=False, str=False)
class ActorBusy(FacetError):
    """An actor was called, for a result, from inside its own handler. Post the message instead."""

    actor: str

    def __str__(self) -> str:
        return f"{self.actor} is handling a message; post() to it from its own handler, do not call() it"


@attrs.define(eq=False, slots=False, str=False)
class MissingExtra(FacetError):
    """`what` needs `package`, which comes with the extra called `extra`. Install it, or use `instead`."""

    what: str
    package: str
    extra: str
    instead: str

    def __str__(self) -> str:
        return (
            f"{self.what} needs the package {self.package!r}, which is not installed.\n"
            f'Install it with: pip install "question-broker[{self.extra}]"\n'
            f"Or, without it: {self.instead}"
        )


@attrs.define(eq=False, slots=False, str=False)
class InvalidMessage(FacetError):
    """A frame that is no message of the protocol, or not one for now. `faults`: each with its path. It was ignored."""

    faults: Sequence[str]

    def __str__(self) -> str:
        return "not a message for this link: " + "; ".join(self.faults)


@attrs.define(eq=False, slots=False, str=False)
class InvalidCall(FacetError):
    """What was asked of an object over a link is not offered, or its arguments do not fit. Nothing was called.

    `faults`: one line each, beginning with its path.
    """

    faults: Sequence[str]

    def __str__(self) -> str:
        return "; ".join(self.faults)


@attrs.define(eq=False, slots=False, str=False)
class UnknownObject(FacetError):
    """No object with this id is held over this link, or no more. Get it again."""

    object: int

    def __str__(self) -> str:
        return f"no object {self.object} is held over this link; get it again"


@attrs.define(eq=False, slots=False, str=False)
class Unauthenticated(FacetError):
    """The link was refused for its token. Why is in the server's log only, as a stranger need not know."""

    def __str__(self) -> str:
        return "the server did not accept the token; have a new one issued, or ask who runs the server"


@attrs.define(eq=False, slots=False, str=False)
class InvalidToken(FacetError):
    """No token was issued, since it cannot be as it was asked for. `faults`: one line each, beginning with its path."""

    faults: Sequence[str]

    def __str__(self) -> str:
        return "no token was issued: " + "; ".join(self.faults)


@attrs.define(eq=False, slots=False, str=False)
class InvalidKeyFile(FacetError):
    """The file of signing keys at `path` cannot be trusted, read or changed: `faults`, none of which quotes a key.

    Nothing was changed. While it is so, no token is accepted.
    """

    path: str
    faults: Sequence[str]

    def __str__(self) -> str:
        return f"key file {self.path}: {'; '.join(self.faults)}"


@attrs.define(eq=False, slots=False, str=False)
class InvalidRevocations(FacetError):
    """The list of revoked tokens at `path` cannot be trusted, read or changed: `faults`. Nothing was changed.

    While it cannot be read, no token is accepted, since any could be a revoked one.
    """

    path: str
    faults: Sequence[str]

    def __str__(self) -> str:
        return f"list of revoked tokens {self.path}: {'; '.join(self.faults)}"


@attrs.define(eq=False, slots=False, str=False)
class CannotRetire(FacetError):
    """Signing key `kid` was not retired: `why`. Nothing was changed."""

    kid: str
    why: str

    def __str__(self) -> str:
        return f"key {self.kid!r} was not retired: {self.why}"


@attrs.define(eq=False, slots=False, str=False)
class InsecureBind(FacetError):
    """A server on `address`, which other machines can reach, was refused because it would not be encrypted."""

    address: str

    def __str__(self) -> str:
        return (
            f"{self.address} can be reached by other machines, and tokens and answers would cross the network as they "
            "are; give a certificate, bind to 127.0.0.1, or force it with insecure=True (--insecure)"
        )


@attrs.define(eq=False, slots=False, str=False)
class InsecureDial(FacetError):
    """`url` was not dialled: anybody on the way could read the token and the answers, and be the server."""

    url: str

    def __str__(self) -> str:
        return (
            f"{self.url} leads over a network, and nothing shows that it is the server which answers there; use wss:// "
            "with a certificate that is checked, dial a server on this machine, or force it: workers with server_keys, "
            "other programs with insecure=True (--insecure)"
        )


@attrs.define(eq=False, slots=False, str=False)
class UntrustedServer(FacetError):
    """Who answers at `url` could not prove to have the keys that the worker was given. Nothing was served to it."""

    url: str

    def __str__(self) -> str:
        return (
            f"who answers at {self.url} has not proved to be the server that was meant; if its keys have changed, give "
            "the worker the new ones, and see that the server was opened with `prove`"
        )


@attrs.define(eq=False, slots=False, str=False)
class InternalError(FacetError):
    """The program at the other side of a link has a fault; its log says which. Whether anything was done is unknown."""

    def __str__(self) -> str:
        return "the other side failed with an internal error; its log says which"


@attrs.define(eq=False, slots=False, str=False)
class RemoteError(FacetError):
    """An error of the other side of a link that this side has no class for: its code, its words, its attributes."""

    name: str
    """The `code` of the other side's error."""
    message: str
    data: object
    retryable: bool = False
    """Whether the other side says that the same may be asked again."""

    def __str__(self) -> str:
        return f"{self.message} ({self.name})"


class Retryable(FacetError):
    """What a caller may repeat: nothing was decided, and the same call can still succeed."""


@attrs.define(eq=False, slots=False, str=False)
class Unavailable(Retryable):
    """`what` cannot be reached now. Nothing was lost; try again later."""

    what: str

    def __str__(self) -> str:
        return f"{self.what} is unavailable now; try again"


@attrs.define(eq=False, slots=False, str=False)
class Busy(Retryable):
    """The time was over while `open_ids` were still open. They still are; nothing was changed."""

    open_ids: Sequence[str]

    def __str__(self) -> str:
        return f"still open: {', '.join(self.open_ids)}; wait longer, or force it"


@attrs.define(eq=False, slots=False, str=False)
class GoingAway(Retryable):
    """The server stops, or starts again, and takes nothing new. Nothing was lost; clients come back by themselves."""

    def __str__(self) -> str:
        return "the server is going away; come back"


@attrs.define(eq=False, slots=False, str=False)
class LinkLost(Retryable):
    """The connection to `where` went away while waiting. It says nothing about the outcome; ask again."""

    where: str

    def __str__(self) -> str:
        return f"lost the link to {self.where}; the outcome is unknown, ask again with the same key"


@attrs.define(eq=False, slots=False, str=False)
class LinkLimitExceeded(Retryable):
    """`what` is at its limit of `limit` for this link. Nothing was done. Have fewer of them, or slow down."""

    what: str
    limit: int

    def __str__(self) -> str:
        return f"{self.what}: the limit of {self.limit} is reached; have fewer of them or slow down, then try again"
