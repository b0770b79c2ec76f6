"""Questions that live with a worker behind the server: what the page says when the one or the other is away."""

import pytest
from playwright.sync_api import expect

from questions import Confirm, Text
from tests.web.browsing import button, card
from tests.web.serving import ANA, Served, Worker


@pytest.fixture
def served():
    """A server without questions of its own."""
    server = Served(sessions="workers")
    server.start()
    yield server
    server.close()


@pytest.fixture
def worker(served):
    running = Worker(served)
    running.start()
    yield running
    running.close()


def test_a_session_without_its_worker_is_said_to_be_away_and_comes_by_itself(served, ana):
    notice = ana.get_by_text("No news from session s1:")
    notice.wait_for()
    worker = Worker(served)
    worker.start()
    asked = worker.ask(Confirm("Run it?"), ANA)
    button(card(ana, "Run it?"), "Allow").click()
    assert asked.result().answer is True
    expect(notice).to_have_count(0)
    worker.close()
    notice.wait_for()


def test_a_server_that_starts_again_changes_no_card(served, worker, ana):
    """The question is the worker's, and its id the same: the very field stays, and what was typed is in it."""
    asked = worker.ask(Text("What else?"), ANA)
    field = card(ana, "What else?").get_by_role("textbox")
    field.focus()
    ana.keyboard.type("half a sen")
    node = field.element_handle()
    served.stop()
    ana.get_by_text("Connection lost").wait_for()
    ana.keyboard.type("ten")
    served.start()
    ana.get_by_text("Connected as Ana").wait_for()
    button(card(ana, "What else?"), "Answer").wait_for()
    ana.keyboard.type("ce")
    assert node.evaluate("(node) => document.activeElement === node && node.value") == "half a sentence"
    ana.keyboard.press("Control+Enter")
    assert asked.result().answer == "half a sentence"
