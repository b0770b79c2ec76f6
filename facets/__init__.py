"""A small host container on trio: facets open resources and serve objects to principals.

Knows nothing of questions. `open_host` runs facets; a call scope (`host.root()`) gets objects from them;
readables say what changes; resources and logic can be replaced while work is under way.
"""

from typing import TYPE_CHECKING

from .facet import Environment, Facet, Logic, Resource, Served, facet, serve
from .late import offered_late

if TYPE_CHECKING:
    from .actor import Actor, supervise
    from .background import Portal, open_background_host
    from .calls import current_call
    from .context import Ctx
    from .errors import (
        ActorBusy,
        Busy,
        CannotRetire,
        FacetError,
        Forbidden,
        GoingAway,
        InsecureBind,
        InsecureDial,
        InternalError,
        InvalidCall,
        InvalidFacet,
        InvalidKeyFile,
        InvalidMessage,
        InvalidPrincipal,
        InvalidRevocations,
        InvalidToken,
        LinkLimitExceeded,
        LinkLost,
        MissingExtra,
        ReloadFailed,
        RemoteError,
        Retryable,
        Unauthenticated,
        Unavailable,
        UnknownObject,
        Unserved,
        UntrustedServer,
    )
    from .host import Host, open_host, present
    from .keyed import Difference, Differences, KeyedCell, KeyedReadable
    from .principal import Principal, PrincipalKind, Who
    from .readable import Cell, Changes, CyclicRead, Listener, Readable, derive
    from .references import ObjectKey, Reference
    from .tree import describe_tree
    from .waiting import Waiting, WaitingWork, Waits
else:
    __getattr__ = offered_late(
        __name__, "actor background calls context errors host keyed principal readable references tree waiting"
    )

__all__ = [
    "Actor",
    "ActorBusy",
    "Busy",
    "CannotRetire",
    "Cell",
    "Changes",
    "Ctx",
    "CyclicRead",
    "Difference",
    "Differences",
    "Environment",
    "Facet",
    "FacetError",
    "Forbidden",
    "GoingAway",
    "Host",
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
    "KeyedCell",
    "KeyedReadable",
    "LinkLimitExceeded",
    "LinkLost",
    "Listener",
    "Logic",
    "MissingExtra",
    "ObjectKey",
    "Portal",
    "Principal",
    "PrincipalKind",
    "Readable",
    "Reference",
    "ReloadFailed",
    "RemoteError",
    "Resource",
    "Retryable",
    "Served",
    "Unauthenticated",
    "Unavailable",
    "UnknownObject",
    "Unserved",
    "UntrustedServer",
    "Waiting",
    "WaitingWork",
    "Waits",
    "Who",
    "current_call",
    "derive",
    "describe_tree",
    "facet",
    "open_background_host",
    "open_host",
    "present",
    "serve",
    "supervise",
]
