"""`questions watch`: a line for each change, for people and for programs, and what it says when it cannot go on."""

import io
import json
import signal
from contextlib import AsyncExitStack

import pytest

from facets import Cell, Who, open_host
from facets.link import Revocations
from facets.link.worker import open_worker
from questions import ClosedQuestion, Confirm, Option, OwnerScope, Quorum, Select, Text, questions_facet
from questions.cli.watch_lines import HumanLines
from tests.cli.house import ALICE, BOB, SCOPE, open_house

BUILD = Confirm("Run the build?")


async def test_each_change_is_a_line_of_json(tmp_path):
    async with open_house(tmp_path) as house, house.keep("watch", "--json") as watch:
        assert (await watch.event("connected"))["principal"] == {"kind": "user", "id": "alice"}
        id = await house.ask(BUILD, [ALICE, BOB], policy=Quorum(2))
        opened = await watch.event("opened")
        assert (opened["id"], opened["scope"], opened["may_answer"]) == (id, {"session": "main"}, True)
        assert opened["question"]["message"] == "Run the build?"
        await (await house.view(BOB)).answer(id, True)
        changed = await watch.event("changed")
        assert (changed["id"], [who["name"] for who in changed["answered"]]) == (id, ["Bob B."])
        await (await house.view(ALICE)).answer(id, False)
        gone = await watch.event("gone")
        assert (gone["id"], gone["how"], [who["id"] for who in gone["by"]]) == (id, "answered", ["bob", "alice"])
        assert {"event", "at", "scope", "id", "message", "how", "by"} == set(gone)


async def test_who_leaves_an_audience_and_comes_back_is_told_so_and_how_it_ended(tmp_path):
    async with open_house(tmp_path) as house, house.keep("watch", "--json") as watch:
        await watch.event("connected")
        people: Cell = Cell((ALICE, BOB))
        id = await house.ask(BUILD, people)
        await watch.event("opened")
        people.set((BOB,))
        assert (await watch.event("gone"))["how"] == "left"
        people.set((ALICE, BOB))
        await watch.event("opened")
        await (await house.view(BOB)).answer(id, True)
        assert (await watch.event("gone"))["how"] == "answered"


async def test_people_get_words(tmp_path):
    async with open_house(tmp_path) as house, house.keep("watch", who="user:bob") as watch:
        assert (await watch.line()).endswith("(as user:bob)")
        id = await house.ask(BUILD, [ALICE, BOB], timeout=600)
        opened = await watch.line()
        assert opened.startswith(f"opened    {id}  Run the build?  (yes: Allow, no: Deny; session:main; asked by host;")
        assert opened.endswith("600 s left)")
        await (await house.view(ALICE)).answer(id, True)
        assert await watch.line() == f"gone      {id}  Run the build?  (answered by alice)"


@pytest.mark.parametrize(
    ("how", "by", "words"),
    [
        ("answered", (ALICE, BOB), "answered by alice, bob"),
        ("withdrawn", (), "withdrawn"),
        ("withdrawn", (ALICE,), "withdrawn; answered by alice"),
        ("expired", (ALICE,), "expired; answered by alice"),
    ],
)
def test_who_had_answered_is_not_said_to_have_ended_it_otherwise(how, by, words):
    printed = io.StringIO()
    who = tuple(Who(principal, principal.id) for principal in by)
    HumanLines(printed).gone(SCOPE, ClosedQuestion("q_1", "Deploy?", how, who, 0.0))
    assert printed.getvalue() == f"gone      q_1  Deploy?  ({words})\n"


async def test_nothing_that_is_asked_can_pass_for_a_line_of_its_own(tmp_path):
    async with open_house(tmp_path) as house, house.keep("watch") as watch:
        await watch.line()
        await house.ask(Text("First\nopened  q_1  Second", details="rm\x1b[2K -rf\nopened  q_2"))
        assert r"First\nopened  q_1  Second  (text; " in await watch.line()
        assert await watch.line() == r"          | rm\x1b[2K -rf"
        assert await watch.line() == "          | opened  q_2"


