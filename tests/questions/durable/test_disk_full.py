"""A disk that is really full: nothing is changed, and all goes on when there is space again."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from pathlib import Path
import trio
from facets import Principal
from questions.durable import Caller, StoreUnavailable, open_store

ana = Caller(Principal.user("ana"))
filler = Path(sys.argv[1]) / "filler"

def fill():
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass

async def main():
    async with open_store(sys.argv[1], sweep_ms=None) as store:
        decisions = store.decisions(ana)
        first = await decisions.raise_decision("Ship it?", body="x" * 4000)
        fill()
        refused, left = [], first
        while not refused:  # the log has been given some space already
            try:
                left = await decisions.raise_decision("And this?", body="x" * 4000)
            except StoreUnavailable as full:
                refused.append(full)
        print("disk is full" in refused[0].why, refused[0].unknown)
        for act in (decisions.answer(first.id, text="y" * 4000), decisions.raise_decision("More?", body="x" * 4000)):
            try:
                await act
            except StoreUnavailable as full:
                print("disk is full" in full.why, full.unknown)
        print((await decisions.get(first.id)).version, (await decisions.get(left.id)).version)
        open_ones = len(await decisions.list(limit=200))
        filler.unlink()
        print((await decisions.answer(first.id, text="yes")).version)
    async with open_store(sys.argv[1]) as store:
        print(len(await store.decisions(ana).list("all", limit=200)) == open_ones)

trio.run(main)
"""

ON_A_SMALL_DISK = 'mount -t tmpfs -o size=600k tmpfs "$1" && exec "$2" -c "$3" "$1"'


@pytest.mark.needs_tool("unshare")
def test_on_a_disk_that_is_full_nothing_is_changed_until_there_is_space(tmp_path):  # case 125
    made = subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("this system gives nobody a disk of its own: " + made.stderr.decode())
    command = ["unshare", "-rm", "sh", "-c", ON_A_SMALL_DISK, "sh", str(tmp_path), sys.executable, PROGRAM]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.stderr == ""
    assert ended.stdout.split("\n") == ["True False", "True False", "True False", "1 1", "2", "True", ""]
