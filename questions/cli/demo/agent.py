"""The agent's loop: each call passes by a rule or is asked of people; only a clear yes lets it run.

Nothing is ever run here. What matters is who was asked, and what the agent may do with the answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import attrs
import trio

from facets import Principal, Readable
from questions.errors import Expired, InvalidQuestion
from questions.policies import All, Collected, Quorum
from questions.question import Confirm, Text
from questions.views import Asker

from .calls import ToolCall
from .cards import details_of, message_of
from .cast import ALICE, BOB, CAROL
from .choices import choices_of
from .events import Passed, Tell, Verdict
from .pace import Pace
from .rules import passing_rule
from .ways import Way, way_to_ask
from .wording import given

__all__ = ["Agent"]


@attrs.frozen
class Agent:
    """One session's agent. `asker` is its worker's; `host_asker` is the host's own, which alone may ask for secrets."""

    asker: Asker
    host_asker: Asker
    everyone: Readable[tuple[Principal, ...]]
    pace: Pace
    tell: Tell

    async def run(self, calls: Sequence[ToolCall]) -> None:
        """Handle `calls` one after the other. Cancelling it withdraws the question that is open."""
        for call in calls:
            await trio.sleep(self.pace.thinking)
            if rule := passing_rule(call):
                self.tell(Passed(call.tool, message_of(call), rule.why))
            else:
                self.tell(await self._judge(call))

    async def _judge(self, call: ToolCall) -> Verdict:
        try:
            return await self._ways[way_to_ask(call)](call)
        except Expired as expired:
            # Silence is not a yes, and it is not a no by anybody either.
            return Verdict(message_of(call), False, f"nobody answered in time; {expired.reason}")
        except InvalidQuestion:
            return Verdict(message_of(call), False, "too long, or too odd, to be shown to a person")

    @property
    def _ways(self) -> dict[Way, Callable[[ToolCall], Awaitable[Verdict]]]:
        return {
            Way.FIRST: self._ask_first,
            Way.CHOICE: self._ask_choice,
            Way.EVERYONE: self._ask_everyone,
            Way.QUORUM: self._ask_quorum,
            Way.ON_CALL: self._ask_on_call,
            Way.LOGIN: self._ask_login,
        }

    async def _ask_first(self, call: ToolCall) -> Verdict:
        question = _allow(call)
        result = await self.asker.ask(question, audience=[ALICE, BOB], key=call.id, timeout=self.pace.patience)
        return Verdict(question.message, result.answer, given([(result.by, result.answer)]))

    async def _ask_choice(self, call: ToolCall) -> Verdict:
        questions = choices_of(call)
        if not questions:
            return await self._ask_first(call)
        answers = []
        for number, question in enumerate(questions):
            # A key names one question: the second one of a call gets its own.
            key = f"{call.id}/{number}"
            result = await self.asker.ask(question, audience=[ALICE, BOB], key=key, timeout=self.pace.patience)
            answers.append((result.by, result.answer))
        return Verdict(questions[0].message, True, given(answers))

    async def _ask_everyone(self, call: ToolCall) -> Verdict:
        question, patience = _allow(call), self.pace.patience
        result = await self.asker.ask(
            question, audience=self.everyone, policy=All(join="live"), key=call.id, timeout=patience
        )
        return _agreed(question, result, "everyone present has to agree")

    async def _ask_quorum(self, call: ToolCall) -> Verdict:
        question, people = _allow(call), [ALICE, BOB, CAROL]
        result = await self.asker.ask(
            question, audience=people, policy=Quorum(2), key=call.id, timeout=self.pace.patience
        )
        return _agreed(question, result, "two of three have to agree")

    async def _ask_on_call(self, call: ToolCall) -> Verdict:
        question = _allow(call)
        result = await self.asker.ask(question, audience=[BOB], key=call.id, timeout=self.pace.on_call)
        return Verdict(question.message, result.answer, given([(result.by, result.answer)]))

    async def _ask_login(self, call: ToolCall) -> Verdict:
        question = Text(f"Login code for {message_of(call)}", secret=True, min_length=4, details=details_of(call))
        # The code goes to whoever logs in, and is dropped here: it is in no event, no view and no summary.
        result = await self.host_asker.ask(question, audience=[ALICE, BOB], key=call.id, timeout=self.pace.patience)
        return Verdict(question.message, True, f"{result.by} gave a code")


def _allow(call: ToolCall) -> Confirm:
    return Confirm(message_of(call), allow="Allow", deny="Deny", details=details_of(call))


def _agreed(question: Confirm, result: Collected[bool], why: str) -> Verdict:
    answers = given((one.by, one.answer) for one in result.answers)
    return Verdict(question.message, result.unanimous(True), f"{answers}; {why}")
