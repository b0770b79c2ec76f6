"""Secrets out of a tool call's arguments, before anything is asked, shown or written.

Two ways to know a secret: by the name it is given (`{"api_key": ...}`, `--token ...`), and by its look
(`ghp_...`, a private key's header). What is masked says so and says what it was, never how long.

Masking must not become a place to hide work: a value ends where a shell would start something new, and `$(...)` in
place of a value stays readable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .hidden import is_hidden

__all__ = ["mask", "mask_text"]

# Names that say it whatever stands before them (PGPASSWORD), and short ones that need a word to themselves (spin).
_STRONG = (
    r"(?:password|passwd|passphrase|secret|token|credentials?|api_?key|api-key"
    r"|(?:access|private|secret|signing|encryption|account|auth)[_-]?key)"
)
_WEAK = r"(?:pass|pwd|pin|otp|cookie)"
_NAME = rf"(?:[\w.-]{{0,40}}?{_STRONG}|(?:[\w.-]{{0,40}}?[_.-])?{_WEAK})"

# One value of a shell word, a header or a query: up to the next thing that separates or runs something. A dollar sign
# counts in the middle of a value only: "$(rm -rf x)" is work, not a secret. (Possessive: never a part of a word.)
_BARE = r"(?P<{0}>(?:[^\s;|&<>()`$'\"\\]|(?<=\w)\$(?=\w))++)"
_QUOTED = r"""\\?(?:"(?P<double>(?:[^"$`\n\\]|\\(?!")|(?<!")\$(?!\())+)|'(?P<single>[^'\n]+))"""
_VALUE = rf"(?:{_QUOTED}|{_BARE.format('bare')})"
# In code, `token = next(tokens)` and `password: str` are no secrets.
_CODE = r"(?!(?:str|bytes|int|bool|object|None|null|undefined|[Tt]rue|[Ff]alse)\b)"
_GROUPS = ("double", "single", "bare", "secret")

_SECRET_NAME = re.compile(rf"(?:.*[_.\-\s])?(?:\w*{_STRONG}|{_WEAK}|authorization)", re.IGNORECASE | re.DOTALL)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SECRET = _BARE.format("secret")


def _look(what: str, pattern: str) -> tuple[str, re.Pattern[str]]:
    return what, re.compile(pattern)


_LOOKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    _look(
        "private key",
        # No blank inside the body: a block of key material, never a command line between two dashes.
        r"(?P<secret>-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r"(?:\s|\\n)*(?:[\w-]+: [\w,-]+(?:\s|\\n)+)*(?:[A-Za-z0-9+/=]|[\r\n]|\\n)*"
        r"(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?)",
    ),
    _look("authorization", rf"(?i)\bauthorization\s*[:=]\s*(?:[a-z]+\s+)?{_SECRET}"),
    _look("bearer token", r"(?i)\bbearer\s+(?P<secret>[\w.~+/=-]{6,})"),
    # The user part of an address ends at the last @ before its path.
    _look("password", r"://[^\s/?#:@]{0,200}:(?P<secret>[^\s/?#'\"`$;|&<>()]{1,400})(?=[^\s/?#'\"]{0,400}@)"),
    _look("token", r"://(?P<secret>[^\s/?#:@'\"`$;|&<>()]{16,400})@"),
    _look("password", rf"\b(?:mysql\w*|mariadb\w*|sshpass|docker login)\b[^;|&\n]{{0,400}}?\s-p\s*{_VALUE}"),
    _look("password", rf"\bcurl\b[^;|&\n]{{0,400}}?\s(?:-u|--user)[\s=]*[^\s:]{{1,200}}:{_SECRET}"),
    _look("value", rf"(?i)(?<![\w-])--?{_NAME}(?:=|\s+){_VALUE}"),
    _look("value", rf"(?i)(?<![\w.-]){_NAME}={_VALUE}"),
    _look("value", rf"(?i)(?<![\w.-]){_NAME}\\?[\"']?\s*[=:]\s*{_CODE}{_VALUE}(?![(\[])"),
    _look(
        "key",
        r"\b(?P<secret>(?:AKIA|ASIA)[A-Z0-9]{12,}|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
        r"|sk[-_][\w-]{16,}|xox[abeprs]-[\w-]{10,}|AIza[\w-]{30,}|npm_\w{20,}|pypi-[\w-]{20,}"
        r"|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|AGE-SECRET-KEY-\w+)",
    ),
    # Nobody types such a word: long, with both cases and digits. Digests in hex stay readable.
    _look(
        "key",
        r"(?<![\w/+-])(?P<secret>(?=[\w+=-]{0,400}[a-z])(?=[\w+=-]{0,400}[A-Z])(?=[\w+=-]{0,400}\d)"
        r"[\w+=-]{32,400})(?![\w/+])",
    ),
)


def mask(value: Any) -> Any:
    """`value`, a JSON value, with every secret in it replaced. Numbers and booleans pass, unless named a secret."""
    if isinstance(value, str):
        return mask_text(value)
    if isinstance(value, dict):
        return _mask_object(value)
    if isinstance(value, list):
        # ["--password", "x"]: the option before says what this one is.
        return [
            _mask_named(before.lstrip("-"), part) if _is_option(before) else mask(part)
            for before, part in zip(["", *value], value, strict=False)
        ]
    return value


def mask_text(text: str) -> str:
    """`text` with every secret in it replaced by "[masked: what]".

    Characters that cannot be seen are left out while looking, so that one zero-width space does not save a key
    from being found; a secret that held some says so.
    """
    kept = [place for place, char in enumerate(text) if char == "\r" or not is_hidden(char)]
    plain = "".join(text[place] for place in kept)
    parts, end = [], 0
    for start, stop, what in _merged(sorted(_spans(plain))):
        first, last = kept[start], kept[stop - 1] + 1
        hidden = ", with hidden characters" if last - first > stop - start else ""
        parts += [text[end:first], f"[masked: {what}{hidden}]"]
        end = last
    return "".join([*parts, text[end:]])


def _mask_object(value: dict[str, Any]) -> dict[str, Any]:
    named = value.get("name") or value.get("key")
    if "value" in value and isinstance(named, str) and _is_secret_name(named):
        value = {**value, "value": f"[masked: {mask_text(named)}]"}
    return {mask_text(name): _mask_named(name, part) for name, part in value.items()}


def _is_option(value: object) -> bool:
    return isinstance(value, str) and value.startswith("-")


def _mask_named(name: str, part: Any) -> Any:
    if part is None or isinstance(part, bool) or part in ("", [], {}) or not _is_secret_name(name):
        return mask(part)
    return f"[masked: {mask_text(name)}]"


def _is_secret_name(name: str) -> bool:
    plain = "".join(char for char in name if not is_hidden(char))
    return _SECRET_NAME.fullmatch(_CAMEL.sub("_", plain)) is not None


def _spans(plain: str) -> Iterator[tuple[int, int, str]]:
    for what, look in _LOOKS:
        for match in look.finditer(plain):
            for group in _GROUPS:
                if group in look.groupindex and match[group]:
                    yield *match.span(group), what


def _merged(spans: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """Spans that overlap become one, under the name of the first: half a secret is a secret too."""
    while spans:
        start, stop, what = spans.pop(0)
        while spans and spans[0][0] < stop:
            stop = max(stop, spans.pop(0)[1])
        yield start, stop, what
