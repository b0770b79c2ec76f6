"""A CallingSession and a Serving with two lists of frames between them, and a world of mappings to follow."""

import json
from typing import Any

from facets import KeyedCell, Principal, Who
from facets.errors import Forbidden, LinkLost, Unavailable
from facets.link.calling import CallingSession
from facets.link.epochs import Epochs
from facets.link.following import apply_to
from facets.link.items import CallingState, Held
from facets.link.limits import LinkLimits
from facets.link.messages import Call, Cancel, Cancelled, Ended, Got, Hello, RawReturned, Refused, Release
from facets.link.mirror import KeyedMirror
from facets.link.serving import Flusher, Serving
from facets.link.session import ServingSession, SessionState

WHO = Who(Principal.user("ana"), "Ana")
REFUSALS = {"forbidden": Forbidden("no"), "away": Unavailable("it")}


class Thing:
    """An object of the world: its one readable is a mapping."""

    face, who = "thing", WHO

    def __init__(self, cell):
        self._cell = cell

    def now(self):
        return 0.0

    def readable(self, name):
        if name != "open":
            raise Forbidden("no such readable")
        return self._cell, None

    def release(self, lost):
        pass


class ServingEnd:
    """One connection at the end that is asked. Calls wait until the test lets them return."""

    def __init__(self, world, now):
        self.session = ServingSession(LinkLimits(), now)
        self.frames: list = []
        self.calls = {}
        no_nursery: Any = None  # calls are the test's to end
        self._serving = Serving(
            self.session,
            world.resolve,
            self.frames.extend,
            lambda: True,
            no_nursery,
            Flusher(),
            world.epochs,
            lambda: 0.0,
        )

    def receive(self, frame, now):
        message = self.session.receive(frame, now)
        if isinstance(message, Hello):
            self.session.welcome("e", WHO, 0.0)
        elif isinstance(message, Call):
            self.calls[message.id] = message.object
        elif isinstance(message, Cancel):
            self._give_up([message.id])
        elif message is not None:
            self._serving.act(message)
            if isinstance(message, Release):
                self._give_up([id for id, object in self.calls.items() if object == message.object])
        self._serving.push()

    def _give_up(self, ids):
        for id in ids:
            if self.calls.pop(id, None) is not None:
                self.session.cancelled(id)

    def end_call(self, id, error):
        del self.calls[id]
        if error is None:
            self.session.returned(id, id)
        else:
            self.session.refused(id, error)
        self._serving.push()

    def flush(self):
        self._serving.flush()

    def end(self):
        self.session.state = SessionState.CLOSED
        self._serving.end(lost=True)


class World:
    """What there is at the end that is asked; outlives connections."""

    def __init__(self):
        self.epochs = Epochs()
        self.cells: dict[str, Any] = {name: KeyedCell(lambda _, value: value) for name in "ab"}
        self.refuses = None

    def resolve(self, get):
        if self.refuses is not None:
            raise REFUSALS[self.refuses]
        return Thing(self.cells[json.loads(bytes(get.input))])

    def start_again(self):
        """Everything is as it was, and counts anew."""
        old, self.epochs = self.cells, Epochs()
        self.cells = {name: KeyedCell(lambda _, value: value) for name in old}
        for name, cell in old.items():
            for key, value in cell.value.items():
                self.cells[name].put(key, value)


class CallingEnd:
    """What a program holds, calls and follows, and all that it was told of each."""

    def __init__(self):
        self.session = CallingSession("there", lambda: 0.5)
        self.told = {}
        self.over = set()
        self.mirrors = {}
        self.ids = []

    def take_out(self):
        frames = self.session.take_out()
        for frame in frames:
            if (id := json.loads(frame).get("id")) is not None and json.loads(frame)["type"] in REQUESTS:
                assert not self.ids or id > self.ids[-1], "ids grow, and are never used again"
                self.ids.append(id)
        return frames

    def tell(self, events):
        for item, message in events:
            if item is None:
                continue
            assert item not in self.over, f"{message} after the end of {item}"
            assert not isinstance(message, Refused) or message.code != "internal_error"
            if isinstance(item, Held) and isinstance(message, Refused) and item.is_known:
                assert not message.retryable, "what was held is got again"
            self.told.setdefault(item, []).append(message)
            if isinstance(message, RawReturned | Refused | Cancelled | Ended):
                self.over.add(item)
            elif isinstance(message, Got):
                continue
            if item in self.mirrors:
                apply_to(self.mirrors[item], message, lambda value, _: json.loads(bytes(value)))

    def get(self, name):
        try:
            return self.session.get("thing", json.dumps(name).encode())
        except LinkLost:
            assert self.session.state is not CallingState.OPEN
            return None

    def call(self, held, keyed):
        try:
            return self.session.call(held, "ask", b"{}", (lambda _: b'{"again":true}') if keyed else None)
        except LinkLost:
            assert self.session.state is not CallingState.OPEN
            return None

    def follow(self, held):
        followed = self.session.follow(held, "open")
        self.mirrors[followed] = KeyedMirror()
        return followed

    def forget(self, item):
        """It was given up here; nothing may be told of it any more."""
        self.over.add(item)


REQUESTS = ("get", "call", "watch", "ping")
