"""A process with a journal, to be killed: five durable and two live asks. It says on stdout how far it has come.

python -m tests.questions.durable.journalled_program WHERE    "holds ID ID ...", "lost ID MESSAGE", "denied KEY"
"""

import sys

import trio

from facets import open_host
from questions import Confirm, Questions, questions_facet
from questions.durable import durable_asks, open_journal, open_store
from tests.questions.durable.asking_program import ANA, SCOPE, say, tell


async def ask(asker, key, **options):
    answered = await asker.ask(Confirm(f"Go with {key}?"), audience=[ANA], key=key, **options)
    if not answered.answer:
        say("denied", key)


async def main(where: str) -> None:
    async with (
        open_store(where) as store,
        open_journal(store, lease_ms=1_000, batch_ms=0, tell=lambda one: say("lost", one.id, one.message)) as journal,
        open_host([questions_facet.configured(durable=durable_asks(store), observe=journal.observe)]) as host,
        host.root() as ctx,
        trio.open_nursery() as nursery,
    ):
        asker = await ctx.get(Questions, SCOPE)
        durable, live = {f"durable-{number}" for number in range(5)}, {"live-0", "live-1"}
        for key in durable:
            nursery.start_soon(lambda key: ask(asker, key, durable=True), key)
        for key in live:
            nursery.start_soon(ask, asker, key)
        await tell(asker, durable | live, "holds")


if __name__ == "__main__":
    trio.run(main, sys.argv[1])
