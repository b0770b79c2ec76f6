"""A small host container on trio: facets open resources and serve objects to principals.

Knows nothing of questions. `open_host` runs facets; a call scope (`host.root()`) gets objects from them;
readables say what changes; resources and logic can be replaced while work is under way.
"""

from .actor import Actor, supervise
from .background import Portal, open_background_host
from .context import Ctx
from .errors import (
    ActorBusy,
    Busy,
    CannotRetire,
    FacetError,
    Forbidden,
    InvalidFacet,
    InvalidKeyFile,
    InvalidPrincipal,
    InvalidRevocations,
    InvalidToken,
    LinkLost,
    MissingExtra,
    ReloadFailed,
    Retryable,
    Unavailable,
    Unserved,
)
from .facet import Environment, Facet, Logic, Resource, Served, facet, serve
from .host import Host, open_host, present
from .keyed import Difference, Differences, KeyedCell, KeyedReadable
from .link.identity import Authenticator, Identity, parse_principal
from .link.keys import KeyRing
from .link.revocations import Revocations
from .link.tokens import IssuedToken, TokenAuthenticator, TokenIssuer, check_proof, prove
from .principal import Principal, PrincipalKind, Who
from .readable import Cell, Changes, CyclicRead, Listener, Readable, derive
from .references import ObjectKey, Reference
from .tree import describe_tree
from .waiting import Waiting, WaitingWork, Waits

__all__ = [
    "Actor",
    "ActorBusy",
    "Authenticator",
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
    "Host",
    "Identity",
    "InvalidFacet",
    "InvalidKeyFile",
    "InvalidPrincipal",
    "InvalidRevocations",
    "InvalidToken",
    "IssuedToken",
    "KeyRing",
    "KeyedCell",
    "KeyedReadable",
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
    "Resource",
    "Retryable",
    "Revocations",
    "Served",
    "TokenAuthenticator",
    "TokenIssuer",
    "Unavailable",
    "Unserved",
    "Waiting",
    "WaitingWork",
    "Waits",
    "Who",
    "check_proof",
    "derive",
    "describe_tree",
    "facet",
    "open_background_host",
    "open_host",
    "parse_principal",
    "present",
    "prove",
    "serve",
    "supervise",
]
