"""What ids and names look like."""

from __future__ import annotations

import re

__all__ = ["channel_faults", "code_faults", "digest_faults", "is_name", "name_faults", "record_id_faults"]

_RECORD_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,127}")
_CHANNEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def is_name(name: object) -> bool:
    """Whether it can be the id of a choice, the name of a text input, or an audience, in requests and settings."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def name_faults(path: str, name: object) -> list[str]:
    """What is wrong with the id of a choice, the name of an input, an audience."""
    what = "1 to 128 of letters, digits, _ and -, beginning with a letter or _"
    return [] if is_name(name) else [f"{path}: {what}"]


def record_id_faults(path: str, id: object) -> list[str]:
    """What is wrong with the id of a decision, a run or an attempt."""
    what = "1 to 200 of letters, digits and ._-, beginning with a letter or a digit"
    return _faults(path, id, _RECORD_ID, what)


def channel_faults(path: str, id: object) -> list[str]:
    """What is wrong with the id of a channel, such as `terminal` or `telegram:approval`."""
    what = "a channel: 1 to 200 of letters, digits and ._:-, beginning with a letter or a digit"
    return _faults(path, id, _CHANNEL, what)


def code_faults(path: str, code: object) -> list[str]:
    """What is wrong with the code of an error."""
    return _faults(path, code, _CODE, "1 to 100 of letters, digits and ._-, beginning with a letter or a digit")


def digest_faults(path: str, digest: object) -> list[str]:
    """What is wrong with a digest."""
    return _faults(path, digest, _DIGEST, "sha256: and 64 lower-case hexadecimal digits")


def _faults(path: str, id: object, form: re.Pattern[str], what: str) -> list[str]:
    return [] if isinstance(id, str) and form.fullmatch(id) else [f"{path}: {what}"]
