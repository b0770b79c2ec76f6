"""A server of durable and live questions, to be killed. It says on stdout at which port it listens.

python -m tests.questions.durable.serving_program FOLDER PORT
"""

import sys
from pathlib import Path

import trio

from facets import open_host
from facets.link import KeyRing, Revocations, TokenAuthenticator, open_link_server
from questions import questions_facet
from questions.durable import durable_asks, open_store


async def main(folder: str, port: str) -> None:
    keys = TokenAuthenticator(KeyRing(Path(folder, "keys.json")), Revocations(Path(folder, "revoked")))
    async with (
        open_store(folder) as store,
        open_host([questions_facet.configured(durable=durable_asks(store))]) as host,
        open_link_server(host, keys, port=int(port)) as server,
    ):
        print(server.address[1], flush=True)  # noqa: T201
        await trio.sleep_forever()


if __name__ == "__main__":
    trio.run(main, sys.argv[1], sys.argv[2])
