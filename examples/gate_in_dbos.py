"""A workflow of DBOS that stands still at a gate until people decide, while its process is killed and started again.

What to look at: the workflow asks in a step, then waits for a message: the receipt, sent under the id of its decision,
so that twice is once. Whatever DBOS repeats, the gate asks once. A wait that brings nothing looks again, since what was
cancelled sends nothing. With `AT=STEP` in its environment the program is one life, which is killed at that step.
"""

import os
import signal
import sys
import tempfile
from pathlib import Path

import trio
from dbos import DBOS, SetWorkflowID

from questions import gates


class Deploy(gates.Choice):
    """The release goes live."""


FOLDER, AT = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()), os.environ.get("AT")
GATE = gates.Gate(Deploy, request=lambda release: gates.Prompt("Deploy?", release, gates.Presentation("To all.")))


def reached(step: str) -> None:
    print(step, flush=True)
    if step == AT:
        os.kill(os.getpid(), signal.SIGKILL)


async def asked(release: str) -> str:
    async with gates.open_gates(FOLDER, serve=False) as store:
        run = await store.start_run(release, "deploy", release)
        if await run.state() is gates.RunState.RUNNING:
            await GATE.submit(run, "approve", "attempt-1", release)
        return await run.state()


@DBOS.workflow()
def deploy(release: str) -> str:
    while DBOS.run_step({"name": "ask"}, lambda: trio.run(asked, release)) not in ("cancelled", "expired"):
        reached("asked")
        if receipt := DBOS.recv("approve", timeout_seconds=60):
            DBOS.run_step({"name": "put live"}, (FOLDER / "live.txt").write_text, release)  # again changes nothing
            return f"{release} is live: {receipt['provenance']} {receipt['response']['choice']}"
    return f"{release} was not decided"


async def tell(run: gates.GateRun, resumption: gates.Resumption) -> None:
    receipt, key = resumption.receipt.as_json(), resumption.receipt.decision_id
    await trio.to_thread.run_sync(lambda: DBOS.send(run.id, receipt, "approve", idempotency_key=key))
    reached("told")
    await run.finish()


async def life() -> None:
    DBOS(config={"name": "deploys", "system_database_url": f"sqlite:///{FOLDER}/dbos.sqlite", "log_level": "ERROR"})
    DBOS.launch()
    with SetWorkflowID("release-8"):
        handle = DBOS.start_workflow(deploy, "release-8")
    async with gates.open_gates(FOLDER, resume={"deploy": tell}, lease_ms=1_000, poll_ms=50):
        reached(await trio.to_thread.run_sync(handle.get_result))
    DBOS.destroy()


async def main() -> None:
    yes, source = gates.Response("deploy"), gates.Source("terminal", "ana", "event-1")
    for step in ("asked", "told", ""):
        await trio.run_process([sys.executable, __file__, FOLDER], env={**os.environ, "AT": step}, check=not step)
        async with gates.open_gates(FOLDER, serve=False) as store:
            for made in [standing.request for standing in await store.list()]:  # the process that asks is dead by now
                await store.submit(gates.Submission(made.decision_id, made.request_digest, yes, source, "key-1"))


if __name__ == "__main__":
    trio.run(main if AT is None else life)
