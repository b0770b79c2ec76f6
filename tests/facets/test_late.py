"""Packages that bring what they offer when it is first asked for."""

import subprocess
import sys

import pytest

import facets.link
import questions.durable
import questions.rooms
from tests.house.source import ROOT


def run(program):
    """What a process of its own prints."""
    ran = subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT, capture_output=True, text=True)
    return ran.stdout.strip()


@pytest.mark.parametrize("package", [facets, facets.link, questions, questions.durable, questions.rooms])
def test_a_name_that_is_not_offered_is_missing_as_ever(package):
    with pytest.raises(AttributeError, match="has no attribute 'bogus'"):
        package.bogus  # noqa: B018


@pytest.mark.parametrize("package", ["facets", "facets.link", "questions", "questions.durable", "questions.rooms"])
@pytest.mark.parametrize("first", ["", "import questions.remote.faces", "import facets.host", "import questions.cli"])
def test_every_name_is_what_its_module_lists_whatever_was_imported_before(package, first):
    """Also those that are called as their module is."""
    assert (
        run(f"""
{first}
import {package}, importlib, pkgutil
homes = [importlib.import_module(one.name) for one in pkgutil.iter_modules({package}.__path__, "{package}.")
         if not one.ispkg]
for home in homes:
    for name in set(home.__all__) & set({package}.__all__):
        assert getattr({package}, name) is getattr(home, name), name
assert not [name for name in {package}.__all__ if not hasattr({package}, name)]
""")
        == ""
    )


def test_decisions_are_used_without_what_serves_links():
    brought = run("import sys, questions.durable.opening; print(*sys.modules)").split()
    assert {"questions.durable.opening", "trio"} <= set(brought)
    assert not {"websockets", "asyncio", "facets.link", "questions.store", "apsw", "psycopg"} & set(brought)
