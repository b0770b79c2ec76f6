"""The picture of the demo is of a run that shows every way of asking, and no secret."""

from docs.make_demo_picture import LINES, PICTURE
from questions.cli.demo.rules import passing_rule
from questions.cli.demo.ways import Way, way_to_ask
from tests.cli.example import CALLS, CANARY

SHOWN = [call for call in CALLS if call.line in LINES]


def test_it_shows_every_way_of_asking():
    assert len(SHOWN) == len(LINES)
    assert {way_to_ask(call) for call in SHOWN} == set(Way)
    assert any(passing_rule(call) for call in SHOWN)


def test_it_was_made_and_holds_no_secret():
    picture = PICTURE.read_text("utf-8")
    for words in ("expired", "Carol", "kept"):
        assert words in picture
    assert not CANARY.search(picture)
