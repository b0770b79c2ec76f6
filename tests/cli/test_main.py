"""The command line says how it is used, and its exit codes stay."""

import argparse

import pytest

from questions.cli import build_parser, codes, main
from questions.errors import UnknownQuestion

_COMMANDS = "demo serve ask inbox list watch answer decisions gates channels rooms token config completion".split()


def run(error):
    raise error


@pytest.fixture
def fails_with(monkeypatch):
    """Make `questions demo` raise an error, and return its exit code."""

    def exit_code(error, *arguments):
        monkeypatch.setattr("questions.cli.demo.command.run_demo", lambda options: run(error))
        return main([*arguments, "demo"])

    return exit_code


@pytest.mark.parametrize("command", _COMMANDS)
def test_help_shows_examples_and_where_there_are_more(command, capsys):
    for arguments in (["--help"], [command, "--help"]):
        with pytest.raises(SystemExit) as done:
            main(arguments)
        assert done.value.code == 0
        assert f"\n  questions {command} " in capsys.readouterr().out.partition("\nexamples:\n")[2]


def test_exit_codes_stay():
    """Scripts rely on them."""
    told = (codes.DONE, codes.DENIED, codes.USAGE, codes.EXPIRED, codes.WITHDRAWN, codes.UNREACHABLE)
    assert told == (0, 1, 2, 3, 4, 5)
    assert (codes.INTERNAL, codes.INTERRUPTED) == (70, 130)


@pytest.mark.parametrize("arguments", [[], ["dance"], ["demo", "--loud"]])
def test_a_bad_command_line_is_told_with_code_2(arguments, capsys):
    with pytest.raises(SystemExit) as done:
        main(arguments)
    assert done.value.code == 2
    assert "usage: questions" in capsys.readouterr().err


def test_every_command_says_what_it_is_for():
    (commands,) = [action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction)]
    assert {choice.dest for choice in commands._choices_actions if choice.help} == {*_COMMANDS}


def test_an_interrupt_is_130_however_deep_it_was_raised(fails_with, capsys):
    nested = BaseExceptionGroup("", [BaseExceptionGroup("", [KeyboardInterrupt()])])
    assert fails_with(KeyboardInterrupt()) == fails_with(nested) == 130
    assert "Interrupted" in capsys.readouterr().err


def test_a_refusal_is_told_in_words(fails_with, capsys):
    assert fails_with(ExceptionGroup("", [UnknownQuestion("q1")])) == 2
    assert capsys.readouterr().err == f"{UnknownQuestion('q1')}\n"


def test_a_fault_of_the_program_is_70_and_its_text_is_not_shown(fails_with, capsys):
    assert fails_with(ValueError("canary")) == 70
    told = capsys.readouterr().err
    assert "internal error: ValueError at " in told
    assert "canary" not in told


def test_a_traceback_is_shown_when_asked_for(fails_with, capsys):
    assert fails_with(ValueError("why"), "--traceback") == 70
    assert "ValueError: why" in capsys.readouterr().err
