"""A server with decisions in a thread of its own, for tests that wait for a browser."""

import queue
import threading
from functools import partial

import trio

from facets import Principal, open_host
from facets.link.server import open_link_server
from questions import questions_facet
from questions.durable import Caller, MemoryBackend, decisions_facet, open_store
from questions.durable.store import TABLES
from questions.web import answer_page
from tests.link.stages import Tokens
from tests.questions.durable.intercepting import Intercepting
from tests.web.serving import NAMES, PATIENCE

__all__ = ["AGENT", "LEAD", "ROOT", "Deciding"]

AGENT, LEAD, ROOT = map(Principal.program, ["deploy-agent", "lead", "root-run"])


class Deciding:
    """The server. `url`: of the page; `engine`: what can be away."""

    def start(self):
        told: queue.SimpleQueue = queue.SimpleQueue()
        self._thread = threading.Thread(target=trio.run, args=(self._main, told.put))
        self._thread.start()
        self.url, self._trio, self._stop = told.get(timeout=PATIENCE)

    async def _main(self, tell):
        self.engine = Intercepting(MemoryBackend(TABLES))
        stop = trio.Event()
        async with open_store(self.engine, sweep_ms=None) as store:
            self.store = store
            facets = [questions_facet, decisions_facet.configured(store=store)]
            names = {**NAMES, LEAD: "ana's team lead"}
            async with open_host(facets, names) as host, open_link_server(host, Tokens(), answer=answer_page) as server:
                tell((server.url.replace("ws", "http") + "/", trio.lowlevel.current_trio_token(), stop))
                await stop.wait()

    def close(self):
        trio.from_thread.run_sync(self._stop.set, trio_token=self._trio)
        self._thread.join(PATIENCE)

    def act(self, principal, verb, *args, **named):
        """Have somebody do something about decisions, elsewhere than on a page."""
        decisions = self.store.decisions(Caller(principal, principal == ROOT, via="program"))
        act = partial(getattr(decisions, verb), *args, **named)
        return trio.from_thread.run(act, trio_token=self._trio)

    def raised(self, title, principal=AGENT, **fields):
        """Raise one."""
        return self.act(principal, "raise_decision", title, **fields)
