"""`questions answer`: answer an open question as the principal of a token. No secret is ever an argument."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, ClassVar

import trio

from facets.errors import LinkLost
from questions.endings import looked_up
from questions.errors import (
    InvalidAnswer,
    NoLiveAsker,
    NoLongerActive,
    NotInAudience,
    StoreClosed,
    UnknownQuestion,
)
from questions.open_question import OpenQuestion
from questions.redaction import Secret
from questions.scopes import Scope
from questions.views import Viewer

from .answer_value import answer_given
from .codes import DONE, WITHDRAWN
from .connecting import CONNECTING, BadCommand, Server, Unreachable, add_link_options, open_views, server_of, unreached

__all__ = ["NotOpen", "add_answer"]

_EXAMPLES = f"""\
examples:
  questions answer ID yes --token-file alice.token      yes, true or allow; no, false or deny
  questions answer ID staging                           the id of an option
  questions answer ID "after lunch"                     text
  questions answer ID "c > a"                           a ballot of a vote: options, the best first; again, to revise it
  questions answer ID "a=4 b=1"                         or points or credits for options; `questions watch` says which
  questions answer ID                                   asks for it; what is typed for a secret is not shown
  questions answer ID - < code.txt                      from standard input, for secrets too
  questions answer ID --file notes.txt                  from a file

`questions watch` shows the IDs. One line feed at the end of standard input, or of a file, is left out.

{CONNECTING}
exit codes: 0 answered, 2 bad usage or an answer that does not fit, 4 not open any more, 5 unreachable or token not
accepted, 70 internal error, 130 interrupted. But for 0 nothing was counted, save where the message says otherwise.
"""


class NotOpen(BadCommand):
    """The question is not open any more, or has this principal's answer: `why`. The answer was not counted."""

    exit_code: ClassVar[int] = WITHDRAWN


def add_answer(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `answer` to the parser of `questions`."""
    parser = commands.add_parser(
        "answer",
        description="Answer an open question. What does not fit it is told, and changes nothing.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("id", metavar="ID", help="the question, as `questions watch` shows it")
    parser.add_argument("value", metavar="VALUE", nargs="?", help="the answer; -: standard input; left out: a prompt")
    parser.add_argument("--file", metavar="FILE", type=Path, help="the answer is in this file")
    add_link_options(parser)
    parser.set_defaults(run=run_answer, on_interrupt="Interrupted; nothing was answered.")


def run_answer(options: argparse.Namespace) -> int:
    """Answer; returns the exit code. Raises `FacetError` for what is at fault.

    The question is looked up first and the answer given over a second connection, so that a person may take any time
    to type, and an interrupt leaves the terminal as it was.
    """
    if options.file is not None and options.value is not None:
        raise BadCommand("A VALUE or --file, not both.")
    server = server_of(options)
    scope, question = trio.run(_find, server, options.id)
    answer = answer_given(question, options.value, options.file)
    trio.run(_give, server, scope, question.id, answer)
    print(f"Your answer to {question.id} counts.")
    return DONE


async def _find(server: Server, id: str) -> tuple[Scope, OpenQuestion]:
    async with open_views(server) as (_, views):
        why_not = ""
        for scope, viewer in views.items():
            if why := await unreached(viewer, server.wait):
                why_not = f"{scope} at {server.url}: {why}."
            elif (question := viewer.open.value.get(id)) is not None:
                _check_is_mine(question)
                return scope, question
        if why_not:
            raise Unreachable(why_not)
        for viewer in views.values():
            await _hear_why_not(viewer, id)
    raise BadCommand(
        f"There is no question {looked_up(id)!r} for you here. `questions watch --once` shows what is open;\n"
        "--session S looks into another session."
    )


def _check_is_mine(question: OpenQuestion) -> None:
    if question.answered_by_me and not question.may_revise:
        raise NotOpen(f"{NoLongerActive(question.id, 'already_answered', (), True)}.")
    if not question.may_answer:
        raise BadCommand(f"{NotInAudience(question.id)}.")


async def _hear_why_not(viewer: Viewer, id: str) -> None:
    """Raise what the server says of a question that is not shown: how it has ended, if that may be known."""
    try:
        await viewer.answer(id, None)  # fits no question, so that it cannot be counted, whatever happens meanwhile
    except UnknownQuestion:
        return
    except NoLongerActive as error:
        raise NotOpen(f"{error}.") from None
    except NotInAudience as error:
        raise BadCommand(f"{error}.") from None
    except InvalidAnswer:
        raise BadCommand(f"Question {looked_up(id)!r} was asked in this very moment; try again.") from None


async def _give(server: Server, scope: Scope, id: str, answer: Secret[Any]) -> None:
    async with open_views(server) as (link, views):
        try:
            await views[scope].answer(id, answer.reveal())
        except (NoLongerActive, UnknownQuestion) as error:
            raise NotOpen(f"{error}.") from None
        except (InvalidAnswer, NotInAudience) as error:
            raise BadCommand(f"{error}.") from None
        except (NoLiveAsker, StoreClosed) as error:
            raise Unreachable(f"{error}.") from None
        except LinkLost:
            raise Unreachable(
                f"The connection to {link.url} was lost, and whether your answer counts is unknown. Answer again: who "
                "has\nanswered already is told so."
            ) from None
