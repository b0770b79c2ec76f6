"""The objects of a host, used from another process.

A host serves them with `open_link_server`; programs reach them through `facets.link.client` (trio),
`facets.link.asyncio` and `facets.link.sync`. Only types that were declared with `remote` are offered.
"""

from typing import TYPE_CHECKING

from facets.late import offered_late

if TYPE_CHECKING:
    from .conversion import Misfit, make_converter
    from .identity import Authenticator, Identity, parse_principal
    from .interface import Arrival, Face, Interface, face, interface_of, remote
    from .keys import KeyRing
    from .limits import LinkLimits
    from .messages import SUBPROTOCOL
    from .mirror import unavailability_of
    from .revocations import Revocations
    from .server import LinkServer, open_link_server
    from .tokens import IssuedToken, TokenAuthenticator, TokenIssuer, check_proof, prove
    from .worker import WORKER_LIMITS, Worker, open_worker
else:
    __getattr__ = offered_late(
        __name__,
        "conversion identity interface keys limits messages mirror revocations server tokens worker",
    )

__all__ = [
    "SUBPROTOCOL",
    "WORKER_LIMITS",
    "Arrival",
    "Authenticator",
    "Face",
    "Identity",
    "Interface",
    "IssuedToken",
    "KeyRing",
    "LinkLimits",
    "LinkServer",
    "Misfit",
    "Revocations",
    "TokenAuthenticator",
    "TokenIssuer",
    "Worker",
    "check_proof",
    "face",
    "interface_of",
    "make_converter",
    "open_link_server",
    "open_worker",
    "parse_principal",
    "prove",
    "remote",
    "unavailability_of",
]
