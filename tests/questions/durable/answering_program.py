"""A process full of people, who all answer what its standard input names; it says who of them got through."""

import sys

import trio

from facets import Principal
from questions.durable import Caller, NotOpen, open_store


async def answer(store, id, name, won):
    try:
        await store.decisions(Caller(Principal.user(name), via="cli")).answer(id, text=name)
    except NotOpen:
        return
    won.append(name)


async def main(where: str, name: str, people: str) -> None:
    async with open_store(where, sweep_ms=None) as store:
        print("ready", flush=True)  # noqa: T201
        while id := (await trio.to_thread.run_sync(sys.stdin.readline)).strip():
            won: list[str] = []
            async with trio.open_nursery() as nursery:
                for number in range(int(people)):
                    nursery.start_soon(answer, store, id, f"{name}-{number}", won)
            print(*won, sep=",", flush=True)  # noqa: T201


if __name__ == "__main__":
    trio.run(main, sys.argv[1], sys.argv[2], sys.argv[3])
