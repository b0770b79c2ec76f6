"""`questions ask`: what is asked, what the exit code says, and what is on standard output and in the JSON."""

import json
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
import trio

from facets import Principal
from questions import Confirm, Option, Questions, Select, Text
from questions.cli import codes
from tests.cli.house import ALICE, BOB, SCOPE, open_house

WORKER = "worker:main"
BOTH = "--to", "alice", "--to", "bob"


@asynccontextmanager
async def asking(house, capsys, command, *arguments, who=WORKER):
    """Ask, and have the block answer; then `code`, `out` and `err` say how it ended."""
    ask = SimpleNamespace()

    async def run():
        ask.code, ask.out, ask.err = await house.main(capsys, f"ask {command}", *arguments, who=who)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        ask.id = await house.asked()
        yield ask


async def answered(house, id, **answers):
    for name, value in answers.items():
        viewer = await house.view(Principal.user(name))
        assert id in viewer.open.value  # which counts as being shown it
        await viewer.answer(id, value)


@pytest.mark.parametrize(
    ("command", "question"),
    [
        (["confirm", "Go?", "--allow", "Run", "--deny", "Wait"], Confirm("Go?", allow="Run", deny="Wait")),
        (["text", "Why?", "--min-length", "2", "--max-bytes", "9"], Text("Why?", min_length=2, max_bytes=9)),
        (
            ["select", "Where?", "--option", "a=A b", "--option", "c"],
            Select("Where?", [Option("a", "A b"), Option("c", "c")]),
        ),
        (["confirm", "Go?", "--help-text", "Look first"], Confirm("Go?", help="Look first")),
    ],
)
async def test_every_kind_can_be_asked(tmp_path, capsys, command, question):
    async with open_house(tmp_path) as house:
        async with asking(house, capsys, *command, "--to", "alice") as ask:
            viewer = await house.view(ALICE)
            shown = viewer.open.value[ask.id]
            assert (shown.question, shown.asker.principal) == (question, Principal.worker("main"))
            await viewer.answer(ask.id, {"confirm": True, "text": "so", "select": "a"}[command[0]])
        assert (ask.code, ask.out) == (0, {"confirm": "yes\n", "text": "so\n", "select": "a\n"}[command[0]])


@pytest.mark.parametrize(
    ("arguments", "answers", "code", "out"),
    [
        (["--to", "alice"], {"alice": True}, codes.DONE, "yes\n"),
        (["--to", "alice"], {"alice": False}, codes.DENIED, "no\n"),
        ([*BOTH, "--policy", "all"], {"bob": True, "alice": True}, codes.DONE, "user:bob\tyes\nuser:alice\tyes\n"),
        ([*BOTH, "--policy", "all"], {"alice": True, "bob": False}, codes.DENIED, "user:alice\tyes\nuser:bob\tno\n"),
        ([*BOTH, "--policy", "quorum:1"], {"bob": False}, codes.DENIED, "user:bob\tno\n"),
    ],
)
async def test_a_confirm_is_0_when_it_is_allowed_by_all_who_answered_and_else_1(
    tmp_path, capsys, arguments, answers, code, out
):
    async with open_house(tmp_path) as house:
        async with asking(house, capsys, "confirm", "Go?", *arguments) as ask:
            await answered(house, ask.id, **answers)
        assert (ask.code, ask.out) == (code, out)


