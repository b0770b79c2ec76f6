"""What the inbox says of a question. Signs and words, so that colour never is the only one to tell."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from questions.cli.ballots import how_to_vote, is_written, vote_in_words
from questions.cli.durations import in_words
from questions.cli.inbox.decision_wording import decision_ended, decision_facts, how_to_pass_on
from questions.cli.inbox.gate_wording import gate_ended, gate_facts, how_to_type
from questions.cli.inbox.pile import Closed, Open, Pile, is_mine
from questions.cli.lines import line_of
from questions.cli.list import whose_turn
from questions.cli.watch_lines import names_of
from questions.durable.open_decision import ClosedDecision, OpenDecision
from questions.gates.open_gate import ClosedGate, OpenGate
from questions.open_question import OpenQuestion
from questions.policies import CustomPolicy, First, Policy, Quorum
from questions.question import Confirm, Select
from questions.rooms.policy import Mechanism
from questions.scopes import SessionScope
from questions.visible import visible

__all__ = ["KEYS", "about", "choices", "ended", "how_to_answer", "policy_in_words", "row", "state_line"]

KEYS = {
    "list": "Up/Down choose  Enter answer  Space/b read  q quit",
    "pick": "Up/Down choose  Enter give it  Esc back to the list",
    "text": "Ctrl+S or F2 send  Esc back to the list",
}
"""What keys do: in the list, among the choices, and while a text is typed."""
_FEW = 60
"""Characters of the two labels of a confirm that stand beside their keys; longer ones stand where there is room."""


def row(question: Open, *, with_session: bool, has_ended: bool, is_in_front: bool) -> Text:
    """One line of the list: > is in front, x has ended, * waits for this person's answer."""
    pointer = ">" if is_in_front else " "
    sign = "x" if has_ended else "*" if is_mine(question) else " "
    left = "" if question.remaining is None else in_words(question.remaining)
    place = f"[{line_of(_place(question))}] " if with_session or not isinstance(question, OpenQuestion) else ""
    text = f"{pointer}{sign} {left:>8}  {place}{line_of(question.message)}"
    return Text(text if is_mine(question) else f"{text}  ({_whose_turn(question)})", no_wrap=True, overflow="ellipsis")


def _whose_turn(question: Open) -> str:
    if isinstance(question, OpenDecision):
        return f"no, for {line_of(question.name_of(question.decision.holder))}"
    return whose_turn(question) if isinstance(question, OpenQuestion) else "no"


def choices(question: Select, pointed_at: int | None) -> list[Text]:
    """The lines of a select's options, with the numbers that point at them, and a sign for the one that is."""
    signs = (">" if index == pointed_at else " " for index in range(len(question.options)))
    labels = (line_of(one.label) for one in question.options)
    return [Text(f"{sign} {number} {label}") for number, (sign, label) in enumerate(zip(signs, labels, strict=True), 1)]


def about(question: Open) -> Text:
    """Everything about a question; its details are set in, so that they cannot pass for anything else."""
    help = getattr(question.question, "help", None)
    return Text.assemble(
        (f"{visible(question.message)}\n", "bold"),
        *(f"  | {line}\n" for line in visible(question.details).split("\n") if question.details),
        *([f"{visible(help)}\n"] if help else []),
        "\n".join(_facts_of(question)),
        "\n".join(_long_labels(question)),
        "\n".join(_slate(question)),
    )


def _facts_of(question: Open) -> Iterator[str]:
    if isinstance(question, OpenGate):
        return gate_facts(question)
    return decision_facts(question) if isinstance(question, OpenDecision) else _facts(question)


def _facts(question: OpenQuestion) -> Iterator[str]:
    behalf = f" for {line_of(str(question.on_behalf_of))}" if question.on_behalf_of else ""
    yield f"Asked by    {line_of(str(question.asker))}{behalf}, in {line_of(_place(question))}"
    yield f"Time left   {_left(question)}"
    yield f"Needed      {policy_in_words(question.policy)}"
    yield f"Answered    {names_of(question.answered)}"
    yield f"Waiting for {names_of(question.waiting_for)}"


def _long_labels(question: Open) -> Iterator[str]:
    if isinstance(question.question, Confirm) and not _is_short(question.question):
        yield f"\n[y] {line_of(question.question.allow)}"
        yield f"[n] {line_of(question.question.deny)}"


