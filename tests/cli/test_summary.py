"""The summary says how each question ended, from its settlement event alone, in text and as data."""

import io
import json

import attrs
import pytest
from rich.console import Console

from facets import Principal, Who
from questions.cli.demo.events import Passed, Verdict
from questions.cli.demo.json_face import JsonFace
from questions.cli.demo.plain_face import PlainFace
from questions.cli.demo.rich_face import RichFace
from questions.cli.demo.summary import COLUMNS, row, settled_as_json, totals
from questions.policies import All, First, Quorum
from questions.reports import Opened, Settled
from questions.scopes import OwnerScope, SessionScope

ALICE = Who(Principal.user("alice"), "Alice")
BOB = Who(Principal.user("bob"), "Bob")
WORKER = Who(Principal.worker("s1"), "s1")
SCOPE = SessionScope("s1")

ANSWERED = Settled(
    id="q1",
    scope=SCOPE,
    message="Bash: [rm] -rf build",
    kind="confirm",
    policy=First(),
    asker=WORKER,
    key=None,
    secret=False,
    how="answered",
    by=(BOB,),
    answers=((BOB, False),),
    missing=(ALICE,),
    seen=(ALICE, BOB),
    automatic=False,
    opened_at=100.0,
    settled_at=100.25,
)
EXPIRED = attrs.evolve(ANSWERED, how="expired", by=(), answers=(), missing=(ALICE, BOB), seen=(ALICE,))
SECRET = attrs.evolve(ANSWERED, kind="text", secret=True, answers=())


def test_an_answer_is_told_with_who_gave_it():
    assert cell(ANSWERED, "How it ended") == "answered"
    assert cell(ANSWERED, "Answers") == "Bob: Deny"
    assert cell(ANSWERED, "Took") == "0.2 s"


def cell(settled, column):
    return row(settled)[COLUMNS.index(column)]


def test_silence_is_never_called_a_denial():
    assert cell(EXPIRED, "How it ended") == "expired"
    assert cell(EXPIRED, "Did not answer") == "Alice (saw it), Bob (never saw it)"
    assert not [text for text in (totals([EXPIRED]), *row(EXPIRED)) if "den" in text.lower()]


def test_a_secret_answer_is_only_said_to_exist():
    assert cell(SECRET, "Answers") == "Bob: (kept secret)"


def test_an_answer_of_the_deadline_says_so():
    assert cell(attrs.evolve(ANSWERED, automatic=True), "Answers") == "Bob: Deny (by default)"


@pytest.mark.parametrize(
    ("policy", "words"), [(First(), "1 answer"), (Quorum(2), "2 answers"), (All(join="snapshot"), "everyone")]
)
def test_what_a_question_needed_is_told(policy, words):
    assert cell(attrs.evolve(ANSWERED, policy=policy), "Needs") == words


@pytest.mark.parametrize("how", ["answered", "expired", "withdrawn", "superseded", "closed"])
def test_every_end_has_words_of_its_own(how):
    assert how in totals([attrs.evolve(ANSWERED, how=how)])
    assert cell(attrs.evolve(ANSWERED, how=how), "How it ended") == how


def test_without_questions_there_is_still_an_end():
    assert totals([]) == "0 questions were asked: nothing needed a person."


def test_an_event_is_plain_data():
    event = settled_as_json(ANSWERED)
    assert json.loads(json.dumps(event)) == event
    assert event["policy"] == {"type": "first"}
    assert event["scope"] == {"type": "session", "session": "s1"}
    assert event["answers"] == [{"who": {"kind": "user", "id": "bob", "name": "Bob"}, "answer": False}]


def test_scopes_and_policies_are_told_by_type():
    owned = attrs.evolve(ANSWERED, scope=OwnerScope(ALICE.principal), policy=Quorum(2))
    assert settled_as_json(owned)["scope"] == {"type": "owner", "owner": {"kind": "user", "id": "alice"}}
    assert settled_as_json(owned)["policy"] == {"type": "quorum", "count": 2}
    assert settled_as_json(attrs.evolve(ANSWERED, policy=All()))["policy"] == {"type": "all", "join": "live"}


EVENTS = (
    Passed("Read", "Read: README.md", "reads a file"),
    Opened("q1", SCOPE, "Bash: [rm] -rf build", "confirm", First(), WORKER, (ALICE, BOB), "k", 100.0),
    ANSWERED,
    Verdict("Bash: [rm] -rf build", False, "Bob decided"),
)


def rich_face(output):
    return RichFace(Console(file=output, width=140))


def told(make_face):
    output = io.StringIO()
    face = make_face(output)
    for event in EVENTS:
        face.show(event)
    face.finish([ANSWERED, EXPIRED])
    return output.getvalue()


@pytest.mark.parametrize("make_face", [PlainFace, rich_face])
def test_a_face_tells_each_event_in_a_line_and_ends_with_a_table(make_face):
    text = told(make_face)
    words = [line.split()[0] for line in text.splitlines()[:3]]
    assert words == ["pass", "ask", "stop"]
    assert "[rm] -rf build" in text
    assert all(column in text for column in COLUMNS)
    assert "2 questions were asked: 1 answered, 1 expired." in text


def test_the_json_face_writes_settlements_and_nothing_else():
    lines = told(JsonFace).splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["q1"]
