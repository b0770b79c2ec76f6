"""The overnight deploy: its own night, and lives of it that are killed wherever they are."""

import signal
import subprocess
import sys
from contextlib import contextmanager

import trio

from facets import Principal
from questions.durable import Caller, open_store
from tests.examples.test_examples import run
from tests.house.source import ROOT

__all__ = ["run"]

PROGRAM = ROOT / "examples" / "overnight_deploy.py"
ANA = Caller(Principal.user("ana"))
A_REAL_HOUR = 3_600_000


@contextmanager
def life(folder, hour_ms=A_REAL_HOUR):
    """One life of the deploy, and the line with which it begins to wait."""
    command = [sys.executable, "-W", "error", PROGRAM, folder, str(hour_ms), "deploy"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def there(folder, act):
    """What an act of Ana's gives, in the store that the deploy has left."""

    async def opened():
        async with open_store(folder, sweep_ms=None) as store:
            return await act(store.decisions(ANA))

    return trio.run(opened)


def killed(folder):
    with life(folder) as (process, line):
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    return line


def test_a_night_of_two_kills_and_three_holders_ends_with_one_deploy(run, tmp_path):
    assert run("overnight_deploy.py") == [
        "evening",
        "the deploy: it is open, with supervisor:release-bot",
        "night",
        "the deploy: it is open, with user",
        "morning",
        "supervisor:release-bot: expired",
        "root: escalated it changes tables",
        "the deploy: it is answered, with user",
        "the deploy: release-12 is live, says ana",
    ]
    assert (tmp_path / "live").readlink().name == "release-12"


def test_however_often_it_is_killed_it_asks_once_and_goes_live_after_a_yes_alone(tmp_path):
    first = "the deploy: it is open, with supervisor:release-bot"
    assert [killed(tmp_path) for _ in range(2)] == [first] * 2
    [decision] = there(tmp_path, lambda decisions: decisions.list("all"))
    assert not (tmp_path / "live").is_symlink()
    there(tmp_path, lambda decisions: decisions.answer(decision.id, option="yes"))
    for _ in range(2):  # one that was killed after it, and one more
        with life(tmp_path) as (process, line):
            assert line == "the deploy: it is answered, with supervisor:release-bot"
            assert process.stdout.read() == "the deploy: release-12 is live, says ana\n"
    assert len(there(tmp_path, lambda decisions: decisions.list("all"))) == 1


def test_after_a_no_nothing_goes_live(tmp_path):
    killed(tmp_path)
    [decision] = there(tmp_path, lambda decisions: decisions.list())
    there(tmp_path, lambda decisions: decisions.answer(decision.id, option="no"))
    with life(tmp_path) as (process, _):
        assert (process.stdout.read(), process.wait()) == ("", 0)
    assert not (tmp_path / "live").is_symlink()
