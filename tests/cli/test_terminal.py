"""A person answers on a real terminal, in place; keys that were not meant for a question never answer it."""

import json

import pytest

from tests.cli.example import EXAMPLE
from tests.cli.terminal import Terminal

ROWS = [json.loads(line) for line in EXAMPLE.read_text("utf-8").splitlines()]


@pytest.fixture
def calls(tmp_path):
    """Make a file of those example calls whose arguments hold one of these words."""

    def make(*words):
        rows = [row for row in ROWS if any(word in json.dumps(row["tool_input"]) for word in words)]
        path = tmp_path / "calls.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return make


def test_a_key_press_answers_in_place(calls):
    with Terminal("demo", "--calls", calls("rm -rf build")) as terminal:
        terminal.wait_for_question("rm -rf build")
        assert "Waiting for: Alice, Bob" in terminal.frame
        assert "s left" in terminal.frame
        terminal.type("y")
        assert terminal.wait_for_exit() == 0
        assert "Alice: Allow" in terminal.text
        assert terminal.is_as_before


def test_keys_from_the_buffer_and_early_keys_answer_nothing(calls):
    """A "y" and a newline were in the buffer already; nothing settles before the arming delay is over."""
    with Terminal("demo", "--calls", calls("rm -rf build")) as terminal:
        terminal.type("y\n")
        terminal.wait_until(lambda terminal: "A question for you" in terminal.text)
        terminal.type("y\n")
        terminal.wait_for_question("rm -rf build")
        terminal.type("n")
        assert terminal.wait_for_exit() == 0
        assert "Alice: Deny" in terminal.text


def test_a_login_code_is_typed_and_never_shown(calls):
    with Terminal("demo", "--calls", calls("npm publish")) as terminal:
        terminal.wait_for_question("Login code")
        terminal.type("31x\x7f-canary\r")
        assert terminal.wait_for_exit() == 0
        assert "Alice: (kept secret)" in terminal.text
        assert "31-" not in terminal.text
        assert "canary" not in terminal.text


def test_two_questions_come_one_after_the_other(calls):
    with Terminal("demo", "--calls", calls("pytest", "install.sh")) as terminal:
        terminal.wait_for_question("Bash")
        terminal.wait_until(lambda terminal: "waits its turn" in terminal.text)
        # Two agents ask at the same time: either may be first.
        second = "install.sh" if "pytest" in terminal.frame else "pytest"
        terminal.type("n")
        terminal.wait_for_question(second)
        terminal.type("n")
        assert terminal.wait_for_exit() == 0
        assert terminal.text.count("stop  ") == 2


def test_what_is_asked_of_another_is_seen_and_counted_down(calls):
    with Terminal("demo", "--calls", calls("ssh prod-1")) as terminal:
        terminal.wait_until(lambda terminal: "(not yours; waiting for Bob; 8 s left)" in terminal.text)
        terminal.type("y\t1\r")
        terminal.wait_until(lambda terminal: "(not yours; waiting for Bob; 7 s left)" in terminal.text)


def test_what_is_left_to_others_makes_room_for_the_next(calls):
    with Terminal("demo", "--calls", calls("rm -rf build")) as terminal:
        terminal.wait_for_question("rm -rf build")
        terminal.type("\t")
        terminal.wait_until(lambda terminal: "Nothing for you to answer" in terminal.text.rpartition("╯")[2])


def test_a_long_command_is_read_to_its_end_before_it_is_allowed(calls):
    with Terminal("demo", "--calls", calls("chapter-01"), rows=20) as terminal:
        terminal.wait_for_question("chapter-01")
        terminal.type("y")
        terminal.wait_until(lambda terminal: "Read to the end first" in terminal.text)
        terminal.type(" ")
        terminal.wait_until(lambda terminal: "page 2 of 2" in terminal.frame)
        assert "paste.example" in terminal.text
        terminal.type("y")
        assert terminal.wait_for_exit() == 0
        assert "Alice: Allow" in terminal.text


@pytest.mark.parametrize("stop", [lambda terminal: terminal.type("\x03"), lambda terminal: terminal.terminate()])
def test_an_interrupt_leaves_the_terminal_as_it_was(calls, stop):
    with Terminal("demo", "--calls", calls("rm -rf build")) as terminal:
        terminal.wait_for_question("rm -rf build")
        assert not terminal.is_as_before
        stop(terminal)
        assert terminal.wait_for_exit() == 130
        assert "Interrupted" in terminal.text
        assert terminal.is_as_before


def test_a_stopped_demo_lends_the_terminal_to_the_shell_and_takes_keys_again_afterwards(calls):
    with Terminal("demo", "--calls", calls("rm -rf build")) as terminal:
        terminal.wait_for_question("rm -rf build")
        assert not terminal.is_as_before
        terminal.type("\x1a")
        terminal.wait_until(lambda terminal: terminal.is_stopped and terminal.is_as_before)
        terminal.go_on()
        terminal.wait_until(lambda terminal: not terminal.is_as_before)
        terminal.type("y")
        assert terminal.wait_for_exit() == 0
        assert "Alice: Allow" in terminal.text
        assert terminal.is_as_before


def test_without_rich_a_terminal_is_told_what_to_install(calls, tmp_path, monkeypatch):
    (tmp_path / "rich.py").write_text("raise ModuleNotFoundError(\"No module named 'rich'\", name='rich')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Terminal("demo") as terminal:
        assert terminal.wait_for_exit() == 2
        assert 'pip install "question-broker[terminal]"' in terminal.text
    with Terminal("demo", "--auto", "--calls", calls("README.md")) as terminal:
        assert terminal.wait_for_exit() == 0
        assert "nothing needed a person" in terminal.text


def test_with_auto_nobody_at_a_terminal_is_asked(calls):
    with Terminal("demo", "--auto", "--calls", calls("rm -rf build")) as terminal:
        assert terminal.wait_for_exit() == 0
        assert "A question for you" not in terminal.text
        assert terminal.is_as_before
