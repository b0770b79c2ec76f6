"""A server with gates in a thread of its own, for tests that wait for a browser."""

import itertools
import queue
import threading
import time
from functools import partial

import trio

from facets import open_host
from facets.link.server import open_link_server
from questions import questions_facet
from questions.durable import MemoryBackend, open_store
from questions.durable.store import TABLES
from questions.gates import GATE_TABLES, gates_facet, open_gates
from questions.web import answer_page
from tests.link.stages import Tokens
from tests.questions.durable.intercepting import Intercepting
from tests.questions.gates.cases import CONTINUE, submission
from tests.questions.gates.live_stages import ask
from tests.web.serving import NAMES, PATIENCE

__all__ = ["Gating"]


class Gating:
    """The server. `url`: of the page; `engine`: what can be away; `ahead`: seconds of the store's clock."""

    def start(self):
        told: queue.SimpleQueue = queue.SimpleQueue()
        self._thread = threading.Thread(target=trio.run, args=(self._main, told.put))
        self._thread.start()
        self._names = itertools.count()
        self.url, self._trio, self._stop = told.get(timeout=PATIENCE)

    async def _main(self, tell):
        self.ahead = 0.0
        clock = lambda: round((time.time() + self.ahead) * 1000)  # noqa: E731
        self.engine = Intercepting(MemoryBackend((*TABLES, *GATE_TABLES), clock))
        stop = trio.Event()
        async with open_store(self.engine, sweep_ms=None) as store, open_gates(store, poll_ms=50) as self.gates:
            facets = [questions_facet, gates_facet.configured(gates=self.gates)]
            async with open_host(facets, NAMES) as host, open_link_server(host, Tokens(), answer=answer_page) as server:
                tell((server.url.replace("ws", "http") + "/", trio.lowlevel.current_trio_token(), stop))
                await stop.wait()

    def close(self):
        trio.from_thread.run_sync(self._stop.set, trio_token=self._trio)
        self._thread.join(PATIENCE)

    def _run(self, function, *args, **named):
        return trio.from_thread.run(partial(function, *args, **named), trio_token=self._trio)

    def ask(self, title, **changes):
        """A workflow asks."""
        return self._run(ask, self.gates, f"web-{next(self._names)}", title=title, **changes)

    def answer(self, made, response=CONTINUE):
        """Somebody answers elsewhere than on a page."""
        return self._run(self.gates.submit, submission(made, response))

    def cancel(self, made):
        """It is taken back."""
        return self._run(self.gates.cancel, made.decision_id)

    def resolution(self, made):
        """How it has ended."""
        return self._run(self.gates.get, made.decision_id).resolution
