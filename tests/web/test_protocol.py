"""The page's client against the same tables that the server is held to, in the same browser."""

import json
import unicodedata

import pytest

from questions import visible
from tests.house.source import ROOT

DATA = ROOT / "tests" / "data"
FRAMES = json.loads((DATA / "frames.json").read_text())
CONVERSATION = json.loads((DATA / "conversation.json").read_text())
MISFIT = "missing, or of the wrong type"
VECTORS = json.loads((DATA / "visible.json").read_text())

# Read and written again, each frame is what it was; `null`: the client takes it for no message of its own.
TRANSCRIBE = """async (frames) => {
  const { decode, encode } = await import("/messages.js");
  return frames.map((frame) => JSON.parse(encode(decode(frame))));
}"""

REFUSE = """async (frames) => {
  const { decode } = await import("/messages.js");
  return frames.map((frame) => {
    try {
      return decode(frame);
    } catch (error) {
      return error.message;
    }
  });
}"""

# The part of the conversation that is one person's. What the client would say by itself is taken as it comes.
HOLD = """async (steps) => {
  const { Session } = await import("/session.js");
  const session = new Session(() => 0.5);
  let now = 0, held = null, open = null, said = [];
  const seen = [], ends = [];
  const listener = { changed: ({ put, drop }) => seen.push([[...put.keys()], Object.fromEntries(drop)]) };
  for (const step of steps) {
    now += 1;
    if (step.dials) {
      session.lost();
      session.dialled("user:ana");
    } else if (step.gets) {
      session.receive(JSON.stringify(step.gets), now);
    } else if (step.sends.type === "get" && held === null) {
      held = session.get("questions", step.sends.input);
    } else if (step.sends.type === "watch" && open === null) {
      open = session.follow(held, step.sends.readable, listener, true);
    } else if (step.sends.type === "call") {
      session.call(held, step.sends.method, step.sends.args).then(
        (value) => ends.push(["returned", value]), (error) => ends.push([error.code, error.data]));
    } else if (step.sends.type === "ack") {
      session.shown(open, now);
    } else if (step.sends.type === "ping") {
      session.tick((now += 100));
    } else if (step.sends.type === "release") {
      session.release(held);
    }
    said.push(...session.takeOut().map((frame) => JSON.parse(frame)));
  }
  await null;
  return { said, seen, ends, isBroken: session.isBroken, open: [...open.value.keys()] };
}"""


@pytest.fixture
def page(visit, served):
    page = visit.blank("ana")
    page.goto(served.url)
    return page


def test_each_frame_of_the_table_is_read_and_written_as_it_stands(page):
    frames = [one["frame"] for one in FRAMES if "worker" not in (one["from"], one["to"])]
    assert len(frames) > 50
    written = page.evaluate(TRANSCRIBE, [json.dumps(frame) for frame in frames])
    assert [one for one in zip(frames, written, strict=True) if one[0] != one[1]] == []


def test_what_is_unknown_is_ignored_and_what_is_malformed_is_a_fault(page):
    cases = {
        '{"type": "news", "id": 1}': None,
        '{"type": "cancelled", "id": 1, "more": 2}': {"type": "cancelled", "id": 1},
        '{"type": "cancelled"}': f"$.id: {MISFIT}",
        '{"type": "ended", "id": 1, "why": 2}': f"$.why: {MISFIT}",
        '{"type": "snapshot", "id": 1, "epoch": "e", "revision": 0, "now": 1}': f"$.value: {MISFIT}",
        '{"type": "constructor"}': None,
        '"text"': "$: no object with a type",
        "{secret": "$: not JSON",
    }
    assert page.evaluate(REFUSE, list(cases)) == list(cases.values())


def test_the_client_holds_the_conversation_of_the_documents(page):
    steps = [step for step in CONVERSATION if step["who"] == "ana"]
    last = next(place for place, step in enumerate(steps) if step.get("sends", {}).get("type") == "release")
    told = page.evaluate(HOLD, steps[: last + 1])
    said = [step["sends"] for step in steps[: last + 1] if "sends" in step]
    assert told["said"] == said
    assert told["seen"][1] == [["q_84be12f0aa_1"], {}]
    assert told["seen"][2] == [[], {"q_84be12f0aa_1": "answered"}]
    assert [code for code, _ in told["ends"]] == ["invalid_answer", "returned", "returned"]
    assert (told["isBroken"], told["open"]) == (False, [])


SNAPSHOT = {"type": "snapshot", "id": 2, "epoch": "e", "revision": 3, "value": {"a": 1, "b": 2}, "now": 0}
STEP = {"type": "difference", "id": 2, "base": 3, "revision": 4, "now": 0}
WELCOME = {"type": "welcome", "epoch": "e", "principal": {"kind": "user", "id": "ana", "name": "Ana"}, "now": 0}

