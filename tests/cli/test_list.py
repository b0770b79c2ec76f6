"""`questions list`: what is open for somebody, oldest first, for people and for programs."""

import json

from questions import Confirm, OwnerScope, Quorum, SessionScope, Text
from tests.cli.house import ALICE, BOB, open_house


async def test_a_table_says_what_is_open_and_whose_turn_it_is(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        first = await house.ask(Confirm("Go\n?"), timeout=600)
        second = await house.ask(Text("Why?"), [ALICE, BOB], policy=Quorum(2))
        await (await house.view(ALICE)).answer(second, "so")
        code, out, err = await house.main(capsys, "list", who="user:eve")
        head, *rows = out.splitlines()
        assert (code, err, head.split("  ")[0]) == (0, "", "ID")
        assert [row.split()[0] for row in rows] == [first, second]
        assert ("main     no, for alice" in rows[0], rows[0].endswith(r"confirm: Go\n?")) == (True, True)
        out = (await house.main(capsys, "list"))[1]
        assert ("main     yes " in out, "main     answered " in out) == (True, True)


async def test_json_and_ids_are_for_programs(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        open_ids = [await house.ask(Confirm(f"{count}?"), [ALICE, BOB], policy=Quorum(2)) for count in range(2)]
        await (await house.view(ALICE)).answer(open_ids[0], True)
        told = json.loads((await house.main(capsys, "list", "--json"))[1])
        assert [(one["id"], one["answered_by_me"]) for one in told] == [(open_ids[0], True), (open_ids[1], False)]
        assert (await house.main(capsys, "list", "--ids"))[:2] == (0, f"{open_ids[1]}\n")


async def test_several_sessions_and_what_is_in_none_are_listed_together(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        await house.ask(Confirm("1?"), scope=SessionScope("a"))
        await house.ask(Confirm("2?"), scope=OwnerScope(ALICE))
        await house.ask(Confirm("3?"), scope=SessionScope("b"))
        out = (await house.main(capsys, "list", "--session", "a", "--session", "b"))[1]
        assert [row[-2] for row in out.splitlines()[1:]] == ["1", "2", "3"]


async def test_nothing_is_open_is_0_too(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        nothing = "Nothing is open for you in main. --session S looks into another session.\n"
        assert await house.main(capsys, "list") == (0, "", nothing)
        assert await house.main(capsys, "list", "--json") == (0, "[]\n", "")
        assert await house.main(capsys, "list", "--ids") == (0, "", "")
