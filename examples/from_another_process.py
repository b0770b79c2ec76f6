"""A server, a person and a job, each in a process of its own. The server is restarted while the job waits.

What to look at: the job is a plain script, Ana's program runs on asyncio, and neither does anything about the restart.
The job has given its ask a key, so it goes on by itself: Ana is asked by the new server as well, and answers that one.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from subprocess import PIPE, Popen

import trio

import facets.link.asyncio
import facets.link.sync
from facets import Principal, open_host
from facets.link import KeyRing, Revocations, TokenAuthenticator, TokenIssuer, open_link_server
from questions import BlockingQuestions, Confirm, Questions, SessionScope, questions_facet

ANA, JOB, SCOPE = Principal.user("ana"), Principal.server("nightly"), SessionScope("nightly")


async def serve(folder: Path, port: str) -> None:
    keys = TokenAuthenticator(KeyRing(folder / "keys.json"), Revocations(folder / "revoked"))
    async with open_host([questions_facet]) as host, open_link_server(host, keys, port=int(port)) as server:
        print(server.address[1], flush=True)
        await trio.sleep_forever()


async def person(folder: Path, port: str) -> None:
    async with facets.link.asyncio.open_link(f"ws://127.0.0.1:{port}", (folder / "ana.token").read_text()) as link:
        viewer = await link.get(Questions, SCOPE)
        turns = viewer.to_answer()
        print("Ana is asked:", (await anext(turns)).message, flush=True)  # and thinks
        print("Ana is asked:", (question := await anext(turns)).message, flush=True)
        await viewer.answer(question.id, True)


def job(folder: Path, port: str) -> None:
    with facets.link.sync.open_link(f"ws://127.0.0.1:{port}", (folder / "job.token").read_text()) as link:
        asker = link.get(BlockingQuestions, SCOPE)
        if asker.ask(Confirm("Delete the old backup?"), audience=[ANA], key="backup", timeout=60).answer:
            (folder / "monday.bak").unlink()
            print("the job has deleted it")


def start(role: str, folder: Path, port: str) -> Popen[str]:
    return Popen([sys.executable, __file__, folder, role, port], stdout=PIPE, text=True)


def line_of(process: Popen[str]) -> str:
    return process.stdout.readline().strip() if process.stdout else ""


def main(folder: Path, port: str) -> None:
    issuer = TokenIssuer(KeyRing(folder / "keys.json", create=True))
    (folder / "ana.token").write_text(issuer.issue(ANA, time.time(), name="Ana").token)
    (folder / "job.token").write_text(issuer.issue(JOB, time.time()).token)
    (folder / "monday.bak").write_text("old")
    with start("serve", folder, port) as old:
        port = line_of(old)
        ana, work = start("person", folder, port), start("job", folder, port)
        print(line_of(ana))
        old.kill()
    with ana, work, start("serve", folder, port) as new:
        print("the server was started again, at the same port:", line_of(new) == port)
        print(line_of(ana), line_of(work), sep="\n")
        new.kill()


if __name__ == "__main__":
    folder, role, port = (*sys.argv[1:], *[tempfile.mkdtemp(), "main", "0"][len(sys.argv) - 1 :])
    on_asyncio, on_trio = lambda *at: asyncio.run(person(*at)), lambda *at: trio.run(serve, *at)
    {"main": main, "job": job, "person": on_asyncio, "serve": on_trio}[role](Path(folder), port)