# Follows a mapping through frames and, where there is a number, times at which what is due is done.
FOLLOW = """async (steps) => {
  const { Session } = await import("/session.js");
  const session = new Session(() => 0.5);
  const [seen, said] = [[], []];
  const changed = ({ put, drop }) => seen.push([Object.fromEntries(put), Object.fromEntries(drop)]);
  const held = session.get("questions", { session: "s1" });
  session.follow(held, "open", { changed, unavailable: (why) => seen.push(why), ended: (e) => seen.push(e.code) });
  session.dialled("t");
  let now = 0;
  for (const step of steps) {
    if (typeof step === "number") session.tick((now = step));
    else session.receive(JSON.stringify(step), now);
    said.push(...session.takeOut().map((frame) => JSON.parse(frame)));
  }
  return { seen, said: said.slice(3), isBroken: session.isBroken };
}"""  # the first three are hello, get and watch


def test_after_a_gap_everything_is_asked_for_anew(page):
    gap = {**STEP, "base": 7, "put": {"c": 3}}
    whole = {**SNAPSHOT, "id": 3, "revision": 9, "value": {"a": 1, "c": 3}}
    told = page.evaluate(FOLLOW, [WELCOME, SNAPSHOT, gap, whole])
    assert told["seen"] == [[{"a": 1, "b": 2}, {}], [{"c": 3}, {"b": ""}]]
    assert told["said"] == [
        {"type": "unwatch", "id": 2},
        {"type": "watch", "id": 3, "object": 1, "readable": "open"},
    ]


def test_what_comes_in_pieces_is_told_when_it_is_whole(page):
    """Otherwise every card would go and come back when a large mapping is sent anew."""
    pieces = [
        {**SNAPSHOT, "revision": -1, "value": {}},
        {**STEP, "base": -1, "revision": -1, "put": {"a": 1}},
        {**STEP, "base": -1, "revision": 5, "put": {"c": 3}},
    ]
    told = page.evaluate(FOLLOW, [WELCOME, SNAPSHOT, *pieces])
    assert told["seen"] == [[{"a": 1, "b": 2}, {}], [{"c": 3}, {"b": ""}]]


def test_an_object_that_cannot_be_had_now_is_asked_for_again(page):
    refused = {"type": "refused", "id": 1, "code": "unavailable", "message": "away", "retryable": True}
    unknown = {"type": "refused", "id": 2, "code": "unknown_object", "message": "no object 1"}
    told = page.evaluate(FOLLOW, [WELCOME, refused, unknown, 0.7, 0.8])
    assert told["seen"] == ["away"]
    assert [(one["type"], one.get("object")) for one in told["said"]] == [("get", None), ("watch", 3)]


def test_an_object_that_is_refused_is_not_asked_for_again(page):
    refused = {"type": "refused", "id": 1, "code": "forbidden", "message": "no"}
    told = page.evaluate(FOLLOW, [WELCOME, refused, 5])
    assert told == {"seen": ["forbidden"], "said": [], "isBroken": False}


@pytest.mark.parametrize(
    ("after", "is_broken"),
    [
        ([11], False),
        ([11, 22], True),  # no answer: the other side has gone, and a page sees no pings of websockets
        ([11, {"type": "pong", "id": 3, "received": 3, "sent": 2}, 22], False),
        ([11, {"type": "pong", "id": 3, "received": 2, "sent": 2}], True),
        ([11, {"type": "pong", "id": 3, "received": 3, "sent": 3}], True),
    ],
)
def test_a_connection_that_has_lost_something_or_is_silent_is_not_trusted(page, after, is_broken):
    assert page.evaluate(FOLLOW, [WELCOME, SNAPSHOT, *after])["isBroken"] is is_broken


def test_the_page_escapes_what_the_library_escapes(page):
    show = """async (texts) => {
      const { visible, visibleParts } = await import("/visible.js");
      return texts.map((text) => [visible(text), [...visibleParts(text)].map(([part]) => part).join("")]);
    }"""
    texts = [json.dumps(one["text"]) for one in VECTORS]
    shown = page.evaluate(f"(texts) => ({show})(texts.map((text) => JSON.parse(text)))", texts)
    assert shown == [[one["shown"]] * 2 for one in VECTORS]


def test_no_code_point_is_escaped_by_one_and_not_by_the_other(page):
    escaped = page.evaluate("""async () => {
      const { visible } = await import("/visible.js");
      const found = [];
      for (let code = 0; code < 0x110000; code++) {
        const text = String.fromCodePoint(code);
        if (visible(text) !== text) found.push(code);
      }
      return found;
    }""")
    assert escaped == [code for code in range(0x110000) if visible(chr(code)) != chr(code)]
    assert unicodedata.category(chr(escaped[0])) == "Cc"
