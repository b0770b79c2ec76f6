"""A server in the test's own process, with tokens in files, for commands to reach."""

import time
from contextlib import asynccontextmanager

import trio

from facets import Principal, open_host
from facets.link import KeyRing, Revocations, TokenAuthenticator, TokenIssuer, parse_principal
from facets.link.server import open_link_server
from facets.nursery import open_serving_nursery
from questions import Questions, SessionScope, questions_facet
from questions.cli import main
from tests.cli.processes import PATIENCE, environment, kept, run

ALICE, BOB, EVE = Principal.user("alice"), Principal.user("bob"), Principal.user("eve")
SCOPE = SessionScope("main")
FACET = questions_facet.configured(may_view=lambda principal, _: "all" if principal == EVE else "own")


class House:
    """A host with questions, its server, and who asks there."""

    def __init__(self, folder, host, server, issuer, nursery):
        self.folder = folder
        self.host = host
        self.server = server
        self._issuer = issuer
        self._nursery = nursery
        self.results = []

    def token(self, who="user:alice", *scopes):
        """The token of a principal."""
        return self._issuer.issue(parse_principal(who), time.time(), lifetime=600, scopes=scopes).token

    def token_file(self, who="user:alice", *scopes):
        """The same in a file, for its owner alone."""
        file = self.folder / ("-".join([who, *scopes]).replace(":", "-") + ".token")
        file.touch(mode=0o600)
        file.write_text(self.token(who, *scopes))
        return file

    async def ask(self, question, audience=(ALICE,), scope=SCOPE, **options):
        """Ask, as the host; returns the id. What comes of it is in `results` later."""
        known = set(self.host.waiting.value)
        self._nursery.start_soon(self._ask, question, audience, scope, options)
        with trio.fail_after(PATIENCE):
            while not (new := set(self.host.waiting.value) - known):
                await self.host.waiting.changed(self.host.waiting.version)
        return new.pop()

    async def _ask(self, question, audience, scope, options):
        async with self.host.root() as ctx:
            asker = await ctx.get(Questions, scope)
            self.results.append(await asker.ask(question, audience=audience, **options))

    async def view(self, who):
        """What somebody in this process sees, for the length of the house."""
        return await self._nursery.start(self._view, who)

    async def _view(self, who, task_status):
        async with self.host.root(principal=who) as ctx:
            task_status.started(await ctx.get(Questions, SCOPE))
            await trio.sleep_forever()

    async def settled(self):
        """The results, once nothing is open."""
        with trio.fail_after(PATIENCE):
            async for waiting in self.host.waiting.changes():
                if not waiting:
                    break
        return self.results

    def run(self, command, *arguments, who="user:alice", **options):
        """Run `watch` or `answer` to its end, as somebody."""
        return run(command, *self.way(who), *arguments, **options)

    async def main(self, capsys, command, *arguments, who="user:alice"):
        """Run a command to its end in a thread of this process: its exit code, and what it has written where."""
        return await self.run_bare(capsys, *command.split(), *arguments, *self.way(who))

    async def run_bare(self, capsys, *arguments):
        """The same without a word about where and who."""
        capsys.readouterr()
        given = [*map(str, arguments)]
        with trio.fail_after(PATIENCE):
            code = await trio.to_thread.run_sync(_code_of, given)
        told = capsys.readouterr()
        return code, told.out, told.err

    async def asked(self):
        """The id of the only question, once it is open."""
        with trio.fail_after(PATIENCE):
            while not (waiting := self.host.waiting.value):
                await self.host.waiting.changed(self.host.waiting.version)
        (id,) = waiting
        return id

    def keep(self, command, *arguments, who="user:alice", **options):
        """Keep it for the length of a block."""
        return kept(self.folder, command, *self.way(who), *arguments, **options)

    def way(self, who):
        """The options by which somebody gets here."""
        return "--url", self.server.url, "--token-file", self.token_file(who)

    def environment(self, who="user:alice"):
        """The same for a terminal."""
        return environment(QUESTIONS_URL=self.server.url, QUESTIONS_TOKEN=self.token(who))


def _code_of(arguments):
    try:
        return main(arguments)
    except SystemExit as end:  # of argparse, for a bad command line
        return end.code


@asynccontextmanager
async def open_house(folder, facet=FACET, **server_options):
    keys = KeyRing(folder / "keys.json", create=True)
    authenticator = TokenAuthenticator(keys, Revocations(folder / "keys.json.revoked"))
    async with (
        open_host([facet], {BOB: "Bob B."}) as host,
        open_link_server(host, authenticator, **server_options) as server,
        open_serving_nursery() as nursery,
    ):
        yield House(folder, host, server, TokenIssuer(keys), nursery)
