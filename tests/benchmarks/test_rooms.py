"""The benchmark of counting runs, and its plain loops count what we count."""

import json
import subprocess
import sys

import pytest

from benchmarks.ballot_boxes import box, slate
from benchmarks.plain_loops import LOOPS, RANKED, SUMS, locks
from questions.rooms import Lock, tally


def test_a_quick_run_tells_every_subject():
    command = [sys.executable, "-m", "benchmarks.rooms", "--quick", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    told = json.loads(done.stdout)
    names = " ".join(row["name"] for row in told["rows"])
    assert all(f"{mechanism}, " in names and f"vote by {mechanism}" in names for mechanism in LOOPS)
    assert all(f"lock of {mechanism}" in names for mechanism in SUMS)
    assert "signing a chain" in names
    assert "verifying a chain" in names
    plots = {curve["plot"] for curve in told["curves"]}
    assert plots == {"count_vs_ballots", "ranked_vs_ballots", "count_vs_options", "lock_vs_ballots", "vote_vs_voters"}


@pytest.mark.parametrize("mechanism", SUMS)
def test_a_plain_loop_counts_the_same(mechanism):
    options = slate(5)
    ballots = box(mechanism, 40, options)
    assert tally(mechanism, {"quorum": 0}, options, 40, ballots).scores == SUMS[mechanism](ballots, options)


@pytest.mark.parametrize("mechanism", RANKED)
def test_a_plain_loop_finds_the_same_winner(mechanism):
    options = slate(5)
    ballots = box(mechanism, 41, options, named=5)
    assert tally(mechanism, {"quorum": 0}, options, 41, ballots).winner == RANKED[mechanism](ballots, options)


@pytest.mark.parametrize("mechanism", SUMS)
def test_a_plain_loop_never_locks_before_a_lock_could(mechanism):
    """It asks for less: no threshold, and nobody is reckoned with who is proposed late."""
    options = slate(3)
    ballots = box(mechanism, 40, options)
    lock = Lock(mechanism, {"quorum": 0}, options, 41)
    for ballot, is_locked in zip(ballots, locks(mechanism, ballots, options, 41), strict=True):
        lock.add(ballot)
        assert is_locked or not lock.is_locked()
