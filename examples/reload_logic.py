"""Rules that are edited and reloaded while somebody thinks about a question.

What to look at: `spending_rules` is a real module on disk, and is edited twice. The question that is open meanwhile
stays open, and its asker waits on. A module that cannot be imported changes nothing. Ana is scripted.
"""

import sys
import tempfile

import trio

from facets import Environment, ReloadFailed, facet, serve
from questions import approval_required, questions_facet
from questions.testing import Rig, open_rig

RULE = "def needs_approval(amount: int) -> bool:\n    return amount > {}\n"


class Rules:
    """The rules as they are now: the module is looked up at each call, never kept."""

    def __init__(self, environment: Environment) -> None:
        self._logic = environment.logic

    def needs_approval(self, amount: int) -> bool:
        return bool(self._logic.spending_rules.needs_approval(amount))


rules_facet = facet(
    "spending",
    serves=[serve(Rules, lambda environment, input, principal: Rules(environment))],
    logic=["spending_rules"],
)


async def edit(rig: Rig, folder: str, text: str) -> None:
    await trio.Path(folder, "spending_rules.py").write_text(text)
    try:
        await rig.host.reload(rules_facet)
        print("  reloaded:", text.split("return ")[1].strip())
    except ReloadFailed as error:
        print("  not reloaded, the old rule stays:", type(error.__cause__).__name__)


async def main(folder: str) -> None:
    sys.path.insert(0, folder)
    await trio.Path(folder, "spending_rules.py").write_text(RULE.format(100))
    async with open_rig(rules_facet) as rig, trio.open_nursery() as nursery, rig.host.root() as ctx:
        (ana,) = await rig.people("ana")
        rules = await ctx.get(Rules)

        @approval_required(await rig.asker(), [ana.principal], needs=rules.needs_approval, name="pay", timeout=60)
        async def pay(amount: int) -> None:
            async with await trio.open_file(trio.Path(folder, "payments.txt"), "a") as payments:
                await payments.write(f"{amount}\n")
            print("paid", amount)

        await pay(80)  # 100 and less need nobody
        nursery.start_soon(pay, 500)
        async for open_questions in ana.viewer.open.changes():
            if open_questions:
                break
        print("Ana is asked:", *[question.message for question in open_questions.values()])
        await edit(rig, folder, RULE.format(1000))
        await rig.host.reload(questions_facet)  # the broker's own logic too
        await pay(600)  # the new rule needs nobody for it
        await edit(rig, folder, "def needs_approval(amount: int) -> bool:\n    return amount >\n")
        await pay(700)
        print("still the same question:", list(open_questions) == [one.id for one in ana.see()])
        await ana.answer(True)


if __name__ == "__main__":
    trio.run(main, sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
