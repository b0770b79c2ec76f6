"""A Bot API on loopback, over real HTTP: one bot, its chats, people who press and write, and faults to order."""

import json
from collections import defaultdict, deque
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import attrs
import h11
import trio

from facets.nursery import open_serving_nursery

TOKEN = "100200300:AAtheTokenThatNobodyMaySee"
ME = {"id": 100200300, "is_bot": True, "first_name": "Gate", "username": "gate_bot"}
NOT_MODIFIED = "Bad Request: message is not modified: specified new message content is exactly the same"
CONFLICT = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"


@attrs.define
class Status(Exception):
    """Refused with a status; nothing is done. `body`: what a gateway says instead of the API."""

    code: int
    description: str = "Bad Request: ordered"
    retry_after: float | None = None
    body: bytes | None = None


@attrs.frozen
class Dropped:
    """The connection ends without a reply. `done`: whether the call was done before."""

    done: bool


@attrs.frozen
class Odd:
    """It is done, and this is the reply."""

    body: bytes


@attrs.frozen
class Held:
    """It is done, and the reply comes when this is set."""

    until: trio.Event = attrs.field(factory=trio.Event)


@attrs.frozen
class Delivered:
    """No fault: the one after it is meant."""


Fault = Delivered | Status | Dropped | Odd | Held


class Hangup(Exception):
    """Ends a connection."""


class BotApiServer:
    """`messages`: those of the bot that still exist, by chat and id. `calls`: every call that was made, in order."""

    def __init__(self, chats):
        self.chats = {chat: "private" if chat > 0 else "supergroup" for chat in chats}
        self.messages: dict[tuple[int, int], dict[str, Any]] = {}
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.acknowledged: list[str] = []
        self.url = ""
        self._last_message, self._next_update = 16, 5
        self._updates: deque[dict[str, Any]] = deque()
        self._queries: set[str] = set()
        self._faults: dict[str, deque[Fault]] = defaultdict(deque)
        self._arrival, self._served = trio.Event(), trio.Event()
        self._poller: trio.Event | None = None

    # What tests do.

    def fail(self, method, *faults):
        """The next calls of a method fail so, one after the other."""
        self._faults[method].extend(faults)

    async def until(self, condition):
        """Until this holds; it is looked at again after each call."""
        with trio.fail_after(60):
            while not condition():
                await self._served.wait()

    def texts(self, chat):
        return [message["text"] for (one, _), message in self.messages.items() if one == chat]

    def called(self, method):
        return [parameters for name, parameters in self.calls if name == method]

    def arrive(self, update: Any) -> int:
        """An update as it is, which gets a number if it is an object without one."""
        if isinstance(update, dict):
            update = {"update_id": self._next_update, **update}
            self._next_update = update["update_id"] + 1
        self._updates.append(update)
        self._arrival.set()
        return self._next_update - 1

    def buttons(self, chat):
        """The buttons in a chat: label to (message, data)."""
        found: dict[str, tuple[int, str]] = {}
        for (one, id), message in self.messages.items():
            for row in message.get("reply_markup", {}).get("inline_keyboard", []) if one == chat else []:
                found |= {button["text"]: (id, button["callback_data"]) for button in row}
        return found

    def press(self, label, *, user=100, chat=-200, query="press-1", data=None):
        """Somebody presses a button that is there. `data`: what a forged press sends instead."""
        message_id, shown = self.buttons(chat)[label] if data is None else (1, data)
        self._queries.add(query)
        message = {"message_id": message_id, "chat": self._chat(chat), "date": 0}
        return self.arrive({"callback_query": {"id": query, "from": person(user), "message": message, "data": shown}})

    def say(self, text, *, user=100, chat=-200, to=None):
        """Somebody writes, as a reply to a message or not. The text as Telegram passes it on."""
        message = {"message_id": self._number(), "chat": self._chat(chat), "from": person(user), "text": text}
        if to is not None:
            replied = self.messages.get((chat, to), {"message_id": to, "chat": self._chat(chat), "from": person(1)})
            message["reply_to_message"] = replied
        return self.arrive({"message": message})

    def prompt(self, chat=-200):
        """The last message that wants a reply."""
        wanted = [id for (one, id), message in self.messages.items() if one == chat and "force_reply" in str(message)]
        return wanted[-1]

    # What the API does.

    def _chat(self, chat):
        return {"id": chat, "type": self.chats.get(chat, "supergroup")}

    def _number(self):
        self._last_message += 1
        return self._last_message

    async def getMe(self, given):  # noqa: N802
        return ME

    async def sendMessage(self, given):  # noqa: N802
        if given["chat_id"] not in self.chats:
            raise Status(400, "Bad Request: chat not found")
        check_text(given["text"])
        check_markup(given.get("reply_markup", {}))
        kept = {name: given[name] for name in ("text", "reply_markup", "entities") if name in given}
        id = self._number()
        message = {"message_id": id, "chat": self._chat(given["chat_id"]), "from": ME, **kept}
        self.messages[given["chat_id"], id] = message
        return message

    async def editMessageReplyMarkup(self, given):  # noqa: N802
        return self._edit(given, {})

    async def editMessageText(self, given):  # noqa: N802
        check_text(given["text"])
        return self._edit(given, {"text": given["text"]})

    def _edit(self, given, change):
        place = given["chat_id"], given["message_id"]
        if place not in self.messages:
            raise Status(400, "Bad Request: message to edit not found")
        edited = {name: value for name, value in self.messages[place].items() if name != "reply_markup"} | change
        if rows := given.get("reply_markup", {}).get("inline_keyboard"):
            edited["reply_markup"] = {"inline_keyboard": rows}
        if edited == self.messages[place]:
            raise Status(400, NOT_MODIFIED)
        self.messages[place] = edited
        return edited

    async def deleteMessage(self, given):  # noqa: N802
        if self.messages.pop((given["chat_id"], given["message_id"]), None) is None:
            raise Status(400, "Bad Request: message to delete not found")
        return True

    async def answerCallbackQuery(self, given):  # noqa: N802
        if given["callback_query_id"] not in self._queries:
            raise Status(400, "Bad Request: query is too old and response timeout expired or query ID is invalid")
        assert len(given.get("text", "")) <= 200
        self.acknowledged.append(given["text"])
        return True

    async def getUpdates(self, given):  # noqa: N802
        while self._updates and number_of(self._updates[0]) < given.get("offset", 0):
            self._updates.popleft()
        if self._poller is not None:
            self._poller.set()  # whoever polls already is sent away
        mine = self._poller = trio.Event()
        with trio.move_on_after(given.get("timeout", 0)):
            while not self._updates and not mine.is_set():
                await either(self._arrival, mine)
                self._arrival = trio.Event() if self._arrival.is_set() else self._arrival
        if mine.is_set():
            raise Status(409, CONFLICT)
        self._poller = None
        return list(self._updates)[:100]

    # HTTP.

    async def serve(self, stream):
        connection = h11.Connection(h11.SERVER)
        with suppress(Hangup, trio.BrokenResourceError, trio.ClosedResourceError):
            while True:
                request, body = await received(connection, stream)
                try:
                    status, reply = await self._reply(request.target.decode(), json.loads(body or b"{}"))
                finally:
                    self._served.set()
                    self._served = trio.Event()
                headers = [("Content-Type", "application/json"), ("Content-Length", str(len(reply)))]
                sent = connection.send(h11.Response(status_code=status, headers=headers)) or b""
                sent += (connection.send(h11.Data(reply)) or b"") + (connection.send(h11.EndOfMessage()) or b"")
                await stream.send_all(sent)
                connection.start_next_cycle()
        await stream.aclose()

    async def _reply(self, target, given) -> tuple[int, bytes]:
        _, bot, method = target.rsplit("/", 2)
        self.calls.append((method, given))
        fault = self._faults[method].popleft() if self._faults[method] else None
        try:
            if bot != f"bot{TOKEN}":
                raise Status(401, "Unauthorized")
            if isinstance(fault, Status):
                raise fault
            if fault == Dropped(done=False):
                raise Hangup
            result = await getattr(self, method)(given)
        except Status as refusal:
            return refusal.code, refused(refusal)
        return 200, await self._after(fault, result)

    async def _after(self, fault, result) -> bytes:
        if isinstance(fault, Dropped):
            raise Hangup
        if isinstance(fault, Odd):
            return fault.body
        if isinstance(fault, Held):
            await fault.until.wait()
        return json.dumps({"ok": True, "result": result}).encode()


