"""What `questions ask` tells on standard error while it waits."""

import fcntl
import os
import pty
import re
import struct
import termios
from io import StringIO

import attrs
import pytest

from facets import Principal, Who
from questions import OpenAsk
from questions.cli.ask_progress import progress_on
from questions.cli.durations import in_words
from questions.deadlines import Deadline

ANA, BO = (Who(Principal.user(name.lower()), name) for name in ("Ana", "Bo"))
ASK = OpenAsk("q_1", "k", "Go?", (), (ANA, BO), (), 0.0, Deadline(90.0, 90.0), lambda: 0.5)


class Screen(StringIO):
    """A stream that is a terminal, and what stands in its line."""

    def isatty(self):
        return True

    @property
    def line(self):
        return re.sub(r"\x1b\[K$", "", self.getvalue().rsplit("\r", 1)[-1])


@pytest.fixture
def screen(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    return Screen()


def test_a_log_gets_a_line_when_somebody_has_answered_and_none_as_time_goes_by():
    stream = StringIO()
    progress = progress_on(stream, quiet=False)
    progress.show(ASK)
    progress.tick()
    progress.show(attrs.evolve(ASK, seen=(ANA,)))
    progress.show(attrs.evolve(ASK, answered=(ANA,), waiting_for=(BO,)))
    progress.end()
    assert stream.getvalue().splitlines() == [
        "Asked q_1. Waiting for Ana, Bo; 1:30 left.",
        "Waiting for Bo; answered by Ana; 1:30 left.",
    ]


def test_a_terminal_has_one_line_that_goes_away(screen):
    progress = progress_on(screen, quiet=False)
    progress.tick()
    assert screen.line == "Asking ..."
    progress.show(attrs.evolve(ASK, seen=(ANA,)))
    assert screen.line == "Waiting for Ana, Bo; seen by Ana; 1:30 left."
    progress.end()
    assert (screen.line, "\n" in screen.getvalue()) == ("", False)


@pytest.fixture
def terminal(monkeypatch):
    """Makes a terminal so many columns wide; standard output is another one."""
    monkeypatch.setenv("TERM", "xterm")
    near, far = pty.openpty()
    with open(far, "w", encoding="utf-8", closefd=False) as stream:

        def line(columns, ask):
            fcntl.ioctl(near, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            progress_on(stream, quiet=False).show(ask)
            return os.read(near, 4096).decode().removeprefix("\r").removesuffix("\x1b[K")

        yield line
    for descriptor in (near, far):
        os.close(descriptor)


@pytest.mark.parametrize(
    ("columns", "line"), [(20, "Waiting for Ana,..."), (5, "W..."), (4, "..."), (3, ".."), (2, "."), (1, "")]
)
def test_a_line_is_never_longer_than_its_terminal_is_wide(terminal, columns, line):
    assert terminal(columns, ASK) == line


def test_a_terminal_that_does_not_say_how_wide_it_is_has_80_columns(terminal):
    assert terminal(0, attrs.evolve(ASK, waiting_for=(ANA,) * 40)).endswith("...")
    assert terminal(0, ASK) == "Waiting for Ana, Bo; seen by nobody; 1:30 left."


def test_a_character_may_take_two_columns_or_none(terminal):
    wide, accented = (Who(ANA.principal, name) for name in ("安娜" * 4, "A\u0301na"))
    assert terminal(20, attrs.evolve(ASK, waiting_for=(wide,))) == "Waiting for 安娜..."
    assert terminal(44, attrs.evolve(ASK, waiting_for=(accented,))).endswith("1:30 left.")


def test_a_lost_connection_is_told(screen):
    for stream in (screen, StringIO()):
        progress = progress_on(stream, quiet=False)
        progress.show(ASK)
        progress.connection("it is gone")
        assert "The connection is lost (it is gone), and is tried again." in stream.getvalue()
        progress.connection(None)
    assert screen.line.startswith("Waiting for")
    assert stream.getvalue().endswith("The connection is back.\n")


def test_a_name_cannot_write_a_line_of_its_own():
    stream = StringIO()
    progress_on(stream, quiet=False).show(attrs.evolve(ASK, waiting_for=(Who(Principal.user("x"), "x\u202ey\nz"),)))
    assert "x\\u202ey\\nz" in stream.getvalue()
    assert stream.getvalue().count("\n") == 1


def test_quiet_is_quiet(screen):
    progress = progress_on(screen, quiet=True)
    progress.show(ASK)
    progress.connection("why")
    progress.tick()
    progress.end()
    assert screen.getvalue() == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-1, "0 s"), (0.2, "1 s"), (59, "59 s"), (61, "1:01"), (3600, "1:00:00"), (90_061, "1 d 1:01:01")],
)
def test_time_that_is_left_is_shown_as_a_clock(seconds, words):
    assert in_words(seconds) == words
