"""Write docs/demo.svg: a real run of `questions demo --auto`, as its rich presentation shows it.

python docs/make_demo_picture.py
"""

from __future__ import annotations

import io
from pathlib import Path

import trio
from rich.console import Console
from rich.terminal_theme import MONOKAI

from questions.cli.demo.calls import load_calls
from questions.cli.demo.pace import AUTO
from questions.cli.demo.rich_face import RichFace
from questions.cli.demo.stage import play
from questions.cli.demo.troupe import Troupe

ROOT = Path(__file__).parents[1]
CALLS = ROOT / "examples" / "data" / "tool_calls.jsonl"
PICTURE = ROOT / "docs" / "demo.svg"
WIDTH = 120
LINES = {1, 3, 6, 11, 13, 15, 16, 19, 23, 29, 37, 39}
"""A dozen telling calls, so that the picture fits on a page."""


def record() -> str:
    """Run the demo once and return the picture of it."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    calls = [call for call in load_calls(CALLS.read_bytes(), CALLS.name) if call.line in LINES]
    trio.run(play, calls, Troupe(AUTO), AUTO, RichFace(console))
    # A fixed id: two pictures of the same run are the same file.
    return console.export_svg(title="questions demo --auto", theme=MONOKAI, unique_id="demo")


if __name__ == "__main__":
    PICTURE.write_text(record(), encoding="utf-8")
    print(f"wrote {PICTURE.relative_to(ROOT)}")
