"""A calling session and what comes from the other side, as plain JSON."""

from typing import Any

from facets.link.calling import CallingSession
from facets.link.messages import Hello, decode
from tests.facets.link.frames_of import frame, said

WELCOME: dict[str, Any] = {"epoch": "e1", "principal": {"kind": "user", "id": "ana", "name": "Ana"}, "now": 100.0}
GOT: dict[str, Any] = {"face": "object", "principal": WELCOME["principal"], "now": 100.0}


class Asking:
    """One link. `events` are what the last message or loss has meant, as (item, type of the message)."""

    def __init__(self, *, chance=1.0, acknowledges=True):
        self.session = CallingSession("ws://there", lambda: chance, acknowledges=acknowledges)
        self.now = 0.0

    def connect(self):
        """Dial and be welcomed. What is said then, without the hello."""
        self.session.dialled(Hello("token"), self.now)
        self.told("welcome", **WELCOME)
        hello, *more = self.said()
        assert hello == {"type": "hello", "token": "token"}
        return more

    def told(self, type, **fields):
        """What a message means: (whom, the message) each."""
        return self.session.receive(decode(frame(type, **fields)), self.now)

    def said(self):
        return said(self.session)

    def tick(self, now):
        self.now = now
        self.session.tick(now)
        return self.said()

    def held(self):
        """An object that is held."""
        held = self.session.get("desk", b"null")
        self.told("got", id=held.wire, **GOT)
        self.said()
        return held

    def made(self, held, again=None):
        made = self.session.call(held, "sit", b"{}", again)
        self.said()
        return made

    def followed(self, held, revision=None):
        followed = self.session.follow(held, "lamp")
        if revision is not None:
            self.told("snapshot", id=followed.wire, epoch="e1.1", revision=revision, value={}, now=1.0)
        self.said()
        return followed


def connected(**options):
    asking = Asking(**options)
    asking.connect()
    return asking


def meant(events):
    """Events as (whom, which type, the code of a refusal)."""
    named = [(item, type(message).__name__.removeprefix("Raw"), message) for item, message in events]
    return [(item, f"Refused {message.code}" if name == "Refused" else name) for item, name, message in named]
