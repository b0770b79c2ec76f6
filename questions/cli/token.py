"""`questions token`: issue a token for somebody, take it back, change the keys. No token is ever an argument."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from getpass import getpass
from pathlib import Path

import attrs

from facets.errors import FacetError
from facets.link.identity import LONGEST_LIFETIME, TOKEN_ID, Identity, parse_principal
from facets.link.keys import KeyRing
from facets.link.private_file import write_private
from facets.link.revocations import Revocations
from facets.link.tokens import TokenAuthenticator, TokenIssuer

from .durations import parse_duration
from .settings import load_settings

__all__ = [
    "BadTokenCommand",
    "add_token",
    "auth_keys_path",
    "is_like_token",
    "parse_duration",
    "revocations_path",
    "run_token",
]

_USAGE = """\
questions token PRINCIPAL [--name NAME] [--expires 8h] [--scope SCOPE ...] [--output FILE]
       questions token revoke (TOKEN_ID | PRINCIPAL | -)
       questions token rotate
       questions token retire KID
       questions token keys
each with [--auth-keys FILE] [--json]"""

_EXAMPLES = """\
examples:
  questions token user:ana --name Ana --output ana.token   a token for a person, in a file that only you can read
  questions token worker:s1 --expires 30d                  for a worker; it is good for session s1 alone
  questions token guest:bo --scope session:s1              for a guest, in one session
  questions token revoke 0f3a...                           take one token back, by the id that was told with it
  questions token revoke user:ana                          take back all that ana was given until now
  questions token revoke - < ana.token                     take back the token in a file
  questions token rotate                                   sign with a new key from now on; old tokens stay good
  questions token retire KID                               remove an old key; what it has signed is worthless
  questions token keys --json                              the public keys, as a JSON Web Key Set

A token is a secret: who has it is taken for the principal. It is written to standard output or to a file,
read from standard input, and never taken from the command line, where every user of the machine could see it.
"""
_LONGEST_INPUT = 65_536


@attrs.define(eq=False, slots=False, str=False)
class BadTokenCommand(FacetError):
    """`questions token` cannot do what it was told: `why`, in words for who has typed it. Nothing was changed."""

    why: str

    def __str__(self) -> str:
        return self.why


def add_token(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `token` to the parser of `questions`."""
    parser = commands.add_parser(
        "token",
        usage=_USAGE,
        description="Issue a token, by which a person, a program or a worker proves who they are to a server.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", metavar="PRINCIPAL", help="for whom: user:ana, guest:bo, program:run-1, worker:s1")
    parser.add_argument("target", metavar="TARGET", nargs="?", help="of revoke and retire: what; - reads a token")
    parser.add_argument("--name", help="the name to show for them")
    parser.add_argument("--expires", type=parse_duration, metavar="TIME", help="such as 90s, 30m, 8h (default) or 30d")
    parser.add_argument("--scope", action="append", metavar="SCOPE", help="session:ID, or owner: good for these alone")
    parser.add_argument("--output", metavar="FILE", type=Path, help="write the token there, readable by you only")
    parser.add_argument("--auth-keys", metavar="FILE", help="default: $QUESTIONS_AUTH_KEYS, or in ~/.local/state")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run_token)


def run_token(options: argparse.Namespace) -> int:
    """Do what `questions token` was told; returns the exit code. Raises `FacetError` for what is at fault."""
    run = _COMMANDS.get(options.what, _issue)
    _check(options, run)
    run(options)
    return 0


def auth_keys_path(given: str | None) -> Path:
    """The file of keys: as given, else as it is set (`auth-keys`), else `questions/keys.json` in `$XDG_STATE_HOME`."""
    name = load_settings().value("auth-keys", given)
    if name:
        return Path(name)
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (state if state.is_absolute() else Path.home() / ".local" / "state") / "questions" / "keys.json"


def revocations_path(keys: Path) -> Path:
    """The list of what was revoked, beside the keys."""
    return keys.with_name(f"{keys.name}.revoked")


def _check(options: argparse.Namespace, run: Callable[[argparse.Namespace], None]) -> None:
    """What argparse cannot tell: which arguments and options belong together."""
    if any(is_like_token(text) for text in (options.what, options.target or "")):
        raise BadTokenCommand(
            "A token on the command line can be seen by every user of this machine; revoke that one.\n"
            "Give it on standard input: questions token revoke - < FILE"
        )
    if (run in (_revoke, _retire)) != (options.target is not None):
        raise BadTokenCommand("revoke and retire say what to take back; nothing else takes a second argument.")
    given = [name for name in ("name", "expires", "scope", "output") if getattr(options, name) is not None]
    if run is not _issue and given:
        raise BadTokenCommand(f"--{given[0]} is for a new token: questions token PRINCIPAL --{given[0]} ...")


