"""A deploy gate: two of three people have to agree, and nobody may say no, before the new release goes live.

What to look at: `Quorum(2)` with `unanimous(True)`, which is false if somebody said no and if the time ran out; and the
digest, without which release 4 would go live with a change that nobody has seen. The people are scripted.
"""

import sys
import tempfile

import trio

from questions import Asker, Confirm, DigestMismatch, Quorum, digest
from questions.testing import Person, open_rig

RELEASES = ["release-2", "release-3", "release-4"]


async def content_of(release: trio.Path) -> str:
    """The digest of all files of a release."""
    return digest({file.name: await file.read_text() for file in sorted(await release.iterdir())})


async def deploy(asker: Asker, people: list[Person], site: str, name: str) -> str:
    release = trio.Path(site, name)
    approved = await content_of(release)
    question = Confirm(f"Put {name} live?", allow="Deploy", deny="Stop", details=f"content {approved}")
    audience = [person.principal for person in people]
    collected = await asker.ask(question, audience=audience, policy=Quorum(2), key=f"deploy/{name}", timeout=60)
    if not collected.unanimous(True):
        return "not deployed: " + ", ".join(f"{one.by} said {one.answer}" for one in collected.answers)
    if (actual := await content_of(release)) != approved:
        raise DigestMismatch(approved, actual)
    await trio.run_process(["ln", "-sfn", name, "live"], cwd=site)
    return "deployed; not needed any more: " + ", ".join(who.name for who in collected.missing)


async def answer_all(person: Person, site: str) -> None:
    """Both agree, save that Ana does not like release 3. While Bo thinks about release 4, somebody changes it."""
    name = person.principal.id
    async for question in person.viewer.to_answer():
        likes = (name, question.message) != ("ana", "Put release-3 live?")
        if (name, question.message) == ("bo", "Put release-4 live?"):
            await trio.Path(site, "release-4", "index.html").write_text("<h1>something else</h1>")
        print(f"  {name} is asked: {question.message} {question.details[:20]}... {likes}")
        await person.answer(likes, question.id)


async def main(site: str) -> None:
    for name in RELEASES:
        await trio.Path(site, name).mkdir()
        await trio.Path(site, name, "index.html").write_text(f"<h1>{name}</h1>")
    async with open_rig() as rig, trio.open_nursery() as nursery:
        ana, bo = await rig.people("ana", "bo")
        for person in (ana, bo):
            nursery.start_soon(answer_all, person, site)
        asker = await rig.asker()
        for name in RELEASES:
            try:
                print(f"{name}:", await deploy(asker, [ana, bo, rig.person("cy")], site, name))
            except DigestMismatch:
                print(f"{name}: not deployed: it is no longer what people have seen")
        print("live:", await trio.Path(site, "live", "index.html").read_text())
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    trio.run(main, sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
