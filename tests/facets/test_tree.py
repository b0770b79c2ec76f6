"""The host's state as a tree for people."""

from io import StringIO

import pytest
from rich.console import Console

from facets import MissingExtra, describe_tree
from questions import Confirm, Text
from questions.testing import open_rig


def drawn(host):
    text = StringIO()
    Console(file=text, width=160).print(describe_tree(host))
    return text.getvalue()


async def test_everything_open_due_and_held_is_in_the_tree(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        rig.ask(Confirm("Deploy [red]now[/red]?"), audience=[ana], timeout=60, key="k")
        await rig.quiet()
        text = drawn(rig.host)
    for part in ("open: 1", "Deploy [red]now[/red]?", "what: deadline", "never_shown: 1", "objects: 2", "user:ana"):
        assert part in text


async def test_no_secret_is_in_the_tree(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking = rig.ask(Text("Code?", secret=True), audience=[ana], key="k")
        await rig.quiet()
        await ana.answer("hunter2")
        assert (await asking.wait()).answer == "hunter2"
        assert "hunter2" not in drawn(rig.host)


async def test_without_rich_it_says_what_to_install(autojump_clock, monkeypatch):
    def missing(name, *_):
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr("facets.tree.import_module", missing)
    async with open_rig() as rig:
        with pytest.raises(MissingExtra, match=r"question-broker\[terminal\]"):
            describe_tree(rig.host)
