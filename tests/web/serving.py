"""A host with the page in a thread of its own, for tests that wait for a browser: ask, withdraw, start again."""

import queue
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress

import trio

from facets import Principal, open_background_host, present
from facets.link.server import open_link_server
from facets.link.worker import open_worker
from questions import Questions, SessionScope, ask_again, questions_facet
from questions.web import answer_page
from tests.link.stages import Tokens

ANA, BO, CY = map(Principal.user, ["ana", "bo", "cy"])
NAMES = {ANA: "Ana", BO: "Bo B.", CY: "Cy", Principal.server("host"): "Build agent"}
S1 = SessionScope("s1")
PATIENCE = 20  # seconds; a machine shared with others is sometimes ten times slower than itself


class Asked:
    """A question that was asked from another thread."""

    def __init__(self, future, scope, portal):
        self._future, self._scope, self._portal = future, scope, portal

    def result(self):
        return self._future.result(PATIENCE)

    def withdraw(self):
        self._portal.call(self._cancel)
        self.result()

    async def _cancel(self):
        self._scope.cancel()


class Running:
    """A host in a thread of its own, and something that runs in it, from which questions can be asked."""

    def __init__(self):
        self._threads = ThreadPoolExecutor(32)
        self._stack = ExitStack()

    def start(self):
        self.portal = self._stack.enter_context(open_background_host(facets=[questions_facet], names=NAMES))
        ready: queue.SimpleQueue = queue.SimpleQueue()
        self._running = self._threads.submit(self._quietly, self.portal.call, self._run, ready.put)
        self.ready(ready.get(timeout=PATIENCE))

    def ready(self, told):
        """It runs, and has told this."""

    async def _run(self, ready):
        raise NotImplementedError

    def stop(self):
        self._stack.close()
        self._running.result(PATIENCE)

    def close(self):
        self.stop()
        self._threads.shutdown()

    def _quietly(self, call, *args):
        with suppress(Exception):  # the host was stopped under it, which is what the test wants to see
            return call(*args)

    def ask(self, question, *audience, scope=S1, **options):
        """Ask, as the host; `audience`: nobody named means everybody present."""
        cancel_scope = trio.CancelScope()
        call = self.portal.call, self._ask, cancel_scope, scope, question, audience, options
        return Asked(self._threads.submit(self._quietly, *call), cancel_scope, self.portal)

    async def _ask(self, cancel_scope, scope, question, audience, options):
        with cancel_scope:
            async with self.portal.host.root() as ctx:
                who = audience or present(self.portal.host, Questions, scope)
                asker = await ctx.get(Questions, scope)
                if "key" in options:
                    return await ask_again(asker, question, audience=who, **options)
                return await asker.ask(question, audience=who, **options)

    def ask_all(self, questions, *audience):
        """Ask very many, from one thread; they end with the host."""
        self._threads.submit(self._quietly, self.portal.call, self._ask_all, questions, audience)

    async def _ask_all(self, questions, audience):
        async with trio.open_nursery() as nursery:
            for question in questions:
                nursery.start_soon(self._ask, trio.CancelScope(), S1, question, audience, {})

    def answer(self, principal, id, value):
        """Answer from elsewhere than the page."""
        self.portal.call(self._answer, principal, id, value)

    async def _answer(self, principal, id, value):
        async with self.portal.host.root(principal=principal) as ctx:
            viewer = await ctx.get(Questions, S1)
            await viewer.answer(id, value)

    async def introduce(self, principal, name):
        self.portal.host.introduce(principal, name)

    async def open_ids(self, principal):
        """The ids of what is open for somebody."""
        async with self.portal.host.root(principal=principal) as ctx:
            return list((await ctx.get(Questions, S1)).open.value)

    def seen(self, message):
        """Who is known to have been shown an open question."""
        return self.described(message)["seen"]

    def described(self, message):
        """What the host says of an open question."""
        [found] = [one for one in _questions_in(self.portal.call(self._describe)) if one["message"] == message]
        return found

    async def _describe(self):
        return self.portal.host.describe()


class Served(Running):
    """The server. `url`: of the page; `tokens.revoked`: names of tokens that are good no more."""

    def __init__(self, sessions="here", answer=answer_page):
        super().__init__()
        self.port = 0
        self.tokens = Tokens()
        self._options = {"sessions": sessions, "answer": answer}

    def ready(self, told):
        self.port = told
        self.url = f"http://127.0.0.1:{told}/"

    async def _run(self, ready):
        async with open_link_server(self.portal.host, self.tokens, port=self.port, **self._options) as server:
            ready(server.address[1])
            await trio.sleep_forever()


class Worker(Running):
    """The work of session s1, in a host of its own that has dialled a server."""

    def __init__(self, served):
        super().__init__()
        self._url = served.url.replace("http", "ws").rstrip("/")

    async def _run(self, ready):
        async with open_worker(self.portal.host, self._url, "worker:s1", "s1") as worker:
            await worker.connected()
            ready(None)
            await trio.sleep_forever()


def _questions_in(described):
    """Every description of a question, wherever it stands in that of a host."""
    if isinstance(described, dict):
        if "seen" in described:
            yield described
        described = list(described.values())
    if isinstance(described, list):
        for one in described:
            yield from _questions_in(one)


def wait_until(is_so):
    """Return once it is so; what is waited for is in another thread, and tells nobody."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.005)
