"""A guarded tool that notes its runs, and an asker that says what it is told to."""

from typing import Any

from facets import Principal, Who
from questions import Answered, First, SessionScope, approval_required

ANA, BO, CY = (Principal.user(name) for name in ("ana", "bo", "cy"))
YES = Answered(Who(ANA, "Ana"), True)
NO = Answered(Who(BO, "Bo"), False)


class Tool:
    """A tool that notes what it was run with."""

    def __init__(self):
        self.runs: list[Any] = []

    def guarded(self, asker, policy=First(), audience=(ANA, BO, CY), name="pay", **options):  # noqa: B008
        @approval_required(asker, audience, policy, name=name, **options)
        async def pay(amount, to="shop"):
            self.runs.append((amount, to))
            return f"paid {amount}"

        return pay


class Says:
    """An asker that gives whatever it is told to as the result."""

    scope: Any = SessionScope("s1")
    principal = Principal.server("host")

    def __init__(self, *results):
        self.results = list(results)
        self.asked: list[Any] = []
        self.now = lambda: 0.0

    async def ask(self, question, **terms):
        self.asked.append((question, terms))
        return self.results.pop(0)