async def test_once_shows_what_is_open_and_ends(tmp_path):
    async with open_house(tmp_path) as house:
        assert (await house.run("watch", "--once")).stdout == ""
        first = await house.ask(BUILD)
        second = await house.ask(Select("Where to?", [Option("a", "Here"), Option("b", "There")]))
        await house.ask(BUILD, [BOB])
        done = await house.run("watch", "--once", "--json")
        assert (done.returncode, done.stderr) == (0, "")
        assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [first, second]
        assert "(one of a: Here, b: There; " in (await house.run("watch", "--once")).stdout


async def test_what_is_asked_of_one_in_no_session_is_shown_too(tmp_path):
    async with open_house(tmp_path) as house:
        id = await house.ask(Text("Login code", secret=True), scope=OwnerScope(ALICE))
        assert id in (await house.run("watch", "--once", "--session", "other")).stdout
        limited = house.token_file("user:alice", "session:main")
        done = await house.run("watch", "--once", "--token-file", limited)
        assert (done.returncode, done.stdout) == (0, "")


async def test_another_session_needs_a_token_that_is_good_for_it(tmp_path):
    async with open_house(tmp_path) as house:
        file = house.token_file("guest:eve", "session:main")
        done = await house.run("watch", "--once", "--session", "other", "--token-file", file)
        assert (done.returncode, done.stdout) == (2, "")
        assert "this token is not for other" in done.stderr


async def test_an_interrupt_ends_it_with_130_and_without_a_word(tmp_path):
    async with open_house(tmp_path) as house, house.keep("watch") as watch:
        await watch.line()
        assert await watch.stop(signal.SIGINT) == 130
        assert watch.errors.strip() == ""


async def test_a_lost_connection_is_told_and_comes_back(tmp_path):
    async with AsyncExitStack() as stack:
        async with open_house(tmp_path) as house:
            port = house.server.address[1]
            watch = await stack.enter_async_context(house.keep("watch", "--json"))
            await watch.event("connected")
        assert set(await watch.event("lost")) == {"event", "at", "url", "why"}
        async with open_house(tmp_path, port=port) as house:
            assert (await watch.event("back"))["why"] is None
            assert (await house.ask(BUILD)) == (await watch.event("opened"))["id"]


async def test_a_worker_that_is_away_is_told(tmp_path):
    async with open_house(tmp_path) as house, house.keep("watch", "--json") as watch:
        await watch.event("connected")
        token = house.token("worker:main")
        async with open_host([questions_facet]) as host, open_worker(host, house.server.url, token, "main") as worker:
            await worker.connected()
        away = await watch.event("unavailable")
        assert (away["scope"], bool(away["why"])) == ({"session": "main"}, True)
        done = await house.run("watch", "--once", "--wait", "0.3")
        assert done.returncode == 5
        async with open_host([questions_facet]) as host, open_worker(host, house.server.url, token, "main"):
            assert (await watch.event("available"))["scope"] == {"session": "main"}


async def test_a_token_that_is_taken_back_ends_it_with_5(tmp_path):
    async with open_house(tmp_path) as house, house.keep("watch") as watch:
        await watch.line()
        Revocations(tmp_path / "keys.json.revoked").revoke_principal(ALICE, house.host.now() + 1)
        assert await watch.end() == 5
        assert "the server did not accept the token" in watch.errors


async def test_with_a_new_token_in_its_file_it_goes_on(tmp_path):
    async with open_house(tmp_path) as house, house.keep("watch", "--json") as watch:
        await watch.event("connected")
        now = house.host.now()
        assert house.token_file().exists()  # written anew
        Revocations(tmp_path / "keys.json.revoked").revoke_principal(ALICE, now)
        assert "did not accept the token" in (await watch.event("lost"))["why"]
        await watch.event("back")
        assert (await house.ask(BUILD)) == (await watch.event("opened"))["id"]
