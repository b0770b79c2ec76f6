"""A gate server with a webhook channel in a process of its own, a receiver, and the confirming page on a real port."""

import re
import sys
from contextlib import asynccontextmanager
from html import unescape

import attrs
import httpx
import trio

from facets.http import open_http_server
from questions.gates import GateStore
from questions.gates.channel_settings import Channel
from questions.gates.confirming.door import confirming_service
from tests.http.site import SomeTokens
from tests.questions.gates.channel_stage import asked, open_desk
from tests.questions.gates.webhook.receiver import NOBODY, SECRET, Receiver, open_receiver

OPS = "webhook:ops"


@attrs.define
class Stage:
    gates: GateStore
    receiver: Receiver
    client: httpx.AsyncClient
    page: str

    async def ask(self, **changes):
        return await asked(self.gates, **changes)

    async def link(self, to="ana"):
        """The link of the newest notice for somebody."""
        with trio.fail_after(20):
            while not (found := [one for one in self.receiver.of("decision.open") if one["to"] == to]):
                await self.receiver.came.wait()
        return found[-1]["link"]

    async def code(self, to="ana"):
        return (await self.link(to)).partition("#")[2]

    async def show(self, code, **headers):
        return await self.client.post(self.page, data={"code": code}, headers=headers)

    async def confirm(self, code, choice, act="act-1", headers=None, **texts):
        fields = {"code": code, "act": act, "choice": choice}
        fields |= {f"text-{name}": text for name, text in texts.items()}
        return await self.client.post(f"{self.page}/answer", data=fields, headers=headers or {})

    async def state(self, request):
        return (await self.gates.get(request.decision_id)).state


@asynccontextmanager
async def open_stage(where=":memory:", recipients=("ana", "bo"), http_limits=None):
    async with open_receiver() as receiver:
        port = await _free_port()
        page = f"http://127.0.0.1:{port}/decide"
        channel = Channel(
            id=OPS,
            profile="ops",
            command=(sys.executable, "-m", "questions.gates.webhook"),
            token=SECRET,
            allowed_user_ids=recipients,
            allowed_chat_ids=recipients,
            options={"url": receiver.url, "page": page},
        )
        async with (
            open_desk(where, channel) as (gates, _),
            open_http_server(
                [confirming_service(gates, [channel])],
                SomeTokens(),
                now=lambda: 0.0,
                port=port,
                grace=0.5,
                limits=http_limits,
            ),
            httpx.AsyncClient(verify=NOBODY, trust_env=False, timeout=10) as client,
        ):
            yield Stage(gates, receiver, client, page)


async def _free_port():
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        return listener.socket.getsockname()[1]


def act_in(html):
    """What names the form that was shown."""
    (act,) = re.findall(r'name="act" value="([0-9a-f]+)"', html)
    return act


def words_in(html):
    """What a person reads of a page: its text without tags."""
    return unescape(re.sub(r"<[^>]+>", "", re.sub(r"<head>.*?</head>", "", html, flags=re.S)))
