"""Where a store lives on a PostgreSQL server: what libpq takes, and a schema; never a password."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import attrs

from .errors import BadArgument

__all__ = ["Address"]

_SCHEMES = ("postgresql", "postgres")
_SECRETS = ("password", "sslpassword")
_SCHEMA = re.compile(r"(?!pg_)[a-z_][a-z0-9_]{0,62}\Z")


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
        parts = urlsplit(text)
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        schemas = [value for name, value in pairs if name == "schema"] or ["questions"]
        if faults := [*_faults(parts.scheme, parts.netloc, pairs), *_schema_faults(schemas)]:
            raise BadArgument(faults)
        query = urlencode([pair for pair in pairs if pair[0] != "schema"], quote_via=quote)
        return cls(urlunsplit((parts.scheme, parts.netloc, parts.path, query, "")), schemas[0])


def _faults(scheme: str, netloc: str, pairs: list[tuple[str, str]]) -> list[str]:
    faults = []
    if scheme not in _SCHEMES:
        faults.append("$.where: must begin with postgresql://")
    if ":" in netloc.rpartition("@")[0] or any(name in _SECRETS for name, _ in pairs):
        faults.append("$.where: must not hold a password; put it into the file that PGPASSFILE names")
    return faults


def _schema_faults(schemas: list[str]) -> list[str]:
    if len(schemas) == 1 and _SCHEMA.match(schemas[0]):
        return []
    return ["$.where: the schema must be one lower-case word of at most 63 characters, not beginning with pg_"]
