"""`questions completion`: scripts that real shells run."""

import shutil
import subprocess
import sys

import pytest
import trio

from questions import Confirm
from questions.cli import main
from questions.cli.completion import SHELLS
from tests.cli.gates import ask
from tests.cli.house import open_house
from tests.cli.processes import environment, run

# What a shell does when Tab is pressed, with `questions` being the command of this checkout.
_TAB = """
questions() {{ {python} -W error -m questions.cli "$@"; }}
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${{#COMP_LINE}}
spec=$(complete -p questions)
function=${{spec#*-F }}
${{function%% *}} questions "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """The script for bash, in a file."""
    file = tmp_path_factory.mktemp("completion") / "questions.bash"
    command = [sys.executable, "-W", "error", "-m", "questions.cli", "completion", "bash"]
    file.write_text(subprocess.run(command, check=True, capture_output=True, text=True, env=environment()).stdout)
    return file


def completed(script, *words, **variables):
    """What bash offers for the last of the words."""
    tab = _TAB.format(python=sys.executable)
    done = subprocess.run(
        ["bash", "-c", tab, "bash", script, "questions", *words],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(**variables),
        cwd=script.parent,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.needs_tool("bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["com"], ["completion"]),
        (["a"], ["ask", "answer"]),
        (["ask", ""], ["confirm", "text", "select"]),
        (["ask", "confirm", "--de"], ["--deny", "--details-file", "--default"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["watch", "--token-file", "questions"], ["questions.bash"]),
    ],
)
def test_bash_completes_commands_options_and_files(script, words, offered):
    assert sorted(completed(script, *words)) == sorted(offered)


@pytest.mark.needs_tool("bash")
async def test_bash_completes_the_ids_of_what_is_open_for_you(script, tmp_path):
    async with open_house(tmp_path) as house:
        id = await house.ask(Confirm("Go?"))
        variables = {"QUESTIONS_URL": house.server.url, "QUESTIONS_TOKEN": house.token()}
        offered = await trio.to_thread.run_sync(lambda: completed(script, "answer", "q_", **variables))
        assert offered == [id]


@pytest.mark.needs_tool("bash")
def test_bash_completes_the_ids_of_open_gates(script, tmp_path):
    asked = ask(tmp_path)
    assert completed(script, "gates", "show", "dec", QUESTIONS_ROOT=str(tmp_path)) == [asked.decision_id]
    assert completed(script, "gates", "show", "dec") == []


@pytest.mark.needs_tool("bash")
def test_without_a_server_nothing_is_offered_and_nothing_is_said(script):
    assert completed(script, "answer", "", QUESTIONS_URL="ws://127.0.0.1:1", QUESTIONS_TOKEN="x") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_there_is_a_script_for_each_shell_with_every_command_in_it(shell, capsys):
    assert main(["completion", shell]) == 0
    said = capsys.readouterr().out
    for words in ("inbox", "confirm", "details-file", "_questions_open_ids", "policy"):
        assert words in said


def test_the_script_for_a_shell_that_is_there_is_one(tmp_path, capsys):
    for shell, check in (("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])):
        if shutil.which(shell):
            main(["completion", shell])
            file = tmp_path / shell
            file.write_text(capsys.readouterr().out)
            done = subprocess.run([shell, *check, file], check=False, capture_output=True, text=True)
            assert (done.returncode, done.stderr) == (0, "")


async def test_without_the_library_it_says_what_to_install(tmp_path):
    (tmp_path / "shtab.py").write_text("raise ModuleNotFoundError(\"No module named 'shtab'\", name='shtab')")
    done = await run("completion", "bash", PYTHONPATH=f"{tmp_path}:{':'.join(filter(None, sys.path))}")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'pip install "question-broker[completion]"' in done.stderr
