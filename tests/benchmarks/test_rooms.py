"""The benchmark of counting runs, and its plain loops count what we count."""

import json
import subprocess
import sys

import pytest

from benchmarks.ballot_boxes import LOOPS, box, slate
from questions.rooms import tally


def test_a_quick_run_tells_every_subject():
    command = [sys.executable, "-m", "benchmarks.rooms", "--quick", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    told = json.loads(done.stdout)
    names = " ".join(row["name"] for row in told["rows"])
    assert all(mechanism in names for mechanism in (*LOOPS, "ranked_choice", "ranked_pairwise"))
    plots = {curve["plot"] for curve in told["curves"]}
    assert plots == {"count_vs_ballots", "ranked_vs_ballots", "count_vs_options", "lock_vs_ballots"}


@pytest.mark.parametrize("mechanism", LOOPS)
def test_a_plain_loop_counts_the_same(mechanism):
    options = slate(5)
    ballots = box(mechanism, 40, options)
    assert tally(mechanism, {"quorum": 0}, options, 40, ballots).scores == LOOPS[mechanism](ballots, options)
