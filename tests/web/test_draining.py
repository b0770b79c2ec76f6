"""A server that goes away tells the page to come back, and the page does; while it drains, people still answer."""

import pytest
import trio

from facets.link.server import open_link_server
from questions import Confirm
from tests.web.browsing import button, card
from tests.web.serving import ANA, Served


class Draining(Served):
    """A server that can be told to drain, and to take people again."""

    async def _run(self, ready):
        async with open_link_server(self.portal.host, self.tokens, port=self.port, **self._options) as self.server:
            ready(self.server.address[1])
            await trio.sleep_forever()

    def drain(self):
        self.portal.call(self.server.drain, 0)

    def send_away(self):
        self.portal.call(self._in_its_thread, self.server.close)

    def take_people_again(self):
        self.server.door.is_closed = False

    async def _in_its_thread(self, function):
        function()


@pytest.fixture
def served():
    server = Draining()
    server.start()
    yield server
    server.close()


def test_people_answer_while_it_drains(served, ana):
    asked = served.ask(Confirm("Run it?"), ANA)
    card(ana, "Run it?").wait_for()
    served.drain()
    button(card(ana, "Run it?"), "Allow").click()
    assert asked.result().answer is True


def test_who_is_told_to_come_back_comes_back_when_it_can(served, ana):
    asked = served.ask(Confirm("Run it?"), ANA)
    card(ana, "Run it?").wait_for()
    served.send_away()
    ana.get_by_text("Connection lost").wait_for()
    served.take_people_again()
    ana.get_by_text("Connected as Ana").wait_for()
    button(card(ana, "Run it?"), "Allow").click()
    assert asked.result().answer is True
