"""The messages between a server and the process of a channel, as lines of JSON: written, and read with every fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .adapter import Ended, Launch, MessageRef, Pressed, Report
from .channel_fields import (
    ANSWER,
    CURSOR,
    HEAD,
    LAUNCH,
    MORE,
    POLL,
    PRESENT,
    PRESENTED,
    REPLY,
    SETTLE,
    SETTLE_MORE,
    SETTLED,
)
from .channel_messages import (
    Answering,
    Body,
    Command,
    Exiting,
    Head,
    Poll,
    Present,
    Presented,
    Ready,
    Reply,
    Said,
    Settle,
    Settled,
    Stop,
)
from .errors import InvalidRecord
from .forms import Check, checked_faults, object_faults, one_of
from .identifiers import code_faults
from .records import read_record
from .responses import GivenText, Response
from .values import write_json
from .view import read_view

__all__ = [
    "CHANNEL",
    "read_launch",
    "read_reply",
    "read_said",
    "write_launch",
    "write_reply",
    "write_said",
]

CHANNEL = "questions.channel.v1"

Json = Mapping[str, Any]


def write_launch(launch: Launch) -> bytes:
    """The first line that a process gets. It has secrets in it: never log it."""
    fields = {
        "profile": launch.profile,
        "epoch": launch.epoch,
        "token": launch.token,
        "allowedUserIds": list(launch.allowed_user_ids),
        "allowedChatIds": list(launch.allowed_chat_ids),
        "cursor": launch.cursor,
        "key": launch.key.hex(),
        "options": dict(launch.options),
    }
    return _line("channel.launch", fields)


def read_launch(line: bytes) -> Launch:
    """What a process is launched with. Raises `InvalidRecord` with every fault; none quotes a value."""
    given = _read(line, {"channel.launch": (LAUNCH, {})})
    return Launch(
        profile=given["profile"],
        epoch=given["epoch"],
        token=given["token"],
        allowed_user_ids=tuple(given["allowedUserIds"]),
        allowed_chat_ids=tuple(given["allowedChatIds"]),
        cursor=given["cursor"],
        key=bytes.fromhex(given["key"]),
        options=given["options"],
    )


def write_said(said: Said) -> bytes:
    """A line of the process."""
    head = said.head
    fields = {
        "adapterEpoch": head.epoch,
        "profile": head.profile,
        "sequence": head.sequence,
        "expectedRevision": head.revision,
        "stableMessageId": head.message_id,
    }
    return _line(_SAID_AS[type(said.body)], {**fields, **_said_fields(said.body)})


def read_said(line: bytes) -> Said:
    """A line of the process. Raises `InvalidRecord` with every fault; none quotes a value."""
    given = _read(line, _SAID)
    names = "adapterEpoch", "profile", "sequence", "expectedRevision", "stableMessageId"
    return Said(Head(*(given[name] for name in names)), _body(given))


def write_reply(reply: Reply) -> bytes:
    """A line of the server."""
    fields = {
        "sequence": reply.sequence,
        "outcome": "accepted" if reply.accepted else "rejected",
        "revision": reply.revision,
        "command": None if reply.command is None else _command_fields(reply.command),
    }
    return _line("response", fields if reply.error is None else {**fields, "error": reply.error})


def read_reply(line: bytes) -> Reply:
    """A line of the server. Raises `InvalidRecord` with every fault, for a view with a subject above all."""
    given = _read(line, {"response": ({**REPLY, "command": _command_faults}, {"error": code_faults})})
    command = None if given["command"] is None else _command(given["command"])
    return Reply(given["sequence"], given["outcome"] == "accepted", given["revision"], command, given.get("error"))


def _line(type: str, fields: Json) -> bytes:
    return write_json({"type": type, "schema": CHANNEL, **fields}).encode() + b"\n"


_Forms = Mapping[str, tuple[Mapping[str, Check], Mapping[str, Check]]]


def _read(line: bytes, forms: _Forms) -> Json:
    given = read_record(line)
    if faults := _form_faults("$", given, forms, {"schema": one_of(CHANNEL)}):
        raise InvalidRecord(faults)
    fields: Json = given
    return fields


def _form_faults(path: str, given: object, forms: _Forms, always: Mapping[str, Check]) -> list[str]:
    if not isinstance(given, Mapping):
        return object_faults(path, given)
    is_type = one_of(*forms)
    if faults := is_type(f"{path}.type", given.get("type")):
        return faults
    needed, known = forms[given["type"]]
    return checked_faults(path, given, {"type": is_type, **always, **needed}, known)


def _said_fields(body: Body) -> Json:
    match body:
        case Ready(cursor=cursor):
            return {"cursor": cursor}
        case Exiting(cursor=cursor, error_code=code):
            return {"cursor": cursor} if code is None else {"cursor": cursor, "errorCode": code}
        case Answering(answer=answer, cursor=cursor):
            return {**_answer_fields(answer), "cursor": cursor}
    report = body.report
    fields: dict[str, Any] = {
        "decisionId": body.decision_id,
        "requestDigest": body.request_digest,
        "attemptId": body.attempt_id,
        "state": report.state,
    }
    if isinstance(body, Presented):
        fields["messages"] = [_ref_fields(ref) for ref in report.messages]
    return fields if report.error_code is None else {**fields, "errorCode": report.error_code}


def _answer_fields(answer: Pressed) -> Json:
    return {
        "decisionId": answer.decision_id,
        "requestDigest": answer.request_digest,
        "response": answer.response.as_json(),
        "actorId": answer.actor_id,
        "chatId": answer.chat_id,
        "eventId": answer.event_id,
        "idempotencyKey": answer.idempotency_key,
    }


def _body(given: Json) -> Body:
    match given["type"]:
        case "channel.ready":
            return Ready(given["cursor"])
        case "channel.exiting":
            return Exiting(given["cursor"], given.get("errorCode"))
        case "channel.answer":
            ids = (given["decisionId"], given["requestDigest"], _response(given["response"]))
            names = "actorId", "chatId", "eventId", "idempotencyKey"
            return Answering(Pressed(*ids, *(given[name] for name in names)), given["cursor"])
    report = Report(given["state"], _refs(given.get("messages", ())), given.get("errorCode"))
    kind = Presented if given["type"] == "channel.present" else Settled
    return kind(given["decisionId"], given["requestDigest"], given["attemptId"], report)


def _command_faults(path: str, given: object) -> list[str]:
    return [] if given is None else _form_faults(path, given, _COMMANDS, {})


def _command_fields(command: Command) -> Json:
    match command:
        case Stop():
            return {"type": "channel.stop"}
        case Poll(cursor=cursor, views=views, gone=gone, more=more):
            told = {"views": [view.as_json() for view in views], "gone": list(gone), "more": more}
            return {"type": "channel.poll", "cursor": cursor, **told}
        case Present(attempt_id=attempt, view=view, shown=shown):
            fields = {"attemptId": attempt, "view": view.as_json(), "messages": [_ref_fields(ref) for ref in shown]}
            return {"type": "channel.present", **fields}
    ended, messages = command.ended, [_ref_fields(ref) for ref in command.messages]
    what = {"attemptId": command.attempt_id, "view": command.view.as_json(), "messages": messages}
    how: Json = {} if ended.response is None else {"response": ended.response.as_json(), "provenance": ended.provenance}
    return {"type": "channel.settle", **what, "outcome": ended.outcome, **how}


def _command(given: Json) -> Command:
    match given["type"]:
        case "channel.stop":
            return Stop()
        case "channel.poll":
            views = tuple(map(read_view, given["views"]))
            return Poll(given["cursor"], views, tuple(given["gone"]), given["more"])
    attempt, view, messages = given["attemptId"], read_view(given["view"]), _refs(given["messages"])
    if given["type"] == "channel.present":
        return Present(attempt, view, messages)
    response = None if "response" not in given else _response(given["response"])
    return Settle(attempt, view, Ended(given["outcome"], response, given.get("provenance")), messages)


def _response(given: Json) -> Response:
    """Checked as a form alone: whether the request offers it is seen where the request is."""
    texts = [GivenText(name, text) for name, text in given.get("input", {}).items()]
    return Response(given["choice"], texts[0] if texts else None)


def _ref_fields(ref: MessageRef) -> Json:
    return {
        "chatId": ref.chat_id,
        "messageId": ref.message_id,
        "recipientIndex": ref.recipient_index,
        "partIndex": ref.part_index,
        "contentDigest": ref.content_digest,
    }


def _refs(given: Any) -> tuple[MessageRef, ...]:
    return tuple(MessageRef(*(ref[name] for name in _REF)) for ref in given)


_REF = ("chatId", "messageId", "recipientIndex", "partIndex", "contentDigest")
_SAID_AS: Mapping[type[Body], str] = {
    Ready: "channel.ready",
    Exiting: "channel.exiting",
    Presented: "channel.present",
    Answering: "channel.answer",
    Settled: "channel.settle",
}
_SAID: _Forms = {
    "channel.ready": ({**HEAD, **CURSOR}, {}),
    "channel.exiting": ({**HEAD, **CURSOR}, MORE),
    "channel.present": ({**HEAD, **PRESENTED}, MORE),
    "channel.answer": ({**HEAD, **ANSWER}, {}),
    "channel.settle": ({**HEAD, **SETTLED}, MORE),
}
_COMMANDS: _Forms = {
    "channel.present": (PRESENT, {}),
    "channel.settle": (SETTLE, SETTLE_MORE),
    "channel.poll": (POLL, {}),
    "channel.stop": ({}, {}),
}
