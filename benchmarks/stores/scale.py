"""How much is measured on durable stores: the full run, and a quick one that only shows that all of it runs."""

import attrs


@attrs.frozen
class Scale:
    """Sizes and repetitions of every subject."""

    syncs: bool
    """Whether the PostgreSQL server does, as servers do."""
    rounds: int
    answers: int
    """Of one answerer in one sample."""
    at_once: tuple[int, ...]
    """Answerers at the same time in one process; the first and the last are judged."""
    each: int
    """Answers of each of them in one sample."""
    writers: tuple[int, ...]
    """Processes; the last but one is judged by its worst wait."""
    seconds: float
    """Of their sample."""
    trips: int
    """Answers whose way to a waiter elsewhere is measured."""
    idle: int
    """Subscribers, shared out over `holders` processes."""
    holders: int
    records: int
    """Open ones in the large store."""
    few: int
    """And in the small one."""
    waiters: int
    """On one decision."""
    starts: int
    """Cold starts of the command."""


FULL = Scale(
    syncs=True,
    rounds=7,
    answers=150,
    at_once=(1, 10, 100),
    each=5,
    writers=(1, 2, 4, 8, 16),
    seconds=2.0,
    trips=100,
    idle=300,
    holders=3,
    records=100_000,
    few=100,
    waiters=1_000,
    starts=15,
)

QUICK = Scale(
    syncs=False,
    rounds=1,
    answers=3,
    at_once=(1, 5),
    each=2,
    writers=(1, 2),
    seconds=0.05,
    trips=2,
    idle=6,
    holders=1,
    records=60,
    few=10,
    waiters=20,
    starts=1,
)
