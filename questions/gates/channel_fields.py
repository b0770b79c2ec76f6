"""What the fields of messages between a server and the process of a channel may hold: every fault, with its path."""

from __future__ import annotations

from collections.abc import Mapping

from .errors import IncompatibleState, InvalidRecord, PresentationAltered
from .forms import Check, checked_faults, list_faults, number_faults, object_faults, one_of
from .identifiers import code_faults, digest_faults, name_faults, record_id_faults
from .submission import given_faults
from .view import read_view

__all__ = [
    "ANSWER",
    "CURSOR",
    "HEAD",
    "LAUNCH",
    "MORE",
    "POLL",
    "PRESENT",
    "PRESENTED",
    "REPLY",
    "SETTLE",
    "SETTLED",
    "SETTLE_MORE",
]

_LONGEST_TEXT = 4_000  # code points


def _cursor_faults(path: str, cursor: object) -> list[str]:
    if faults := _text_value_faults(path, cursor):
        return faults
    return [] if len(str(cursor)) <= _LONGEST_TEXT else [f"{path}: at most {_LONGEST_TEXT} code points"]


def _token_faults(path: str, token: object) -> list[str]:
    return _cursor_faults(path, token) or ([] if str(token).strip() else [f"{path}: must not be blank"])


def _stable_faults(path: str, id: object) -> list[str]:
    good = isinstance(id, str) and id.startswith("channel-") and not digest_faults("", f"sha256:{id[8:]}")
    return [] if good else [f"{path}: channel- and 64 lower-case hexadecimal digits"]


def _text_value_faults(path: str, text: object) -> list[str]:
    good = isinstance(text, str) and not any("\ud800" <= char <= "\udfff" for char in text)
    return [] if good else [f"{path}: must be text, without lone surrogates"]


def _input_faults(path: str, given: object) -> list[str]:
    if not isinstance(given, Mapping) or len(given) != 1:
        return [f"{path}: an object with one text"]
    [(name, text)] = given.items()
    return name_faults(path, name) or _text_value_faults(f"{path}.{name}", text)


def _response_faults(path: str, given: object) -> list[str]:
    return checked_faults(path, given, {"choice": name_faults}, {"input": _input_faults})


def _view_faults(path: str, given: object) -> list[str]:
    if not isinstance(given, Mapping):
        return object_faults(path, given)
    try:
        read_view(given)
    except InvalidRecord as error:
        return [path + fault.removeprefix("$") for fault in error.faults]
    except (IncompatibleState, PresentationAltered) as error:
        return [f"{path}: {error}"]
    return []


def _some(check: Check) -> Check:
    """A list that is not empty."""
    each = list_faults(check)
    return lambda path, given: [f"{path}: must not be empty"] if given == [] else each(path, given)


def _options_faults(path: str, given: object) -> list[str]:
    if not isinstance(given, Mapping):
        return object_faults(path, given)
    return [fault for name, text in given.items() for fault in _text_value_faults(f"{path}.{name}", text)]


def _truth_faults(path: str, given: object) -> list[str]:
    return [] if isinstance(given, bool) else [f"{path}: true or false"]


def _key_faults(path: str, key: object) -> list[str]:
    good = isinstance(key, str) and not digest_faults("", f"sha256:{key}")
    return [] if good else [f"{path}: 64 lower-case hexadecimal digits"]


CURSOR: Mapping[str, Check] = {"cursor": _cursor_faults}
MORE: Mapping[str, Check] = {"errorCode": code_faults}
HEAD: Mapping[str, Check] = {
    "adapterEpoch": record_id_faults,
    "profile": record_id_faults,
    "sequence": number_faults(1),
    "expectedRevision": number_faults(0),
    "stableMessageId": _stable_faults,
}
_REF: Mapping[str, Check] = {
    "chatId": given_faults,
    "messageId": given_faults,
    "recipientIndex": number_faults(0),
    "partIndex": number_faults(0),
    "contentDigest": digest_faults,
}


def _ref_faults(path: str, given: object) -> list[str]:
    return checked_faults(path, given, _REF, {})


_IDS: Mapping[str, Check] = {"decisionId": record_id_faults, "requestDigest": digest_faults}
SETTLED: Mapping[str, Check] = {
    **_IDS,
    "attemptId": _stable_faults,
    "state": one_of("confirmed", "failed", "unknown"),
}
PRESENTED: Mapping[str, Check] = {**SETTLED, "messages": list_faults(_ref_faults)}
ANSWER: Mapping[str, Check] = {
    **_IDS,
    **dict.fromkeys(("actorId", "chatId", "eventId", "idempotencyKey"), given_faults),
    "response": _response_faults,
    **CURSOR,
}
PRESENT: Mapping[str, Check] = {
    "attemptId": _stable_faults,
    "view": _view_faults,
    "messages": list_faults(_ref_faults),
}
SETTLE: Mapping[str, Check] = {**PRESENT, "outcome": one_of("accepted", "cancelled", "expired")}
SETTLE_MORE: Mapping[str, Check] = {"response": _response_faults, "provenance": one_of("human", "timeout")}
POLL: Mapping[str, Check] = {
    **CURSOR,
    "views": list_faults(_view_faults),
    "gone": list_faults(record_id_faults),
    "more": _truth_faults,
}
REPLY: Mapping[str, Check] = {
    "sequence": number_faults(1),
    "outcome": one_of("accepted", "rejected"),
    "revision": number_faults(0),
}
LAUNCH: Mapping[str, Check] = {
    "profile": record_id_faults,
    "epoch": record_id_faults,
    "token": _token_faults,
    "allowedUserIds": _some(given_faults),
    "allowedChatIds": _some(given_faults),
    **CURSOR,
    "key": _key_faults,
    "options": _options_faults,
}