def _slate(question: Open) -> Iterator[str]:
    """The options that a written ballot names."""
    if is_written(question) and isinstance(question.question, Select):
        yield from (f"\n{option.id:<12} {line_of(option.label)}" for option in question.question.options)


def _is_short(question: Confirm) -> bool:
    return len(line_of(question.allow) + line_of(question.deny)) <= _FEW


def _place(question: Open) -> str:
    if not isinstance(question, OpenQuestion):
        return "decision" if isinstance(question, OpenDecision) else "gate"
    scope = question.scope
    return scope.session if isinstance(scope, SessionScope) else "no session"


def _left(question: OpenQuestion) -> str:
    if question.remaining is None:
        return "no limit"
    then = "" if question.default is None else f"; then it is answered automatically: {line_of(_default(question))}"
    return in_words(question.remaining) + then


def _default(question: OpenQuestion) -> str:
    asked = question.question
    if isinstance(asked, Confirm):
        return asked.allow if question.default else asked.deny
    return str(question.default)


def policy_in_words(policy: Policy) -> str:
    """When the answers are enough."""
    if isinstance(policy, First):
        return "one answer, whoever is first"
    if isinstance(policy, Quorum):
        return f"{policy.count} answers" if policy.count > 1 else "1 answer"
    if isinstance(policy, Mechanism):
        return vote_in_words(policy)
    if isinstance(policy, CustomPolicy):
        return "whatever its host says is enough"
    return "an answer from everybody"


def how_to_answer(question: Open, picked: str = "") -> Text:
    """What to press, in one or two lines. `picked`: the choice of a gate whose text is being typed."""
    if isinstance(question, OpenGate) and picked:
        return Text(how_to_type(question, picked))
    how = _how_to_answer(question)
    pass_on = how_to_pass_on(question) if isinstance(question, OpenDecision) else ""
    return Text(f"{pass_on}\n{how}" if pass_on else how)


def _how_to_answer(question: Open) -> str:
    asked = question.question
    if isinstance(question, OpenQuestion) and question.may_revise:
        return f"You have voted. It waits for the others; to revise your ballot: questions answer {question.id}"
    if question.answered_by_me:
        return "You have answered. It waits for the others."
    if not question.may_answer:
        return "Not yours to answer."
    if isinstance(asked, Confirm):
        short = f"[y] {line_of(asked.allow)}   [n] {line_of(asked.deny)}"
        return short if _is_short(asked) else "[y] or [n]: see at the end of the above"
    if isinstance(question, OpenQuestion) and is_written(question):
        return f"Enter, then type {how_to_vote(question)}; then Ctrl+S or F2:"
    if isinstance(asked, Select):
        return "Enter, then an arrow or a number, then Enter again:"
    if asked.secret:
        return "Enter, then type the answer (it is not shown), then Enter again:"
    return "Enter, then type the answer, then Ctrl+S or F2:"


_HOW = {
    "answered": "was answered",
    "expired": "ran out of time",
    "withdrawn": "was withdrawn by who asked it",
    "superseded": "was replaced by another one",
    "closed": "was closed with its host",
    "left": "is not for you any more",
}


def ended(ending: Closed, *, is_typing: bool) -> Text:
    """How the one in front has ended."""
    next_one = "Esc, then Down: another one." if is_typing else "Down: another one."
    if isinstance(ending, ClosedDecision):
        return Text(f"ENDED: this decision {decision_ended(ending)}. {next_one}", "bold")
    if isinstance(ending, ClosedGate):
        return Text(f"ENDED. {gate_ended(ending)} {next_one}", "bold")
    by = f" by {names_of(ending.by)}" if ending.by and ending.how == "answered" else ""
    return Text(f"ENDED: this question {_HOW.get(ending.how, 'is gone')}{by}. {next_one}", "bold")


def state_line(who: str, url: str, trouble: str, pile: Pile) -> Text:
    """The top line."""
    state = f"NOT CURRENT: {line_of(trouble)}" if trouble else "connected"
    return Text(f"{len(pile.rows)} open, {len(pile.mine)} for you  {state}  {line_of(who)} at {url}", "reverse")
