"""A command imports what it needs itself, and nothing of what only others need."""

import pytest

from tests.cli.processes import run

SERVERS = "asyncio cattrs joserfc prometheus_client websockets".split()
SCREENS = "rich textual".split()


async def imported_by(*arguments):
    done = await run(*arguments, PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0, done.stderr
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}


async def test_decisions_in_a_file_are_listed_without_what_servers_and_screens_need(tmp_path):
    imported = await imported_by("decisions", "list", "--root", tmp_path)
    assert "apsw" in imported
    assert imported.isdisjoint([*SERVERS, *SCREENS, "psycopg"])


@pytest.mark.parametrize("arguments", [["--help"], ["decisions", "--help"]])
async def test_help_is_shown_without_what_servers_screens_and_stores_need(arguments):
    assert (await imported_by(*arguments)).isdisjoint([*SERVERS, *SCREENS, "apsw", "psycopg"])