def is_like_token(text: str) -> bool:
    """Whether somebody has put a token where none belongs."""
    return text.startswith("eyJ") and text.count(".") == 2


def _issue(options: argparse.Namespace) -> None:
    principal = parse_principal(options.what)
    path = auth_keys_path(options.auth_keys)
    keys = KeyRing(path, create=True)
    Revocations(revocations_path(path))  # there from the first token on, so that it cannot get lost unnoticed
    lifetime = 8 * 3600 if options.expires is None else options.expires
    scopes = options.scope or ()
    issued = TokenIssuer(keys).issue(principal, time.time(), lifetime=lifetime, name=options.name, scopes=scopes)
    if options.output is not None and (faults := write_private(options.output, f"{issued.token}\n".encode())):
        raise BadTokenCommand(f"{options.output} {faults[0]}; no token was issued")
    shown = {} if options.output else {"token": issued.token}
    if options.json:
        print(json.dumps(shown | _as_json(issued.identity)))
    elif shown:
        print(issued.token)
    _tell(issued.identity, secret=bool(shown) and sys.stdout.isatty())


def _as_json(identity: Identity) -> dict[str, object]:
    return {
        "id": identity.token_id,
        "principal": str(identity.principal),
        "name": identity.name,
        "scopes": sorted(identity.scopes),
        "issued": identity.issued,
        "expires": identity.expires,
    }


def _tell(identity: Identity, *, secret: bool) -> None:
    """What the token is, for the person at the terminal; standard output has the token alone."""
    whose = f"{identity.principal}" + (f" ({identity.name})" if identity.name else "")
    where = f", for {' '.join(sorted(identity.scopes))}" if identity.scopes else ""
    until = datetime.fromtimestamp(identity.expires, UTC)
    print(f"A token for {whose}{where}, until {until:%Y-%m-%d %H:%M:%S} UTC.", file=sys.stderr)
    print(f"To take it back: questions token revoke {identity.token_id}", file=sys.stderr)
    if secret:
        print(f"It is a secret: who has it is taken for {identity.principal}. --output FILE keeps it", file=sys.stderr)
        print("off the screen.", file=sys.stderr)


def _revoke(options: argparse.Namespace) -> None:
    path, now, target = auth_keys_path(options.auth_keys), time.time(), options.target
    keys = KeyRing(path)  # a path without keys is more likely a mistake than a place for a list
    revocations = Revocations(revocations_path(path))
    told: dict[str, object]
    if target == "-":
        identity = _from_input(keys, revocations, now)
        revocations.revoke_token(identity.token_id, identity.expires)
        told = {"token": identity.token_id, "principal": str(identity.principal)}
    elif TOKEN_ID.fullmatch(target):
        revocations.revoke_token(target, now + LONGEST_LIFETIME)
        told = {"token": target}
    elif ":" in target:
        principal = parse_principal(target)
        revocations.revoke_principal(principal, now)
        told = {"principal": str(principal), "before": now}
    else:
        raise BadTokenCommand("Revoke what? A token's id (32 hexadecimal digits), a principal (user:ana), or - .")
    revocations.compact(now)
    print(json.dumps(told) if options.json else f"revoked: {_in_words(told)}")


def _in_words(told: Mapping[str, object]) -> str:
    if "before" in told:
        return f"every token that {told['principal']} was given until now"
    return f"token {told['token']}" + (f" of {told['principal']}" if "principal" in told else "")


def _from_input(keys: KeyRing, revocations: Revocations, now: float) -> Identity:
    text = getpass("The token to take back: ") if sys.stdin.isatty() else sys.stdin.read(_LONGEST_INPUT)
    identity = TokenAuthenticator(keys, revocations).authenticate(text.strip(), now)
    if identity is None:
        raise BadTokenCommand(
            "Standard input holds no token that would be accepted: it has expired, was revoked already, or was signed\n"
            "with other keys than these. Nothing was changed."
        )
    return identity


def _rotate(options: argparse.Namespace) -> None:
    kid = KeyRing(auth_keys_path(options.auth_keys)).rotate()
    print(json.dumps({"kid": kid}) if options.json else kid)
    print("New tokens are signed with this key; give its public half to who checks proofs.", file=sys.stderr)


def _retire(options: argparse.Namespace) -> None:
    KeyRing(auth_keys_path(options.auth_keys)).retire(options.target)
    print(json.dumps({"retired": options.target}) if options.json else f"retired: {options.target}")


def _keys(options: argparse.Namespace) -> None:
    keys = KeyRing(auth_keys_path(options.auth_keys))
    if options.json:
        print(json.dumps(keys.public()))
        return
    for kid in keys.kids:
        print(kid, "signs and verifies" if kid == keys.signing[0] else "verifies")


_COMMANDS: dict[str, Callable[[argparse.Namespace], None]] = {
    "revoke": _revoke,
    "rotate": _rotate,
    "retire": _retire,
    "keys": _keys,
}
