"""A process with gates, to be killed. It says on stdout how far it has come.

python -m tests.questions.gates.gate_program WHERE decide    "built", "got CHOICE", "done"
python -m tests.questions.gates.gate_program WHERE resume    "went RUN FIRST", and never ends by itself
python -m tests.questions.gates.gate_program WHERE serve     "leads", once it does
"""

import sys

import trio

from questions.gates import Choice, Gate, Presentation, Prompt, open_gates

LEASE = 1_000


class Continue(Choice):
    pass


class Stop(Choice):
    pass


def say(*words: object) -> None:
    print(*words, flush=True)  # noqa: T201


def build(context):
    say("built")
    return Prompt("Go on?", context, Presentation("A plan."))


approve: Gate[Continue | Stop] = Gate(Continue, Stop, request=build)


async def decide(where):
    async with open_gates(where, serve=False, poll_ms=50) as gates:
        run = await gates.start_run("run-a", "workflow-a")
        say("got", type(await approve.decide(run, "approve", "attempt-a", "plan")).__name__)
        await trio.to_thread.run_sync(sys.stdin.readline)
        await run.finish()
        say("done")


async def resume(where):
    async def go_on(run, resumption):
        say("went", run.id, resumption.first)
        await trio.sleep_forever()

    async with open_gates(where, serve=False, resume={"workflow-a": go_on}, lease_ms=LEASE, poll_ms=50):
        await trio.sleep_forever()


async def serve(where):
    async def leads(server):
        say("leads")

    async with open_gates(where, lease_ms=LEASE, poll_ms=50, works=[leads]):
        await trio.sleep_forever()


if __name__ == "__main__":
    trio.run({"decide": decide, "resume": resume, "serve": serve}[sys.argv[2]], sys.argv[1])
