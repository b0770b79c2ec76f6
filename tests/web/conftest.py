"""Chromium, people in it, and a server. Whatever a page complains about on its console fails its test."""

import os

import pytest

from tests.web.browsing import CHROMIUM, Browsers
from tests.web.serving import Served

collect_ignore = [] if os.environ.get("QUESTIONS_PICTURES") == "1" else ["test_pictures.py"]


def pytest_collection_modifyitems(items):
    """What asks for a browser needs one."""
    for item in items:
        if "browsers" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.needs_tool(*CHROMIUM))


@pytest.fixture(scope="session")
def browsers():
    with Browsers() as running:
        yield running


@pytest.fixture
def served():
    server = Served()
    server.start()
    yield server
    server.close()


@pytest.fixture
def visit(browsers, served):
    """Open the page for a person: `visit("ana", "s1", color_scheme="dark")`. Returns the page."""
    with browsers.visitors(served) as visitors:
        yield visitors


@pytest.fixture
def ana(visit):
    return visit("ana")


@pytest.fixture
def bo(visit):
    return visit("bo")
