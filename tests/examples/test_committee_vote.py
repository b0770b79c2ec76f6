"""The committee's vote: what it prints, and what is left on disk for whoever wants to count again."""

import json
import subprocess
import sys
from xml.etree import ElementTree

from questions.cli import main
from tests.house.source import ROOT


def test_a_committee_votes_and_leaves_minutes_that_anybody_can_check(tmp_path, capsys):
    command = [sys.executable, "-W", "error", str(ROOT / "examples" / "committee_vote.py"), "the minutes"]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "bo revises: oslo > porto" in ran.stdout
    assert ran.stdout.endswith(" are in the minutes.\n")
    folder = tmp_path / "the minutes"
    minutes = (folder / "minutes.txt").read_text(encoding="utf-8")
    assert minutes.startswith('"Vienna" has won.')
    assert minutes in ran.stdout
    assert ElementTree.parse(folder / "vote.svg").getroot().get("role") == "img"
    vote = json.loads((folder / "vote.jsonl").read_text(encoding="utf-8"))
    assert [one["ballot"] for one in vote["ballots"] if one["voter"] == "user:bo"] == [["oslo", "porto"]]
    assert main(["rooms", "replay", str(folder / "vote.jsonl"), "--check"]) == 0
    assert capsys.readouterr().err == "1 replayed, 0 different\n"
