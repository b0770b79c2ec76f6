"""Text that people can trust: what would be invisible, or would reorder what they read, is made visible."""

from __future__ import annotations

import re

__all__ = ["text_within", "unshowable", "visible"]

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_C0_C1 = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_SURROGATES = "\ud800-\udfff"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2028\u2029\u2060-\u2065\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)

# Q-TYPE-2: refused in everything that is shown as it is; tab and line feed are judged apart.
_UNSHOWABLE = re.compile(f"[{_C0_C1}{_BIDI}{_SURROGATES}]")
_UNSHOWABLE_IN_LINE = re.compile(f"[\t\n{_C0_C1}{_BIDI}{_SURROGATES}]")
_ESCAPED = re.compile(f"[{_C0_C1}{_BIDI}{_SURROGATES}{_INVISIBLE}]")


def visible(text: str) -> str:
    """The text with every character escaped that is not seen or changes what is seen around it.

    Escaped, as `\\x1b`, `\\u202e` or `\\U000e0100`: control characters (save tab and line feed), bidirectional
    controls, zero-width and other invisible characters, variation selectors, tags, lone surrogates. All else
    stays as it is, and digests are made over the raw text.
    """
    return _ESCAPED.sub(_escape, text)


def unshowable(text: str, *, lines: bool) -> re.Match[str] | None:
    """The first character that may not be in a shown text; with `lines`, tab and line feed may."""
    return (_UNSHOWABLE if lines else _UNSHOWABLE_IN_LINE).search(text)


def text_within(text: object, longest: int) -> bool:
    """Whether it is text of 1 to `longest` code points, none of them a control character or a lone surrogate."""
    return isinstance(text, str) and 1 <= len(text) <= longest and not unshowable(text, lines=False)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
