"""A gate server with one channel, in a folder: lives until it is killed."""

import sys
from types import SimpleNamespace

import trio

from tests.questions.gates.channel_stage import channel, open_desk

LEASE_MS = 1_000


async def main(folder: str, address: str) -> None:
    async with open_desk(folder, channel(SimpleNamespace(address=address)), lease_ms=LEASE_MS):
        await trio.sleep_forever()


if __name__ == "__main__":
    trio.run(main, sys.argv[1], sys.argv[2])
