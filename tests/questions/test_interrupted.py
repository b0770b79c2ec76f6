"""Ctrl-C in the middle of a step: the step is finished first, so nobody is left waiting whom nobody can wake."""

import signal
from functools import wraps

import pytest
import trio
import trio.testing

import questions.settlement
from facets import Principal, open_host
from questions import Confirm, Questions, SessionScope, questions_facet
from questions.publishing import Publishing
from tests.rules import rule

ANA, S1 = Principal.user("ana"), SessionScope("s1")


def _interrupted(function):
    """`function`, with Ctrl-C pressed while it runs."""

    @wraps(function)
    def pressed(*args):
        signal.raise_signal(signal.SIGINT)
        return function(*args)

    return pressed


def _run(main):
    """The program `main`; the signal comes out of it bare or in a group, and nothing with it."""
    with pytest.raises((KeyboardInterrupt, BaseExceptionGroup)) as raised:
        trio.run(main)
    assert _only_interrupts(raised.value)


def _only_interrupts(error):
    return isinstance(error, KeyboardInterrupt) or (
        isinstance(error, BaseExceptionGroup) and all(map(_only_interrupts, error.exceptions))
    )


@rule("Q-SET-2")
def test_ctrl_c_while_a_question_is_settled_still_wakes_everybody_who_waits(monkeypatch):
    got = []

    async def ask(asker):
        got.append((await asker.ask(Confirm("Go?"), audience=[ANA], key="go")).answer)

    async def main():
        async with open_host([questions_facet]) as host, host.root() as ctx, host.root(principal=ANA) as theirs:
            asker, viewer = await ctx.get(Questions, S1), await theirs.get(Questions, S1)
            async with trio.open_nursery() as nursery:
                for _ in range(3):
                    nursery.start_soon(ask, asker)
                await trio.testing.wait_all_tasks_blocked()
                [id] = viewer.open.value
                monkeypatch.setattr(questions.settlement, "result", _interrupted(questions.settlement.result))
                await viewer.answer(id, True)

    _run(main)
    assert got == [True, True, True]


@rule("Q-SET-1")
def test_ctrl_c_between_becoming_a_waiter_and_waiting_withdraws_the_question(monkeypatch):
    left = []

    async def main():
        async with open_host([questions_facet]) as host, host.root() as ctx, host.root(principal=ANA) as theirs:
            asker, viewer = await ctx.get(Questions, S1), await theirs.get(Questions, S1)
            monkeypatch.setattr(Publishing, "opened", _interrupted(Publishing.opened))
            try:
                await asker.ask(Confirm("Go?"), audience=[ANA])
            finally:
                left.append((len(viewer.open.value), [closed.how for closed in viewer.closed.value]))

    _run(main)
    assert left == [(0, ["withdrawn"])]
