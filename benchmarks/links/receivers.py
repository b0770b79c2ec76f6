"""A process full of viewers that cost next to nothing: they shake hands, watch, and then only count frames.

The same for every contestant, so that what is measured is the sender. Reads one JSON command a line on its standard
input, and replies to each with one line. Run by `benchmarks.links.children`.
"""

import json
import os
import select
import socket
import sys
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.links.crowd import raise_the_limit
from benchmarks.links.frames import masked, opening, positions

_READ = 2**18
_PONG, _CLOSE, _PING, _TEXT = 10, 8, 9, 1


class Viewer:
    """One connection."""

    __slots__ = ("arrived", "at", "bytes", "crowd", "frames", "greeting", "is_open", "rest", "socket")

    def __init__(self, crowd: "Crowd", greeting: bytes) -> None:
        self.crowd = crowd
        self.greeting = greeting
        self.connect()

    def connect(self) -> None:
        """Dial, without waiting."""
        self.frames = self.bytes = 0
        self.arrived = -1  # until the websocket is open
        self.at = 0.0
        self.is_open = False
        self.rest = b""
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.connect_ex(("127.0.0.1", self.crowd.port))
        self.crowd.loop.follow(self)

    def connected(self) -> None:
        """The other side has accepted."""
        self.socket.send(opening(self.crowd.port))
        self.crowd.loop.read(self)

    def readable(self) -> None:
        """Take in what has come."""
        data = self.socket.recv(_READ)
        if not data:
            raise ConnectionError(f"a viewer of {self.crowd.name} was cut off")
        if self.rest:
            data = self.rest + data
        if not self.is_open:
            head, end, data = data.partition(b"\r\n\r\n")
            if not end:
                self.rest = head
                return
            if b" 101 " not in head[:20]:
                raise ConnectionError(head.decode())
            self.is_open = True
            self.socket.send(self.greeting)
        self._count(data)

    def _count(self, data: bytes) -> None:
        done, before, reached = 0, self.arrived, max(self.arrived, 0)
        for opcode, start, end in positions(data):
            done = end
            if opcode == _TEXT:
                self.frames += 1
                self.bytes += end - start
                if self.crowd.by_revision:
                    reached = max(reached, revision_of(data, start, end))
            elif opcode == _PING:
                self.socket.send(masked(_PONG, data[start:end]))
            elif opcode == _CLOSE:
                raise ConnectionError(f"a viewer of {self.crowd.name} was sent away: {data[start + 2 : end]!r}")
        self.rest = data[done:]
        self.arrived = reached if self.crowd.by_revision else self.frames
        self.at = time.monotonic()
        if before < self.crowd.target <= self.arrived:
            self.crowd.caught_up()


def revision_of(data: bytes, start: int, end: int) -> int:
    """The revision that a frame leads to; 0 if it tells none."""
    text = data[start : min(end, start + 300)]
    _, found, rest = text.partition(b'"revision":')
    return int(rest.partition(b",")[0].partition(b"}")[0]) if found else 0


class Crowd:
    """The viewers of one contestant."""

    def __init__(self, loop: "Loop", name: str, port: int, by_revision: bool) -> None:
        self.loop = loop
        self.name = name
        self.port = port
        self.by_revision = by_revision
        self.viewers: list[Viewer] = []
        self.stalled: set[Viewer] = set()
        self.target = 0
        self.behind = 0
        self.told = False

    def until(self, target: int) -> None:
        """Reply once every viewer that reads has come so far."""
        self.target = target
        self.behind = sum(one.arrived < target for one in self.viewers if one not in self.stalled)
        self.told = False
        self._tell()

    def caught_up(self) -> None:
        """One more has."""
        self.behind -= 1
        self._tell()

    def _tell(self) -> None:
        if self.behind or self.told:
            return
        self.told = True
        reading = [one for one in self.viewers if one not in self.stalled]
        times = [one.at for one in reading]
        frames, size = sum(one.frames for one in reading), sum(one.bytes for one in reading)
        reply({"at": max(times), "times": times, "frames": frames, "bytes": size})


class Loop:
    """All the viewers of this process, and what it is told to do."""

    def __init__(self) -> None:
        self.epoll = select.epoll()
        self.viewers: dict[int, Viewer] = {}
        self.crowds: dict[str, Crowd] = {}
        self._commands = b""

    def follow(self, viewer: Viewer) -> None:
        """Wait for its connection."""
        self.viewers[viewer.socket.fileno()] = viewer
        self.epoll.register(viewer.socket, select.EPOLLOUT)

    def read(self, viewer: Viewer) -> None:
        """Wait for what it is sent."""
        self.epoll.modify(viewer.socket, select.EPOLLIN)

    def run(self) -> None:
        """Until the standard input ends."""
        self.epoll.register(0, select.EPOLLIN)
        while True:
            for descriptor, events in self.epoll.poll():
                if descriptor == 0:
                    if not self._take_commands():
                        return
                    break  # the rest of these events may be of sockets that are closed by now; they are told again
                if (viewer := self.viewers.get(descriptor)) is not None:
                    viewer.readable() if events & select.EPOLLIN else viewer.connected()

    def _take_commands(self) -> bool:
        data = os.read(0, _READ)
        *lines, self._commands = (self._commands + data).split(b"\n")
        for line in lines:
            command = json.loads(line)
            getattr(self, "do_" + command.pop("do"))(**command)
        return bool(data)

    def do_connect(
        self, name: str, port: int, greetings: Sequence[Sequence[str]], ready: int, by_revision: bool = False
    ) -> None:
        """Dial once for each greeting, a list of messages. Replies when all have come so far; 0: they are connected."""
        crowd = self.crowds[name] = Crowd(self, name, port, by_revision)
        texts = [b"".join(masked(_TEXT, message.encode()) for message in greeting) for greeting in greetings]
        crowd.viewers = [Viewer(crowd, text) for text in texts]
        crowd.until(ready)

    def do_until(self, name: str, target: int) -> None:
        """Reply when every viewer that reads has come so far: frames, or the revision."""
        self.crowds[name].until(target)

    def do_stall(self, name: str, count: int) -> None:
        """The last few read no more. Replies at once."""
        crowd = self.crowds[name]
        for viewer in crowd.viewers[-count:]:
            crowd.stalled.add(viewer)
            self.epoll.unregister(viewer.socket)
        reply({})

    def do_storm(self, name: str, ready: int) -> None:
        """All lose their connections at once, and dial again at once. Replies when all have come so far."""
        crowd = self.crowds[name]
        self._cut(crowd)
        for viewer in crowd.viewers:
            viewer.connect()
        crowd.until(ready)

    def do_leave(self, name: str) -> None:
        """All go. Replies at once."""
        self._cut(self.crowds.pop(name))
        reply({})

    def _cut(self, crowd: Crowd) -> None:
        for viewer in crowd.viewers:
            del self.viewers[viewer.socket.fileno()]
            viewer.socket.close()


def reply(fields: dict[str, Any]) -> None:
    """Reply to the command."""
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise_the_limit()
    Loop().run()
