"""An approval that outlives the process, since the caller stores it: a rerun before the commit does not ask again.

What to look at: the approval is stored under a key, with the digest of what was approved, and before anything is done
with it. A first process dies just before it commits; the rerun asks nobody. Another amount under the same key is
another thing, and is asked about. Ana is scripted; the database is a file, and the crash is real.
"""

import os
import sqlite3
import sys
import tempfile
from typing import Any

import trio

from questions import Confirm, canonical_json, digest
from questions.testing import Person, open_rig

SCHEMA = """
CREATE TABLE IF NOT EXISTS approvals (key TEXT, digest TEXT, allowed INTEGER, by TEXT, PRIMARY KEY (key, digest));
CREATE TABLE IF NOT EXISTS payments (digest TEXT PRIMARY KEY, payee TEXT, amount INTEGER);
"""


async def approved(memo: sqlite3.Connection, key: str, arguments: dict[str, Any]) -> bool:
    """What people have said to exactly this; asked only if nobody has said it before."""
    sealed = digest(arguments)
    known = memo.execute("SELECT allowed, by FROM approvals WHERE key = ? AND digest = ?", (key, sealed)).fetchone()
    if known is None:
        async with open_rig() as rig, trio.open_nursery() as nursery:
            (ana,) = await rig.people("ana")
            nursery.start_soon(answer_all, ana)
            question = Confirm("Pay?", details=canonical_json(arguments).decode())
            result = await (await rig.asker()).ask(question, audience=[ana.principal], key=key, timeout=60)
            nursery.cancel_scope.cancel()
        known = (result.answer, result.by.name)
        with memo:
            memo.execute("INSERT INTO approvals VALUES (?, ?, ?, ?)", (key, sealed, *known))
    print(f"  allowed: {bool(known[0])}, by {known[1]}", flush=True)
    return bool(known[0])


async def answer_all(ana: Person) -> None:
    async for question in ana.viewer.to_answer():
        print("  Ana is asked:", question.message, question.details)
        await ana.answer(True, question.id)


async def pay(folder: str, amount: int, *, dies: bool = False) -> None:
    memo = sqlite3.connect(f"{folder}/memo.sqlite")
    memo.executescript(SCHEMA)
    arguments = {"payee": "paper mill", "amount": amount}
    if await approved(memo, "invoice-17", arguments):
        if dies:
            os._exit(1)
        with memo:
            memo.execute("INSERT OR IGNORE INTO payments VALUES (?, ?, ?)", (digest(arguments), *arguments.values()))
        print("  committed:", *memo.execute("SELECT payee, amount FROM payments").fetchall())
    memo.close()


async def main(folder: str, dies: bool) -> None:
    if dies:
        await pay(folder, 20, dies=True)
    print("a first try, in a process that dies", flush=True)
    await trio.run_process([sys.executable, __file__, folder, "dies"], check=False)
    print("a rerun")
    await pay(folder, 20)
    print("the same invoice, another amount")
    await pay(folder, 25)


if __name__ == "__main__":
    trio.run(main, sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(), "dies" in sys.argv)
