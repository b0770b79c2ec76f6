"""Letting an object go costs the same, however many others one link holds: a worker's holds those of all users."""

import time
from typing import Any

from facets import KeyedCell, Principal, Who
from facets.link.calling import CallingSession
from facets.link.epochs import Epochs
from facets.link.limits import LinkLimits
from facets.link.serving import Flusher, Serving
from facets.link.session import ServingSession
from tests.link.two_ends import Thing

LIMITS = LinkLimits(objects=10**6, watches=10**6, messages=10**6)


def carry(calling, session, serving):
    for frame in calling.take_out():
        message = session.receive(frame, 0.0)
        if message is not None:
            serving.act(message)


def seconds_to_let_go(count):
    """Of so many objects, each followed, over one connection; at both ends together."""
    calling, session = CallingSession("there", lambda: 0.5), ServingSession(LIMITS, 0.0)
    things: Any = Thing(KeyedCell(lambda _, value: value))
    nursery: Any = None  # nothing is started in it
    serving = Serving(
        session, lambda _: things, lambda frames: None, lambda: True, nursery, Flusher(), Epochs(), lambda: 0.0
    )
    session.receive(b'{"type":"hello","token":"t"}', 0.0)
    session.welcome("e", Who(Principal.user("ana"), "Ana"), 0.0)
    calling.answered(0.0)
    held = [calling.get("thing", b'"a"') for _ in range(count)]
    for one in held:
        calling.follow(one, "open")
    carry(calling, session, serving)
    assert len(session.objects) == len(session.watches) == count
    began = time.process_time()
    for one in held:
        calling.release(one)
    carry(calling, session, serving)
    took = time.process_time() - began
    assert not session.objects
    assert not session.watches
    assert not calling._followed
    return took


def test_letting_go_of_ten_times_as_many_objects_takes_about_ten_times_as_long():
    few = min(seconds_to_let_go(300) for _ in range(3))
    assert seconds_to_let_go(3_000) < 40 * few
