"""The keys with which a host signs the receipts of its rooms: a file that only its owner can read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from facets.link.keys import KeyRing

from .jws import ALGORITHM
from .public_keys import PublicKeys, read_jwks

if TYPE_CHECKING:
    from joserfc.jwk import OKPKey

__all__ = ["RoomKeys"]


@final
class RoomKeys:
    """Ed25519 keys in a file with mode 0600: the newest signs, and what the older ones have signed stays good.

    Give it a file of its own, not that of tokens. No key can be removed: a receipt whose key is not published any more
    proves nothing, and receipts are kept for longer than keys are used. `create`: make a file with one key if there is
    none, its folder too.

    Raises `InvalidKeyFile`, with every fault, if others can read or have written the file, or if it holds anything
    else; and `MissingExtra` without joserfc. Not for several threads at once; any number of processes may use one file.
    Calls read and write files.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self._ring = KeyRing(path, create=create)

    def __repr__(self) -> str:
        return f"RoomKeys({str(self._ring.path)!r}, kids={self._ring.kids})"

    @property
    def signing(self) -> tuple[str, OKPKey]:
        """The id of the key that signs, and that key, as `sign_receipt` takes them."""
        return self._ring.signing

    @property
    def public(self) -> PublicKeys:
        """All keys, as `verify_chain` takes them."""
        return read_jwks(self.jwks())

    def jwks(self) -> dict[str, Any]:
        """The public halves, newest first, as a JSON Web Key Set for everybody to see."""
        return {"keys": [{**key, "alg": ALGORITHM} for key in self._ring.public()["keys"]]}

    def rotate(self) -> str:
        """Make a new key, which signs from now on, and return its id. Publish `jwks()` before it signs anything.

        Raises `InvalidKeyFile` if there are a hundred already.
        """
        return self._ring.rotate()

    def refresh(self) -> bool:
        """Read the file again if another process has changed it, and say whether it had. Raises `InvalidKeyFile`."""
        return self._ring.refresh()
