"""An asyncio program that asks people. The host runs on trio, in a thread of its own.

What to look at: `portal.acall` runs a trio function from asyncio; and the third job, whose asyncio timeout takes the
question away from Bo. The jobs are real processes. Bo is scripted, and answers only what he is quick enough for.
"""

import asyncio
import sys
import tempfile

from facets import Host, Portal, Principal, open_background_host
from questions import Confirm, Questions, SessionScope, questions_facet

BO = Principal.user("bo")
SCOPE = SessionScope("nightly")


# These two run in the host's thread, on trio.
async def ask(host: Host, message: str) -> bool:
    async with host.root() as ctx:
        asker = await ctx.get(Questions, SCOPE)
        return (await asker.ask(Confirm(message), audience=[BO], timeout=60)).answer


async def bo_answers(host: Host) -> None:
    async with host.root(principal=BO) as ctx:
        viewer = await ctx.get(Questions, SCOPE)
        async for question in viewer.to_answer():
            print("  Bo is asked:", question.message)
            if "third" not in question.message:  # he is still thinking about that one
                await viewer.answer(question.id, "second" not in question.message)


# From here on everything is asyncio.
async def job(portal: Portal, name: str, patience: float, folder: str) -> None:
    try:
        async with asyncio.timeout(patience):
            allowed = await portal.acall(ask, portal.host, f"Run the {name} job?")
    except TimeoutError:
        print(f"{name}: gave up; still open:", await portal.acall(count_open, portal.host))
        return
    if allowed:
        code = f"open({name + '.txt'!r}, 'w').write('done')"
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, cwd=folder)
        print(f"{name}: ran, exit code {await process.wait()}")
    else:
        print(f"{name}: Bo said no")


async def count_open(host: Host) -> int:
    return len(host.waiting.value)


async def main(portal: Portal, folder: str) -> None:
    answering = asyncio.create_task(portal.acall(bo_answers, portal.host))
    for name, patience in (("first", 30), ("second", 30), ("third", 0.5)):
        await job(portal, name, patience, folder)
    answering.cancel()


if __name__ == "__main__":
    with open_background_host(facets=[questions_facet], names={BO: "Bo"}) as portal:
        asyncio.run(main(portal, sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
