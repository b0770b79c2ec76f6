"""A host that has a parent program with a child, and a host that nobody attends.

Everybody's process id and what the child got are lines of the host. It starts the parent again if that ends too soon.
"""

import os
import sys

import trio

from facets import Principal, open_host
from questions import NotApproved, Questions, SessionScope, approval_required, questions_facet
from questions.durable import Child, ChildQuestions, open_headless_approvals, open_owner, open_store
from tests.questions.durable.child_program import run_child, say

LEASE = 1_000
HOST = Principal.server("agent-1")


async def host(where):
    seen: list[bytes] = []

    def hear(line):
        seen.append(line)
        say(line)

    async with open_store(where) as store, open_owner(store, HOST, lease_ms=LEASE) as owner:
        questions = ChildQuestions(Child("run-lead", "lead"), "route", owner=owner)
        while not any(line.startswith(b"got") for line in seen):
            await run_child(questions, "parent", hear)


async def headless(where):
    async with (
        open_host([questions_facet], principal=HOST) as host,
        open_store(where) as store,
        open_headless_approvals(host, store, lease_ms=LEASE) as approvals,
        host.root() as ctx,
    ):
        asker = await ctx.get(Questions, SessionScope("s1"))

        @approval_required(asker, [Principal.user("ana")], headless="decision", approver=approvals, name="run")
        async def run():
            say(b"got run")

        try:
            await run()
        except NotApproved as refused:
            say(f"got {refused}".encode())


if __name__ == "__main__":
    say(f"pid {sys.argv[2]} {os.getpid()}".encode())
    trio.run({"host": host, "headless": headless}[sys.argv[2]], sys.argv[1])
