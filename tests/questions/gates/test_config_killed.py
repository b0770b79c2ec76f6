"""Writers of a configuration that are killed between any two steps: a reader sees all of the change, or nothing."""

import json
import subprocess
import sys
from contextlib import contextmanager

import pytest

from questions.gates.config_files import channels_in, load_configuration
from tests.house.source import ROOT
from tests.questions.gates.bot_api import TOKEN
from tests.questions.gates.configurations import PROFILE, configured, secret_in

OTHER = TOKEN.replace("A", "B")


@contextmanager
def writer(folder, last, file):
    """A writer that has come to its step number `last`; whether there are so many. Killed at the end of the block."""
    profile, credential = json.dumps(PROFILE | {"allowedUserIds": ["7"]}), json.dumps({"tokenFile": file})
    command = [sys.executable, "-m", "tests.questions.gates.config_writer", str(folder), str(last), profile, credential]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline() == "stopped\n"
        finally:
            process.kill()


def seen(folder):
    """The secret, the people and the audiences, as a reader has them together."""
    configuration = load_configuration(folder)
    if configuration is None:
        return None
    [channel] = channels_in(configuration)
    return channel.token, channel.allowed_user_ids, tuple(configuration.audiences)


BEFORE, AFTER = (TOKEN, ("100",), ("operator",)), (OTHER, ("100", "7"), ("operator", "night"))
NEW = (OTHER, ("7",), ("operator", "night"))


def walk(tmp_path, before, after, prepare):
    """What is seen at each step and after the kill, and by the next writer."""
    file, found, last, goes_on = secret_in(tmp_path, "other", OTHER), [], 0, True
    while goes_on:
        last += 1
        folder = prepare(tmp_path / f"at-{last}")
        with writer(folder, last, file) as goes_on:
            found.append(seen(folder))
        assert seen(folder) == found[-1]
        assert found[-1] in (before, after)
        with writer(folder, 1_000, file):
            assert seen(folder) == after
    return found


def prepared(place):
    place.mkdir()
    return configured(place)


def empty(place):
    place.mkdir()
    return place / "channels"


@pytest.mark.parametrize(("before", "after", "prepare"), [(BEFORE, AFTER, prepared), (None, NEW, empty)])
def test_a_writer_that_is_killed_at_any_step_leaves_all_or_nothing(tmp_path, before, after, prepare):
    found = walk(tmp_path, before, after, prepare)
    assert len(found) > 6
    assert (found[0], found[-1]) == (before, after)
    assert found.count(after) >= 2  # also one that was killed after the last change
