"""Gates for the tests of `questions gates`: a store in a folder, and requests in it."""

import time
from functools import partial

import trio

from questions.gates import open_gates
from tests.cli.processes import environment
from tests.cli.terminal import Terminal
from tests.questions.gates.acts import asked

__all__ = ["answering", "ask", "in_gates", "now", "root_of"]


def now():
    """The time as requests have it."""
    return time.time_ns() // 1_000_000


def root_of(folder):
    """The environment of a command for the store in a folder."""
    return environment(QUESTIONS_ROOT=str(folder))


def in_gates(folder, act, *arguments):
    """What `await act(gates, *arguments)` gives, with the gates of the store in a folder."""

    async def opened():
        async with open_gates(folder, serve=False) as gates:
            return await act(gates, *arguments)

    return trio.run(opened)


def ask(folder, **changes):
    """Store a request that a run waits for."""
    return in_gates(folder, partial(asked, parked=True, **{"now": now(), **changes}))


def answering(folder, request, *arguments, **terminal):
    """`questions gates answer` on a terminal."""
    command = ("gates", "answer", request.decision_id, *arguments)
    return Terminal(*command, environment=root_of(folder), **terminal)
