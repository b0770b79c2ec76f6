"""An agent's loop with a hook before its tool: only a clear yes from a person runs a command.

What to look at: `needs` (listing files is asked of nobody), `grants` (the second `cp` is not asked again), and what
the model is told when somebody says no. The agent's plan and Alice are scripted; the commands run for real.
"""

import sys
import tempfile
from collections.abc import Sequence

import trio

from questions import Expired, Grants, NotApproved, approval_required, visible
from questions.testing import Person, open_rig

PLAN = [
    ["ls"],
    ["cp", "notes.txt", "copy.txt"],
    ["cp", "notes.txt", "copy.txt"],
    ["cp", "notes.txt", "other.txt"],
    ["rm", "notes.txt\u200b"],  # it ends in a space of no width, which nobody would see
    ["ls"],
]


def needs_approval(command: Sequence[str]) -> bool:
    return command[0] not in {"ls", "cat"}


async def answer_all(alice: Person) -> None:
    """Alice allows copies for the whole session, and never lets anything be deleted."""
    async for question in alice.viewer.to_answer():
        answer = "deny" if '"rm"' in question.details else "session"
        print(f"  Alice is asked: {question.message} {visible(' '.join(question.details.split()))}")
        print(f"  Alice answers: {answer}")
        await alice.answer(answer, question.id)


async def main(folder: str) -> None:
    await trio.Path(folder, "notes.txt").write_text("keep me\n")
    async with open_rig() as rig, trio.open_nursery() as nursery:
        (alice,) = await rig.people("alice")
        nursery.start_soon(answer_all, alice)
        grants = Grants()

        @approval_required(
            await rig.asker(), [alice.principal], needs=needs_approval, grants=grants, name="shell", timeout=60
        )
        async def shell(command: Sequence[str]) -> str:
            ran = await trio.run_process(list(command), capture_stdout=True, cwd=folder)
            return " ".join(ran.stdout.decode().split()) or "done"

        for command in PLAN:
            print("the agent wants:", visible(" ".join(command)))
            try:
                print("the agent gets:", await shell(command))
            except (NotApproved, Expired) as refused:
                print("the agent gets:", refused)  # the model may think of something else now

        for grant in grants.list():
            print(f"granted by {grant.by[0]}: {grant.tool}, digest {grant.digest[:14]}...")
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    trio.run(main, sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
