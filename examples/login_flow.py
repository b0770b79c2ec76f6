"""A login: which account, then a code that is pasted, or a browser that calls back, whichever is first.

What to look at: `first_of` takes the question for the code off every screen when the browser wins; `state` keeps the
callback of any other login out; and the code is in no output. The callback is served over HTTP on the loopback.
"""

import secrets
from functools import partial
from http.client import HTTPConnection
from urllib.parse import parse_qs, urlsplit

import trio
from websockets.http11 import Request, Response
from websockets.trio.server import ServerConnection, serve

from facets import Principal
from questions import Option, OwnerScope, Select, Text, first_of
from questions.testing import Person, Rig, open_rig

LOGINS: dict[str, trio.MemorySendChannel[str]] = {}
"""The logins under way, by a `state` that nobody else knows and that is good for once."""


def respond(connection: ServerConnection, request: Request) -> Response:
    query = parse_qs(urlsplit(request.path).query)
    login = LOGINS.pop(query.get("state", [""])[0], None)
    if login is None:
        return connection.respond(403, "This is no login of ours.")
    login.send_nowait(query.get("code", [""])[0])
    return connection.respond(200, "You are logged in.")


async def log_in(rig: Rig, alice: Person, address: str) -> None:
    asker = await rig.asker()
    which = Select("Which account?", [Option("work", "Work"), Option("home", "Home")])
    account = (await asker.ask(which, audience=[alice.principal], timeout=60)).answer
    state = secrets.token_urlsafe(16)
    LOGINS[state], arrived = trio.open_memory_channel[str](1)
    link = f"{address}?code=493027&state={state}"  # a real one leads to the provider, who adds the code

    async def pasted() -> str:
        text = Text(f"Code for {account}, or open the link", secret=True, details=link)
        return (await asker.ask(text, audience=[alice.principal], timeout=60)).answer

    won = await first_of(pasted, arrived.receive)
    print(f"logged in to {account} with {len(won.result)} digits; the question was {rig.settled[-1].how}")


def browse(link: str) -> str:
    connection = HTTPConnection(urlsplit(link).netloc, timeout=10)
    connection.request("GET", link)
    return connection.getresponse().read().decode()


async def answer_all(alice: Person) -> None:
    """Alice logs in to work with her browser, and then at home with the code."""
    answers = ["work", "home", "493027"]
    async for question in alice.viewer.to_answer():
        print("  Alice is asked:", question.message)
        if "work" in question.message:
            print("  a wrong link:", await trio.to_thread.run_sync(browse, question.details + "0"))
            print("  her browser:", await trio.to_thread.run_sync(browse, question.details))
        else:
            await alice.answer(answers.pop(0), question.id)


async def main() -> None:
    async with open_rig(scope=OwnerScope(Principal.user("alice"))) as rig, trio.open_nursery() as nursery:
        (alice,) = await rig.people("alice")
        nursery.start_soon(answer_all, alice)
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(partial(serve, ServerConnection.aclose, listeners=listeners, process_request=respond))
        for _ in ("work", "home"):
            await log_in(rig, alice, f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}/")
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    trio.run(main)