async def test_the_time_is_over_is_3_even_with_some_answers(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        async with asking(house, capsys, "confirm", "Go?", *BOTH, "--policy", "all", "--timeout", "1s") as ask:
            await answered(house, ask.id, alice=True)
        assert (ask.code, ask.out) == (codes.EXPIRED, "user:alice\tyes\n")
        assert ask.err.endswith("Too few answers in time: answered by alice, not by Bob B.\n")
        done = await house.main(capsys, "ask text", "Why?", "--to", "alice", "--timeout", "1s", who=WORKER)
        assert done[:2] == (codes.EXPIRED, "")
        assert "Nobody answered in time: never shown to anyone." in done[2]


@pytest.mark.parametrize(("default", "code"), [("yes", codes.DONE), ("no", codes.DENIED)])
async def test_a_default_counts_as_the_answer_when_the_time_is_over(tmp_path, capsys, default, code):
    async with open_house(tmp_path) as house:
        done = await house.main(
            capsys, "ask confirm", "Go?", "--to", "alice", "--timeout", "1s", "--default", default, who=WORKER
        )
        assert done[:2] == (code, f"{default}\n")
        assert "this is the default" in done[2]


async def test_json_says_who_answered_what_and_who_did_not(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        async with asking(
            house, capsys, "confirm", "Go?", *BOTH, "--policy", "quorum:1", "--json", "--key", "k"
        ) as ask:
            await answered(house, ask.id, bob=False)
        told = json.loads(ask.out)
        bob = {"principal": "user:bob", "name": "Bob B."}
        assert told.pop("id") == ask.id
        assert told == {
            "outcome": "answered",
            "code": 1,
            "key": "k",
            "answer": None,
            "answers": [{"by": bob, "answer": False, "automatic": False, "secret": False}],
            "by": [bob],
            "missing": [{"principal": "user:alice", "name": "alice"}],
            "seen": [bob],
            "kept": False,
        }


async def test_everyone_present_is_asked(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        viewer = await house.view(BOB)
        async with asking(house, capsys, "confirm", "Go?", "--present") as ask:
            assert ask.id in viewer.open.value
            await viewer.answer(ask.id, True)
        assert (ask.code, ask.out) == (0, "yes\n")


async def test_what_it_is_about_comes_from_a_file(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        file = tmp_path / "diff"
        file.write_bytes(b"- old\n+ new \xff\x1b[2K\n")
        program = "--on-behalf-of", "run-1"
        async with asking(house, capsys, "confirm", "Go?", "--to", "alice", "--details-file", file, *program) as ask:
            viewer = await house.view(ALICE)
            shown = viewer.open.value[ask.id]
            assert shown.details == "- old\n+ new \\xff\x1b[2K\n"
            assert shown.on_behalf_of.principal == Principal.program("run-1")
            await viewer.answer(ask.id, True)


async def test_asked_again_with_its_key_it_gets_the_kept_answer(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        async with asking(house, capsys, "confirm", "Go?", "--to", "alice", "--key", "go-1") as ask:
            await answered(house, ask.id, alice=False)
        assert ask.code == codes.DENIED
        assert ask.err.endswith("Denied by alice.\n")
        again = await house.main(capsys, "ask confirm", "Go?", "--to", "alice", "--key", "go-1", "--json", who=WORKER)
        told = json.loads(again[1])
        assert (again[0], told["answer"], told["id"], told["kept"]) == (codes.DENIED, False, ask.id, True)
        assert again[2] == "Denied by alice. Nobody was asked again: this is what is kept for this key.\n"


async def test_another_question_with_its_key_replaces_it_with_code_4(tmp_path, capsys):
    async with open_house(tmp_path) as house, house.host.root(principal=Principal.worker("main")) as ctx:
        asker = await ctx.get(Questions, SCOPE)
        async with asking(house, capsys, "confirm", "Go?", "--to", "alice", "--key", "k", "--json") as ask:
            with trio.move_on_after(0.1):
                await asker.ask(Text("Why?"), audience=[ALICE], key="k")
        assert (ask.code, json.loads(ask.out)["outcome"]) == (codes.WITHDRAWN, "superseded")


async def test_a_secret_takes_the_token_of_a_server(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        secret = "text", "Code?", "--secret", "--to", "alice"
        code, out, err = await house.main(capsys, "ask", *secret, who=WORKER)
        assert (code, out) == (2, "")
        assert err.startswith("Only a server may ask for a secret, and this is the token of worker:main:\n")
        async with asking(house, capsys, *secret, who="server:ci") as ask:
            await answered(house, ask.id, alice="canary")
        assert (ask.code, ask.out, "canary" in ask.err) == (0, "canary\n", False)


async def test_an_answer_among_others_is_one_line(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        async with asking(house, capsys, "text", "Why?", "--to", "alice", "--policy", "all") as ask:
            await answered(house, ask.id, alice="so\nuser:bob\tno\x1b[2K")
        assert ask.out == "user:alice\tso\\nuser:bob\\tno\\x1b[2K\n"


async def test_quiet_says_nothing_on_standard_error(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        async with asking(house, capsys, "confirm", "Go?", "--to", "alice", "--quiet") as ask:
            await answered(house, ask.id, alice=True)
        assert ask.err == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["confirm", "Go?"], "Who is asked? --to ana"),
        (["confirm", "Go?", "--to", "alice", "--present"], "one of them"),
        (["confirm", "Go?", "--to", "king:x"], "--to 'king:x': "),
        (["confirm", "Go?", "--to", "worker:x"], "--to 'worker:x': it is a worker, and has to be a user or a guest"),
        (["confirm", "Go?", "--to", "alice", "--on-behalf-of", "user:x"], "it is a user, and has to be a program."),
        (["confirm", "Go?", "--to", "alice", "--policy", "most"], "first, all, or quorum:N"),
        (["confirm", "Go?", "--to", "alice", "--policy", "quorum:2"], "$.policy"),
        (["confirm", "Go?", "--to", "alice", "--default", "maybe"], "--default 'maybe': yes or no"),
        (["confirm", "Go?", "--to", "alice", "--default", "yes"], "$.default"),
        (["confirm", " ", "--to", "alice"], "$.message: must not be empty or blank"),
        (["confirm", "Go?", "--to", "alice", "--timeout", "soon"], "such as 30m"),
        (["select", "Go?", "--to", "alice"], "--option"),
        (["select", "Go?", "--to", "alice", "--option", "a", "--option", "a"], "$.options[1].id: used before"),
        (["text", "Go?", "--to", "alice", "--secret", "--default", "x"], "a secret has none"),
        (["confirm", "Go?", "--to", "alice", "--details-file", "none"], "none cannot be read: No such file"),
        (["confirm", "Go?", "--to", "alice", "--session", "a", "--session", "b"], "one --session"),
        (["confirm", "Go?", "--to", "alice", "--session", "other"], "this token is not for other"),
        (["dance", "Go?"], "invalid choice: 'dance'"),
    ],
)
async def test_what_cannot_be_asked_is_told_with_code_2(tmp_path, capsys, arguments, words):
    async with open_house(tmp_path) as house:
        code, out, err = await house.main(capsys, "ask", *arguments, who=WORKER)
        assert (code, out) == (2, "")
        assert words in err


async def test_who_answers_may_not_ask(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        code, _, err = await house.main(capsys, "ask confirm", "Go?", "--to", "alice")
        assert code == 2
        assert err.startswith("This is the token of user:alice, who answers.")
