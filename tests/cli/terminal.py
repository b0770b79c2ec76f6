"""A real pseudo-terminal with the `questions` command on it: what a person would see and type."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

from tests.house.source import ROOT

# Makes the terminal the controlling one, so that Ctrl-C reaches the command as it would in a shell.
_START = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.executable, [sys.executable, '-W', 'error', '-m', 'questions.cli', '--traceback', *sys.argv[1:]])"
)
_BOX = re.compile(r"A question for you(?:(?!A question for you).)*╰[^╯]*╯", re.DOTALL)
_ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|[()][A-Z0-9])")


class Terminal:
    """Runs `questions ARGUMENTS` on a terminal. Use it in a `with` block."""

    def __init__(self, *arguments, rows=40, columns=160, environment=os.environ, kind="xterm-256color"):
        self._fd, self._far = pty.openpty()
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._modes = termios.tcgetattr(self._far)
        self._raw = b""
        environment = {name: value for name, value in environment.items() if name not in ("COLUMNS", "LINES")}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, *map(str, arguments)],
            cwd=ROOT,
            env={**environment, "TERM": kind},
            stdin=self._far,
            stdout=self._far,
            stderr=self._far,
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._fd)
        os.close(self._far)

    @property
    def text(self):
        """Everything written so far, without escape sequences."""
        return _ESCAPES.sub("", self._raw.decode(errors="replace"))

    @property
    def frame(self):
        """The box around the question in view, as it was drawn last; empty without one."""
        return next(reversed(_BOX.findall(self.text)), "")

    @property
    def is_as_before(self):
        """Whether the terminal's modes are those from before the command, and the cursor can be seen."""
        shown, hidden = self._raw.rfind(b"\x1b[?25h"), self._raw.rfind(b"\x1b[?25l")
        return termios.tcgetattr(self._far) == self._modes and shown >= hidden

    def type(self, keys):
        os.write(self._fd, keys.encode())

    def terminate(self):
        self._process.terminate()

    @property
    def is_stopped(self):
        """Whether the command has been stopped, as by Ctrl-Z, and not gone on."""
        status = os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
        return status is not None

    def go_on(self):
        """What `fg` in a shell does."""
        self._process.send_signal(signal.SIGCONT)

    def wait_until(self, true, seconds=30):
        """Read until `true(self)`; fails with what is on the screen."""
        end = time.monotonic() + seconds
        while not true(self):
            assert time.monotonic() < end, self.text[-4000:]
            self._read()

    def wait_for_question(self, words):
        """Until a question with these words is in view and keys count."""
        self.wait_until(lambda terminal: words in terminal.frame and "in a moment" not in terminal.frame)

    def wait_for_exit(self):
        """The exit code."""
        self.wait_until(lambda terminal: terminal._process.poll() is not None)
        self._read()
        assert "Traceback" not in self.text, self.text
        return self._process.returncode

    def _read(self):
        if select.select([self._fd], [], [], 0.05)[0]:
            self._raw += os.read(self._fd, 65536)
