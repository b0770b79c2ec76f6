"""What the tests of open stores share: raising, and hearing what was heard."""

import trio

from questions.durable import Hint
from questions.durable.table import DECISIONS
from tests.questions.durable.cases import MAIN, OPTS

__all__ = ["fill", "heard", "outcome", "raise_one", "rows"]


async def raise_one(store, title="Ship it?", *, caller=MAIN, **fields):
    """A decision of this title, raised at the engine's now."""
    return await store.decisions(caller).raise_decision(title, **fields)


async def fill(store, count, **fields):
    """The ids of so many decisions that are raised at once."""
    ids = []

    async def fill_one():
        ids.append((await raise_one(store, **fields)).id)

    async with trio.open_nursery() as nursery:
        for _ in range(count):
            nursery.start_soon(fill_one)
    return ids


async def heard(store, hints):
    """All hints until now, as (kind, id): those before a decision that is raised for this, to mark the end."""
    mark = await raise_one(store, "the mark", options=OPTS)
    found: list = []
    async for hint in hints:
        if isinstance(hint, Hint) and hint.id == mark.id:
            return found
        found.append(hint)
    raise AssertionError("hints do not end")


async def outcome(act):
    """What an act gives, or what it raises."""
    try:
        return await act
    except Exception as refusal:
        return refusal


async def rows(store, *ids):
    """What is stored, just as it is."""
    return (await store.backend.get(DECISIONS, ids)).rows
