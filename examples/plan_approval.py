"""An agent's plan: written down, asked about, revised, approved and carried out, whatever step the agent is killed at.

What to look at: each life of the agent does the same from its start, and finds what the ones before have left. A plan
is written down before people are asked, since a model would not give the same one twice, and approved by its digest.
With `AT=STEP` in the environment this is the agent alone, which kills itself at that step, one of those it prints.
"""

import json
import os
import signal
import sys
import tempfile
from pathlib import Path

import trio

from questions import gates

TASK, LOGS = "The logs take too much room.", ("a.log", "b.log", "c.log")
SAID = gates.Replan("  Keep b.log.\nIt is evidence."), gates.Continue()  # to the first plan, and to the second


def reached(step: str) -> None:
    print(f"the agent: {step}", flush=True)
    if os.environ.get("AT") == step:
        os.kill(os.getpid(), signal.SIGKILL)


async def plan(folder: Path, planning: gates.Planning) -> object:
    number, said = len(planning.instructions) + 1, "".join(planning.instructions)
    written, new = folder / f"plan-{number}.json", folder / "new.json"
    if not written.exists():  # a model would be asked here, with what people have said
        logs = [name for name in LOGS if name not in said]
        reached(f"planned-{number}")
        new.write_text(json.dumps({"summary": f"Archive and delete {len(logs)} logs.", "logs": logs}))
        new.replace(written)  # all of it is there, or nothing
    reached(f"written-{number}")
    return json.loads(written.read_text())


async def agent(folder: Path) -> None:
    async with gates.open_gates(folder, serve=False, poll_ms=50) as store:  # no deadline, so no server is needed
        run, required = await store.start_run("logs-1", "make-room", TASK), gates.ApprovalPolicy(mode="required")
        outcome = await gates.agree_on_plan(run, TASK, lambda so_far: plan(folder, so_far), policy=required)
        assert isinstance(outcome, gates.PlanApproved), outcome
        reached("agreed")
        logs, archive = outcome.plan["logs"], folder / f"logs-{outcome.approval.plan_digest[7:19]}.tar"
        if not archive.exists():
            await trio.run_process([sys.executable, "-m", "tarfile", "-c", "part.tar", *logs], cwd=folder)
            reached("packed")
            (folder / "part.tar").replace(archive)  # from here on nothing is packed again
        for name in logs:
            (folder / name).unlink(missing_ok=True)
            reached(f"deleted-{name}")
        await run.finish()


async def person(store: gates.GateStore) -> None:
    for said in SAID:
        while not (found := await store.list()):  # noqa: ASYNC110
            await trio.sleep(0.02)
        request, response = found[0].request, gates.PLAN_CHOICES.write(said)
        print(f"Ana is asked, revision {request.revision}: {request.presentation.summary}", flush=True)
        source = gates.Source("terminal", "ana", request.decision_id)
        await store.submit(gates.Submission(request.decision_id, request.request_digest, response, source, "ana-1"))


async def main(folder: Path) -> None:
    for name in LOGS:
        (folder / name).write_text(name * 1_000)
    async with gates.open_gates(folder, serve=False) as store, trio.open_nursery() as nursery:
        nursery.start_soon(person, store)
        for step in ("written-1", "planned-2", "packed", ""):
            await trio.run_process([sys.executable, __file__, folder], env={**os.environ, "AT": step}, check=not step)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    trio.run(agent if "AT" in os.environ else main, folder)
