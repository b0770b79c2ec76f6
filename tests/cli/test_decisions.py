"""`questions decisions`: what it prints, and which exit code it ends with, on SQLite and on PostgreSQL."""

import json
import os
import pwd
import re

import pytest
import trio

from facets import Principal
from questions.cli import main
from questions.durable import Caller, open_store
from tests.cli.processes import run
from tests.cli.terminal import Terminal
from tests.questions.durable.postgres_stages import PostgresStage

ME = pwd.getpwuid(os.getuid()).pw_name
CONFIRM = "--title", "Ship it?", "--input", "confirm"
CHAIN = *CONFIRM, "--holder", "supervisor:run-lead", "--on-expire", "escalate"
APPROVAL = "--title", "Write?", "--kind", "approval", "--option", "approve=Approve once", "--option", "deny"


@pytest.fixture(params=["sqlite", "postgres"])
def root(request, tmp_path, monkeypatch):
    """A store on each engine, which the environment names."""
    if request.param == "sqlite":
        monkeypatch.setenv("QUESTIONS_ROOT", str(tmp_path))
        yield str(tmp_path)
    else:
        stage = PostgresStage()
        monkeypatch.setenv("QUESTIONS_ROOT", stage.address)
        yield stage.address
        stage.drop()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A store in a folder, which the environment names."""
    monkeypatch.setenv("QUESTIONS_ROOT", str(tmp_path))
    return tmp_path


@pytest.fixture
def act(capsys):
    """Run `questions decisions ARGUMENTS` in this process; returns code, output and errors."""

    def acted(*arguments):
        try:
            return (main(["decisions", *map(str, arguments)]), *capsys.readouterr())
        except SystemExit as done:
            return (done.code, *capsys.readouterr())

    return acted


@pytest.fixture
def raised(act):
    """Raise one, and return its id."""

    def id_of(*arguments):
        code, out, err = act("raise", *arguments)
        assert (code, err) == (0, "")
        return out.rstrip("\n")

    return id_of


def test_an_approval_is_listed_answered_and_listed_no_more(root, act, raised):
    id = raised(*APPROVAL)  # case 103
    code, out, _ = act("list", "--root", root)
    assert (code, out) == (0, f"{id}  open  approval  holder=user  Write?  [approve=Approve once, deny=deny]\n")
    assert [one["id"] for one in json.loads(act("list", "--json")[1])] == [id]
    code, out, _ = act("answer", id, "--option", "approve", "--json")
    answer = json.loads(out)["answer"]
    assert (code, answer["optionId"], answer["answeredBy"], answer["via"]) == (0, "approve", ME, "cli")
    assert act("list")[1] == "No decisions\n"
    assert act("list", "--status", "answered")[1].startswith(f"{id}  answered  approval  ")


def test_json_is_the_record_and_its_version_indented_and_ends_with_one_line_feed(folder, act):
    out = act("raise", *CONFIRM, "--json")[1]
    record = json.loads(out)
    assert out == json.dumps(record, indent=2) + "\n"
    assert (record["version"], record["schema"], record["raisedBy"]) == (1, 1, {"participantId": f"user:{ME}"})
    assert "deadline" not in record
    listed = act("list", "--json")[1]
    assert listed == json.dumps([record], indent=2) + "\n"


def test_a_text_is_answered_once(root, act, raised):
    id = raised("--title", "Why?")  # case 104
    assert act("answer", id, "--option", "x")[0] == 1
    assert act("answer", id, "--text", "because")[0] == 0
    code, out, err = act("answer", id, "--text", "because")
    assert (code, out) == (1, "")
    assert "not open" in err
    assert "answered" in err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["list", "--status", "bogus"],
        ["list", "--limit", "0"],
        ["list", "--limit", "201"],
        ["list", "--limit"],
        ["answer", "dec_abcdefgh12"],
        ["answer", "--text", "x"],
        ["show", "dec_abcdefgh12", "more"],
        ["dance"],
        ["list", "--loud"],
        ["raise"],
        ["raise", "--title", "T", "--timeout-ms", "soon"],
    ],
)
def test_a_bad_command_line_is_told_with_its_usage(folder, act, arguments):
    code, out, err = act(*arguments)  # case 105
    assert (code, out) == (2, "")
    assert err.startswith("usage: questions ")
    assert "error: " in err


def test_without_a_store_nothing_can_be_done(act, tmp_path):
    code, out, err = act("list")  # case 105
    assert (code, out) == (2, "")
    assert "which store? --root R, or $QUESTIONS_ROOT" in err
    code, out, err = act("list", "--root", tmp_path / "none")
    assert (code, out, "is not a folder that is there" in err) == (1, "", True)
    assert not (tmp_path / "none").exists()


def test_alone_it_names_its_commands(act):
    assert "which command? list, raise, show, answer, escalate, cancel, wait, config, help" in act()[2]


def test_help_is_no_error(act):
    code, out, err = act("help")
    assert (code, err) == (0, "")
    assert out.startswith("usage: questions decisions ")


def test_a_chain_and_a_deadline_stand_in_the_line(root, act, raised):
    raised(*CHAIN)  # case 106
    line = act("list")[1]
    chain = "holder=supervisor:run-lead hop 1/3 chain=supervisor:run-lead>root>user"
    instant = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    assert re.search(rf"  {chain} deadline={instant}  Ship it\?  \[yes=Yes, no=No\]$", line)


def test_nothing_in_a_title_or_label_can_break_out_of_its_line(folder, act, raised):
    raised("--title", "a\x1b[2J\nb\u202e", "--option", "x=c\td\x07")
    assert act("list")[1].endswith("  a\\x1b[2J\\nb\\u202e  [x=c\\td\\x07]\n")


def test_a_value_may_begin_with_dashes(folder, act, raised):
    id = raised("--title", "--json", "--body=--body", "--option", "a=--b")
    record = json.loads(act("show", id, "--json")[1])
    assert (record["title"], record["body"], record["options"]) == ("--json", "--body", [{"id": "a", "label": "--b"}])
    assert json.loads(act("answer", id, "--option", "a", "--text", "--", "--json")[1])["answer"]["text"] == "--"
    assert json.loads(act("answer", raised("--title", "T"), "--json", "--text", "")[1])["answer"]["text"] == ""


def test_a_person_answers_whatever_a_supervisor_holds(root, act, raised):
    id = raised(*CHAIN)  # case 78
    code, out, _ = act("answer", id, "--option", "yes", "--text", "fine", "--json")
    assert code == 0
    answer = json.loads(out)["answer"]
    assert (answer["optionId"], answer["text"], answer["answeredBy"], answer["via"]) == ("yes", "fine", ME, "cli")


def test_a_person_passes_on_until_nobody_is_left(root, act, raised):
    id = raised(*CHAIN, "--chain", "supervisor:run-lead,user", "--hop-ms", "60000")
    code, out, _ = act("escalate", id, "--reason", "outside my lane", "--json")
    (move,) = json.loads(out)["history"]
    assert (code, move["reason"], move["text"]) == (0, "escalated", "outside my lane")
    code, out, err = act("escalate", id)
    assert (code, out, "no further holder" in err) == (1, "", True)


def test_a_cancelled_one_has_no_answer(root, act, raised):
    id = raised(*CONFIRM)
    code, out, _ = act("cancel", id, "--json")
    assert (code, sorted(json.loads(out)["answer"])) == (0, ["answeredBy", "at", "via"])
    assert act("cancel", id)[0] == 1


def test_show_tells_all_there_is_to_know(folder, act, raised):
    id = raised(*CHAIN, "--body", "one\ntwo\x07")
    act("escalate", id, "--reason", "no\nway")
    act("answer", id, "--option", "no", "--text", "later")
    lines = act("show", id)[1].splitlines()
    assert lines[0].startswith(f"{id}  answered  question  holder=root hop 2/3 ")
    assert lines[1].startswith(f"  raised by user:{ME} at ")
    assert lines[2:4] == ["  one", "  two\\x07"]
    assert re.fullmatch(rf"  supervisor:run-lead passed it on \(user:{ME}\) at \S+Z: no\\nway", lines[4])
    assert re.fullmatch(rf'  answered with option no and text "later" by {ME} via cli at \S+Z', lines[5])


def test_every_fault_of_what_is_raised_is_told(folder, act):
    code, out, err = act("raise", "--title", "", "--kind", "x", "--holder", "admin", "--timeout-ms", "-5")
    assert (code, out) == (1, "")
    assert [fault.split(":")[0] for fault in err.split("; ")] == ["--kind", "--title", "--holder", "--timeout-ms"]
    assert act("list", "--status", "all")[1] == "No decisions\n"


@pytest.mark.parametrize("id", ["nope", "dec_abcdefgh12"])
@pytest.mark.parametrize("command", [["show"], ["cancel"], ["escalate"], ["wait"], ["answer", "--text", "x"]])
def test_what_is_not_there_is_refused(folder, act, command, id):
    assert act(*command, id)[:2] == (1, "")


def test_a_wait_says_by_its_exit_code_how_it_ended(root, act, raised):
    answered, cancelled, still_open = (raised(*CONFIRM) for _ in range(3))
    expired = raised(*CONFIRM, "--timeout-ms", "1000")
    act("answer", answered, "--option", "no")
    act("cancel", cancelled)
    assert act("wait", still_open, "--timeout-ms", "0")[0] == 6
    for id, code, status in ((answered, 0, "answered"), (cancelled, 1, "cancelled"), (expired, 3, "expired")):
        ended = act("wait", id, "--json")
        assert (ended[0], json.loads(ended[1])["status"]) == (code, status)


async def test_a_wait_ends_when_another_program_answers(root, act, raised):
    id = await trio.to_thread.run_sync(lambda: raised(*CONFIRM))
    async with open_store(root) as store, trio.open_nursery() as nursery:
        told = []
        nursery.start_soon(trio.to_thread.run_sync, lambda: told.append(act("wait", id)))
        await store.decisions(Caller(Principal.user("bob"), via="tui")).answer(id, option="yes")
    assert told[0][0] == 0
    assert "by bob via tui at" in told[0][1]


def test_a_wait_on_a_terminal_counts_down(folder, raised, act):
    id = raised(*CONFIRM, "--timeout-ms", "600000")
    with Terminal("decisions", "wait", id) as terminal:
        terminal.wait_until(lambda terminal: re.search(r"Waiting for user; (10:00|9:\d\d) left\.", terminal.text))
        act("answer", id, "--option", "yes")
        assert terminal.wait_for_exit() == 0
        assert "answered with option yes by" in terminal.text


def test_ctrl_c_ends_a_wait_and_leaves_the_decision_open(folder, raised, act):
    id = raised(*CONFIRM)
    with Terminal("decisions", "wait", id) as terminal:
        terminal.wait_until(lambda terminal: "Waiting for user." in terminal.text)
        terminal.type("\x03")
        assert terminal.wait_for_exit() == 130
        assert "the decision stays as it is" in terminal.text
    assert act("list")[1].startswith(id)


def test_limits_are_shown_and_changed_for_all(root, act, raised):
    assert act("config") == (
        0,
        "max-open             200\nmax-stored           500\nretention-ms         604800000\n"
        "max-open-per-raiser  none\n",
        "",
    )
    code, out, _ = act("config", "--max-open-per-raiser", "1", "--retention-ms", "0", "--json")
    assert (code, json.loads(out)["max_open_per_raiser"], json.loads(out)["max_open"]) == (0, 1, 200)
    raised(*CONFIRM)
    assert act("raise", *CONFIRM)[:2] == (1, "")
    assert act("config", "--max-open-per-raiser", "none")[1].endswith("max-open-per-raiser  none\n")
    raised(*CONFIRM)
    code, out, err = act("config", "--max-open", "100001")
    assert (code, out, "--max-open: " in err) == (1, "", True)


def test_a_store_that_cannot_be_reached_is_5(act):
    code, out, err = act("list", "--root", "postgresql://127.0.0.1:1/none?connect_timeout=2")
    assert (code, out) == (5, "")
    assert "the store is not available" in err


def test_a_password_in_the_address_is_refused_and_not_quoted(act):
    code, out, err = act("list", "--root", "postgresql://ana:canary@127.0.0.1:1/none")
    assert (code, out) == (1, "")
    assert "canary" not in err


async def test_processes_share_a_store_and_a_wait_of_one_ends_with_the_answer_of_another(tmp_path):
    way = "--root", tmp_path
    id = (await run("decisions", "raise", *CONFIRM, *way)).stdout.strip()
    ended = []

    async def wait():
        ended.append(await run("decisions", "wait", id, *way))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        assert (await run("decisions", "answer", id, "--option", "yes", *way)).returncode == 0
    assert (ended[0].returncode, ended[0].stderr) == (0, "")
    assert (tmp_path / "decisions.sqlite3").stat().st_mode & 0o777 == 0o600
