"""Harmless calls pass by a table; whatever it does not name is asked, in a way that another table names."""

from collections import Counter

import pytest

from questions.cli.demo.cards import details_of, message_of
from questions.cli.demo.choices import choices_of
from questions.cli.demo.rules import passing_rule
from questions.cli.demo.ways import Way, way_to_ask
from tests.cli.example import CALLS, bash, call

PASSING = (
    bash("pwd"),
    bash("ls -la docs src/shop"),
    bash("git status --short"),
    bash("git diff --stat src"),
    bash("git log --oneline -n 5"),
    call("Read", file_path="/home/dev/shop/README.md"),
    call("Read", file_path="docs/日本語.md", limit=10),
    call("Glob", pattern="**/*.py"),
    call("Grep", pattern="password", path="src"),
    call("WebFetch", url="https://docs.python.org/3/", prompt="?"),
)

ASKED = (
    bash("ls; rm -rf /"),
    bash("ls $(reboot)"),
    bash("ls docs\nreboot"),
    bash("ls ../../other"),
    bash("git diff --output=/etc/passwd"),
    bash("git log --oneline -n 5 --format=x"),
    bash("rm -rf build"),
    call(command="pwd", run_in_background=True),
    call(command=["pwd"]),
    call(),
    call("Read", file_path="/etc/passwd"),
    call("Read", file_path="docs/../../other/x"),
    call("Read", file_path="~/x"),
    call("Read", file_path=".env.local"),
    call("Read", file_path="/home/dev/shop-secrets/x"),
    call("Read", file_path="docs\u200b/x"),
    call("Glob", pattern="../*"),
    call("Glob", pattern="{..,docs}/*"),
    call("Glob", pattern="*", path="/etc"),
    call("Grep", pattern="x", path="/"),
    call("WebFetch", url="https://docs.python.org.example/", prompt="?"),
    call("WebFetch", url="https://docs.python.org/3/?q=x", prompt="?"),
    call("TodoWrite", todos=["export API_KEY=abc"]),
    call("Write", file_path="README.md", content=""),
    call("read", file_path="README.md"),
)


@pytest.mark.parametrize("harmless", PASSING, ids=message_of)
def test_a_harmless_call_passes(harmless):
    assert passing_rule(harmless)


@pytest.mark.parametrize("doubtful", ASKED, ids=message_of)
def test_what_no_rule_names_is_asked(doubtful):
    assert passing_rule(doubtful) is None


def test_the_example_has_calls_of_every_kind():
    ways = Counter(way_to_ask(each) for each in CALLS if not passing_rule(each))
    assert len(CALLS) - ways.total() >= 10
    assert ways.pop(Way.FIRST) >= 10
    assert ways == {Way.CHOICE: 1, Way.EVERYONE: 1, Way.QUORUM: 1, Way.ON_CALL: 1, Way.LOGIN: 1}


def test_a_message_is_one_visible_line():
    message = message_of(bash("ls\u202e\n\x1b[2K" + " docs" * 50))
    assert message.startswith(r"Bash: ls\u202e \x1b[2K docs docs")
    assert message.endswith(" more)")
    assert len(message) < 140


def test_no_argument_can_pass_for_the_next_one():
    details = details_of(call(command="reboot\ndescription: harmless", description="?"))
    assert details.splitlines() == [
        "command: reboot",
        "    description: harmless",
        "description, in the agent's own words: ?",
    ]


def question(*labels, **more):
    return {"question": "Which?", "options": [{"label": label} for label in labels], **more}


def test_an_agents_own_question_becomes_a_choice():
    (select,) = choices_of(call("AskUserQuestion", questions=[question("Half up", "Half to even")]))
    assert select.message == "Which?"
    assert [(option.id, option.label) for option in select.options] == [
        ("half-up", "Half up"),
        ("half-to-even", "Half to even"),
    ]


def test_options_without_a_telling_id_are_numbered():
    (select,) = choices_of(call("AskUserQuestion", questions=[question("はい", "いいえ")]))
    assert [option.id for option in select.options] == ["0", "1"]


@pytest.mark.parametrize(
    "questions",
    [None, [], ["Which?"], [question()], [question(*"abcdefghij")], [question("a", multiSelect=True)], [question(1)]],
)
def test_a_question_in_another_shape_is_no_choice(questions):
    assert choices_of(call("AskUserQuestion", questions=questions)) == ()
