"""A process that asks durably, to be killed. It says on stdout how far it has come.

python -m tests.questions.durable.asking_program FOLDER ask KEY [MESSAGE]   "waits ID", and then "got ANSWER by WHO"
python -m tests.questions.durable.asking_program FOLDER hold    five durable and two live asks: "holds ID ID ..."
"""

import sys

import trio

from facets import Principal, open_host
from questions import Confirm, Questions, SessionScope, questions_facet
from questions.durable import durable_asks, open_store

ANA = Principal.user("ana")
SCOPE = SessionScope("s1")


def say(*words: str) -> None:
    print(*words, flush=True)  # noqa: T201


async def ask(asker, key, message="Go with {}?", **options):
    answered = await asker.ask(Confirm(message.format(key)), audience=[ANA], key=key, **options)
    say("got", str(answered.answer), "by", answered.by.principal.id)


async def tell(asker, keys, word):
    async for asking in asker.asking.changes():
        if {one.key for one in asking.values()} >= keys:
            ids = {one.id for one in asking.values() if one.key in keys}
            say(word, *sorted(id for id in ids if id.startswith("ask_")))
            return


async def main(folder: str, what: str, *rest: str) -> None:
    async with (
        open_store(folder) as store,
        open_host([questions_facet.configured(durable=durable_asks(store))]) as host,
        host.root() as ctx,
        trio.open_nursery() as nursery,
    ):
        asker = await ctx.get(Questions, SCOPE)
        if what == "ask":
            async with trio.open_nursery() as telling:
                telling.start_soon(tell, asker, {rest[0]}, "waits")
                await ask(asker, *rest, durable=True)
                telling.cancel_scope.cancel()
            return
        durable, live = {f"durable-{number}" for number in range(5)}, {"live-0", "live-1"}
        for key in durable:
            nursery.start_soon(lambda key: ask(asker, key, durable=True), key)
        for key in live:
            nursery.start_soon(ask, asker, key)
        await tell(asker, durable | live, "holds")


if __name__ == "__main__":
    trio.run(main, sys.argv[1], sys.argv[2], *sys.argv[3:])
