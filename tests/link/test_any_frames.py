"""Whatever bytes come, neither end of a link raises, and what it counts stays within its limits."""

import json
from contextlib import suppress

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from facets import Principal, Who
from facets.errors import InvalidCall
from facets.link.calling import CallingSession
from facets.link.following import apply_to
from facets.link.items import CallingState
from facets.link.limits import LinkLimits
from facets.link.messages import Hello, decode
from facets.link.mirror import KeyedMirror
from facets.link.session import ServingSession, SessionState
from tests.link.schema import EXAMPLES

LIMITS = LinkLimits(objects=3, calls=3, watches=3, messages=40, patience=15)
FRAMES = [json.dumps(example["frame"]).encode() for example in EXAMPLES]

ids = st.sampled_from([*range(-1, 8), 2**53 - 1, 2**53, 2**70])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def valid_frames(draw):
    """Every kind of message, with the ids of others."""
    frame = json.loads(draw(st.sampled_from(FRAMES)))
    for name in ("id", "object"):
        if name in frame:
            frame[name] = draw(ids)
    return json.dumps(frame).encode()


@st.composite
def changed_fields(draw):
    """A message with something else in one of its fields."""
    frame = json.loads(draw(st.sampled_from(FRAMES)))
    frame[draw(st.sampled_from([*frame, "more"]))] = draw(values)
    return json.dumps(frame).encode()


@st.composite
def changed_bytes(draw):
    """A message with a few bytes changed, missing or too many."""
    frame = bytearray(draw(st.sampled_from(FRAMES)))
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(frame)))
        frame[place : place + draw(st.integers(0, 2))] = draw(st.binary(max_size=2))
    return bytes(frame)


frames = st.lists(valid_frames() | changed_fields() | changed_bytes() | st.binary(max_size=30), max_size=60)


@settings(max_examples=100)
@given(frames=frames, greeted=st.booleans(), replies=st.booleans())
def test_the_end_that_is_asked_takes_anything(frames, greeted, replies):
    session = ServingSession(LIMITS, 0.0)
    if greeted:
        session.welcome("e", Who(Principal.user("ana"), "Ana"), 0.0)
        if replies:
            session.ask_back(0.0)
    for number, frame in enumerate(frames):
        session.receive(frame, number / 100)
        assert len(session.objects) <= LIMITS.objects
        assert len(session.calls) <= LIMITS.calls
        assert len(session.watches) <= LIMITS.watches
        assert set(session.watches.values()) <= session.objects
    said = [json.loads(frame) for frame in session.take_out()]
    assert len(said) <= len(frames) + 2
    goodbyes = [number for number, message in enumerate(said) if message["type"] == "goodbye"]
    assert goodbyes in ([], [len(said) - 1])
    assert bool(goodbyes) == (session.state is SessionState.CLOSED)
    if not greeted:
        assert [message["code"] for message in said] in ([], ["unauthenticated"])
        assert not session.objects


@settings(max_examples=100)
@given(frames=frames, followed=st.booleans())
def test_the_end_that_asks_takes_anything(frames, followed):
    session = CallingSession("there", lambda: 0.5)
    session.dialled(Hello("t"), 0.0)
    session.receive(
        decode(b'{"type":"welcome","epoch":"e","principal":{"kind":"user","id":"a","name":"a"},"now":1}'), 0
    )
    held = session.get("questions", b"{}")
    made = session.call(held, "ask", b"{}", lambda _: b"{}")
    watch = session.follow(held, "open") if followed else None
    mirror: KeyedMirror = KeyedMirror()
    ended = set()
    for number, frame in enumerate(frames):
        try:
            message = decode(frame)
        except msgspec.DecodeError:
            continue
        for item, told in session.receive(message, number / 100):
            assert item not in ended
            assert item in (None, held, made, watch)
            if item is made:
                ended.add(item)
            if item is watch and watch is not None:
                show(mirror, told)
        session.tick(number / 100)
    for item, told in session.lost():
        assert item not in ended
        assert told is not None
    assert session.state in (CallingState.AWAY, CallingState.REFUSED)


def show(mirror, told):
    with suppress(InvalidCall):  # a value that is no mapping: whoever keeps the connection ends it then
        apply_to(mirror, told, lambda value, _: msgspec.json.decode(value))