@asynccontextmanager
async def open_bot_api(*chats):
    """A server for the length of the block."""
    server = BotApiServer(chats or (-200,))
    async with open_serving_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, server.serve, 0, host="127.0.0.1"))
        server.url = f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}"
        yield server


async def closed_port():
    """The address of a port that nobody listens on."""
    listener, *_ = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listener.socket.getsockname()[1]
    await listener.aclose()
    return f"http://127.0.0.1:{port}"


async def received(connection, stream):
    request, body = None, b""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await stream.receive_some())
        elif isinstance(event, h11.Request):
            request = event
        elif isinstance(event, h11.Data):
            body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage):
            return request, body
        else:
            raise Hangup


async def either(*events):
    async with trio.open_nursery() as nursery:

        async def wait(event):
            await event.wait()
            nursery.cancel_scope.cancel()

        for event in events:
            nursery.start_soon(wait, event)


def refused(refusal):
    if refusal.body is not None:
        return refusal.body
    more = {} if refusal.retry_after is None else {"parameters": {"retry_after": refusal.retry_after}}
    reply = {"ok": False, "error_code": refusal.code, "description": refusal.description, **more}
    return json.dumps(reply).encode()


def person(user):
    return {"id": user, "is_bot": False, "first_name": f"Person {user}"}


def number_of(update):
    return update.get("update_id", -1) if isinstance(update, dict) else -1


def units(text):
    return len(text.encode("utf-16-le")) // 2


def check_text(text):
    if not 1 <= units(text) <= 4_096:
        raise Status(400, "Bad Request: message is too long" if text else "Bad Request: message text is empty")


def check_markup(markup):
    for row in markup.get("inline_keyboard", []):
        for button in row:
            if not 1 <= len(button["callback_data"].encode()) <= 64:
                raise Status(400, "Bad Request: BUTTON_DATA_INVALID")
