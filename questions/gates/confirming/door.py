"""The door of the confirming page: fetching it shows, only a form that a person sends decides.

A link has a code in its fragment. The page hands it over in the body of a request, which shows the document; a second
one, sent by the button, decides. Both need the code, so no other page can make a browser send them, and no scanner
that follows links can: not one that runs scripts either, since it would have to choose and to press.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from http import HTTPStatus
from importlib.resources import files
from urllib.parse import parse_qsl

import attrs
from starlette.responses import Response

from facets.http import Call, Endpoint, Refusal, Service
from questions.durable.errors import UnknownDecision
from questions.gates.adapter import Pressed
from questions.gates.channel_answers import judge
from questions.gates.channel_settings import Channel, read_saved
from questions.gates.choices import Choices
from questions.gates.digests import hashed
from questions.gates.endings import ending
from questions.gates.errors import InvalidResponse
from questions.gates.responses import GivenText, read_response
from questions.gates.responses import Response as Chosen
from questions.gates.steps import Standing
from questions.gates.store import GateStore
from questions.gates.view import view_of
from questions.gates.webhook.codes import LinkCode, is_made_with, read_code

from .pages import Filled, asking_page, code_page, ended_page, refused_page

__all__ = ["confirming_service"]

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}
_MOST_FIELDS = 100
_LARGEST = 2**20  # bytes: a text of 64,000 code points of four bytes each, in percent signs
_NOT_GOOD = "This link is not good, or not any more. Open the newest message, or answer in another channel."
_REFUSED = {"forbidden": "You may not answer this.", "stale": "It has been replaced."}


def confirming_service(
    gates: GateStore, channels: Sequence[Channel] | Callable[[], Sequence[Channel]], prefix: str = "/decide"
) -> Service:
    """The page as a service of the HTTP port, for the webhook channels among `channels`; a function: as they are then.

    Open to strangers: the code of a link says who is there, and for which request, until that has ended.
    """
    door = _Door(gates, channels if callable(channels) else lambda: channels, prefix)
    endpoints = [
        Endpoint("GET", "", door.link),
        Endpoint("POST", "", door.show, largest=_LARGEST),
        Endpoint("POST", "/answer", door.answer, largest=_LARGEST),
        *(Endpoint("GET", f"/{name}", partial(_static, name)) for name in _files()),
    ]
    return Service(prefix, endpoints, "open", partial(_refused, prefix))


@attrs.frozen
class _Bearer:
    """Who has a good code, and for what."""

    channel: Channel
    code: LinkCode
    standing: Standing


class _Door:
    def __init__(self, gates: GateStore, channels: Callable[[], Sequence[Channel]], prefix: str) -> None:
        self._gates = gates
        self._channels = channels
        self._prefix = prefix

    async def link(self, call: Call) -> Response:  # noqa: ARG002  # whoever asks is told the same
        return _html(code_page(self._prefix))

    async def show(self, call: Call) -> Response:
        fields = _fields(call)
        bearer = await self._bearer(call, fields)
        return self._shown(bearer.standing, fields["code"], Filled())

    async def answer(self, call: Call) -> Response:
        fields = _fields(call)
        bearer = await self._bearer(call, fields)
        request = bearer.standing.request
        try:
            chosen = _chosen(request.choices, fields)
        except InvalidResponse as error:
            texts = {id: _text(fields, id) for id in request.choices if f"text-{id}" in fields}
            return self._shown(bearer.standing, fields["code"], Filled(fields.get("choice"), texts, _words(error)))
        refused = await self._judge(bearer, chosen, fields.get("act", ""))
        standing = await self._gates.get(request.decision_id)
        if standing.resolution is None:
            return _html(refused_page(self._prefix, _REFUSED.get(refused or "", _NOT_GOOD)), HTTPStatus.FORBIDDEN)
        view, words = view_of(standing.request), ending(standing.request, standing.resolution)
        status = HTTPStatus.OK if refused is None else HTTPStatus.CONFLICT
        return _html(ended_page(self._prefix, view, words, mine=refused is None), status)

    def _shown(self, standing: Standing, code: str, filled: Filled) -> Response:
        view = view_of(standing.request)
        if standing.resolution is not None:
            return _html(ended_page(self._prefix, view, ending(standing.request, standing.resolution)))
        status = HTTPStatus.UNPROCESSABLE_ENTITY if filled.faults else HTTPStatus.OK
        return _html(asking_page(self._prefix, view, code, secrets.token_hex(16), filled), status)

    async def _judge(self, bearer: _Bearer, chosen: Chosen, act: str) -> str | None:
        """The code of why it does not count. Sent twice, a form is one act; with another choice in it, another."""
        code, gates = bearer.code, self._gates
        event = hashed({"act": act[:100], "response": chosen.as_json()})
        key = f"{bearer.channel.id}:{event}"
        who = code.recipient
        answer = Pressed(code.decision_id, code.request_digest, chosen, who, who, event, key)
        return await judge(gates, bearer.channel, answer, step=gates.step_effect, submit=gates.submit)

    def _channel(self, id: str) -> Channel | None:
        return next((one for one in self._channels() if one.id == id), None)

    async def _bearer(self, call: Call, fields: Mapping[str, str]) -> _Bearer:
        """Whose code it is. Whatever is wrong with it, the refusal is the same."""
        code = read_code(fields.get("code", ""))
        channel = None if code is None else self._channel(f"webhook:{code.profile}")
        row = None if channel is None else await self._gates.channel(channel.id)
        if code is None or channel is None or row is None:
            raise _bad_code()
        if not is_made_with(bytes.fromhex(read_saved(row.value).key), code):
            raise _bad_code()
        call.trust()
        try:
            standing = await self._gates.get(code.decision_id)
        except UnknownDecision:
            raise _bad_code() from None
        if standing.request.request_digest != code.request_digest or code.recipient not in channel.allowed_user_ids:
            raise _bad_code()
        return _Bearer(channel, code, standing)


def _bad_code() -> Refusal:
    return Refusal(HTTPStatus.FORBIDDEN, "bad_code", _NOT_GOOD)


def _fields(call: Call) -> dict[str, str]:
    """The fields of a form. Raises `Refusal` for what is none, and for a field that is there twice."""
    try:
        pairs = parse_qsl(call.body.decode("ascii"), True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        pairs = []
    fields = dict(pairs)
    kind = call.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if len(fields) != len(pairs) or not fields or kind != "application/x-www-form-urlencoded":
        raise Refusal(HTTPStatus.BAD_REQUEST, "invalid_body", "This is no form that the page has sent.")
    return fields


def _chosen(choices: Choices, fields: Mapping[str, str]) -> Chosen:
    id = fields.get("choice", "")
    asked = choices[id].input if id in choices else None
    given = None if asked is None else GivenText(asked.name, _text(fields, id))
    return read_response(choices, Chosen(id, given))


def _text(fields: Mapping[str, str], id: str) -> str:
    """A text as it was typed: forms send each line end as two characters."""
    return fields.get(f"text-{id}", "").replace("\r\n", "\n")


def _words(error: InvalidResponse) -> list[str]:
    """What is wrong, without the paths."""
    return [fault.partition(": ")[2] for fault in error.faults]


async def _static(name: str, call: Call) -> Response:  # noqa: ARG001  # it is the same for everybody
    return Response(_files()[name], 200, {"Cache-Control": "no-cache"}, _TYPES[name.rpartition(".")[2]])


@cache
def _files() -> dict[str, bytes]:
    found = files(__package__).joinpath("static").iterdir()
    return {one.name: one.read_bytes() for one in found if one.name.rpartition(".")[2] in _TYPES}


def _html(text: str, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None) -> Response:
    dressed = {**(headers or {}), "Content-Security-Policy": _POLICY}
    return Response(text.encode("utf-8", "backslashreplace"), status, dressed, "text/html")


def _refused(prefix: str, refusal: Refusal, request_id: str) -> Response:
    words = refusal.message if refusal.code in ("bad_code", "invalid_body") else f"{refusal.message} ({request_id})"
    return _html(refused_page(prefix, words), refusal.status, refusal.headers)
