"""The keys that tokens are signed with: a file of them, one that signs, older ones that still verify."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from facets.errors import CannotRetire, InvalidKeyFile, MissingExtra

from .private_file import Stamp, locked, read_private, stamp, write_private

if TYPE_CHECKING:
    from joserfc.jwk import OKPKey

__all__ = ["ALGORITHM", "KeyRing", "public_keys"]

ALGORITHM = "Ed25519"
"""The only one, for keys and for signatures: its name since RFC 9864, where "EdDSA" says too little."""

_LARGEST_FILE = 65_536
_MOST_KEYS = 100
_32_BYTES = re.compile(r"[A-Za-z0-9_-]{43}")
_FIXED = {"kty": "OKP", "crv": "Ed25519", "alg": ALGORITHM, "use": "sig"}


@final
class KeyRing:
    """Ed25519 signing keys in a file that only its owner can read: a JSON Web Key Set, the newest key first.

    The newest signs, all of them verify. The `kid` of each is its RFC 7638 thumbprint. `create`: make a file with one
    key if there is none, its folder too. Raises `InvalidKeyFile`, with every fault, if others can read or have written
    the file, or if it holds anything but such keys; and `MissingExtra` without joserfc.

    Not for several threads at once. Any number of processes may use one file, and what one changes the others see at
    `refresh()`. Calls read and write files, and `rotate` and `retire` wait for other processes that do the same.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        self._keys: dict[str, OKPKey] = {}
        self._stamp: Stamp | None = None
        if create and not path.exists():
            self._make_first()
        self.refresh()

    def __repr__(self) -> str:
        return f"KeyRing({str(self.path)!r}, kids={self.kids})"

    def __contains__(self, kid: object) -> bool:
        return kid in self._keys

    @property
    def kids(self) -> tuple[str, ...]:
        """The ids of the keys, newest first; the first one signs."""
        return tuple(self._keys)

    @property
    def signing(self) -> tuple[str, OKPKey]:
        """The key that signs, and its id."""
        kid = self.kids[0]
        return kid, self._keys[kid]

    def find(self, kid: str) -> OKPKey | None:
        """The key with this id."""
        return self._keys.get(kid)

    def public(self) -> dict[str, Any]:
        """The public halves, as a JSON Web Key Set: all that is needed to check what these keys have signed."""
        return {"keys": [_as_jwk(kid, key, private=False) for kid, key in self._keys.items()]}

    def refresh(self) -> bool:
        """Read the file again if it has changed, and say whether it had.

        Raises `InvalidKeyFile` if it cannot be used any more. Then there are no keys until it can.
        """
        if self._stamp is not None and self._stamp == stamp(self.path):
            return False
        self._refuse(self._read())
        return True

    def rotate(self) -> str:
        """Make a new key, which signs from now on, and return its id. The old ones go on verifying."""
        with self._changing():
            if len(self._keys) >= _MOST_KEYS:
                self._refuse([f"$.keys: there are {_MOST_KEYS} already; retire some"])
            key = _new_key()
            self._refuse(self._write({key.thumbprint(): key, **self._keys}))
        return self.kids[0]

    def retire(self, kid: str) -> None:
        """Remove an old key: all that it has signed is worthless from now on. Raises `CannotRetire` for the newest."""
        with self._changing():
            if kid not in self._keys:
                raise CannotRetire(kid, f"there is no such key; there are {', '.join(self.kids)}")
            if kid == self.kids[0]:
                raise CannotRetire(kid, "it is the one that signs; rotate first")
            self._refuse(self._write({other: key for other, key in self._keys.items() if other != kid}))

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Alone with the file, and with what is in it now."""
        with locked(self.path) as faults:
            self._refuse(faults)
            self.refresh()
            yield

    def _make_first(self) -> None:
        with locked(self.path) as faults:
            self._refuse(faults)
            if not self.path.exists():  # else another process has been faster
                key = _new_key()
                self._refuse(self._write({key.thumbprint(): key}))

    def _read(self) -> Iterable[str]:
        contents = read_private(self.path, _LARGEST_FILE)
        keys, faults = _private_keys(contents.data) if contents.stamp else ({}, [])
        faults[:0] = contents.faults
        self._keys = {} if faults else keys
        self._stamp = None if faults else contents.stamp
        return faults

    def _write(self, keys: Mapping[str, OKPKey]) -> Iterable[str]:
        entries = [_as_jwk(kid, key, private=True) for kid, key in keys.items()]
        faults = write_private(self.path, json.dumps({"keys": entries}, indent=1).encode())
        return faults or self._read()

    def _refuse(self, faults: Iterable[str]) -> None:
        # Raised where no local variable holds a key.
        if faults := tuple(faults):
            raise InvalidKeyFile(str(self.path), faults)


def public_keys(jwks: Mapping[str, Any]) -> dict[str, OKPKey]:
    """The keys of a public set by their thumbprints; what is no Ed25519 key there is passed over (RFC 7517, 5)."""
    entries = jwks.get("keys")
    keys = [_imported(entry, {"x"}) for entry in entries if not _entry_faults(entry, "$", {"x"})] if entries else []
    return {key.thumbprint(): key for key in keys if key is not None}


def _private_keys(data: bytes) -> tuple[dict[str, OKPKey], list[str]]:
    """The keys in a file, and everything that is wrong with it. No fault quotes what is there."""
    entries = _entries(data)
    if not isinstance(entries, list) or not 1 <= len(entries) <= _MOST_KEYS:
        return {}, [f"$.keys: must be 1 to {_MOST_KEYS} keys, as JSON"]
    keys: dict[str, OKPKey] = {}
    faults: list[str] = []
    for index, entry in enumerate(entries):
        path = f"$.keys[{index}]"
        found = _entry_faults(entry, path, {"x", "d"})
        key = None if found else _imported(entry, {"x", "d"})
        faults += found or _key_faults(key, entry, path, keys)
        if key is not None:
            keys[key.thumbprint()] = key
    return keys, faults


def _entries(data: bytes) -> object:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return document.get("keys") if isinstance(document, dict) else None


def _entry_faults(entry: object, path: str, halves: set[str]) -> list[str]:
    if not isinstance(entry, dict):
        return [f"{path}: must be an object"]
    faults = [f"{path}.{name}: must be {value}" for name, value in _FIXED.items() if not _is(entry, name, value)]
    texts = [(name, entry.get(name)) for name in sorted(halves)]
    return faults + [f"{path}.{name}: must be 32 bytes in base64url" for name, text in texts if not _is_32_bytes(text)]


def _is(entry: dict[str, object], name: str, value: str) -> bool:
    """`kty` and `crv` say what a key is; `alg` and `use` may be left out."""
    return entry.get(name, None if name in ("kty", "crv") else value) == value


def _is_32_bytes(text: object) -> bool:
    return isinstance(text, str) and _32_BYTES.fullmatch(text) is not None


def _key_faults(key: OKPKey | None, entry: dict[str, object], path: str, others: Mapping[str, OKPKey]) -> list[str]:
    if key is None:
        return [f"{path}: is not an Ed25519 key"]
    faults = []
    if _key_class().import_key(key.public_key).as_dict()["x"] != entry["x"]:
        faults.append(f"{path}.x: does not belong to d")
    if entry.get("kid") != key.thumbprint():
        faults.append(f"{path}.kid: must be the thumbprint of the key (RFC 7638)")
    if key.thumbprint() in others:
        faults.append(f"{path}: is there twice")
    return faults


def _imported(entry: Mapping[str, Any], halves: set[str]) -> OKPKey | None:
    material = {name: entry[name] for name in ("kty", "crv", *halves)}
    make = _key_class()
    try:
        return make.import_key(material)
    except Exception:  # a library's word for bytes that are no key; whichever, it is none
        return None


def _as_jwk(kid: str, key: OKPKey, *, private: bool) -> dict[str, Any]:
    return {**key.as_dict(private=private), "kid": kid, "alg": ALGORITHM, "use": "sig"}


def _new_key() -> OKPKey:
    while True:
        key = _key_class().generate_key("Ed25519")
        if not key.thumbprint().startswith("-"):  # else no command line could name it without a trick
            return key


def _key_class() -> type[OKPKey]:
    try:
        from joserfc import jwk  # noqa: PLC0415  # joserfc comes with an extra
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("joserfc", "cryptography"):
            raise
    else:
        return jwk.OKPKey
    raise MissingExtra("Signing tokens", "joserfc", "serve", "ask and answer in one process, with open_host")
