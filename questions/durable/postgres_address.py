"""Where a store lives on a PostgreSQL server: what libpq takes, and a schema; never a password."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit

import attrs

from .errors import BadArgument

__all__ = ["Address", "is_address"]

_SCHEMES = ("postgresql", "postgres")
_SECRETS = ("password", "sslpassword", "scram_client_key", "scram_server_key", "oauth_client_secret")
_HOST = re.compile(r"(\[[^\[\]]*\]|[^\[\]:]*)(:[0-9]{0,5})?")
_SCHEMA = re.compile(r"(?!pg_)[a-z_][a-z0-9_]{0,62}\Z")


def is_address(text: str) -> bool:
    """Whether that is meant to be an address, right or wrong, and no folder."""
    return "://" in text or text.lower().startswith(tuple(f"{scheme}:" for scheme in _SCHEMES))


@attrs.frozen
class Address:
    """`conninfo`: an address as libpq takes it. `schema`: a lower-case word."""

    conninfo: str
    schema: str = "questions"

    @classmethod
    def parse(cls, text: str) -> Address:
        """`postgresql://[user@][host][:port][/database][?schema=word][&options of libpq]`.

        What is left out is what libpq makes of it: `PGHOST`, `PGPASSFILE`, `~/.pgpass` and the like. Raises
        `BadArgument` with every fault, above all a password: an address gets into logs and lists of processes.
        """
        try:
            parts = urlsplit(text)
        except ValueError:  # which may quote it
            raise BadArgument(["$.where: is no address; brackets are for the numbers of IPv6 alone"]) from None
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        schemas = [value for name, value in pairs if name == "schema"] or ["questions"]
        if faults := [*_faults(text, parts, pairs), *_schema_faults(schemas)]:
            raise BadArgument(faults)
        query = urlencode([pair for pair in pairs if pair[0] != "schema"], quote_via=quote)
        # The two slashes have to stand where there is no host, too.
        conninfo = f"{parts.scheme}://{parts.netloc}{parts.path}"
        return cls(f"{conninfo}?{query}" if query else conninfo, schemas[0])


def _faults(text: str, parts: SplitResult, pairs: list[tuple[str, str]]) -> list[str]:
    """What is wrong, without a word of what was given: a password can be in any wrong place."""
    faults = [] if text.isprintable() else ["$.where: holds what cannot be seen, or is no text in UTF-8"]
    if parts.scheme not in _SCHEMES or f"{parts.scheme}://" not in text.lower():
        faults.append("$.where: must begin with postgresql://")
    user, _, hosts = parts.netloc.rpartition("@")
    if ":" in user or any(name in _SECRETS for name, _ in pairs):
        faults.append("$.where: must not hold a password; put it into ~/.pgpass, or the file that PGPASSFILE names")
    if "#" in text or (("@" in text) and "@" not in parts.netloc):
        faults.append("$.where: # and, but for the one behind the user, @ are written %23 and %40")
    if not all(map(_HOST.fullmatch, hosts.split(","))):
        faults.append("$.where: the port, behind the : of a host, is a number")
    return faults


def _schema_faults(schemas: list[str]) -> list[str]:
    if len(schemas) == 1 and _SCHEMA.match(schemas[0]):
        return []
    return ["$.where: the schema must be one lower-case word of at most 63 characters, not beginning with pg_"]
