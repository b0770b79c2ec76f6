"""What people are shown of a gate is the same everywhere; the page is held to it in `web/test_gates.py`."""

import json
import time

import pytest

from questions.cli.gates.dialog_words import shown
from questions.cli.inbox.wording import about
from questions.gates import Bullets, Field, Fields, Paragraph, Presentation, document, view_of
from questions.gates.live_gates import LIVE_GATES
from questions.gates.open_gate import OpenGate
from questions.gates.telegram.rendering import parts_of
from questions.gates.webhook.notices import open_notice
from tests.questions.gates.cases import AUTOMATIC, request

BLOCKS = (Paragraph("It takes\na minute."), Bullets(["stop it", "start it"]), Fields([Field("host", "h1")]))
VIEW = view_of(request(timeout=AUTOMATIC, presentation=Presentation("All of it.", BLOCKS)))
TEXT = document(VIEW)
OPEN = OpenGate(VIEW, None, time.monotonic)

SURFACES = {
    "telegram": lambda: "\n".join(parts_of(VIEW)),
    "webhook": lambda: _texts(open_notice(VIEW, "ops", "https://example.org/")),
    "link": lambda: _texts(json.loads(bytes(LIVE_GATES.converter.unstructure(OPEN)))["document"]),
    "terminal": lambda: shown(TEXT).plain,
    "inbox": lambda: "\n".join((about(OPEN).plain, *_choices(OPEN.question))),
}


def _choices(question):
    return [option.label for option in question.options]


def _texts(value):
    """Every text in a value of JSON."""
    if isinstance(value, dict | list):
        return "\n".join(map(_texts, value.values() if isinstance(value, dict) else value))
    return str(value)


@pytest.mark.parametrize("surface", SURFACES)
def test_every_surface_shows_every_part_of_the_document(surface):
    found = _plain(SURFACES[surface]())
    wanted = (TEXT.title, TEXT.summary, *TEXT.blocks, TEXT.deadline, *TEXT.choices, TEXT.fingerprint)
    assert [part for part in wanted if _plain(part) not in found] == []


def _plain(text):
    """Without what a surface sets lines in with."""
    return " ".join(text.replace("  | ", "").split())
