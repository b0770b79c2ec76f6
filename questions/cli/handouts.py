"""Whom a server lets in: people as the command line names them, and the tokens that they and workers are given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import attrs

from facets.errors import InvalidPrincipal
from facets.link.identity import Identity, is_text
from facets.link.private_file import write_private
from facets.link.tokens import IssuedToken, TokenIssuer
from facets.principal import Principal

from .connecting import BadCommand

__all__ = ["Handout", "Person", "default_file", "hand_out", "parse_person"]

_PEOPLE = ("user", "guest")


@attrs.frozen
class Person:
    """Somebody who may connect, and the name to show for them; None: their id."""

    principal: Principal
    name: str | None


@attrs.frozen
class Handout:
    """A token that was issued and put into a file that only its owner can read."""

    issued: IssuedToken
    file: Path

    @property
    def identity(self) -> Identity:
        """What the token proves."""
        return self.issued.identity

    def as_json(self, *, with_token: bool) -> dict[str, Any]:
        """As plain data; the token itself only if it is wished."""
        identity = self.identity
        told: dict[str, Any] = {"principal": str(identity.principal), "name": identity.name, "id": identity.token_id}
        told |= {"expires": identity.expires, "token_file": str(self.file)}
        return told | ({"token": self.issued.token} if with_token else {})


def parse_person(text: str) -> Person:
    """`alice`, `bob=Bob B.`, `guest:eve=Eve`. Raises `BadCommand`."""
    who, equals, name = text.partition("=")
    kind, colon, id = who.partition(":")
    if not colon:
        kind, id = "user", who
    if kind not in _PEOPLE:
        raise BadCommand(f"--person {text!r}: people are users and guests: alice, 'bob=Bob B.', guest:eve.")
    if equals and not is_text(name):
        raise BadCommand(f"--person {text!r}: a name has 1 to 200 characters, none of them a control character.")
    try:
        return Person(Principal(kind, id), name if equals else None)  # type: ignore[arg-type]  # one of _PEOPLE
    except InvalidPrincipal as error:
        raise BadCommand(f"--person {text!r}: {error}.") from None


def default_file(folder: Path, principal: Principal) -> Path:
    """Where the token of a principal goes: a name that is one on every file system, and no way out of the folder."""
    return folder / f"{principal.kind}-{quote(principal.id, safe='')}.token"


def hand_out(
    issuer: TokenIssuer, who: Sequence[tuple[Person, Path]], now: float, lifetime: float
) -> tuple[Handout, ...]:
    """Issue a token for each, and write it where it belongs. `lifetime`: seconds. Raises `InvalidToken`, `BadCommand`.

    All are issued before the first is written, so that a wish that cannot be fulfilled changes no file.
    """
    issued = [issuer.issue(each.principal, now, lifetime=lifetime, name=each.name) for each, _ in who]
    made = tuple(Handout(token, file) for token, (_, file) in zip(issued, who, strict=True))
    for one in made:
        if faults := _write(one):
            raise BadCommand(f"The token of {one.identity.principal}: {one.file} {'; '.join(faults)}.")
    return made


def _write(one: Handout) -> tuple[str, ...]:
    try:
        one.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        return (f"cannot be written: {error.strerror}",)
    return write_private(one.file, f"{one.issued.token}\n".encode())
